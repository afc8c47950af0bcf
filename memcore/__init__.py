"""memcore: the long-term memory of LLM assistants as something one can see, check and correct.

>>> from memcore import SYSTEMS
>>> "memscope" in SYSTEMS
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memcore.memory import Memory, open_memory
    from memcore.systems.registry import SYSTEMS

__all__ = ["SYSTEMS", "Memory", "open_memory"]

_HOMES = {
    "Memory": "memcore.memory",
    "open_memory": "memcore.memory",
    "SYSTEMS": "memcore.systems.registry",
}


def __getattr__(name: str) -> Any:
    """Imports what is asked for: a `memcore --help` needs no store and no numpy."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
