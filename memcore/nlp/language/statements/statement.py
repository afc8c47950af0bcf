"""What the pipeline makes of a message: standalone statements with their evidence.

Values only, and the few ways of wording that all makers of statements share.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from memcore.domain.extraction import SkippedText
from memcore.domain.models import Message, Source
from memcore.nlp.time_grammar.dates import TimeExpression

if TYPE_CHECKING:
    from spacy.tokens import Doc

_OF_THE_DAY = re.compile(
    r"\b(?:currently|nowadays|lately|recently|right now|I am now"
    r"|(?:I|I have|I've|we) just [a-z]+(?:ed|ought|ade))\b"
)


@dataclass(frozen=True, slots=True)
class Part:
    """Tokens low:high of a parsed sentence that a statement rests on."""

    doc: Doc
    low: int
    high: int
    timed: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Statement:
    """A standalone text, what kind it is, the exact words and parses behind it, and its time. `apart`: where
    it is of several sentences that do without each other, what each tells alone. `told_in`: the words that
    say in which conversation it was told."""

    text: str
    kind: str
    sources: tuple[Source, ...]
    parts: tuple[Part, ...] = ()
    time: TimeExpression | None = None
    apart: tuple[Statement, ...] = ()
    told_in: tuple[Source, ...] = ()


@dataclass(slots=True)
class Read:
    """What a message yielded."""

    statements: list[Statement] = field(default_factory=list)
    passed: list[SkippedText] = field(default_factory=list)

    def skip(self, statement: Statement, reason: str) -> None:
        """Pass over the words that a statement rests on."""
        source = statement.sources[0]
        self.passed.append(SkippedText(source.message_id, source.start, source.end, reason))


def day(moment: datetime | None) -> str:
    """`8 May 2023`; empty when the time is unknown."""
    return f"{moment.day} {moment:%B %Y}" if moment else ""


def dated(message: Message, times: Sequence[TimeExpression], words: str = "") -> str:
    """`On 8 May 2023 `, to stand before a quotation whose words count from that day; else nothing."""
    counts = any(t.relative for t in times) or (not times and bool(_OF_THE_DAY.search(words)))
    return f"On {day(message.said_at)} " if message.said_at and counts else ""


def quoted(text: str) -> str:
    """A sentence fit to stand between double quotation marks."""
    text = " ".join(text.split()).replace('"', "'").rstrip(" ;,:-")
    text = f"I {text}" if text.startswith("was wondering") else text  # "I'm moving, and was wondering if ..."
    text = text[:1].upper() + text[1:]
    return text if text[-1:] in ".!?" else text + "."
