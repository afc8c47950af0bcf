"""What still goes on is told again with how long it has: "has had the cat since May", "for three weeks now".

A duration grows by itself, so two of them do not contradict each other; extraction turns most into the date
since when. Two different dates are left alone: one of them is wrong, and nothing tells which. The newer takes
the older's place only where it tells all that the older does.
"""

from __future__ import annotations

import re

from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.nlp.language.words.quantities import clauses
from memcore.nlp.language.words.wording import Wording, wording
from memcore.nlp.time_grammar.periods import MONTHS
from memcore.review.pairs import Finding, Statement, is_later, on, person

SINCE = re.compile(r"\bsince (?:around |about )?(?P<date>(?:\d+ )?[A-Z][a-z]+ \d{4}|\d{4})\b")
_FOR = re.compile(
    r"\bfor (?:about |around |over |almost |nearly |more than )?"
    r"(?:\d+|[a-z]+) (?:days?|weeks?|months?|years?)\b"
)
_TIMES = frozenset(
    map(stem, {*lexicon.TEMPORAL, *(month.lower() for month in MONTHS), "since", "around", "straight"})
)
ENOUGH_WORDS = 3
"""Content words of what goes on that the older statement must have where it names no date of its own."""


def goes_on(older: Statement, newer: Statement) -> Finding | None:
    """The older tells of the same that has gone on, by the newer, for so long or since then."""
    who = person(older)
    if not (who and who == person(newer) and is_later(newer, older) and older.is_ongoing):
        return None
    if _has_shrunk(older, newer) or "plan" in (older.memory.kind, newer.memory.kind) or older.said.negations:
        return None
    if not _about(older.said) <= _about(newer.said):
        return None  # what else the older tells has not ended by that
    for clause in clauses(newer.memory.text):
        if _is_same(clause, older):
            reason = f"This was so{on(older)} and goes on{on(newer)}: “{clause}”."
            return Finding("goes on", "update", newer.memory.text, reason, "medium")
    return None


def _is_same(clause: str, older: Statement) -> bool:
    said, begun = wording(clause), SINCE.search(clause)
    if said.past or said.negations or said.moods or not (begun or _FOR.search(clause)):
        return False
    about, date = _about(said), SINCE.search(older.memory.text)
    if date is not None and begun is not None:
        same = next(c for c in clauses(older.memory.text) if date[0] in c)
        shared = about & _about(wording(same))
        return date["date"] == begun["date"] and (bool(shared & said.names) or len(shared) > 1)
    if date is not None:
        return False
    lasting = [wording(c) for c in clauses(older.memory.text) if _FOR.search(c)]
    if about and any(_about(told) == about for told in lasting):
        return True
    return len(about) >= ENOUGH_WORDS and about <= set(older.said.words)


def _has_shrunk(older: Statement, newer: Statement) -> bool:
    """Whether the newer duration is the shorter one: it has begun anew."""
    was, now = (_FOR.search(wording(s.memory.text).rest) for s in (older, newer))
    if was is None or now is None:
        return False
    (n, unit), (later_n, later_unit) = (_figures(one[0]) for one in (was, now))
    return unit == later_unit and later_n < n


def _figures(duration: str) -> tuple[int, str]:
    """ "for about three weeks" → 3, "week"."""
    *_, number, unit = duration.split()
    figure = "1" if number in ("a", "an", "one") else stem(number)
    return int(figure) if figure.isdigit() else 0, stem(unit)


def _about(said: Wording) -> set[str]:
    """What it is that goes on: its content words without those of time."""
    return set(said.words) - said.figures - _TIMES
