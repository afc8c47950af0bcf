"""The objects of a table too large to keep as Python objects: as JSON in a file, read by id.

A million memories are 1.5 GiB as objects and 0.6 as JSON, on disk. DuckDB, which reads columns, takes 30 ms
for 400 rows wherever they are; making objects of 400 records takes 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Generic, TypeVar

from memcore.store.codec import Table
from memcore.store.duckdb.database import Database
from memcore.store.duckdb.followed_records import Followed, FollowedRecords
from memcore.store.index_files import IndexFiles
from memcore.store.record_table import READ_BY_RECORD, RecordTable

T = TypeVar("T")


class RowRecords(Generic[T]):
    """Objects of one stamped table by id. Thread-safe."""

    def __init__(self, database: Database, table: Table[T], directory: Path) -> None:
        fields = ", ".join(f"'{field}': \"{field}\"" for field in table.fields)
        record = f"select id, encode(to_json({{{fields}}})::varchar)"
        count = " ".join(("select count(*) from", table.name))
        followed = Followed(
            tables=(table.name,),
            changed=" ".join((record, "from", table.name, "where changed > $seen")),
            most=count,
            count=count,
            parameters={},
            key=("", table.name, ""),
        )
        files = IndexFiles(database, directory, "rows", RecordTable.load, checked_by_index=READ_BY_RECORD)
        self._table = table
        self._records = FollowedRecords(database, followed, files, large=0)

    def by_id(self, ids: Sequence[str]) -> dict[str, T]:
        """The stored objects among `ids`, by id, in the order asked."""
        return {key: self._table.from_json(record) for key, record in self._records.of(ids).items()}

    def are_kept(self) -> bool:
        """Whether a file of them was written."""
        return self._records.are_kept()
