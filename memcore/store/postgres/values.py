"""Values on their way into PostgreSQL and out of it, where they are not the same there.

PostgreSQL's texts cannot hold the character NUL, which evidence may have: it travels as two others, and so
does the first of these two.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa
from numpy.typing import NDArray
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo
from psycopg.types.array import ListDumper
from psycopg.types.json import Jsonb
from pydantic_core import from_json

from memcore.store.codec import storable

_MARK = "\U0010fffe"  # no character, but valid UTF-8
_NUL, _MARKED = f"{_MARK}0", f"{_MARK}1"
_MARK_BYTES = _MARK.encode()


def sent(value: Any) -> Any:
    """`value` with every text in it (nested dicts and sequences too) as PostgreSQL can hold it.

    >>> ascii(sent(["fine", "a\\x00b"]))
    "['fine', 'a\\\\U0010fffe0b']"
    """
    if isinstance(value, list) and _are_plain(value):
        return value
    if isinstance(value, dict):
        return {sent(key): sent(item) for key, item in value.items()}
    return _marked(storable(value))


def _are_plain(values: list[Any]) -> bool:
    """Whether these are all numbers, or texts in which nothing needs to be looked for: ids and places, most
    of them, by the hundred."""
    kinds = set(map(type, values))
    if kinds != {str}:
        return kinds <= {int}
    together = "".join(values)
    return together.isascii() and "\x00" not in together


def _marked(value: Any) -> Any:
    if isinstance(value, str):
        if "\x00" in value or _MARK in value:
            return value.replace(_MARK, _MARKED).replace("\x00", _NUL)
        return value
    if isinstance(value, dict):
        return {_marked(key): _marked(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_marked(item) for item in value)
    return value


JSONB = 3802
"""The number of the type in every PostgreSQL."""


def received(rows: list[tuple[Any, ...]], types: Sequence[int]) -> list[tuple[Any, ...]]:
    """Rows with their texts as they were before `sent`; `types` are the numbers of the columns' types. Jsonb
    is so when it is loaded."""
    columns = zip(zip(*rows, strict=True), types, strict=bool(rows))
    if not any(kind != JSONB and _may_have_marks(column) for column, kind in columns):
        return rows
    return [
        tuple(cell if kind == JSONB else _unmarked(cell) for cell, kind in zip(row, types, strict=True))
        for row in rows
    ]


def _may_have_marks(column: tuple[Any, ...]) -> bool:
    """Whether any cell has a mark: looked for in all together, since hardly one ever has."""
    kind = next((type(cell) for cell in column if cell is not None), None)
    if kind is str:
        return _MARK in "".join(filter(None, column))
    return kind is list and any(map(_may_have_marks, filter(None, column)))


def _unmarked(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace(_NUL, "\x00").replace(_MARKED, _MARK)
    if isinstance(value, list):
        return [_unmarked(item) for item in value]
    if isinstance(value, dict):
        return {_unmarked(key): _unmarked(item) for key, item in value.items()}
    return value


_UNESCAPED = re.compile(r"[\x01-!#-\[\]-\x7f]*")
"""ASCII without NUL, quotation marks and backslashes."""
_ESCAPED_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def _json(text: str | None) -> str | None:
    """JSON in which NUL travels as elsewhere."""
    if text is None:
        return None
    marked: str = sent(text)
    return _ESCAPED_NUL.sub(rf"\g<1>{_NUL}", marked) if "\\u0000" in marked else marked


class _JsonLoader(Loader):
    """Gives JSON as text."""

    def load(self, data: Buffer) -> str:
        return bytes(data).decode().replace(_NUL, "\\u0000")


def columns(rows: pa.Table) -> list[Sequence[Any]]:
    """The cells of a table for a bulk insert, by column: structs as jsonb, rows of numbers as vectors."""
    return [_column(rows.column(place), field) for place, field in enumerate(rows.schema)]


def _column(cells: pa.ChunkedArray, field: pa.Field) -> Sequence[Any]:
    kind = field.type
    if pa.types.is_list(kind) and pa.types.is_floating(kind.value_type):
        flat = np.concatenate([chunk.flatten().to_numpy() for chunk in cells.chunks])
        return list(flat.reshape(len(cells), -1))
    values = cells.to_pylist()
    if pa.types.is_struct(kind) or (pa.types.is_list(kind) and pa.types.is_struct(kind.value_type)):
        return [None if value is None else Jsonb(sent(value)) for value in values]
    if field.metadata is not None:
        return [_json(value) for value in values]
    return values if pa.types.is_binary(kind) else [sent(value) for value in values]


class _JsonbLoader(Loader):
    """Gives objects and lists, in less time than `json` takes."""

    def load(self, data: Buffer) -> Any:
        text = bytes(data)
        value = from_json(text)
        return _unmarked(value) if _MARK_BYTES in text else value


class _ListDumper(ListDumper):
    """Sends hundreds of ids without looking at each."""

    def dump(self, obj: list[Any]) -> Buffer | None:
        kinds = set(map(type, obj))
        if kinds == {int}:
            return f"{{{','.join(map(str, obj))}}}".encode()
        if kinds == {str} and _UNESCAPED.fullmatch("".join(obj)):
            return ('{"' + '","'.join(obj) + '"}').encode()
        return super().dump(obj)


class _VectorDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: NDArray[np.float32]) -> bytes:
        return struct.pack(">HH", len(obj), 0) + obj.astype(">f4").tobytes()


class _VectorBinaryLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> NDArray[np.float32]:
        return np.frombuffer(bytes(data), dtype=">f4", offset=4).astype(np.float32)


class _VectorLoader(Loader):
    def load(self, data: Buffer) -> NDArray[np.float32]:
        return np.array(bytes(data)[1:-1].split(b","), dtype=np.float32)


def adapt(connection: psycopg.Connection[Any]) -> None:
    """Have the connection give JSON of dictionaries as text and vectors as arrays; where the database has
    none (yet), only the former."""
    connection.adapters.register_loader("json", _JsonLoader)
    connection.adapters.register_loader("jsonb", _JsonbLoader)
    connection.adapters.register_dumper(list, _ListDumper)
    vector = TypeInfo.fetch(connection, "vector")
    if vector is None:
        return
    vector.register(connection)
    dumper = type("VectorDumper", (_VectorDumper,), {"oid": vector.oid})
    connection.adapters.register_dumper(np.ndarray, dumper)
    connection.adapters.register_loader(vector.oid, _VectorLoader)
    connection.adapters.register_loader(vector.oid, _VectorBinaryLoader)
