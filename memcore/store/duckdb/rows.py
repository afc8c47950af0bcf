"""Objects read once and kept: a search reads hundreds by id, which a column store is slow at.

Among 100,000 memories DuckDB takes about 30 ms to gather 400 whole rows, wherever they are; kept, they
take 0.3 ms. A few questions read only what they ask for; after `READ_ALL_AFTER` rows the rest of the table
is read at once (100,000 memories: 1.3 s, about 1.5 KiB each), of a larger table as records. What a commit
changed is dropped before the next read, so a read never gives what was committed over. Knows nothing of what
the objects mean.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from sys import intern
from typing import Generic, TypeVar

from memcore.store.codec import Table
from memcore.store.duckdb.database import Database
from memcore.store.duckdb.row_records import RowRecords
from memcore.store.sql.query import Select, by_ids

T = TypeVar("T")

AT_ONCE = 50
"""Rows asked for at once from which they are looked for in a file of records, where there is one: opening it
takes as long as DuckDB takes for a few hundred of a million."""

READ_ALL_AFTER = 4_000
"""Rows that DuckDB was asked for by id: what they took, reading everything would have taken too. Someone who
looks at a few objects at a time is never made to wait for that."""

MOST = 100_000
"""Objects of one table that are kept, all of them; of a larger one there are records (`row_records`)."""

RECENT = 20_000
"""Objects of a larger table that are kept; when so many have been asked for, keeping begins again."""


class Rows(Generic[T]):
    """Objects of one stamped table by id. `immutable`: no row of the table ever changes. Thread-safe."""

    def __init__(
        self, database: Database, table: Table[T], records: RowRecords[T], *, immutable: bool = False
    ) -> None:
        self._database = database
        self._table = table
        self._records = records
        self._immutable = immutable
        self._kept: dict[str, T] = {}
        self._generation = database.newest(table.name)
        self._asked = 0
        self._read_all = self._large = False
        self._lock = threading.Lock()

    def by_id(self, ids: Sequence[str]) -> dict[str, T]:
        """The stored objects among `ids`, by id, in the order asked."""
        with self._lock:
            self._follow()
            missing = [key for key in ids if key not in self._kept]
            if len(self._kept) + len(missing) > (MOST if self._read_all else RECENT):
                self._kept.clear()
                self._read_all = False
                missing = list(ids)
            if missing:
                self._read(missing)
            return {key: self._kept[key] for key in ids if key in self._kept}

    def _follow(self) -> None:
        newest = self._database.newest(self._table.name)  # noted before reading what changed
        if newest == self._generation:
            return
        if self._kept and not self._immutable:
            changed = " ".join(("select id from", self._table.name, "where changed > ?"))
            for (key,) in self._database.query(changed, [self._generation]):
                self._kept.pop(key, None)
        self._generation = newest

    def _read(self, missing: Sequence[str]) -> None:
        self._asked += len(missing)
        if len(missing) >= AT_ONCE and self._records.are_kept():
            self._large = True
        if self._read_all or (self._asked < READ_ALL_AFTER and not self._large):
            found = by_ids(self._database, self._table, missing)
        elif self._large or self._size() > MOST:
            self._large = True
            found = self._records.by_id(missing)
        else:
            self._read_all = True
            with _no_garbage():
                found = Select(self._table).by_key(self._database)
        self._kept.update((intern(key), value) for key, value in found.items())

    def _size(self) -> int:
        ((size,),) = self._database.query(" ".join(("select count(*) from", self._table.name)))
        return int(size)


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Without looking for garbage among rows that stay: that took half of the time of reading them."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
