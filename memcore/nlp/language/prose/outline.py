"""A reply as it is laid out: its paragraphs, and its lists with the heading or words that lead to them.

By the marks of Markdown and plain text alone (bullets, numbers, rows of a table, short lines that head a
list). What stands under an item belongs to it. It does not judge what is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memcore.domain.prompts import one_line
from memcore.nlp.language.prose.sentences import split
from memcore.nlp.language.prose.text import Aligned

_ITEM = re.compile(r"^([ \t]*)([-*+\u2022]|\d{1,3}[.)])[ \t]+(\S.*)$")
_ROW = re.compile(r"^[ \t]*\|(.*\w.*)\|[ \t]*$")
_RULE = re.compile(r"^[\s|:=_*-]+$")
_HEAD = re.compile(r"^(.{2,80}?)(?:\s*:\s+|\s+[-\u2013\u2014]+\s+)(.+)$", re.DOTALL)
_FIELD = re.compile(r"^[ \t]*(?=[A-Z])(?:[^\s:.!?]+ ){0,3}[^\s:.!?]+:[ \t]+[^\s].{0,160}$")
"""A line of the form "Care level: moderate"; items where several follow each other."""
_SPOKEN = re.compile(r"\b(?:I|I'm|I'd|you|you'll|we|here|here's|are|is|include|includes|following)\b", re.I)
"""A sentence that leads to a list, and no heading."""
_LONGEST_HEAD = 8
"""Words."""


@dataclass(slots=True)
class Item:
    """One entry of a list: what it is called (empty: it has no name of its own), what is said of it, and
    where both stand."""

    head: str
    value: str
    start: int
    end: int

    @property
    def text(self) -> str:
        """Name and value as one line."""
        return f"{self.head}: {self.value}" if self.head and self.value else self.head or self.value


@dataclass(slots=True)
class Listing:
    """Items one after another. `heading` is the short line above them, `intro` the sentence that leads to
    them."""

    heading: Aligned | None = None
    intro: Aligned | None = None
    items: list[Item] = field(default_factory=list)
    indent: int = 0
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    words: Aligned
    indent: int
    low: int
    high: int
    mark: str
    """`number`, `bullet`, `row`, `field`, or empty: a line of prose."""


def outline(prose: Aligned) -> list[Aligned | Listing]:
    """Sentences and lists, in order."""
    found: list[Aligned | Listing] = []
    open_list: Listing | None = None
    heading: Aligned | None = None
    intro: Aligned | None = None
    lines = _without_lone_fields(_lines(prose))
    for before, line, following in zip([None, *lines], lines, [*lines[1:], None], strict=False):
        if line.mark:
            if open_list is None or not _belongs(line, open_list):
                open_list = Listing(heading, intro, [], line.indent, line.mark == "number")
                found.append(open_list)
                heading = intro = None
            _add(open_list, line)
        elif open_list is not None and line.indent > open_list.indent and open_list.items:
            _under(open_list.items[-1], line.words)
        elif following is not None and following.mark and _is_heading(line.words.text):
            above = before is not None and not before.mark and _is_heading(before.words.text)
            open_list, heading = None, prose.cut(before.low if before and above else line.low, line.high)
        else:
            open_list, heading = None, None
            intro = _prose(found, line.words)
    return found


def _prose(found: list[Aligned | Listing], words: Aligned) -> Aligned | None:
    """Add the sentences of a paragraph; the last one, where it leads to a list."""
    sentences = split(words)
    if sentences and sentences[-1].text.endswith(":"):
        found += sentences[:-1]
        return sentences[-1]
    found += sentences
    return None


def _lines(prose: Aligned) -> list[_Line]:
    found, at = [], 0
    for text in prose.text.split("\n"):
        if _RULE.match(text) or not text.strip():
            at += len(text) + 1
            continue
        item, row = _ITEM.match(text), _ROW.match(text)
        match = item or row
        low, high = match.span(match.lastindex or 0) if match else (0, len(text))
        piece = prose.cut(at + low, at + high)
        indent = len(text[: len(text) - len(text.lstrip())].expandtabs(4))
        mark = _mark(text, item[2] if item is not None else "", row is not None)
        if piece.text:
            found.append(_Line(piece, indent, at + low, at + high, mark))
        at += len(text) + 1
    return found


def _mark(text: str, bullet: str, row: bool) -> str:
    if bullet:
        return "number" if bullet[0].isdigit() else "bullet"
    if row:
        return "row"
    return "field" if _FIELD.match(text) else ""


def _without_lone_fields(lines: Sequence[_Line]) -> list[_Line]:
    """One line of the form of a field between lines of prose is prose."""
    marks = ["", *(line.mark for line in lines), ""]
    return [
        replace(line, mark="") if line.mark == "field" and not (marks[n] or marks[n + 2]) else line
        for n, line in enumerate(lines)
    ]


def _is_heading(text: str) -> bool:
    """ "Key features:", "Indie rock": short, and no sentence."""
    short = len(text.split()) <= _LONGEST_HEAD and not re.search(r"[.!?,;]$", text)
    return short and not _SPOKEN.search(text)


def _belongs(line: _Line, listing: Listing) -> bool:
    """Whether the line goes on with the list: an item of it, or of one of its items."""
    if line.indent > listing.indent or listing.numbered:
        return True
    return line.mark != "number"


def _add(listing: Listing, line: _Line) -> None:
    nested = line.indent > listing.indent or (listing.numbered and line.mark in {"bullet", "field"})
    if nested and listing.items:
        _under(listing.items[-1], line.words)
        return
    text = one_line(line.words.text)
    if line.mark == "row":
        cells = [cell for cell in (part.strip() for part in text.split("|")) if cell]
        head, value = cells[0], ", ".join(cells[1:])
    else:
        match = _HEAD.match(text)
        named = match is not None and len(match[1].split()) <= _LONGEST_HEAD
        head, value = (match[1].strip(" \"'"), match[2]) if match and named else ("", text)
    if not head and value.endswith(":"):
        head, value = value.rstrip(" :"), ""
    elif not head and len(value.split()) <= _LONGEST_HEAD and not re.search(r"[.!?]$", value):
        head, value = value, ""
    listing.items.append(Item(head, value, line.words.start, line.words.end))


def _under(item: Item, words: Aligned) -> None:
    """What stands below an item is said of it."""
    text = one_line(words.text)
    if item.head and not item.value:
        item.value = text
    elif re.search(r"[.!?:]$", item.value):
        item.value += f" {text}"
    else:
        item.value += f"; {text}"
    item.end = words.end
