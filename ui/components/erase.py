"""Ways from where something is read to where it is erased for good: Settings, with this already chosen.

Nothing is erased, and nothing even counted, by following one.
"""

from __future__ import annotations

from memcore.domain.models.erasure import ErasedKind
from memcore.memory import Memory
from ui.shell import links
from ui.shell.text import label

WHAT, WHICH = "erase", "which"
"""The query parameters of Settings: what to erase, and its id or, of a person, the name."""


def address(message_id: str) -> str:
    """Where a message is erased, for a link inside HTML."""
    return links.href("Settings", **{WHAT: "message", WHICH: message_id})


def link(text: str, what: ErasedKind, which: str = "") -> None:
    """A link; without `which` one names it there. `text` is Markdown: pass names through `label`."""
    links.link("Settings", text, **{WHAT: what, **({WHICH: which} if which else {})})


def of_speaker(memory: Memory, owner: str, name: str) -> None:
    """A link for everything that somebody said; nothing for a name by which nobody speaks."""
    if name in memory.evidence.speakers(owner):
        link(f"Erase all that {label(name, 40)} said…", "person", name)
