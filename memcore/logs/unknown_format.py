"""What is said of a file that is no conversation log of a known format."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from memcore.domain.errors import LogError
from memcore.logs.drafts import Content
from memcore.logs.tolerant_json.records import Record

_SHOWN, _NAMES = 60, 5
"""How much is told of what stands in it: characters, and names of an object."""


def unknown_format(content: Content, titles: Sequence[str]) -> LogError:
    """What damaged it, else how it begins, and what is read: the formats with these titles."""
    record = next(content.records(), None)
    first = content.skipped[0] if content.skipped else None
    if first:
        where = first.where or "record 1"
        told = f"{where}: {first.why}"
    else:
        where, told = _first_of(content, record)
    return LogError(
        f"{content.name} is no conversation log of a known format. {told[0].upper()}{told[1:]}.",
        f"Give one of: {'; '.join(titles)}. Or name its format, if it is one of these.",
        file=content.name,
        where=where,
    )


def _first_of(content: Content, record: Record | None) -> tuple[str, str]:
    """How a file begins, for whoever wonders why it is no log: the place, and what is told of it."""
    if record is None:
        begun = content.text.lstrip()
        line = content.text.count("\n", 0, len(content.text) - len(begun)) + 1
        return f"line {line}", f"line {line} reads {begun[:_SHOWN].splitlines()[0]!r}"
    where, value = record.where or "record 1", record.value
    if isinstance(value, dict):
        names = ", ".join(repr(name[:_SHOWN]) for name in islice(value, _NAMES))
        return where, f"{where} is an object with {f'the names {names}' if names else 'nothing in it'}"
    return where, f"{where} is {'a list' if isinstance(value, list) else repr(value)[:_SHOWN]}"
