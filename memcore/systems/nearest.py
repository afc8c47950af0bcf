"""Objects by similarity, as a recipe sees them while it works: what is there, and what it adds.

An index held in memory for the length of a run. Nothing is stored here, and nothing is read from the
store before the first question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from memcore.domain.models import Entity, MemoryEntry
from memcore.domain.protocols import VectorIndex, Vectors

Item = TypeVar("Item", MemoryEntry, Entity)


Load = Callable[[], tuple[Sequence[Item], Vectors]]
"""Objects and, in their order, their unit vectors."""


class Nearest(Generic[Item]):
    """Memories or entities and their unit vectors. `load` gives what is there already, once it is
    asked for; `index` is empty before."""

    def __init__(
        self,
        index: VectorIndex,
        load: Load[Item] | None = None,
    ) -> None:
        self._index = index
        self._load: Load[Item] | None = load
        self._items: dict[str, Item] = {}

    def put(self, items: Sequence[Item], vectors: Vectors | Sequence[NDArray[np.float32]]) -> None:
        """Add objects, or give those already there another value or vector; `vectors` in their order."""
        self._fill()
        if items:
            self._items.update((item.id, item) for item in items)
            self._index.put([item.id for item in items], np.stack(list(vectors)))

    def those(self, ids: Iterable[str]) -> list[Item]:
        """The objects with these ids, in their order; ids that are not there have none."""
        self._fill()
        return [self._items[i] for i in ids if i in self._items]

    def forget(self, ids: Iterable[str]) -> None:
        """No longer find these; ids that are not there are no error."""
        self._fill()
        gone = [i for i in ids if self._items.pop(i, None) is not None]
        self._index.remove(gone)

    def search(self, vector: NDArray[np.float32], k: int) -> list[tuple[Item, float]]:
        """The k nearest (all, when there are fewer) and their cosines, best first."""
        self._fill()
        if not self._items:
            return []
        return [(self._items[i], score) for i, score in self._index.search(vector, k)]

    def _fill(self) -> None:
        if self._load is not None:
            load, self._load = self._load, None
            items, vectors = load()
            if items:
                self.put(items, vectors)
