"""JSON text as a stream of records, so that one broken record costs one record.

Understands one document, an array of records, and JSON Lines. Duplicate keys: the last one counts.
NaN and Infinity are let through (readers check types). Knows nothing about conversations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

MAX_RESTARTS = 1000
"""How often reading may start again behind a broken record, over a whole file."""

MAX_SALVAGE_DEPTH = 8
"""How deep into a cut-off document its complete parts are looked for."""

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_NEXT_RECORD = re.compile(r",\s*(?=[{\[])")
_ARRAY_CLOSED = re.compile(r"\]\s*[,}\]]")


@dataclass(frozen=True, slots=True)
class Record:
    """A decoded value and its place; `partial` when it was cut off or damaged inside."""

    value: Any
    where: str
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Broken:
    """Something that is no JSON, and what to do about it."""

    where: str
    why: str


class _Restarts:
    """How many more times reading may start again."""

    left: int = MAX_RESTARTS


def read_records(text: str) -> Iterator[Record | Broken]:
    """The records of a JSON array, of JSON Lines, or a single document; nothing if it is no JSON.

    Places read `record 3` (array, counted from 1), `line 3` (JSON Lines) or are empty (one document).
    """
    start = _skip_space(text, 0)
    first = text[start : start + 1]
    if _is_json_lines(text):
        yield from _read_lines(text)
    elif first == "[":
        yield from _read_array(text, start)
    elif first == "{":
        yield from _read_document(text, start)


def _skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _decode(text: str, at: int) -> tuple[Any, int]:
    """The value at `at` and where it ends. Raises ValueError, also for nesting too deep to read."""
    try:
        return _DECODER.raw_decode(text, at)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except StopIteration:
        raise json.JSONDecodeError("Expecting value", text, at) from None


def _describe(error: ValueError, text: str, at: int) -> str:
    """The error with its line and column in the whole file (`at`: where the record starts)."""
    position = error.pos if isinstance(error, json.JSONDecodeError) else at
    reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return f"not valid JSON at line {line}, column {column}: {reason}"


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Non-empty lines with their numbers, without copying the whole text. Only a line feed ends a
    line: JSON strings may hold other line separators."""
    at, number = 0, 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        number += 1
        line = text[at:end].strip()
        at = end + 1
        if line:
            yield number, line


def _is_json_lines(text: str) -> bool:
    """Whether lines are values of their own: several, and at least half of the first ones."""
    lines = [line for _number, line in islice(_lines(text), 50)]
    if len(lines) < 2 or lines[0].endswith(("[", "{")) or (lines[0][0] == "[" and lines[0][-1] == ","):
        return False
    return 2 * sum(_is_container(line) for line in lines) >= len(lines)


def _is_container(line: str) -> bool:
    if line[0] not in "[{":
        return False
    try:
        _value, end = _decode(line, 0)
    except ValueError:
        return False
    return end == len(line)


def _read_lines(text: str) -> Iterator[Record | Broken]:
    for number, line in _lines(text):
        try:
            value, end = _decode(line, 0)
        except ValueError as error:
            column = error.colno if isinstance(error, json.JSONDecodeError) else 1
            reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            yield Broken(f"line {number}", f"not valid JSON at column {column}: {reason}; correct this line")
            continue
        if end < len(line):
            yield Broken(f"line {number}", f"more text after the JSON value at column {end + 1}")
        yield Record(value, f"line {number}")


def _read_document(text: str, start: int) -> Iterator[Record | Broken]:
    try:
        value, end = _decode(text, start)
    except ValueError as error:
        why = _describe(error, text, start)
        yield Broken("", f"{why}; complete messages around it were kept, the rest is lost: export it again")
        value = _salvage(text, start, _Restarts(), 0)
        if value:
            yield Record(value, "", partial=True)
        return
    yield Record(value, "")
    rest = _skip_space(text, end)
    if rest < len(text):
        line = text.count("\n", 0, rest) + 1
        yield Broken(f"line {line}", "more text after the end of the JSON document")


