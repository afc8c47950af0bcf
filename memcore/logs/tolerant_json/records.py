"""JSON text as a stream of records, so that one broken record costs one record.

Understands one document, an array of records, and JSON Lines. Sound records are read one by one; a broken
one, what is whole in it and what follows are found by `damage`. Knows nothing about conversations.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from memcore.logs.tolerant_json.damage import Recovered, made, recover, worthy
from memcore.logs.tolerant_json.misplaced import share_names
from memcore.logs.tolerant_json.values import (
    LOST,
    Decoded,
    decode,
    describe,
    describe_doubled,
    position_of,
    reason_of,
    skip_space,
)


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


def read_records(text: str) -> Iterator[Record | Broken]:
    """The records of a JSON array, of JSON Lines, or a single document; nothing if it is no JSON.

    Places read `record 3` (array, counted from 1), `line 3` (JSON Lines; damage in one document) or are empty
    (one document).
    """
    start = skip_space(text, 0)
    first = text[start : start + 1]
    if _is_json_lines(text):
        yield from _read_lines(text)
    elif first == "[":
        yield from _read_array(text, start)
    elif first == "{":
        yield from _read_document(text, start)


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
        return decode(line, 0).end == len(line)
    except ValueError:
        return False


def _read_lines(text: str) -> Iterator[Record | Broken]:
    for number, line in _lines(text):
        where = f"line {number}"
        try:
            read = decode(line, 0)
        except ValueError as error:
            column = position_of(error, 0) + 1
            yield Broken(where, f"not valid JSON at column {column}: {reason_of(error)}; correct this line")
            if line[0] in "[{":
                part = worthy(made(line[0], recover(line, 1, len(line), line[0]).children))
                yield from () if part is LOST else (Record(part, where, partial=True),)
            continue
        if read.end < len(line):
            yield Broken(where, f"more text after the JSON value at column {read.end + 1}")
        if read.doubled:
            yield Broken(where, describe_doubled(read.doubled))
        yield Record(read.value, where)


def _read_document(text: str, start: int) -> Iterator[Record | Broken]:
    end = len(text.rstrip())
    try:
        read = decode(text, start)
    except ValueError:
        pass
    else:
        if read.end >= end:
            if read.doubled:
                yield Broken("", describe_doubled(read.doubled))
            yield Record(read.value, "")
            return
    if text[end - 1] == "]":  # an array that has lost its opening bracket
        yield from _told(text, recover(text, start, end, "["), 0)
        return
    found = recover(text, start + 1, end, "{")
    for problem in found.problems:
        why = describe(problem.why, text, problem.at)
        line = text.count("\n", 0, problem.at) + 1
        yield Broken(
            f"line {line}", f"{why}; what is complete around it is read, the rest is lost: export it again"
        )
    if (value := worthy(made("{", found.children))) is not LOST:
        yield Record(value, "", partial=True)


def _read_array(text: str, start: int) -> Iterator[Record | Broken]:
    end = len(text.rstrip())
    at = skip_space(text, start + 1)
    begun, number = at, 0
    held: list[Decoded] = []  # until one like it follows: a damage may have closed the last one too early
    while text[at : at + 1] != "]" or at + 1 < end:
        try:
            read = decode(text, at)
        except ValueError:
            break
        follows = skip_space(text, read.end)
        if text[follows : follows + 1] not in (",", "]"):
            break
        if not held or _are_alike(read.value, held[0].value):
            yield from _sound(held, number)
            number += len(held)
            held, begun = [], at
        held.append(read)
        at = skip_space(text, follows + 1) if text[follows] == "," else follows
    else:
        yield from _sound(held, number)
        return
    yield from _told(text, recover(text, begun, end, "["), number)


def _are_alike(value: Any, other: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(other, dict):
        return type(value) is type(other)
    return share_names(value, other)


def _sound(held: list[Decoded], before: int) -> Iterator[Record | Broken]:
    for number, read in enumerate(held, before + 1):
        if read.doubled:
            yield Broken(f"record {number}", describe_doubled(read.doubled))
        yield Record(read.value, f"record {number}")


def _told(text: str, found: Recovered, before: int) -> Iterator[Record | Broken]:
    """What was recovered of an array's elements, behind so many that were read before."""
    starts = [child.start for child in found.children]
    problems: dict[int, list[str]] = {}
    for problem in found.problems:
        at = max(bisect_right(starts, problem.at), 1)
        problems.setdefault(at, []).append(describe(problem.why, text, problem.at))
    for number, child in enumerate(found.children, 1):
        for why in problems.pop(number, ()):
            yield Broken(f"record {before + number}", f"{why}; correct it or export the log again")
        if child.value is not LOST:
            damaged = number in problems
            yield Record(child.value, f"record {before + number}", partial=damaged)
    for number, reasons in problems.items():
        for why in reasons:
            yield Broken(f"record {before + number}", f"{why}; correct it or export the log again")
