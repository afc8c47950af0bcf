"""Between the frozen dataclasses of `memcore.domain.models` and what is stored: rows and JSON snapshots.

A `Table` derives its columns from the dataclass's own type hints, so a field is named once. Scalars
become scalars, tuples become lists, nested dataclasses become structs, dictionaries become JSON.
Knows no SQL beyond the column list of its table and nothing of connections or transactions.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, Generic, TypeVar

import pyarrow as pa
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json

from memcore.domain.errors import StoreError
from memcore.domain.models import text_hash

T = TypeVar("T")

JSON = {"holds": "json"}
"""Metadata of a column of rows whose texts are JSON."""


def storable_text(text: str) -> str:
    """`text` as UTF-8 can hold it: surrogate pairs joined, lone surrogates replaced by U+FFFD.

    >>> storable_text("fine \\x00"), storable_text("a\\ud800b"), storable_text("\\ud83d\\ude00")
    ('fine \\x00', 'a�b', '😀')
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def storable(value: Any) -> Any:
    """`value` with every text in it (nested dicts and sequences too) made storable."""
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(storable(item) for item in value)
    return value


class Table(Generic[T]):
    """One table that holds objects of one dataclass.

    `key` are the columns that identify a row. `hashed` names the field whose text hash is stored
    beside it (the embedding's key); `stamped` tables note the generation that last changed a row.
    """

    def __init__(
        self, name: str, model: type[T], *, key: str = "id", hashed: str = "", stamped: bool = False
    ) -> None:
        self.name = name
        self.model = model
        self.key = key
        self.hashed = hashed
        self.stamped = stamped
        hints = typing.get_type_hints(model)
        self.fields = tuple(field.name for field in dataclasses.fields(model))  # type: ignore[arg-type]
        self._encoders = tuple(_encoder(hints[name]) for name in self.fields)
        decoders = [_decoder(hints[name]) for name in self.fields]
        self._decoders = tuple((place, decode) for place, decode in enumerate(decoders) if decode)
        self._times = tuple(name for name in self.fields if _plain(hints[name]) is datetime)
        columns = [
            pa.field(name, _arrow_type(hints[name]), metadata=JSON if _is_json(hints[name]) else None)
            for name in self.fields
        ]
        if hashed:
            columns.append(pa.field("text_hash", pa.string()))
        if stamped:
            columns.append(pa.field("changed", pa.int64()))
        self.schema = pa.schema(columns)
        self.columns = ", ".join(f'{name}."{f}"' for f in self.fields)
        self.select = " ".join(["select", self.columns, "from", name])

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        return TypeAdapter(self.model)

    def key_of(self, value: T) -> str:
        """The value of an object's key column, as text."""
        return str(getattr(value, self.key))

    def clean(self, value: T) -> T:
        """`value` itself, or a copy whose texts UTF-8 can hold. Raises StoreError for a time with a
        zone: stored times are naive, and dropping a zone silently would move them."""
        for name in self._times:
            moment = getattr(value, name)
            if moment is not None and moment.tzinfo is not None:
                raise StoreError(
                    f"{self.model.__name__} {self.key_of(value)!r} has a time zone in `{name}`; "
                    "times are stored naive.",
                    "Convert it before storing: moment.astimezone(UTC).replace(tzinfo=None).",
                )
        try:
            self._adapter.dump_json(value)
        except (PydanticSerializationError, UnicodeEncodeError):
            return self._adapter.validate_python(storable(self._adapter.dump_python(value)))
        return value

    def snapshot(self, value: T) -> dict[str, Any]:
        """The whole object as plain JSON values."""
        return typing.cast(dict[str, Any], self._adapter.dump_python(value, mode="json"))

    def from_snapshot(self, snapshot: dict[str, Any]) -> T:
        """An object from what an event kept of it. Raises StoreError where it does not fit the model."""
        try:
            return self._adapter.validate_python(snapshot)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise StoreError(
                f"This is not a {self.model.__name__}: {place}: {first['msg']}.",
                "Run `python -m memcore doctor` on the store it came from.",
            ) from error

    def from_json(self, record: bytes) -> T:
        """An object from JSON that was made of a stored one."""
        return self._adapter.validate_json(record)

    def rows(self, values: Sequence[T], generation: int = 0) -> pa.Table:
        """Column-wise rows for a bulk insert, with the hash and the generation filled in."""
        columns = []
        for name, encode in zip(self.fields, self._encoders, strict=True):
            cells = [getattr(value, name) for value in values]
            columns.append([encode(cell) for cell in cells] if encode else cells)
        if self.hashed:
            columns.append([text_hash(getattr(value, self.hashed)) for value in values])
        if self.stamped:
            columns.append([generation] * len(values))
        arrays = [
            pa.array(column, type=field.type) for column, field in zip(columns, self.schema, strict=True)
        ]
        return pa.Table.from_arrays(arrays, schema=self.schema)

    def from_row(self, row: Sequence[Any]) -> T:
        """The object in a row selected with `select` (columns in field order, further ones ignored)."""
        cells = list(row[: len(self.fields)])
        for place, decode in self._decoders:
            cells[place] = decode(cells[place])
        return self.model(*cells)


def _is_json(hint: Any) -> bool:
    return typing.get_origin(_plain(hint)) is dict


def _plain(hint: Any) -> Any:
    """`hint` without `| None`."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return next(arg for arg in typing.get_args(hint) if arg is not type(None))
    return hint


def _arrow_type(hint: Any) -> pa.DataType:
    hint = _plain(hint)
    origin = typing.get_origin(hint)
    if origin is tuple:
        return pa.list_(_arrow_type(typing.get_args(hint)[0]))
    if hint is str or origin in (typing.Literal, dict):
        return pa.string()
    if dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        return pa.struct([(field.name, _arrow_type(hints[field.name])) for field in dataclasses.fields(hint)])
    return {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), datetime: pa.timestamp("us")}[hint]


def _encoder(hint: Any) -> Callable[[Any], Any] | None:
    plain = _plain(hint)
    if typing.get_origin(plain) is dict:
        return lambda cell: None if cell is None else to_json(cell).decode()
    if typing.get_origin(plain) is tuple and dataclasses.is_dataclass(typing.get_args(plain)[0]):
        names = [field.name for field in dataclasses.fields(typing.get_args(plain)[0])]
        return lambda cell: [{name: getattr(item, name) for name in names} for item in cell]
    if dataclasses.is_dataclass(plain):
        names = [field.name for field in dataclasses.fields(plain)]
        return lambda cell: {name: getattr(cell, name) for name in names}
    return None


def _decoder(hint: Any) -> Callable[[Any], Any] | None:
    plain = _plain(hint)
    if typing.get_origin(plain) is dict:
        return lambda cell: None if cell is None else from_json(cell)
    if typing.get_origin(plain) is tuple:
        item = typing.get_args(plain)[0]
        if dataclasses.is_dataclass(item):
            make = typing.cast(Callable[..., Any], item)
            return lambda cell: tuple(make(**struct) for struct in cell)
        return tuple
    if dataclasses.is_dataclass(plain):
        make = typing.cast(Callable[..., Any], plain)
        return lambda cell: make(**cell)
    return None