def _read_array(text: str, start: int) -> Iterator[Record | Broken]:
    for index, item in enumerate(_elements(text, start, _Restarts(), 0)):
        if isinstance(item, _Failure):
            where = f"record {index + 1}"
            yield Broken(where, f"{_describe(item.error, text, item.at)}; correct it or export the log again")
            if item.salvaged:
                yield Record(item.salvaged, where, partial=True)
        else:
            yield Record(item, f"record {index + 1}")


@dataclass(frozen=True, slots=True)
class _Failure:
    error: ValueError
    at: int
    salvaged: Any


def _elements(text: str, start: int, restarts: _Restarts, depth: int) -> Iterator[Any]:
    """The elements of the array that opens at `start`; a `_Failure` for each that is broken."""
    at = _skip_space(text, start + 1)
    if text[at : at + 1] == "]":
        return
    usual: set[str] = set()
    while True:
        try:
            value, end = _decode(text, at)
        except ValueError as error:
            yield _Failure(error, at, _salvage(text, at, restarts, depth + 1))
            behind = max(at + 1, error.pos if isinstance(error, json.JSONDecodeError) else at)
            begun = set(_members(text, at)[0]) if depth == 0 and text[at : at + 1] == "{" else set()
            like = begun & usual if usual else begun
            resumed = _resume_alike(text, behind, restarts, like) if like else None
            resumed = resumed or _resume(text, behind, restarts)
            if resumed is None:
                return
            at = resumed
            continue
        yield value
        if isinstance(value, dict):
            usual = usual & value.keys() if usual else set(value)
        end = _skip_space(text, end)
        follows = text[end : end + 1]
        if follows == "]":
            return
        if follows != ",":
            yield _Failure(json.JSONDecodeError("Expecting ',' or ']'", text, end), end, None)
            resumed = _resume(text, end, restarts)
            if resumed is None:
                return
            at = resumed
            continue
        at = _skip_space(text, end + 1)


def _resume(text: str, behind: int, restarts: _Restarts) -> int | None:
    """Where the next whole record of the same array starts; None when there is none to be found."""
    for found in _NEXT_RECORD.finditer(text, behind):
        if restarts.left <= 0 or _ARRAY_CLOSED.search(text, behind, found.start() + 1):
            return None
        restarts.left -= 1
        try:
            _decode(text, found.end())
        except ValueError:
            continue
        return found.end()
    return None


def _resume_alike(text: str, behind: int, restarts: _Restarts, like: set[str]) -> int | None:
    """Where the next record of the outermost array starts that has these members, as the broken one had:
    what lies between is inside the broken one, and is skipped."""
    at = behind
    while found := _NEXT_RECORD.search(text, at):
        at = found.end()
        try:
            value, end = _decode(text, at)
        except ValueError:
            restarts.left -= 1
            if restarts.left <= 0:
                return None
            continue
        if isinstance(value, dict) and like <= value.keys():
            return at
        at = end
    return None


def _members(text: str, start: int) -> tuple[dict[str, Any], str, int]:
    """The complete members of a broken object; the name of the one that is broken and where its value
    starts (empty: none has begun)."""
    members: dict[str, Any] = {}
    at = _skip_space(text, start + 1)
    while True:
        try:
            key, end = _decode(text, at)
        except ValueError:
            return members, "", at
        end = _skip_space(text, end)
        if not isinstance(key, str) or text[end : end + 1] != ":":
            return members, "", at
        at = _skip_space(text, end + 1)
        try:
            value, end = _decode(text, at)
        except ValueError:
            return members, key, at
        members[key] = value
        end = _skip_space(text, end)
        if text[end : end + 1] != ",":
            return members, "", end
        at = _skip_space(text, end + 1)


def _salvage(text: str, start: int, restarts: _Restarts, depth: int) -> Any:
    """The complete members of a broken object or array, or None. A broken string, number or plain
    object yields nothing: half a message is no message."""
    if depth > MAX_SALVAGE_DEPTH:
        return None
    opening = text[start : start + 1]
    if opening == "[":
        items = [
            item.salvaged if isinstance(item, _Failure) else item
            for item in _elements(text, start, restarts, depth)
        ]
        return [item for item in items if item is not None] or None
    if opening != "{":
        return None
    members, key, at = _members(text, start)
    part = _salvage(text, at, restarts, depth + 1) if key else None
    return {**members, key: part} if part else None
