"""The model server of the Settings page: whether it may be used, answers, and has the model.

It is asked on a thread of its own, after every Save and when a person wants it: a server that hangs blocks no
page. What was found stays there until another server or model is chosen.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from memcore.domain.errors import MemcoreError
from memcore.llm.background import in_background
from memcore.llm.probe import Probe
from memcore.runtime import recordings, servers
from memcore.runtime.config import Settings
from ui.shell import access, address, live, opened, who
from ui.shell.frame import draw_error, meta, note
from ui.shell.text import label

LONGEST_S = 10.0
"""How long an answer is waited for. A probe's single requests have shorter limits of their own, which bytes
that trickle in put off."""
_AT_ONCE_S = 0.3
_CHECK, _REFUSED = "server_check", "refused_server"


@dataclass(frozen=True)
class _Check:
    """What is being asked, since when, and what will have been found."""

    asked: tuple[str, ...]
    found: Future[Probe | None]
    begun: float = field(default_factory=time.monotonic)

    @property
    def over(self) -> bool:
        """Whether there is an answer, or none is waited for any more."""
        return self.found.done() or time.monotonic() - self.begun > LONGEST_S


def permit(keep: Callable[[str], str], what: str) -> None:
    """The person permits a model server or recorded replies, for every store. What is neither cannot be, and
    nobody who has logged in can: it says why."""
    try:
        if who.name():
            opened.opened().people.require_operator("To permit a model server or recorded replies")
        keep(what)
    except MemcoreError as error:
        st.session_state[_REFUSED] = error


def check(settings: Settings) -> None:
    """Begin to ask the server that is chosen, if one is and may be asked."""
    st.session_state.pop(_CHECK, None)
    if settings.llm == "none" or settings.unpermitted_server or settings.unpermitted_recording is not None:
        return
    found = in_background(opened.backends(settings).probe, "check-server")
    wait([found], timeout=_AT_ONCE_S)  # most answer before the page is drawn
    st.session_state[_CHECK] = _Check(_asked(settings), found)


def _asked(settings: Settings) -> tuple[str, ...]:
    """What a check is of: another server or model is another one."""
    chosen = {
        "ollama": (settings.ollama_host, settings.ollama_model),
        "openai": (settings.openai_base_url, settings.openai_model),
        "recorded": (settings.recording,),
    }
    return (settings.llm, *chosen.get(settings.llm, ()))


def _greyed() -> dict[str, Any]:
    why = "This is permitted on the machine that Memscope runs on." if who.name() else None
    return {"disabled": why is not None, "help": why}


def draw(settings: Settings) -> None:
    """The section: a server or recording that is not permitted, or what it answered."""
    if settings.llm == "none":
        return
    st.header("Model server", anchor=False)
    if refused := live.once(_REFUSED):
        draw_error(refused)
    if wanted := settings.unpermitted_server:
        note(
            f"This store names the model server {wanted}, which you have not permitted.",
            "Nothing is sent to it. Permit it if you know it and trust it with these conversations; "
            "else name another above.",
        )
        args = (servers.permit, wanted)
        st.button(f"Permit {label(wanted)}", key="permit_server", on_click=permit, args=args, **_greyed())
        return
    if (file := settings.unpermitted_recording) is not None:
        note(
            f"This store names the recorded replies {file}, which you have not permitted.",
            "The file is not read. Permit it if you know it; else name another above.",
        )
        this = (recordings.permit, file)
        st.button("Permit it", key="permit_recording", on_click=permit, args=this, **_greyed())
        return
    recorded = settings.llm == "recorded"
    text = "Check the recording" if recorded else "Check the server"
    if st.button(text, key="check_server", **access.greyed("administer", whole=True)):
        check(settings)
    begun: _Check | None = st.session_state.get(_CHECK)
    if begun is None or begun.asked != _asked(settings):
        return
    if begun.over:
        _outcome(begun, recorded)
    else:
        _asking()


@st.fragment(run_every=0.5)
def _asking() -> None:
    address.stand()
    begun: _Check | None = st.session_state.get(_CHECK)
    if begun is None or begun.over:
        st.rerun(scope="app")
    meta("Asking the server…")


def _outcome(begun: _Check, recorded: bool) -> None:
    if not begun.found.done():
        note(
            f"{begun.asked[1]} has not answered within {LONGEST_S:g} seconds.",
            "See the server's log and its address above, then check it again.",
        )
        return
    error = begun.found.exception()
    if isinstance(error, MemcoreError):
        draw_error(error)
        return
    if error is not None:
        raise error
    if (found := begun.found.result()) is not None:
        _found(found, recorded)


def _found(found: Probe, recorded: bool) -> None:
    if found.usable and recorded:
        note(f"{found.host} has {found.version}: {found.model}.", *found.remarks[:5])
    elif found.usable:
        note(f"{found.host} answers and has {found.model}. {found.version}".strip())
    else:
        note(found.problem, found.fix)
    if found.models:
        meta(f"It has: {', '.join(found.models[:40])}")
