"""What is asked, what answers it, and the seam between: a system's way of searching.

A `Search` is strategy as data (as graphiti's search recipes): each recipe names the one it was
published with, and everything that asks, `search`, `ask`, comparison and evaluation, goes through it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memcore.domain.errors import UsageError
from memcore.domain.models import DEFAULT_OWNER, DEFAULT_RECIPE
from memcore.domain.protocols import Embedder, Llm, Store
from memcore.retrieval.results import SearchReport

LONGEST_QUERY = 4000


@dataclass(frozen=True, slots=True)
class Question:
    """A question to one owner's memory as one recipe keeps it: the k best results, from what was valid
    at `as_of` (None: now). Times like "10 days ago" in it count from `asked_at` (None: see
    `time_of_asking`). Raises UsageError for an empty question or a k below 1."""

    text: str
    owner: str = DEFAULT_OWNER
    recipe: str = DEFAULT_RECIPE
    k: int = 10
    as_of: datetime | None = None
    asked_at: datetime | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.text.strip()[:LONGEST_QUERY])
        if not self.text:
            raise UsageError("The question is empty.", "Ask something, for example: Where does Nora live?")
        if self.k < 1:
            raise UsageError(f"k = {self.k} asks for no results.", "Ask for at least 1 result.")


@dataclass(frozen=True, slots=True)
class SearchTools:
    """The backends a search uses, and its system's own settings (None: its defaults). Without an `llm`,
    rules plan and reflect."""

    embedder: Embedder
    llm: Llm | None = None
    own: Any = None


Search = Callable[[Store, SearchTools, Question], SearchReport]
"""Hits best first, with the trace of how they were found. Never writes to the store."""
