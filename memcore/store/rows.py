"""Objects read once and kept: a search reads hundreds by id, which a column store is slow at.

Among 100,000 memories DuckDB takes about 30 ms to gather 400 whole rows, wherever they are; kept, they
take 0.1 ms. What a commit changed is dropped before the next read, so a read never gives what was
committed over. Knows nothing of what the objects mean.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from memcore.store.codec import Table
from memcore.store.database import Database
from memcore.store.query import Select, by_ids

T = TypeVar("T")

MOST = 1_000_000
"""Objects of one table that are kept (about 1 KiB each); then all are given up and reading begins again."""


class Rows(Generic[T]):
    """Objects of one stamped table by id. `immutable`: no row of the table ever changes. Thread-safe."""

    def __init__(self, database: Database, table: Table[T], *, immutable: bool = False) -> None:
        self._database = database
        self._table = table
        self._immutable = immutable
        self._kept: dict[str, T] = {}
        self._generation = database.generation
        self._lock = threading.Lock()

    def by_id(self, ids: Sequence[str]) -> dict[str, T]:
        """The stored objects among `ids`, by id, in the order asked."""
        with self._lock:
            self._follow()
            seen = self._generation
            found = {key: self._kept[key] for key in ids if key in self._kept}
        missing = [key for key in ids if key not in found]
        if missing:
            read = by_ids(self._database, self._table, missing)
            self._keep(read.values(), seen)
            found |= read
        return {key: found[key] for key in ids if key in found}

    def load(self, condition: str, *parameters: str) -> None:
        """Read every object that fulfils a condition, so that none has to be read one by one."""
        with self._lock:
            self._follow()
            seen = self._generation
        self._keep(Select(self._table).where(condition, *parameters).all(self._database), seen)

    def _follow(self) -> None:
        newest = self._database.generation  # noted before reading what changed
        if newest == self._generation:
            return
        if self._kept and not self._immutable:
            changed = " ".join(("select id from", self._table.name, "where changed > ?"))
            for (key,) in self._database.query(changed, [self._generation]):
                self._kept.pop(key, None)
        self._generation = newest

    def _keep(self, values: Iterable[T], seen: int) -> None:
        """Keep what was read when the store was at generation `seen`, unless a commit has come since:
        what it changed was dropped already and must not come back."""
        with self._lock:
            if seen != self._generation and not self._immutable:
                return
            for value in values:
                self._kept[sys.intern(self._table.key_of(value))] = value
            if len(self._kept) > MOST:
                self._kept.clear()
