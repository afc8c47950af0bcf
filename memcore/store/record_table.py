"""Records of bytes by object id, on disk: a few hundred are looked at for a question, of gigabytes.

Knows ids and bytes, not what they mean.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memcore.store.columns_file import read_columns, write_columns
from memcore.store.id_table import IdTable
from memcore.store.record_file import RecordFile

READ_BY_RECORD = frozenset({"records"})
"""The files that are checked as they are read, and not when the table is opened."""


class RecordTable:
    """Not thread-safe: its owner holds a lock. The bytes of what was given up stay in the file until the
    table is made anew."""

    def __init__(self) -> None:
        self._ids = IdTable()
        self._number_of = array("i")  # of the record, by the id's place
        self._records = RecordFile()

    def __len__(self) -> int:
        return len(self._ids)

    def put(self, records: Mapping[str, bytes]) -> None:
        """Add objects, or give those already there another record."""
        self.remove(list(records))
        for key, record in records.items():
            self._ids.append(key)
            self._number_of.append(len(self._records))
            self._records.append(record)

    def remove(self, ids: Sequence[str]) -> None:
        """Forget objects; ids that are not there are no error."""
        for key in ids:
            self._ids.forget(key)

    def of(self, ids: Sequence[str]) -> dict[str, bytes]:
        """By id; those that are not there are left out. Raises DamagedRecordError."""
        found = zip(ids, self._ids.find(ids), strict=True)
        places = {key: place for key, place in found if place is not None}
        numbers = [self._number_of[place] for place in places.values()]
        return dict(zip(places, self._records.read(numbers), strict=True))

    def save(self, at: Callable[[str], Path]) -> dict[str, Any]:
        """Write files where `at` says, by part, and return the rest, as JSON values, for `load`."""
        numbers = np.frombuffer(self._number_of, dtype=np.int32)[self._ids.standing()]
        self._ids, self._number_of = self._ids.kept(), array("i", numbers.tobytes())
        columns = self._ids.columns() | self._records.save(at("records"))
        write_columns(at("table"), columns | {"numbers": numbers})
        return {"entries": len(self)}

    @classmethod
    def load(cls, files: Mapping[str, Path], rest: Mapping[str, Any]) -> RecordTable:
        """Raises OSError, ValueError, KeyError or TypeError when they do not fit together."""
        table = cls()
        columns = read_columns(files["table"])
        table._ids = IdTable.of_columns(columns)
        table._number_of = array("i", columns["numbers"].tobytes())
        if not len(table._ids) == len(table._number_of) == rest["entries"]:
            raise ValueError("ids and records differ in number")
        table._records = RecordFile.load(files["records"], columns)
        return table
