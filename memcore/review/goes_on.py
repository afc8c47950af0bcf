"""What still goes on is told again with how long it has: "has had the cat since May", "for three weeks now".

A duration grows by itself, so two of them do not contradict each other; extraction turns most into the date
since when. Whichever of the two tells all that the other does stays. Of two different dates one may be wrong,
and nothing tells which; but what goes on only since after the older was said has begun anew, and of two dates
reckoned from how long it had gone on the newer reckoning counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from memcore.nlp.language.words.inflection import stem
from memcore.nlp.language.words.quantities import clauses
from memcore.nlp.language.words.wording import Wording, wording
from memcore.review.pairs import TIMES, Finding, Statement, is_later, on, person
from memcore.review.superseding import superseding_text

SINCE = re.compile(r"\bsince (?:around |about )?(?P<date>(?:\d+ )?[A-Z][a-z]+ \d{4}|\d{4})\b")
_FOR = re.compile(
    r"\bfor (?:about |around |over |almost |nearly |more than )?"
    r"(?:\d+|[a-z]+) (?:days?|weeks?|months?|years?)\b"
)
_BEEN = re.compile(
    r"\bbeen (?:about |around |over |almost |nearly |more than )?"
    r"(?:\d+|[a-z]+) (?:days?|weeks?|months?|years?)\b(?! (?:old|since))"
)
_TIMES = TIMES | frozenset(map(stem, ("since", "around", "straight")))
_NOTICED = re.compile(
    r"^[A-Z][\w-]* (?:(?:just|also|recently) )*(?:reali[sz]ed|noticed|remembered) (?:that )?"
    r"(?=[A-Z]|they\b|he\b|she\b)"
)
_OF_ITS_BEGINNING = re.compile(r"\b(?:new|still|just|recently|getting used to|settling in)\b")
""" "Ann likes the new flat", which was new at the start that is told otherwise now."""
_LIVING = frozenset({stem("live")})
"""Who has a flat in Leeds lives in Leeds."""
ENOUGH_WORDS = 3
"""Content words of what goes on that the older statement must have where it names no date of its own."""


def goes_on(older: Statement, newer: Statement) -> Finding | None:
    """The older tells of the same that has gone on, by the newer, for so long or since then."""
    who = person(older)
    if not (who and who == person(newer) and is_later(newer, older) and older.is_ongoing):
        return None
    if _has_shrunk(older, newer) or "plan" in (older.memory.kind, newer.memory.kind) or older.said.negations:
        return None
    same = next((clause for clause in clauses(newer.memory.text) if _is_same(clause, older)), None)
    if same is None:
        return None
    reason = f"This was so{on(older)} and still is{on(newer)}: “{same.rstrip('.')}”."
    if _about(older.said) <= _about(newer.said):
        return Finding("goes on", "update", newer.memory.text, reason, "medium")
    if not SINCE.search(same):
        return None
    if _about(wording(_NOTICED.sub("", newer.memory.text))) <= _about(older.said):
        return Finding("goes on", "merge", older.memory.text, reason, "medium")
    told = next((c for c in clauses(older.memory.text) if SINCE.search(c)), "")
    if told:  # what else the older tells has not ended by that
        return Finding("goes on", "update", superseding_text(older, newer, told), reason, "medium")
    return None


def begun_anew(older: Statement, newer: Statement) -> Finding | None:
    """What had gone on since one date goes on, by the newer, only since a date after the older was said; or
    both dates are reckoned from how long it had gone on, and the newer comes to another."""
    who = person(older)
    if not (who and who == person(newer) and is_later(newer, older)) or older.said.negations:
        return None
    said_before = older.memory.mentioned_at
    assert said_before is not None, "known to be earlier"
    for was, begun, _ in _lasting(older):
        for now, again, since in _lasting(newer):
            shared = was & now
            is_all = bool(shared) and min(was, now, key=len) <= shared
            if begun == again or not is_all or not _is_telling(shared, newer):
                continue
            if since > said_before:
                reason = f"“{begun}”{on(older)}, “{again}”{on(newer)}: it has begun anew since."
                text = superseding_text(older, newer, begun, over=_OF_ITS_BEGINNING)
                return Finding("begun anew", "update", text, reason, "high", ends=True)
            if _is_rough(older, begun) and _is_rough(newer, again):
                reason = f"“Since around {begun}”{on(older)}, “since around {again}”{on(newer)}."
                text = superseding_text(older, newer, begun, over=_OF_ITS_BEGINNING)
                return Finding("told otherwise since when", "update", text, reason, "high", ends=True)
    return None


def _lasting(statement: Statement) -> Iterator[tuple[set[str], str, datetime]]:
    """What goes on (names and content words), since when as written, and the first day of that."""
    before: set[str] = set()
    for clause in clauses(statement.memory.text):
        match = SINCE.search(clause)
        said = wording(SINCE.sub("", _NOTICED.sub("", clause)))  # "May 2023" is no "may"
        owner, _, named = said.subject.partition("'s ")
        thing = named.split() if owner == person(statement) else []
        about = (_about(said) | set(map(stem, thing))) - _LIVING
        if not (said.past or said.negations or said.moods):
            begun = match["date"] if match is not None else _duration(clause)
            first = _first_day(begun) if match is not None else _begun(begun, statement)
            if first is not None:  # "it has been since May": what, the clause before says
                yield (about or before), begun, first
        before = about


def _is_rough(statement: Statement, begun: str) -> bool:
    """Whether the date was reckoned from how long it had gone on."""
    return f"since around {begun}" in statement.memory.text


def _duration(clause: str) -> str:
    """ "For 4 weeks", "been 3 weeks"; empty: it tells none."""
    match = _FOR.search(clause) or _BEEN.search(clause)
    return match[0] if match is not None else ""


def _begun(duration: str, statement: Statement) -> datetime | None:
    """The day on which what has gone on for so long began; None: it cannot be told."""
    said = statement.memory.mentioned_at
    if not duration or said is None:
        return None
    count, unit = _figures(duration)
    days = {"day": 1, "week": 7, "month": 30, "year": 365}.get(unit, 0)
    return said - timedelta(days=count * days) if count * days else None


def _is_telling(shared: set[str], statement: Statement) -> bool:
    """Whether shared words say what it is: two of them, or a name."""
    return len(shared) > 1 or bool(shared & statement.said.names)


def _first_day(date: str) -> datetime | None:
    """ "21 May 2023", "May 2023" or "2023"; None: no such day."""
    for form in ("%d %B %Y", "%B %Y", "%Y"):
        try:
            return datetime.strptime(date, form)
        except ValueError:
            continue
    return None


def _is_same(clause: str, older: Statement) -> bool:
    clause = _NOTICED.sub("", clause)
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
