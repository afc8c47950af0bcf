"""What an assistant's message leaves to remember: its recommendations and the data it stated.

An assistant's prose is long and mostly boilerplate, so it is not parsed. Lists are kept as one
quoted overview and their items, sentences only when they carry names or numbers, all as quotations
and only a few per message. It does not judge whether what the assistant said is true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memcore.domain.extraction import SkippedText
from memcore.domain.models import Message, Source
from memcore.nlp.language.people import Turn
from memcore.nlp.language.prose.sentences import split
from memcore.nlp.language.prose.text import Aligned, clean
from memcore.nlp.language.statements.statement import Read, Statement

MOST_ITEMS = 10
MOST_SENTENCES = 3
MOST_ITEM_CHARS = 220
BOUNDED = "more than is kept of one assistant message"
BOILERPLATE = "assistant's general wording"
_ITEM = re.compile(r"^[ \t]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+(\S.*)$")
_HEAD = re.compile(r"^(.{2,80}?)(?:\s*:\s+|\s+[-\u2013\u2014]\s+)(.+)$")
_DANGLING = re.compile(
    r"^(?:it|its|they|their|these|those|this|that|he|she|here|there|such|you|your|i|we|let|by|if|as|when"
    r"|however|remember|overall|feel|please|the \w+ ones?)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?<=\s)(?:[A-Z][a-z]+(?:\s+[A-Z][\w&'-]+)+|[A-Z]{2,}\b)|\d")


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    words: Aligned
    item: bool


def statements(message: Message, turn: Turn) -> Read:
    """Quoted recommendations and data of one assistant message."""
    out = Read()
    prose, _ = clean(message.text)
    lines = _lines(prose)
    intro: Aligned | None = None
    run: list[_Line] = []
    sentences = 0
    for line in [*lines, None]:
        if line is not None and line.item:
            run.append(line)
            continue
        if run:
            _list(out, message, turn, intro, run)
            run = []
        if line is None:
            break
        intro = None
        for piece in split(line.words):
            if piece.text.endswith(":"):
                intro = piece
            elif (
                piece.text.endswith("?")
                or _DANGLING.match(piece.text)
                or not _NAMED.search(piece.text)
                or len(piece.text.split()) < 6
            ):
                out.passed.append(SkippedText(message.id, piece.start, piece.end, BOILERPLATE))
            elif sentences >= MOST_SENTENCES or len(piece.text) > 2 * MOST_ITEM_CHARS:
                out.passed.append(SkippedText(message.id, piece.start, piece.end, BOUNDED))
            else:
                sentences += 1
                out.statements.append(_said(message, turn, piece.text, piece))
    return out


def _lines(prose: Aligned) -> list[_Line]:
    found, at = [], 0
    for text in prose.text.split("\n"):
        match = _ITEM.match(text)
        low, high = (at + match.start(1), at + match.end(1)) if match else (at, at + len(text))
        piece = prose.cut(low, high)
        if piece.text:
            found.append(_Line(at, piece, match is not None))
        at += len(text) + 1
    return found


def _said(message: Message, turn: Turn, text: str, piece: Aligned) -> Statement:
    quoted = " ".join(text.split()).replace('"', "'").rstrip(" ;")
    to = f" to {turn.addressee}" if turn.addressee else ""
    return Statement(
        f'{turn.speaker} said{to}: "{quoted}"', "statement", (Source(message.id, piece.start, piece.end),)
    )


def _list(out: Read, message: Message, turn: Turn, intro: Aligned | None, run: list[_Line]) -> None:
    """One overview of a list, and its described items."""
    heads: list[str] = []
    described: list[tuple[str, str, Aligned]] = []
    for line in run:
        match = _HEAD.match(line.words.text)
        head = (match.group(1) if match else line.words.text).strip(" :.-\"'")
        if match and len(head.split()) <= 8:
            described.append((head, match.group(2), line.words))
        if len(head) <= 90:
            heads.append(head)
    first, last = run[0].words, run[-1].words
    to = f" to {turn.addressee}" if turn.addressee else ""
    if len(heads) >= 2:
        shown = "; ".join(heads[:MOST_ITEMS]) + ("; and more" if len(heads) > MOST_ITEMS else "")
        about = " ".join(intro.text.rstrip(" :").split()).replace('"', "'") if intro is not None else ""
        lead = f'{turn.speaker} said{to}: "{about}": ' if about else f"{turn.speaker} listed{to}: "
        start = intro.start if intro is not None else first.start
        out.statements.append(
            Statement(f"{lead}{shown}.", "statement", (Source(message.id, start, last.end),))
        )
    kept = sum(1 for statement in out.statements if " about " in statement.text)
    for head, text, piece in described:
        if kept >= MOST_ITEMS:
            out.passed.append(SkippedText(message.id, piece.start, piece.end, BOUNDED))
            continue
        kept += 1
        quoted = " ".join(text.split()).replace('"', "'")
        if len(quoted) > MOST_ITEM_CHARS:
            quoted = quoted[:MOST_ITEM_CHARS].rsplit(" ", 1)[0] + " ..."
        out.statements.append(
            Statement(
                f'{turn.speaker} said{to} about {head}: "{quoted}"',
                "statement",
                (Source(message.id, piece.start, piece.end),),
            )
        )
