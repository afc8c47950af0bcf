"""JSON values one by one, out of the middle of a text; and what is said of one that is none.

NaN and Infinity are let through (readers check types). Of two members of one name in an object both are
kept where they are records (a record's damaged id may be another's), else the last one counts; either way
it is told.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Lost:
    """What stands in a list or object in place of what could not be read, so that the others keep their
    numbers. It was reported where it was found."""


LOST = Lost()


@dataclass(frozen=True, slots=True)
class Decoded:
    """A value, where it ends, and the names that stand twice in an object of it."""

    value: Any
    end: int
    doubled: tuple[str, ...] = ()


class _Pairs:
    """Makes objects of pairs, and remembers names that stand twice in one."""

    def __init__(self) -> None:
        self.doubled: list[str] = []

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) == len(pairs):
            return made
        made = {}
        for name, value in pairs:
            if name in made:
                self.doubled.append(name)
                if isinstance(value, dict) and isinstance(made[name], dict):
                    _keep_both(made, name, value)
                    continue
            made[name] = value
        return made


def _keep_both(made: dict[str, Any], name: str, value: dict[str, Any]) -> None:
    """Both records of one name: each under the id it states itself, where it states one."""
    other = made.pop(name)
    for record in (other, value):
        own = record.get("id")
        free = own if isinstance(own, str) and own not in made else name
        number = 2
        while free in made:
            free, number = f"{name} ({number})", number + 1
        made[free] = record


def skip_space(text: str, at: int) -> int:
    """Where the next character stands that is no white space."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def decode(text: str, at: int) -> Decoded:
    """The value at `at`. Raises ValueError, also for nesting too deep to read."""
    pairs = _Pairs()
    try:
        value, end = json.JSONDecoder(object_pairs_hook=pairs).raw_decode(text, at)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except StopIteration:
        raise json.JSONDecodeError("Expecting value", text, at) from None
    return Decoded(value, end, tuple(pairs.doubled))


def position_of(error: ValueError, at: int) -> int:
    """Where in the text the error stands; `at` for one that does not say."""
    return error.pos if isinstance(error, json.JSONDecodeError) else at


def reason_of(error: ValueError) -> str:
    """What is wrong, without the place."""
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)


def describe(reason: str, text: str, position: int) -> str:
    """The reason with its line and column in the whole text."""
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return f"not valid JSON at line {line}, column {column}: {reason}"


def describe_doubled(names: tuple[str, ...]) -> str:
    """What is said of names that stand twice in one object."""
    return f"the name {names[0][:60]!r} stands twice in one object: correct it or export the log again"
