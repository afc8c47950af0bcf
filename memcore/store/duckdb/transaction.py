"""Statements that are committed together, and a whole database written to another file."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from memcore.domain import private_files
from memcore.store.codec import Table, storable
from memcore.store.sql.database import Parameters


class Transaction:
    """Statements that are committed together."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self._cursor = cursor
        self.generation = 0
        self.written: set[str] = set()

    def query(self, sql: str, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
        """All rows, as this transaction sees them: its own writes and what was committed before."""
        return self._cursor.execute(sql, storable(parameters)).fetchall()

    def stream(self, sql: str, size: int = 2_000) -> Iterator[tuple[Any, ...]]:
        """The rows of a long read one by one. Ask nothing else of the transaction meanwhile."""
        result = self._cursor.execute(sql)
        while rows := result.fetchmany(size):
            yield from rows

    def insert(self, table: str, rows: pa.Table, *, clash: str = "") -> None:
        """Bulk-insert `rows` by column name. `clash` says what happens to a row whose key exists:
        fail (default), `or ignore` or `or replace`."""
        self.written.add(table)
        self._cursor.register("incoming", rows)
        try:
            self._cursor.execute(" ".join(["insert", clash, "into", table, "by name from incoming"]))
        finally:
            self._cursor.unregister("incoming")

    def delete_in(self, table: str, column: str, keys: pa.Table) -> int:
        """Delete the rows whose column is one of the `key` of `keys`; returns how many there were."""
        self.written.add(table)
        self._cursor.register("leaving", keys)
        try:
            rows = self._cursor.execute(
                " ".join(["delete from", table, "where", column, "in (select key from leaving)"])
            ).fetchall()
        finally:
            self._cursor.unregister("leaving")
        return int(rows[0][0])

    def put(self, table: Table[Any], values: Sequence[Any], generation: int = 0, *, clash: str = "") -> None:
        """Insert objects into their table; `clash` is said of an id that is there already."""
        if values:
            self.insert(table.name, table.rows(values, generation), clash=clash)

    def last_event(self) -> int:
        """The number of the newest event; 0: there is none."""
        ((last,),) = self.query("select coalesce(max(seq), 0) from events")
        return int(last)

    def next_generation(self) -> int:
        """Count this commit; indexes compare their own generation with the store's."""
        (row,) = self.query("update store set generation = generation + 1 returning generation")
        self.generation = int(row[0])
        return self.generation


def copy_database(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Write the database of a connection to a new file, tables, views and indexes."""
    alias = f"copy_{uuid.uuid4().hex[:8]}"
    quoted = str(path).replace("'", "''")
    (row,) = connection.execute("select current_database()").fetchall()
    connection.execute(f"attach '{quoted}' as {alias} (read_write)")
    try:
        private_files.close_to_others(path)
        connection.execute(f'copy from database "{row[0]}" to {alias}')
    finally:
        connection.execute(f"detach {alias}")
