"""CSV with a header: one message a row.

Columns are found by their usual names, or named in `ReadOptions.columns` (`text`, `speaker`, `role`,
`time`). Separated by comma, semicolon, tab or bar, whichever the header shows. Without a speaker and a
role column, the owner is the speaker. Quoted fields may hold line breaks; an unbalanced quote costs its
row only: reading starts again on the next line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memcore.domain.errors import LogError
from memcore.logs.drafts import Content, ConversationDraft, MessageDraft, ReadOptions, SessionDraft
from memcore.logs.roles import SPEAKERS, role_of
from memcore.logs.times import day_first_of, parse_time

NAMES = {
    "text": ("text", "message", "content", "body", "utterance", "msg", "note", "comment"),
    "speaker": ("speaker", "sender", "author", "from", "name", "user", "username", "person", "who"),
    "role": ("role", "type"),
    "time": (
        "time",
        "timestamp",
        "datetime",
        "date_time",
        "said_at",
        "sent_at",
        "created_at",
        "sent",
        "date",
    ),
}
"""What a column is for, and the names it usually has."""

SEPARATORS = ",;\t|"
MAX_FIELD = 50_000_000
MAX_RESTARTS = 100
_SEPARATOR_LINE = re.compile(r"sep=(.)")

csv.field_size_limit(MAX_FIELD)


def matches(content: Content) -> bool:
    """Whether the first line names a text column and another one."""
    if content.head:
        return False
    found = _columns(header(content), None)
    return "text" in found and len(found) >= 2


def read(content: Content, options: ReadOptions) -> Iterator[ConversationDraft]:
    """One conversation for the file. Raises LogError when there is no such column as `text`."""
    names = header(content)
    found = _columns(names, options.columns)
    if "text" not in found:
        raise LogError(
            f"{content.name} has no column that holds the messages.",
            f"Say which of its columns does: {', '.join(names)[:200]}.",
            file=content.name,
            where="line 1",
        )
    rows = list(_rows(content, len(names), found["text"]))
    times = [row.fields[found["time"]] for row in rows] if "time" in found else []
    day_first = options.day_first if options.day_first is not None else day_first_of(times)
    turns = (_turn(content, row, found, options.owner, day_first) for row in rows)
    yield ConversationDraft([SessionDraft([turn for turn in turns if turn])], split_at_gaps=True)


def header(content: Content) -> list[str]:
    """The names of the columns, as the file's first line gives them."""
    separator, start = _layout(content.text)
    line = content.text[start:].split("\n", 1)[0][:10_000].replace("\r", " ")
    return [name.strip() for name in next(csv.reader([line], delimiter=separator), [])]


def _layout(text: str) -> tuple[str, int]:
    """The separator, and where the header starts (Excel may name the separator on a line above)."""
    start = len(text) - len(text.lstrip())
    first = text[start:].split("\n", 1)[0][:10_000].replace("\r", " ")
    if named := _SEPARATOR_LINE.fullmatch(first.strip()):
        return named[1], min(len(text), start + len(first) + 1)
    return max(
        SEPARATORS, key=lambda separator: len(next(csv.reader([first], delimiter=separator), []))
    ), start


def _columns(names: list[str], given: Mapping[str, str] | None) -> dict[str, int]:
    """Which column is for what, by position. Names given by a person come first."""
    lowered = [name.lower().strip().replace(" ", "_") for name in names]
    if given is not None:
        return {use: names.index(name) for use, name in given.items() if use in NAMES and name in names}
    found: dict[str, int] = {}
    for use, usual in NAMES.items():
        for name in usual:
            if name in lowered and lowered.index(name) not in found.values():
                found[use] = lowered.index(name)
                break
    return found


@dataclass(frozen=True, slots=True)
class _Row:
    fields: list[str]
    line: int


def _rows(content: Content, width: int, text_column: int) -> Iterator[_Row]:
    """The rows below the header that are whole; others are reported."""
    separator, start = _layout(content.text)
    lines = content.text.split("\n")
    at = content.text.count("\n", 0, start) + 1
    restarts = MAX_RESTARTS
    while at < len(lines):
        rows = csv.reader((lines[i] + "\n" for i in range(at, len(lines))), delimiter=separator, strict=True)
        try:
            fields = next(rows)
            why = f"the row has {len(fields)} fields, the header {width}"
        except csv.Error as error:
            fields, why = [""], f"not valid CSV ({error})"
        is_short = rows.line_num == 1 and text_column < len(fields) < width
        if len(fields) == width or is_short:
            yield _Row([*fields, *[""] * (width - len(fields))], at + 1)
        elif fields:
            content.skip(f"line {at + 1}", f"{why}; check its quotes and separators")
            if rows.line_num > 1:
                at, restarts = at + 1, restarts - 1
                if not restarts:
                    content.skip(f"line {at + 1}", "too many broken rows; the rest was not read")
                    return
                continue
        at += rows.line_num


def _turn(
    content: Content, row: _Row, columns: dict[str, int], owner: str, day_first: bool | None
) -> MessageDraft | None:
    def cell(use: str) -> str:
        return row.fields[columns[use]] if use in columns else ""

    where = f"line {row.line}"
    text, name, role = cell("text"), cell("speaker").strip(), cell("role").strip()
    if not text.strip():
        if any(field.strip() for field in row.fields):
            content.skip(where, "a row without text")
        return None
    if not name and not role and ("speaker" in columns or "role" in columns):
        content.skip(where, "a row without a speaker")
        return None
    known = role_of(role or name)
    speaker = name or (SPEAKERS.get(known, role) if role else owner)
    stated = cell("time").strip()
    said_at = parse_time(stated, day_first)
    if stated and said_at is None:
        content.skip_time(where, stated)
    return MessageDraft(speaker, known, text, where, said_at)
