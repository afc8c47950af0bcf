"""A select statement put together from constant parts; values only ever travel as parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

from memcore.store.codec import Table
from memcore.store.sql.database import Reader

T = TypeVar("T")

MOST_LISTED = 1_000
"""Values that are written one by one into a statement."""


class Objects(Protocol[T]):
    """The objects of one table by id, as an engine reads them best."""

    def by_id(self, ids: Sequence[str]) -> dict[str, T]:
        """The stored objects among `ids`, by id, in the order asked."""
        ...


class Select(Generic[T]):
    """`Select(TABLE).where("owner = ?", owner).order("id").all(database)`."""

    def __init__(self, table: Table[T], joins: str = "") -> None:
        self._table = table
        self._joins = joins
        self._conditions: list[str] = []
        self._parameters: list[Any] = []
        self._tail: list[str] = []

    def where(self, condition: str, *parameters: Any) -> Select[T]:
        """Keep only rows that meet this condition, too."""
        self._conditions.append(condition)
        self._parameters += parameters
        return self

    def where_in(self, column: str, values: Sequence[str] | None) -> Select[T]:
        """Only rows whose `column` is among `values`; None asks for no filter, nothing for no row."""
        if values is None:
            return self
        return self.where(" ".join((column, "in (select unnest(?::text[]))")), list(values))

    def where_listed(self, column: str, values: Sequence[str]) -> Select[T]:
        """As `where_in`, for a column of a view: the few values are compared in its tables, where those of a
        subquery would be after all of them were put together."""
        if len(values) > MOST_LISTED:
            return self.where_in(column, values)
        listed = ", ".join("?" for _ in values)
        return self.where(" ".join((column, "in (", listed, ")")), *values)

    def order(self, columns: str, *, limit: int | None = None, offset: int = 0) -> Select[T]:
        """Sort, and cut to a page when a limit is given."""
        self._tail = ["order by", columns]
        if limit is not None:
            self._tail.append(f"limit {int(limit)}")
        if offset:
            self._tail.append(f"offset {int(offset)}")
        return self

    def all(self, reader: Reader) -> list[T]:
        """Every object found."""
        rows = reader.query(
            " ".join([self._table.select, self._joins, *self._where(), *self._tail]), self._parameters
        )
        return [self._table.from_row(row) for row in rows]

    def count(self, reader: Reader) -> int:
        """How many there are, whatever the limit."""
        ((found,),) = reader.query(
            " ".join(["select count(*) from", self._table.name, self._joins, *self._where()]),
            self._parameters,
        )
        return int(found)

    def count_by(self, reader: Reader, column: str, *, order: str) -> dict[str, int]:
        """How many there are with each value of a column, whatever the limit, sorted by another column that
        goes with it."""
        grouped = f"group by {column}, {order} order by {order}"
        counting = f"select {column}, count(*) from"
        rows = reader.query(
            " ".join([counting, self._table.name, self._joins, *self._where(), grouped]), self._parameters
        )
        return {str(value): int(found) for value, found in rows}

    def _where(self) -> list[str]:
        if not self._conditions:
            return []
        return ["where", " and ".join(f"({condition})" for condition in self._conditions)]

    def by_key(self, reader: Reader) -> dict[str, T]:
        """Every object found, by its key."""
        return {self._table.key_of(value): value for value in self.all(reader)}


def by_ids(reader: Reader, table: Table[T], ids: Sequence[str]) -> dict[str, T]:
    """The stored objects among `ids`, by id, in the order asked."""
    if not ids:
        return {}
    found = Select(table).where_in(f"{table.name}.{table.key}", ids).by_key(reader)
    return {key: found[key] for key in ids if key in found}


def one(reader: Reader, table: Table[T], key: str) -> T | None:
    """The object with this key, or None."""
    return by_ids(reader, table, [key]).get(key)
