"""Records on disk that follow the store, as its indexes do: what newer commits changed is taken over before
a read, and a file that does not fit is made anew. What they are made of, two queries say."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memcore.store.duckdb.database import Database
from memcore.store.index_files import IndexFiles
from memcore.store.record_file import DamagedRecordError
from memcore.store.record_table import RecordTable

SAVE_AFTER = 2_000
"""New records, at least a tenth of all, after which the file is written."""


@dataclass(frozen=True, slots=True)
class Followed:
    """`changed` gives id and record (null: none any more) of what changed after generation $seen, `count` how
    many there are, `most` a number that is quick to find, as high if there is a record of everything; all of
    these parameters, from these tables. `key`: the file's owner, kind, recipe."""

    tables: tuple[str, ...]
    changed: str
    most: str
    count: str
    parameters: Mapping[str, str]
    key: tuple[str, str, str]


class FollowedRecords:
    """Records by object id. Thread-safe. `large`: how many there must be for a file."""

    def __init__(
        self, database: Database, followed: Followed, files: IndexFiles[RecordTable], *, large: int
    ) -> None:
        self._database = database
        self._followed = followed
        self._files = files
        self._large = large
        self._table = RecordTable()
        self._generation = -1
        self._unsaved = 0
        self._file_fits = True
        self._lock = threading.Lock()

    def of(self, ids: Sequence[str]) -> dict[str, bytes]:
        """By id; those that have none are left out."""
        with self._lock:
            self._follow()
            try:
                return self._table.of(ids)
            except DamagedRecordError:
                self._table, self._generation, self._file_fits = RecordTable(), -1, False
                self._follow()
                return self._table.of(ids)

    def are_kept(self) -> bool:
        """Whether there is a file of them."""
        return self._files.are_there(*self._followed.key)

    def _follow(self) -> None:
        if self._database.newest(*self._followed.tables) == self._generation:
            return
        first = self._generation < 0
        if first and self._file_fits and (most := self._counted(self._followed.most)) >= self._large:
            cached = self._files.load(*self._followed.key)
            if cached is not None and cached[1] <= self._database.generation:
                self._table, self._generation = cached
                self._take_changed()
                if len(self._table) != most and len(self._table) != self._counted(self._followed.count):
                    self._table, self._generation = RecordTable(), -1
        self._take_changed()
        large = len(self._table) >= self._large
        if first and large:
            self._database.release_buffers()
        behind = self._unsaved >= max(SAVE_AFTER, len(self._table) // 10)
        if behind and large:
            self._files.save(*self._followed.key, self._table, self._generation)
            self._unsaved = 0

    def _take_changed(self) -> None:
        newest = self._database.newest(*self._followed.tables)
        if newest == self._generation:
            return
        asked = {**self._followed.parameters, "seen": self._generation}
        for keys, records in self._database.records(self._followed.changed, asked):
            found = dict(zip(keys, records, strict=True))
            self._table.remove([key for key, record in found.items() if record is None])
            self._table.put({key: record for key, record in found.items() if record is not None})
            self._unsaved += len(found)
        self._generation = newest  # noted before reading: what is read twice does no harm

    def _counted(self, select: str) -> int:
        asked = {name: value for name, value in self._followed.parameters.items() if f"${name}" in select}
        ((count,),) = self._database.query(select, asked)
        return int(count)
