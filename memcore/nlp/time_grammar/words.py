"""What the time rules share: fragments of patterns, numbers and names, the neighbours by which a false friend
is told apart, and the simplest steps on the calendar.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from memcore.nlp.time_grammar import periods
from memcore.nlp.time_grammar.periods import Period
from memcore.nlp.time_grammar.sought import Sought

Prefer = Literal["past", "future"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """What relative expressions count from. `prefer` is the side on which a bare "Friday" lies."""

    reference: datetime
    prefer: Prefer


@dataclass(frozen=True, slots=True)
class Interpretation:
    """What the core of an expression means.

    `adverb`: it stands without a preposition ("yesterday"), where its rendering needs one.
    `needs_preposition`: it is a time only after one of these ("in 2022", "for Christmas").
    """

    period: Period
    relative: bool = True
    adverb: bool = False
    recurring: bool = False
    needs_preposition: frozenset[str] | None = None


AbsoluteRule = tuple[Sought, Callable[[re.Match[str], Anchor | None], Interpretation | None]]
Rule = tuple[Sought, Callable[[re.Match[str], Anchor], Interpretation | None]]


def pattern(source: str) -> re.Pattern[str]:
    """A regular expression that ignores case."""
    return re.compile(source, re.IGNORECASE)


# --------------------------------------------------------------------------- fragments

MONTH_NAME: Final = (
    "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
MONTH: Final = rf"(?P<month>{MONTH_NAME}|(?:jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\b\.?)"
WEEKDAY_NAME: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
WEEKDAY: Final = rf"(?P<weekday>{WEEKDAY_NAME})"
WEEKDAY_STEM: Final = "mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun"
"""A weekday's name, or the beginning by which it is called."""
SEASON: Final = "(?P<season>spring|summer|autumn|fall|winter)"
YEAR: Final = r"(?P<year>(?:19|20)\d\d)(?![\d%]|[.,:/-]\d)"
DAY: Final = r"(?P<day>[12]\d|3[01]|0?[1-9])"
ORDINAL: Final = "(?:st|nd|rd|th)"
UNITS: Final = "(?:day|week|weekend|month|year|summer|winter|spring|fall|decade)s?"
NUMBERS: Final = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split(),
        start=1,
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60}
COUNT: Final = (
    r"(?P<count>\d{1,3}|(?:a\s+)?couple(?=\s+(?:of\s+)?\w)|a\s+few|few|several|an?"
    rf"|{'|'.join(NUMBERS)})"
)
ANY_MONTH: Final = "jan feb mar apr may jun jul aug sep oct nov dec"
ANY_WEEKDAY: Final = "mon tue wed thu fri sat sun"
ANY_SEASON: Final = "spring summer autumn fall winter"
ANY_UNIT: Final = "day week month year summer winter spring fall decade"
CENTURIES: Final = "19 20"
"""What a month, weekday, season, unit or year is sought by."""
NO_NUMBER_BEFORE: Final = r"(?<![\w.,$€£#/:+-])"

IN_OR_SINCE: Final = frozenset(("in", "since", "until", "till", "during", "by", "through"))
MONTH_PREPOSITIONS: Final = IN_OR_SINCE | {"from", "before", "after", "around", "to"}

# --------------------------------------------------------------------------- neighbours

_FUNCTION_WORDS: Final = frozenset(
    "a an the and or but so because if when while as that which who where then than i you he she it we "
    "they my your his her its our their this these those is was are were am be been will would can could "
    "should might may must do did does has have had not n't to at in on for of from with by about before "
    "after until till since during around between through over under into near morning afternoon evening "
    "night noon with without too also again already yet still just only maybe probably hopefully instead "
    "alone together there here everyone everybody someone somebody nobody everything something nothing "
    "both all some any no we'll i'll i'm i've we're we've it's that's he's she's they're right early late "
    "ended came went got felt".split()
)
_WORD_AFTER: Final = re.compile(r"[\s-]+([A-Za-z'’]+)")
_TIME_PREPOSITION_BEFORE: Final = pattern(r"\b(?:in|on|of|since|until|during|before|after|by)\s+$")


def text_before(match: re.Match[str]) -> str:
    """The few characters before a match: enough for one word."""
    return match.string[max(0, match.start() - 14) : match.start()]


def starts_compound(match: re.Match[str], *, or_name: bool = False) -> bool:
    """Whether a noun follows, so that this is no time: "Sunday brunch", "Christmas tree"; with
    `or_name` also a capitalised one, "Halloween Horror Nights"."""
    follower = _WORD_AFTER.match(match.string, match.end())
    if follower is None:
        return False
    word = follower[1].replace("’", "'")
    if not word.islower():
        return or_name and not word.startswith("I'") and word != "I"
    return word not in _FUNCTION_WORDS and not word.endswith(("ed", "ing", "ly"))


def counts_things(match: re.Match[str]) -> bool:
    """Whether a plural follows: "1984 cases"."""
    follower = _WORD_AFTER.match(match.string, match.end())
    if follower is None or not follower[1].islower():
        return False
    return follower[1].endswith("s") and follower[1] not in _FUNCTION_WORDS


# --------------------------------------------------------------------------- names

_MONTH_NAMES: Final = tuple(month.lower() for month in periods.MONTHS)


def read_month(match: re.Match[str]) -> int | None:
    """1 to 12; None for the verbs may and march, or an abbreviation, unless capitalised or after
    a preposition of time."""
    written = match["month"].rstrip(".")
    name = written.lower()
    doubtful = name in ("may", "march") or name not in _MONTH_NAMES
    if doubtful and written.islower() and not _TIME_PREPOSITION_BEFORE.search(text_before(match)):
        return None
    return next(number for number, month in enumerate(_MONTH_NAMES, 1) if month.startswith(name[:3]))


def weekday_number(name: str) -> int:
    """0 for Monday to 6 for Sunday, from a full or short name."""
    return ("mon", "tue", "wed", "thu", "fri", "sat", "sun").index(name[:3].lower())


# --------------------------------------------------------------------------- steps


def step_of(word: str) -> int:
    """-1, 0 or 1 for last, this, next ("this past" and "the coming" go by their last word)."""
    return {"last": -1, "past": -1, "this": 0, "next": 1, "coming": 1, "upcoming": 1}[
        word.lower().split()[-1]
    ]


def shifted(unit: str, reference: datetime, step: int) -> Period:
    """The day, week, weekend, month or year so many steps from the reference's own."""
    match unit:
        case "day":
            return periods.day(reference + timedelta(days=step))
        case "week":
            return periods.week(reference + timedelta(weeks=step))
        case "weekend":
            return periods.weekend(reference + timedelta(weeks=step))
        case "month":
            return periods.month(periods.plus_months(reference, step))
        case _:
            return periods.year(reference.year + step)


def weekday_before(reference: datetime, weekday: int) -> datetime:
    """The last day of this weekday before the reference, never the reference itself."""
    return reference - timedelta(days=(reference.weekday() - weekday) % 7 or 7)


def weekday_after(reference: datetime, weekday: int) -> datetime:
    """The next day of this weekday after the reference, never the reference itself."""
    return reference + timedelta(days=(weekday - reference.weekday()) % 7 or 7)


def nearest(anchor: Anchor, in_year: Callable[[int], Period | None]) -> Period | None:
    """Of what comes once a year: the latest begun by the reference, or the first not over by then."""
    reference = anchor.reference
    past = anchor.prefer == "past"
    for distance in range(-1, 9):  # 29 February may be eight years away
        period = in_year(reference.year + (-distance if past else distance))
        if period is not None and (period.begin <= reference if past else period.until > reference):
            return period
    return None
