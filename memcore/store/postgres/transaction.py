"""Statements that are committed together, on one connection."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
import pyarrow as pa
from psycopg.pq import ExecStatus

from memcore.store.codec import Table
from memcore.store.postgres.connecting import CHANNEL, Connection
from memcore.store.postgres.statements import prepared
from memcore.store.postgres.values import columns, received
from memcore.store.sql.database import Parameters

_CLASHES = {"": "", "or ignore": "on conflict do nothing"}


class PostgresTransaction:
    """Implements Transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.generation = 0
        self.written: set[str] = set()
        self.store_before: tuple[Any, ...] = ()  # its id and model, before this transaction changed them

    def query(self, sql: str, parameters: Parameters = (), *, binary: bool = False) -> list[tuple[Any, ...]]:
        """All rows, as this transaction sees them; of a change, one row with how many it changed. `binary`:
        as they are sent without being written as text, which many bytes take less time."""
        return rows_of(self._connection, sql, parameters, binary=binary)

    def stream(
        self, sql: str, size: int = 2_000, *, parameters: Parameters = ()
    ) -> Iterator[tuple[Any, ...]]:
        """The rows of a long read one by one, fetched from the server as they are wanted."""
        with self._connection.cursor(name=f"rows_{uuid.uuid4().hex[:8]}") as cursor:
            cursor.execute(*prepared(sql, parameters))
            while rows := cursor.fetchmany(size):
                yield from received(rows, _types(cursor))

    def insert(self, table: str, rows: pa.Table, *, clash: str = "") -> None:
        """As `Transaction.insert`; what is replaced is known by its `id`."""
        self.written.add(table)
        names = [f'"{name}"' for name in rows.schema.names]
        replacing = ", ".join(f"{name} = excluded.{name}" for name in names)
        clashes = _CLASHES | {"or replace": f"on conflict (id) do update set {replacing}"}
        places = ", ".join(["%s"] * len(names))
        into = f"{table} ({', '.join(names)}) values ({places})"
        statement = " ".join(("insert into", into, clashes[clash]))
        with self._connection.cursor() as cursor:
            cursor.executemany(statement, list(zip(*columns(rows), strict=True)))

    def put(self, table: Table[Any], values: Sequence[Any], generation: int = 0, *, clash: str = "") -> None:
        """Insert objects into their table; `clash` is said of an id that is there already."""
        if values:
            self.insert(table.name, table.rows(values, generation), clash=clash)

    def delete_in(self, table: str, column: str, keys: pa.Table) -> int:
        """Delete the rows whose column is one of the `key` of `keys`; returns how many there were."""
        self.written.add(table.strip('"'))
        statement = " ".join(("delete from", table, "where", column, "= any(?)"))
        ((deleted,),) = self.query(statement, [keys.column("key").to_pylist()])
        return int(deleted)

    def last_event(self) -> int:
        """The number of the newest event, also of those that this login may not see; 0: there is none."""
        ((last,),) = self.query("select last_event()")
        return int(last)

    def next_generation(self) -> int:
        """Count this commit. The row stays locked until then, so that numbers are in the order of commits."""
        if not self.generation:
            (row,) = self.query(
                "update store set generation = generation + 1 returning generation, id, embedding_model"
            )
            self.generation, self.store_before = int(row[0]), row[1:]
        return self.generation

    def note_written(self) -> None:
        """Before the commit: note which tables it wrote to, and tell who listens that there is one."""
        if self.generation:
            self.query(
                "with noted as (insert into written select name, $2 from unnest($1::text[]) as t(name) "
                "on conflict (table_name) do update set generation = excluded.generation) "
                "select pg_notify($3, '')",
                [sorted(self.written), self.generation, CHANNEL],
            )


def rows_of(
    connection: Connection, sql: str, parameters: Parameters, *, binary: bool = False
) -> list[tuple[Any, ...]]:
    """The rows of one statement on a connection; of a change, one row with how many it changed."""
    with connection.cursor(binary=binary) as cursor:
        cursor.execute(*prepared(sql, parameters))
        if cursor.pgresult is None or cursor.pgresult.status != ExecStatus.TUPLES_OK:
            return [(cursor.rowcount,)]
        return received(cursor.fetchall(), _types(cursor))


def _types(cursor: psycopg.Cursor[Any] | psycopg.ServerCursor[Any]) -> list[int]:
    """The number of each column's type. Asked of the result itself: to describe columns takes more time than
    to read a few rows."""
    result = cursor.pgresult
    return [result.ftype(place) for place in range(result.nfields)] if result else []
