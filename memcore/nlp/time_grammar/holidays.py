"""Rules for holidays: those with a fixed date, those around Easter, and Thanksgiving as in the USA."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from memcore.nlp.time_grammar import periods
from memcore.nlp.time_grammar.periods import Period
from memcore.nlp.time_grammar.sought import sought
from memcore.nlp.time_grammar.words import (
    MONTH_PREPOSITIONS,
    YEAR,
    AbsoluteRule,
    Anchor,
    Interpretation,
    Prefer,
    nearest,
    starts_compound,
)

_FIXED: Final = {
    "Christmas": (12, 25),
    "Christmas Day": (12, 25),
    "Christmas Eve": (12, 24),
    "Boxing Day": (12, 26),
    "New Year's Eve": (12, 31),
    "New Year's Day": (1, 1),
    "Halloween": (10, 31),
    "Valentine's Day": (2, 14),
    "St Patrick's Day": (3, 17),
    "Independence Day": (7, 4),
}
_FROM_EASTER: Final = {"Good Friday": -2, "Easter": 0, "Easter Sunday": 0, "Easter Monday": 1}
_AFTER_THANKSGIVING: Final = {"Thanksgiving": 0, "Black Friday": 1}
"""In days."""
_PATTERN: Final = (
    r"(?P<holiday>christmas(?:\s+(?:day|eve))?|boxing\s+day|new\s+year['’]?s(?:\s+(?:day|eve))?|halloween"
    r"|valentine['’]?s\s+day|st\.?\s+patrick['’]?s\s+day|independence\s+day|(?:the\s+)?fourth\s+of\s+july"
    r"|thanksgiving(?:\s+day)?|easter(?:\s+(?:sunday|monday))?|good\s+friday|black\s+friday)"
)
_PREPOSITIONS: Final = MONTH_PREPOSITIONS | {"on", "at", "over", "for", "of", "about"}


def _holiday(match: re.Match[str], anchor: Anchor | None) -> Interpretation | None:
    name = _name(match["holiday"])
    if match["year"]:
        return Interpretation(_in_year(name, int(match["year"])), relative=False)
    if anchor is None or starts_compound(match, or_name=True):
        return None
    shift = (match["shift"] or match["now"] or "").lower()
    if shift == "this":
        return Interpretation(_in_year(name, anchor.reference.year), adverb=True)
    prefer: Prefer = anchor.prefer
    if shift:
        prefer = "past" if shift == "last" else "future"
    period = nearest(Anchor(anchor.reference, prefer), lambda year: _in_year(name, year))
    if period is None:
        return None
    return Interpretation(period, adverb=bool(shift), needs_preposition=None if shift else _PREPOSITIONS)


def _name(written: str) -> str:
    """The holiday's name as it is spelled above."""
    words = re.sub(r"['’.]", "", written.lower()).split()
    if words[-1] == "july":
        return "Independence Day"
    if words[0] == "thanksgiving":
        return "Thanksgiving"
    if words[-1] == "years":
        return "New Year's Day"
    known = (*_FIXED, *_FROM_EASTER, *_AFTER_THANKSGIVING)
    return next(name for name in known if name.lower().replace("'", "").split() == words)


def _in_year(name: str, year: int) -> Period:
    if name in _AFTER_THANKSGIVING:
        first = periods.nth_weekday(year, 11, 3, 4).begin
        date = first + timedelta(days=_AFTER_THANKSGIVING[name])
    elif name in _FROM_EASTER:
        date = _easter(year) + timedelta(days=_FROM_EASTER[name])
    else:
        date = datetime(year, *_FIXED[name])
    preposition = "at" if name in {"Christmas", "Easter"} else "on"
    return replace(periods.day(date), noun=f"{name} {year}", preposition=preposition)


def _easter(year: int) -> datetime:
    """Easter Sunday of a Gregorian year (Meeus, Astronomical Algorithms, chapter 8)."""
    golden, century, rest = year % 19, year // 100, year % 100
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    week = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    days = moon + week - 7 * ((golden + 11 * moon + 22 * week) // 451) + 114
    return datetime(year, days // 31, days % 31 + 1)


HOLIDAYS: Final[tuple[AbsoluteRule, ...]] = (
    (
        sought(
            rf"\b(?:(?P<shift>last|this|next)\s+)?(?<![-'’]){_PATTERN}(?![\w'’-])(?:(?:,|\s+(?:of|in))?\s+{YEAR}|\s+(?P<now>this)\s+year\b)?",
            "christmas boxing year halloween valentine patrick independence july thanksgiving easter friday",
        ),
        _holiday,
    ),
)
