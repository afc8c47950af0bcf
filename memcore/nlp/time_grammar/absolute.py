"""Rules for times that carry their own date: "2023-05-07", "7 May 2023", "the Friday before 15 July 2023".

Some may leave the year to the reference date ("7 May", "early June"); without one they mean nothing. A
numeric date counts only when its day and month cannot be exchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from memcore.nlp.time_grammar import distances, periods
from memcore.nlp.time_grammar.periods import Period, Third
from memcore.nlp.time_grammar.sought import sought
from memcore.nlp.time_grammar.words import (
    ANY_MONTH,
    ANY_SEASON,
    CENTURIES,
    DAY,
    IN_OR_SINCE,
    MONTH,
    NO_NUMBER_BEFORE,
    ORDINAL,
    SEASON,
    WEEKDAY_NAME,
    YEAR,
    AbsoluteRule,
    Anchor,
    Interpretation,
    counts_things,
    nearest,
    read_month,
    shifted,
    step_of,
    weekday_after,
    weekday_before,
    weekday_number,
)

_FROM: Final = re.compile(r"\bfrom\s+$", re.IGNORECASE)
_YEAR_PREPOSITIONS: Final = IN_OR_SINCE | {"from", "before", "after", "around", "throughout"}


def _iso(match: re.Match[str], anchor: Anchor | None) -> Interpretation | None:
    date = datetime(int(match["y"]), int(match["m"]), int(match["d"]))
    if match["h"] is None:
        return Interpretation(periods.day(date), relative=False)
    at = date.replace(hour=int(match["h"]), minute=int(match["min"]))
    return Interpretation(periods.moment(at), relative=False)


def _numeric(match: re.Match[str], anchor: Anchor | None) -> Interpretation | None:
    first, second = int(match["a"]), int(match["b"])
    if max(first, second) <= 12 and first != second:
        return None
    month, day = (first, second) if first <= 12 else (second, first)
    return Interpretation(periods.day(datetime(int(match["y"]), month, day)), relative=False)


def _date(match: re.Match[str], anchor: Anchor | None) -> Interpretation | None:
    """7 May 2023, May 7th, 7-9 May."""
    month, day = read_month(match), int(match["day"])
    if month is None:
        return None
    if match["year"]:
        period: Period | None = periods.day(datetime(int(match["year"]), month, day))
    elif anchor is not None:
        period = nearest(anchor, _yearly(month, day))
    else:
        return None
    if period is not None and match["last"]:
        period = periods.days(period.begin, period.begin.replace(day=int(match["last"])))
        if _FROM.search(match.string, 0, match.start()):
            period = replace(period, noun=period.noun.replace("–", " to ", 1), preposition="from")
    return Interpretation(period, relative=match["year"] is None) if period else None


def _yearly(month: int, day: int) -> Callable[[int], Period | None]:
    def in_year(year: int) -> Period | None:
        try:
            return periods.day(datetime(year, month, day))
        except ValueError:  # 29 February of a common year
            return None

    return in_year


def _month_of_year(match: re.Match[str], anchor: Anchor | None) -> Interpretation | None:
    month = read_month(match)
    if month is None:
        return None
    return Interpretation(periods.month(datetime(int(match["year"]), month, 1)), relative=False)


def _season_of_year(match: re.Match[str], anchor: Anchor | None) -> Interpretation | None:
    return Interpretation(periods.season(match["season"].lower(), int(match["year"])), relative=False)


def _years(match: re.Match[str], anchor: Anchor | None) -> Interpretation | None:
    period = periods.years(int(match["year"]), int(match["last"]))
    opening = (match["open"] or "").strip().lower()
    if opening == "in":
        return Interpretation(replace(period, preposition="", noun=f"in {period.noun}"), relative=False)
    if opening:
        joint = "to" if opening == "from" else "and"
        noun = f"{opening} {match['year']} {joint} {match['last']}"
        return Interpretation(replace(period, noun=noun, preposition=""), relative=False)
    return Interpretation(period, relative=False, needs_preposition=frozenset(("during",)))


def _decade(match: re.Match[str], anchor: Anchor | None) -> Interpretation | None:
    return Interpretation(periods.decade(int(match["year"])), relative=False)


def _year(match: re.Match[str], anchor: Anchor | None) -> Interpretation | None:
    if match["the_year"]:
        return Interpretation(periods.year(int(match["year"])), relative=False)
    if counts_things(match):
        return None
    return Interpretation(
        periods.year(int(match["year"])), relative=False, needs_preposition=_YEAR_PREPOSITIONS
    )


def _beside_date(match: re.Match[str], anchor: Anchor | None) -> Interpretation | None:
    """The week, weekend or night of a date; the day, week, weekend or Friday before or after one."""
    dated = _exact_date(match["date"], anchor)
    if dated is None:
        return None
    kind, side = match["kind"].lower(), match["side"].lower()
    step = {"before": -1, "after": 1, "of": 0}[side]
    date = dated.period.begin
    if kind in ("day", "week", "weekend"):
        period = shifted(kind, date, step)
    elif kind in periods.DAY_PARTS and side == "of":
        period = periods.part_of_day(date, kind)
    elif kind not in periods.DAY_PARTS and side != "of":
        beside = weekday_before if side == "before" else weekday_after
        period = periods.day(beside(date, weekday_number(kind)))
    else:
        return None
    return Interpretation(period, relative=dated.relative)


def _exact_date(text: str, anchor: Anchor | None) -> Interpretation | None:
    for date_pattern, read in _DATES:
        if match := date_pattern.pattern.fullmatch(text):
            return read(match, anchor)
    return None


def _some_before(match: re.Match[str], anchor: Anchor | None) -> Interpretation | None:
    """A few weeks before 8 May 2023, a few years before 2023."""
    unit = match["unit"].lower()
    if match["date"]:
        near = _exact_date(match["date"], None)
        reference = near.period.begin if near else None
    else:
        month = read_month(match) if match["month"] else 1
        reference = datetime(int(match["year"]), month, 1) if month else None
    if reference is None:
        return None
    word = match["some"].lower().split()[-1]
    return Interpretation(distances.some_before(reference, unit, word), relative=False, adverb=True)


def _nth_of_month(match: re.Match[str], anchor: Anchor | None) -> Interpretation | None:
    """The first weekend, second Saturday, last week, last day of a month."""
    month = _month(match, anchor)
    if month is None:
        return None
    word, kind = match["nth"].lower(), match["kind"].lower()
    nth = -1 if word == "last" else ("first", "second", "third", "fourth").index(word) + 1
    begin, last_day = month.begin, month.until - timedelta(days=1)
    if kind == "day":
        period = periods.day(last_day if nth < 0 else begin + timedelta(days=nth - 1))
    elif kind == "week":
        begin = last_day - timedelta(days=6) if nth < 0 else begin + timedelta(days=7 * (nth - 1))
        noun = f"the {word} week of {month.noun}"
        period = Period(begin, begin + timedelta(days=7), "week", noun, "in")
    elif kind == "weekend":
        period = periods.weekend(periods.nth_weekday(begin.year, begin.month, 5, nth).begin)
    else:
        period = periods.nth_weekday(begin.year, begin.month, weekday_number(kind), nth)
    return Interpretation(period, relative=match["year"] is None)


def _month(match: re.Match[str], anchor: Anchor | None) -> Period | None:
    number = read_month(match)
    if number is None:
        return None
    if match["year"]:
        return periods.month(datetime(int(match["year"]), number, 1))
    if anchor is None:
        return None
    return nearest(anchor, lambda year: periods.month(datetime(year, number, 1)))


def _third(match: re.Match[str], anchor: Anchor | None) -> Interpretation | None:
    """Early 2023, mid-June, the end of May, the beginning of last year."""
    whole = _whole(match, anchor)
    if whole is None:
        return None
    word = match["third"].lower().removeprefix("the").split()[0]
    which: Third = "mid"
    if word in ("early", "beginning", "start"):
        which = "early"
    elif word in ("late", "end"):
        which = "late"
    begin, until = periods.third(which, whole.period)
    preposition = "at" if word in ("beginning", "start", "end") else "in"
    if word in ("early", "late"):
        noun = f"{word} {whole.period.noun}"
    elif word == "mid":
        noun = f"mid-{whole.period.noun}"
    else:
        noun = f"the {word} of {whole.period.noun}"
    return Interpretation(Period(begin, until, whole.period.unit, noun, preposition), relative=whole.relative)


def _whole(match: re.Match[str], anchor: Anchor | None) -> Interpretation | None:
    """The week, month, season or year that `_third` takes a part of."""
    if match["month"]:
        month = _month(match, anchor)
        return Interpretation(month, relative=match["year"] is None) if month else None
    if match["season"]:
        return Interpretation(
            periods.season(match["season"].lower(), int(match["season_year"])), relative=False
        )
    if match["bare_year"]:
        return Interpretation(periods.year(int(match["bare_year"])), relative=False)
    if match["week_date"]:
        dated = _exact_date(match["week_date"], anchor)
        return Interpretation(periods.week(dated.period.begin), relative=dated.relative) if dated else None
    if anchor is None:
        return None
    step = step_of(match["shift"]) if match["shift"] else 0
    return Interpretation(shifted(match["unit"].lower(), anchor.reference, step))


_RANGE_END: Final = (
    r"(?:\s*(?:(?P<behind>(?:to|through|until)\s+the)|[-–]|to|through)\s*(?P<last>[12]\d|3[01]|0?[1-9])"
    rf"(?(behind){ORDINAL}|{ORDINAL}?))?"
)
"""The last day of several; behind "the" only an ordinal is one: "to the 9th"."""
_DATES: Final[tuple[AbsoluteRule, ...]] = (
    (
        sought(
            rf"{NO_NUMBER_BEFORE}(?P<y>(?:19|20)\d\d)(?P<sep>[-/])(?P<m>1[0-2]|0[1-9])(?P=sep)"
            r"(?P<d>[12]\d|3[01]|0[1-9])"
            r"(?:(?:T|\s+)(?P<h>[01]\d|2[0-3]):(?P<min>[0-5]\d)(?::[0-5]\d(?:\.\d+)?)?(?:Z|\s?[+-]\d\d:?\d\d)?)?"
            r"(?![\w/-]|[.:]\d)",
            CENTURIES,
            "- /",
        ),
        _iso,
    ),
    (
        sought(
            rf"{NO_NUMBER_BEFORE}(?P<a>[12]\d|3[01]|0?[1-9])(?P<sep>[./-])(?P<b>[12]\d|3[01]|0?[1-9])(?P=sep)"
            r"(?P<y>(?:19|20)\d\d)(?![\w/-]|[.:]\d)",
            CENTURIES,
        ),
        _numeric,
    ),
    (
        sought(
            rf"{NO_NUMBER_BEFORE}(?:{WEEKDAY_NAME},?\s+(?:the\s+)?)?(?P<the>the\s+)?"
            rf"{DAY}{ORDINAL}?{_RANGE_END}(?:\s+of|(?(the)\s+in|(?!)))?\s+{MONTH}(?!\w)(?:,?\s+{YEAR})?",
            ANY_MONTH,
        ),
        _date,
    ),
    (
        sought(
            rf"\b(?:{WEEKDAY_NAME},?\s+)?{MONTH}\s+(?:the\s+)?{DAY}{ORDINAL}?{_RANGE_END}"
            rf"(?![\w%]|[.,:/-]\d|\s*[ap]\.?m\b)(?:,?\s+{YEAR})?",
            ANY_MONTH,
        ),
        _date,
    ),
)
_DATE_TEXT: Final = (
    r"(?:\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?[a-z]{3,9}\.?(?:,?\s+(?:19|20)\d\d)?"
    r"|[a-z]{3,9}\.?\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s+(?:19|20)\d\d)?|(?:19|20)\d\d-\d\d-\d\d)\b"
)
_KIND: Final = rf"(?P<kind>day|week|weekend|morning|afternoon|evening|night|{WEEKDAY_NAME})"

ABSOLUTE: Final[tuple[AbsoluteRule, ...]] = (
    (
        sought(
            r"\b(?P<third>(?:the\s+)?(?:beginning|start|middle|end)\s+of|early|mid|late)(?:\s+in)?[\s-]+(?:"
            rf"{MONTH}(?!\w)(?:(?:,|\s+of)?\s+{YEAR})?|{SEASON}\s+(?:of\s+)?(?P<season_year>(?:19|20)\d\d)\b"
            r"|(?P<bare_year>(?:19|20)\d\d)(?![\d%s]|[.,:/-]\d)"
            rf"|the\s+week\s+of\s+(?P<week_date>{_DATE_TEXT})"
            r"|(?:the|(?P<shift>last|this|next))\s+(?P<unit>week|month|year)\b)",
            "beginning start middle end early mid late",
            f"{ANY_MONTH} {CENTURIES} week month year",
        ),
        _third,
    ),
    (
        sought(
            rf"\bthe\s+{_KIND}\s+(?P<side>of|before|after)\s+(?:the\s+)?(?P<date>{_DATE_TEXT})",
            "day week morning afternoon evening night",
            "of before after",
        ),
        _beside_date,
    ),
    (
        sought(
            r"\b(?P<some>a\s+few|several)\s+(?P<unit>day|week|weekend|month|year)s\s+before\s+"
            rf"(?:(?P<date>\d{{1,2}}\s+[a-z]{{3,9}}\s+(?:19|20)\d\d)\b|(?:{MONTH}\s+)?{YEAR})",
            "few several",
            "before",
        ),
        _some_before,
    ),
    *_DATES,
    (
        sought(
            rf"\b(?:the\s+)?(?P<nth>first|second|third|fourth|last)\s+(?P<kind>day|week|weekend|{WEEKDAY_NAME})"
            rf"\s+(?:of|in)\s+{MONTH}(?!\w)(?:,?\s+{YEAR})?",
            "first second third fourth last",
            "day week",
        ),
        _nth_of_month,
    ),
    (sought(rf"\b{MONTH}(?:,|\s+of)?\s+{YEAR}", ANY_MONTH, CENTURIES), _month_of_year),
    (sought(rf"\b(?:the\s+)?{SEASON}(?:,|\s+of)?\s+{YEAR}", ANY_SEASON, CENTURIES), _season_of_year),
    (
        sought(
            r"\b(?P<open>from\s+|between\s+|in\s+)?(?P<year>(?:19|20)\d\d)\s*(?:-|–|to|and|until)\s*"
            r"(?P<last>(?:19|20)\d\d)(?![\d%-]|[.,:/]\d)",
            CENTURIES,
        ),
        _years,
    ),
    (sought(r"\bthe\s+(?P<year>(?:19|20)\d0)['’]?s\b", CENTURIES), _decade),
    (sought(rf"{NO_NUMBER_BEFORE}(?P<the_year>the\s+year\s+(?:of\s+)?)?{YEAR}(?!\w)", CENTURIES), _year),
)
