"""Erasing for good: what may be erased, and what that takes away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ERASURE = "erasure"
"""`Event.object_type` of an event that something was erased, and of those that told of what is gone."""
LEFT_ELSEWHERE = (
    "Exports, backups and recorded replies made earlier still hold the words, and so does the log: importing "
    "it again brings them back. Evaluations of logs of your own keep what they read in the cache directory "
    "(~/.cache/memscope, or MEMSCOPE_CACHE). A person whom others name stays in their messages."
)
"""What no erasure reaches, as a person is told before it."""
ErasedKind = Literal["message", "conversation", "person", "owner"]


@dataclass(frozen=True, slots=True)
class ErasureReport:
    """Rows by table: `removed` are gone, `changed` stay without the words. `done`: it has happened; otherwise
    it is what would happen."""

    what: ErasedKind
    target: str
    owner: str
    removed: Mapping[str, int]
    changed: Mapping[str, int]
    done: bool = False
