"""A pair of statements, the older and the newer: what the update rules can ask of it and answer.

Knows the words, kinds and dates of memories, nothing of the world.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from string import capwords

from memcore.domain.models import MemoryEntry, Risk
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.nlp.language.words.told_in import without_note
from memcore.nlp.language.words.wording import Wording, wording
from memcore.nlp.time_grammar.periods import MONTHS
from memcore.review.decisions import Action

SAME_TALK = timedelta(days=1)
"""Undated accounts of something that happened are of one occasion only within one talk."""

MONTH_WORDS = frozenset(stem(month.lower()) for month in MONTHS)
TIMES = MONTH_WORDS | frozenset(map(stem, lexicon.TEMPORAL))
"""Content words, by stem, that only say when."""
_SHARED_PICTURE = re.compile(r"shared (?:an? |the )?(?:image|photo|picture)\b")
_UNDER_WAY = re.compile(r"(?:(?:now|currently|also|still) )*is (?:(?:now|currently|also|still) )*[a-z]+ing\b")
_LASTING_KINDS = frozenset({"state", "plan"})


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory and its words. `of_assistant`: they are an assistant's."""

    memory: MemoryEntry
    said: Wording
    of_assistant: bool = False

    @property
    def told(self) -> str:
        """Its text without the note that says in which conversation it was told."""
        return without_note(self.memory.text)

    @property
    def tells_of_an_occasion(self) -> bool:
        """Whether it is about something that happened, which can happen again."""
        kind = self.memory.kind
        if kind in ("preference", "opinion"):
            return False
        return (
            self.said.past or kind == "event" or (kind not in _LASTING_KINDS and bool(self.memory.event_at))
        )

    @property
    def is_ongoing(self) -> bool:
        """Whether it tells of what goes on ("is learning", "has been volunteering") or holds."""
        going_on = bool(re.match(r"(?:\w+ )?(?:is|has been)\b", self.said.rest))
        return bool(self.said.words) and not self.said.past and (self.memory.kind != "event" or going_on)

    @property
    def is_plain(self) -> bool:
        """Neither negated nor planned, conditional, reported or over."""
        return not self.said.negations and not self.said.moods


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule makes of a pair: the action on the older memory, its new text if any, and why. `ends`: the
    older memory holds no longer, be it ended or replaced by what holds instead."""

    rule: str
    action: Action
    text: str | None
    reason: str
    risk: Risk
    ends: bool = False


Rule = Callable[[Statement, Statement], Finding | None]


def statement(memory: MemoryEntry, of_assistant: bool = False) -> Statement:
    """The memory with its wording parsed."""
    return Statement(memory, wording(memory.text), of_assistant)


def same_subject(one: Statement, other: Statement) -> bool:
    """Whether both tell of the same one."""
    return bool(one.said.subject) and one.said.subject == other.said.subject


def is_under_way(said: Wording) -> bool:
    """Whether it tells of what is being done: who is reading two books has not read two."""
    return bool(_UNDER_WAY.match(said.rest))


def real_moods(said: Wording) -> frozenset[str]:
    """The moods of what is said, without the plan that "has been going to bed" is not."""
    return said.moods - {"plan"} if re.match(r"(?:\w+ )?has been going to\b", said.rest) else said.moods


def tells_plainly(statement: Statement) -> bool:
    """Whether it states plainly what is or was done, or begun: nothing planned, quoted or denied."""
    return (
        statement.memory.kind not in ("plan", "statement")
        and not statement.said.negations
        and not real_moods(statement.said) - {"attempt"}
    )


def person(statement: Statement) -> str:
    """Who a statement is about, be it about something of theirs."""
    return statement.said.subject.partition("'s")[0]


def part(statement: Statement, words: str) -> Wording:
    """The wording of a part of what is said, of the same subject."""
    return wording(f"{capwords(statement.said.subject)} {words}")


def leaves_open(statement: Statement, other: Statement) -> bool:
    """Whether it names alternatives and the other does not: "to Europe or Asia", "to Europe"."""
    return " or " in statement.said.rest and " or " not in other.said.rest


def is_later(statement: Statement, other: Statement) -> bool:
    """Whether it is known to have been said after the other."""
    return said_later(statement.memory, other.memory)


def said_later(memory: MemoryEntry, other: MemoryEntry) -> bool:
    """`is_later`, of two memories."""
    said, before = memory.mentioned_at, other.mentioned_at
    return said is not None and before is not None and said > before


def one_occasion(one: Statement, other: Statement) -> bool:
    """Whether two accounts can be of the same occasion: dated ones when their times overlap, lasting
    states always, what happened without a date when told within one talk. Every picture is its own."""
    a, b = one.memory, other.memory
    if _SHARED_PICTURE.match(one.said.rest):
        return False
    if a.event_at is not None and b.event_at is not None:
        return times_overlap(a, b)
    if not (one.tells_of_an_occasion or other.tells_of_an_occasion):
        return True
    if a.mentioned_at is None or b.mentioned_at is None:
        return a.mentioned_at is b.mentioned_at and a.event_at is b.event_at
    return abs(a.mentioned_at - b.mentioned_at) <= SAME_TALK


def times_overlap(a: MemoryEntry, b: MemoryEntry) -> bool:
    """Whether the described times (known for both; a moment without an end lasts none) overlap."""
    assert a.event_at is not None, "asked of dated memories only"
    assert b.event_at is not None, "asked of dated memories only"
    if a.event_at == b.event_at:
        return True
    return a.event_at < _end(b, b.event_at) and b.event_at < _end(a, a.event_at)


def _end(memory: MemoryEntry, start: datetime) -> datetime:
    return memory.event_end or start + timedelta(microseconds=1)


def on(statement: Statement) -> str:
    """ " on 8 May 2023", when it was said; empty without a date."""
    said = statement.memory.mentioned_at
    return f" on {said.day} {said:%B %Y}" if said else ""
