"""Vector and keyword indexes, and searching by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from memcore.domain.models import (
    DEFAULT_RECIPE,
)
from memcore.domain.protocols.inference import TokenCodes, Vectors


class VectorIndex(Protocol):
    """Nearest neighbours in one collection: one owner's objects of one kind."""

    def __len__(self) -> int: ...

    def put(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add objects, or give those already there another vector. `vectors`: (len(ids), dimension)."""
        ...

    def remove(self, ids: Sequence[str]) -> None:
        """Forget objects; ids that are not there are no error."""
        ...

    def search(self, vector: NDArray[np.float32], k: int) -> list[tuple[str, float]]:
        """The k nearest (all, when there are fewer) as (id, cosine), best first, equals by id."""
        ...


MakeIndex = Callable[[int], VectorIndex]
"""An empty index of unit vectors of a dimension."""


class KeywordIndex(Protocol):
    """Full-text search in one collection: one owner's objects of one kind."""

    def __len__(self) -> int: ...

    def put(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        """Add objects, or give those already there another text."""
        ...

    def remove(self, ids: Sequence[str]) -> None:
        """Forget objects; ids that are not there are no error."""
        ...

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """The k best that share a word with `query` as (id, score > 0), best first, equals by id."""
        ...

    def rarity(self, words: Sequence[str]) -> list[float]:
        """How much each word tells: log((n + 1) / (m + ½)), where m of the n objects hold it."""
        ...


SearchedKind = Literal["memory", "message", "triple", "entity"]


@dataclass(frozen=True, slots=True)
class Metadata:
    """What is asked of memories' metadata: people, other names (things, places), and a time from `time_from`
    up to `time_to` (exclusive; None: any time that is stated)."""

    people: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    time_from: datetime | None = None
    time_to: datetime | None = None


class SearchIndex(Protocol):
    """Nearest neighbours over the active and formerly active objects of one owner and, but for
    messages, one recipe (for messages `recipe` is empty)."""

    def semantic(
        self,
        owner: str,
        vector: NDArray[np.float32],
        k: int,
        *,
        kind: SearchedKind,
        recipe: str = DEFAULT_RECIPE,
    ) -> list[tuple[str, float]]:
        """(object id, cosine) best first. An object whose text was never embedded is not found."""
        ...

    def lexical(
        self, owner: str, query: str, k: int, *, kind: SearchedKind, recipe: str = DEFAULT_RECIPE
    ) -> list[tuple[str, float]]:
        """(object id, BM25 score > 0) best first."""
        ...

    def symbolic(
        self, owner: str, asked: Metadata, *, recipe: str = DEFAULT_RECIPE, as_of: datetime | None = None
    ) -> dict[str, float]:
        """By id, the memories valid at `as_of` (None: now) that meet something asked: the share of the
        names each is about (a person as its speaker or among its persons, anything else also among its
        entities and keywords and as its location; equal by `names.entity_key`), and 1 more if what it
        tells of falls into the time asked for, 0.5 if it has no event time and was said then."""
        ...

    def named(
        self,
        owner: str,
        keys: Iterable[str],
        *,
        recipe: str = DEFAULT_RECIPE,
        as_of: datetime | None = None,
    ) -> dict[str, tuple[str, bool]]:
        """Which of the `names.entity_key` keys are a person, entity or location of a memory valid at
        `as_of` (None: now): how each is spelled (of several spellings the first by alphabet), and
        whether it is a person."""
        ...

    def rarity(
        self, owner: str, words: Sequence[str], *, kind: SearchedKind, recipe: str = DEFAULT_RECIPE
    ) -> list[float]:
        """As `KeywordIndex.rarity`, among the owner's objects."""
        ...

    def token_codes(
        self, owner: str, ids: Sequence[str], *, kind: SearchedKind, recipe: str = DEFAULT_RECIPE
    ) -> dict[str, TokenCodes]:
        """The token codes of objects by id; those whose text has none stored are left out."""
        ...

    def prepare(
        self,
        owner: str,
        *,
        recipe: str = DEFAULT_RECIPE,
        semantic: Sequence[SearchedKind] = (),
        lexical: Sequence[SearchedKind] = (),
    ) -> None:
        """Make the indexes that a search is about to ask and that none has asked yet, side by side. A
        search that leaves it out finds the same, later."""
        ...

    def at_once(self, asks: Sequence[Callable[[], object]]) -> None:
        """Do things that ask the store and do not need each other's answers: beside each other where it
        answers elsewhere, else in order. Raises what one that failed raised, when none is being done."""
        ...
