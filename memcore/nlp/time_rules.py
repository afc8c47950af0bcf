"""How English names a time: a table of patterns, each with the reading of what it matched.

A rule sees the core of an expression ("last week", "7 May", "two years ago"); the prepositions,
clock times and parts of the day around it are `dates`' business. Earlier rules claim characters
before later ones. Knows no grammar: a false friend is told apart by its neighbours and by capitals.
Where English is ambiguous: "last Friday" is the latest one before the reference day, "this Friday"
and "this weekend" belong to the reference's own week, "next Friday" and "next weekend" to the week after;
"next June" and "next summer" are the first to begin after the reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal

from dateutil.relativedelta import relativedelta

from memcore.nlp import periods
from memcore.nlp.periods import Period, Third

Prefer = Literal["past", "future"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """What relative expressions are resolved against; `prefer` decides for a bare "Friday" or
    "in June"."""

    reference: datetime | None
    prefer: Prefer


@dataclass(frozen=True, slots=True)
class Reading:
    """What a core means. `adverb`: it stands without a preposition ("yesterday"), so its
    rendering may need one. `needs_preposition`: it is a time only after one ("in 2022")."""

    period: Period
    relative: bool = True
    adverb: bool = False
    recurring: bool = False
    needs_preposition: frozenset[str] | None = None


Resolver = Callable[[re.Match[str], Anchor], Reading | None]


def pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


# --------------------------------------------------------------------------- vocabulary

_NUMBERS: Final = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split(),
        start=1,
    )
} | {"a": 1, "an": 1, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60}
_LOOSE: Final = {"a couple": 2, "couple": 2, "a few": 3, "few": 3, "several": 4}

MONTH: Final = (
    r"(?P<month>january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\b\.?)"
)
WEEKDAY: Final = r"(?P<weekday>mon|tues|wednes|thurs|fri|satur|sun)day"
_SHORT_WEEKDAY: Final = r"(?P<weekday>mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day|\b\.?)"
_SEASON: Final = r"(?P<season>spring|summer|autumn|fall|winter)"
YEAR: Final = r"(?P<year>(?:19|20)\d\d)(?![\d%]|[.,:/-]\d)"
_DAY: Final = r"(?P<day>[12]\d|3[01]|0?[1-9])"
_ORDINAL: Final = r"(?:st|nd|rd|th)"
_UNITS: Final = r"(?:day|week|weekend|month|year|summer|winter|spring|fall|decade)s?"
_COUNT: Final = (
    r"(?P<count>\d{1,3}|(?:a\s+)?couple(?=\s+(?:of\s+)?\w)|a\s+few|few|several|an?|one|two|three|four|five|six"
    r"|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
    r"|twenty|thirty|forty|fifty|sixty)"
)
_ROUGHLY: Final = (
    r"(?P<roughly>(?:about|around|almost|nearly|roughly|over|more\s+than|less\s+than|like|maybe|approximately)\s+)?"
)
_HOLIDAY: Final = (
    r"(?P<holiday>christmas(?:\s+(?:day|eve))?|boxing\s+day|new\s+year(?:['’]?s)(?:\s+(?:day|eve))?|halloween"
    r"|valentine(?:['’]?s)?\s+day|st\.?\s+patrick(?:['’]?s)?\s+day|independence\s+day"
    r"|(?:fourth|4th)\s+of\s+july|thanksgiving(?:\s+day)?)"
)
_COMPOUND: Final = (
    r"(?![\s-]+(?:camps?|school|break|vacations?|holidays?|jobs?|intern\w*|program\w*|festival|tour|concert|series|"
    r"session|projects?|class\w*|course|house|homes?|dress\w*|clothes|rolls?|cleaning|league|games|olympics|onions?|"
    r"collection|semester|term|brunch|roast|reading|solstice|equinox)\b)"
)

_FUNCTION_WORDS: Final = frozenset(
    "a an the and or but so because if when while as that which who where then than i you he she it we they my "
    "your his her its our their this these those is was are were am be been will would can could should might "
    "may must do did does has have had not n't to at in on for of from with by about before after until till "
    "since during around between through over under into near morning afternoon evening night noon with without "
    "too also again already yet still just only maybe probably hopefully instead alone together there here "
    "everyone everybody someone somebody nobody everything something nothing both all some any no we'll i'll "
    "i'm i've we're we've it's that's he's she's they're right early late ended came went got felt".split()
)
_NOT_FREE: Final = re.compile(
    r"\b(?:a|an|one|that|some|any|every|each|which|what|most|many|no|black|good|casual|cyber|ash|fat|palm|super|"
    r"the|freaky|my|your|his|her|our|their|mr|ms|mrs|dr|st)\.?\s+$",
    re.IGNORECASE,
)
_OWNED: Final = re.compile(r"\b(?:the|my|your|his|her|its|our|their|a|an|that|very)\s+$", re.IGNORECASE)
_WORD_AFTER: Final = re.compile(r"[\s-]+([A-Za-z'’]+)")
_IN_BEFORE: Final = re.compile(r"\b(?:in|on|of|since|until|during|before|after|by)\s+$", re.IGNORECASE)
_NAMES: Final = frozenset(("april", "may", "june", "august"))
_PLACING: Final = frozenset(("in", "on", "at", "since", "until", "till", "by", "from", "before", "after", "around"))
_IN_OR_SINCE: Final = frozenset(("in", "since", "until", "till", "during", "by", "through"))
_MONTH_PREPOSITIONS: Final = _IN_OR_SINCE | {"from", "before", "after", "around", "to"}
_YEAR_PREPOSITIONS: Final = _IN_OR_SINCE | {"from", "before", "after", "around", "throughout"}
_HOLIDAY_PREPOSITIONS: Final = _MONTH_PREPOSITIONS | {"on", "at", "over", "for", "of", "about"}


def _before(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - 14) : match.start()]


def _starts_compound(match: re.Match[str]) -> bool:
    """Whether a noun follows: "Sunday brunch", "Christmas tree"."""
    follower = _WORD_AFTER.match(match.string, match.end())
    if follower is None:
        return False
    word = follower[1].lower().replace("’", "'")
    return follower[1].islower() and word not in _FUNCTION_WORDS and not word.endswith(("ed", "ing", "ly"))


def _month_number(match: re.Match[str]) -> int | None:
    """1 to 12; None for a verb or an abbreviation that is not capitalised."""
    word = match["month"].rstrip(".")
    name = word.lower()
    number = next(i for i, month in enumerate(periods.MONTHS, 1) if month.lower().startswith(name[:3]))
    abbreviated = name not in (month.lower() for month in periods.MONTHS)
    if (name in ("may", "march") or abbreviated) and word.islower() and not _IN_BEFORE.search(_before(match)):
        return None
    return number


def _weekday_number(match: re.Match[str]) -> int:
    prefix = match["weekday"][:3].lower()
    return next(i for i, name in enumerate(periods.WEEKDAYS) if name.lower().startswith(prefix))


def _count(match: re.Match[str]) -> tuple[int, bool]:
    """The number and whether it is only approximate ("a few", "about three", ten or more years)."""
    word = " ".join(match["count"].lower().split())
    loose = bool(match["roughly"])
    if word in _LOOSE:
        return _LOOSE[word], loose or word not in ("one", "two")
    number = int(word) if word.isdigit() else _NUMBERS[word]
    return number, loose


def _nearest(anchor: Anchor, reference: datetime, candidates: Callable[[int], Period | None]) -> Period | None:
    """Of the yearly periods, the latest begun by the reference or the first not over by then."""
    steps = range(0, -9, -1) if anchor.prefer == "past" else range(0, 9)
    for step in (1, *steps) if anchor.prefer == "past" else (-1, *steps):
        candidate = candidates(reference.year + step)
        if candidate is None:
            continue
        if candidate.begin <= reference if anchor.prefer == "past" else candidate.until > reference:
            return candidate
    return None


def _yearly_day(month_number: int, day_number: int) -> Callable[[int], Period | None]:
    def in_year(year_number: int) -> Period | None:
        try:
            return periods.day(datetime(year_number, month_number, day_number))
        except ValueError:  # 29 February of a common year
            return None

    return in_year


# --------------------------------------------------------------------------- absolute


def _iso(match: re.Match[str], anchor: Anchor) -> Reading | None:
    date = datetime(int(match["y"]), int(match["m"]), int(match["d"]))
    if match["h"] is None:
        return Reading(periods.day(date), relative=False)
    at = date.replace(hour=int(match["h"]), minute=int(match["min"]))
    return Reading(periods.moment(at), relative=False)


def _numeric(match: re.Match[str], anchor: Anchor) -> Reading | None:
    """Only when one order alone makes a date, or both make the same."""
    first, second, year_number = int(match["a"]), int(match["b"]), int(match["y"])
    if first <= 12 and second <= 12 and first != second:
        return None
    month_number, day_number = (first, second) if first <= 12 else (second, first)
    return Reading(periods.day(datetime(year_number, month_number, day_number)), relative=False)


def _date(match: re.Match[str], anchor: Anchor) -> Reading | None:
    month_number = _month_number(match)
    if month_number is None:
        return None
    day_number = int(match["day"])
    if match["year"]:
        date = datetime(int(match["year"]), month_number, day_number)
        if match["last"]:
            return Reading(periods.days(date, date.replace(day=int(match["last"]))), relative=False)
        return Reading(periods.day(date), relative=False)
    if anchor.reference is None:
        return None
    period = _nearest(anchor, anchor.reference, _yearly_day(month_number, day_number))
    if period is not None and match["last"]:
        period = periods.days(period.begin, period.begin.replace(day=int(match["last"])))
    return Reading(period) if period else None


def _month_of_year(match: re.Match[str], anchor: Anchor) -> Reading | None:
    month_number = _month_number(match)
    if month_number is None:
        return None
    return Reading(periods.month(datetime(int(match["year"]), month_number, 1)), relative=False)


def _years(match: re.Match[str], anchor: Anchor) -> Reading | None:
    period = periods.years(int(match["year"]), int(match["last"]))
    linked = {"from": "from {} to {}", "between": "between {} and {}"}.get((match["open"] or "").strip().lower())
    if linked:
        noun = linked.format(match["year"], match["last"])
        return Reading(replace(period, noun=noun, preposition=""), relative=False)
    return Reading(period, relative=False, needs_preposition=_YEAR_PREPOSITIONS)


def _decade(match: re.Match[str], anchor: Anchor) -> Reading | None:
    return Reading(periods.decade(int(match["year"])), relative=False)


def _year(match: re.Match[str], anchor: Anchor) -> Reading | None:
    follower = _WORD_AFTER.match(match.string, match.end())
    counted = follower and follower[1].islower() and follower[1].endswith("s") and follower[1] not in _FUNCTION_WORDS
    if counted:  # "in 1984 cases"
        return None
    required = None if match["the_year"] else _YEAR_PREPOSITIONS
    return Reading(periods.year(int(match["year"])), relative=False, needs_preposition=required)


def _season_of_year(match: re.Match[str], anchor: Anchor) -> Reading | None:
    return Reading(periods.season(match["season"].lower(), int(match["year"])), relative=False)


def _named_week(match: re.Match[str], anchor: Anchor) -> Reading | None:
    """The week (weekend, night) of a date; the week, weekend, day or Friday before or after one."""
    dated = _resolve_date(match["date"], anchor)
    if dated is None:
        return None
    kind, side = match["kind"].lower(), match["side"].lower()
    step = {"before": -1, "after": 1}.get(side, 0)
    date = dated.period.begin
    if kind == "day":
        period = periods.day(date + timedelta(days=step)) if step else dated.period
    elif kind in ("week", "weekend"):
        named = periods.week if kind == "week" else periods.weekend
        period = named(date + timedelta(weeks=step))
    elif kind in periods.DAY_PARTS:
        if step:
            return None
        period = periods.part_of_day(date, kind)
    else:
        if not step:
            return None
        weekday = next(i for i, name in enumerate(periods.WEEKDAYS) if name.lower() == kind)
        apart = (date.weekday() - weekday) % 7 if step < 0 else (weekday - date.weekday()) % 7
        period = periods.day(date + timedelta(days=step * (apart or 7)))
    return Reading(period, relative=dated.relative)


def _resolve_date(text: str, anchor: Anchor) -> Reading | None:
    for date_pattern, resolve in DATES:
        if match := date_pattern.fullmatch(text):
            return resolve(match, anchor)
    return None


def _nth_of_month(match: re.Match[str], anchor: Anchor) -> Reading | None:
    """The first weekend, second Saturday, last week, last day of a month."""
    within = _month_with_or_without_year(match, anchor)
    if within is None:
        return None
    start = within.begin
    word = match["nth"].lower()
    nth = ("first", "second", "third", "fourth").index(word) + 1 if word != "last" else -1
    kind = match["kind"].lower()
    last_day = within.until - timedelta(days=1)
    if kind == "day":
        period = periods.day(last_day if nth < 0 else start + timedelta(days=nth - 1))
    elif kind == "week":
        begin = last_day - timedelta(days=6) if nth < 0 else start + timedelta(days=7 * (nth - 1))
        noun = f"the {word} week of {within.noun}"
        period = Period(begin, begin + timedelta(days=7), "week", noun, "in")
    elif kind == "weekend":
        period = periods.weekend(periods.nth_weekday(start.year, start.month, 5, nth).begin)
    else:
        weekday = next(i for i, name in enumerate(periods.WEEKDAYS) if name.lower() == kind)
        period = periods.nth_weekday(start.year, start.month, weekday, nth)
    return Reading(period, relative=match["year"] is None)


def _month_with_or_without_year(match: re.Match[str], anchor: Anchor) -> Period | None:
    number = _month_number(match)
    if number is None:
        return None
    if match["year"]:
        return periods.month(datetime(int(match["year"]), number, 1))
    if anchor.reference is None:
        return None
    return _nearest(anchor, anchor.reference, lambda y: periods.month(datetime(y, number, 1)))


def _third(match: re.Match[str], anchor: Anchor) -> Reading | None:
    """Early 2023, mid-June, the end of May, the beginning of last year."""
    whole = _whole(match, anchor)
    if whole is None:
        return None
    word = " ".join(match["third"].lower().replace("-", " ").split())
    which: Third = "mid"
    if word.startswith(("early", "the begin", "the start", "begin", "start")):
        which = "early"
    elif word.startswith(("late", "the end", "end")):
        which = "late"
    begin, until = periods.third(which, whole.period)
    if word in ("early", "late"):
        noun, preposition = f"{word} {whole.period.noun}", "in"
    elif word == "mid":
        noun, preposition = f"mid-{whole.period.noun}", "in"
    else:
        part = word.removeprefix("the ").removesuffix(" of")
        noun, preposition = f"the {part} of {whole.period.noun}", "in" if which == "mid" else "at"
    period = Period(begin, until, whole.period.unit, noun, preposition)
    return Reading(period, relative=whole.relative)


def _whole(match: re.Match[str], anchor: Anchor) -> Reading | None:
    """The month, season, year or week that `_third` takes a part of."""
    if match["own"]:
        if anchor.reference is None:
            return None
        return Reading(_shifted(match["own"].lower(), anchor.reference, 0))
    if match["shift"]:
        if anchor.reference is None:
            return None
        return Reading(_shifted(match["unit"].lower(), anchor.reference, _SHIFTS[match["shift"].lower()]))
    if match["month"]:
        period = _month_with_or_without_year(match, anchor)
        return Reading(period, relative=match["year"] is None) if period else None
    if match["season"]:
        return Reading(periods.season(match["season"].lower(), int(match["season_year"])), relative=False)
    return Reading(periods.year(int(match["bare_year"])), relative=False)


# --------------------------------------------------------------------------- relative

_SHIFTS: Final = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}


def _shifted(unit: str, reference: datetime, step: int) -> Period:
    if unit == "day":
        return periods.day(reference + timedelta(days=step))
    if unit == "week":
        return periods.week(reference + timedelta(weeks=step))
    if unit == "weekend":
        return periods.weekend(reference + timedelta(weeks=step))
    if unit == "month":
        return periods.month(reference + relativedelta(months=step))
    return periods.year(reference.year + step)


def _near_day(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    word = " ".join(match[0].lower().split())
    if word == "tonight":
        return Reading(periods.part_of_day(anchor.reference, "night"), adverb=True)
    step = {"yesterday": -1, "tomorrow": 1}.get(word, 0)
    if "day before yesterday" in word:
        step = -2
    elif "day after tomorrow" in word:
        step = 2
    if match[0] == "Today" and re.search(r"[A-Z]\w+ $", _before(match)):  # USA Today
        return None
    return Reading(periods.day(anchor.reference + timedelta(days=step)), adverb=True)


def _part_of_near_day(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    part = match["part"].lower()
    yesterday = match["near"].lower() == "last"
    if yesterday and part in ("morning", "afternoon"):
        return None
    date = anchor.reference - timedelta(days=1) if yesterday else anchor.reference
    return Reading(periods.part_of_day(date, part), adverb=True)


def _shift_word(match: re.Match[str]) -> int:
    words = match["shift"].lower().split()
    if words[0] == "this" and len(words) > 1:
        return 1 if words[1] in ("coming", "upcoming") else -1
    return {"last": -1, "this": 0, "next": 1}[words[0]]


def _shifted_unit(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    if _OWNED.search(_before(match)):
        return None
    step, unit = _shift_word(match), match["unit"].lower()
    if len(match["shift"].split()) > 1 and unit == "weekend" and step > 0:
        step = 0  # "this coming weekend" ends the present week
    return Reading(_shifted(unit, anchor.reference, step), adverb=True)


def _before_last(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    step = -2 if match["side"].lower().startswith("before") else 2
    return Reading(_shifted(match["unit"].lower(), anchor.reference, step), adverb=True)


def _shifted_weekday(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    if _OWNED.search(_before(match)):
        return None
    return Reading(periods.day(_weekday_near(anchor.reference, _weekday_number(match), match["shift"])), adverb=True)


def _weekday_near(reference: datetime, weekday: int, shift: str) -> datetime:
    words = shift.lower().split()
    if words[0] == "last" or words[-1] == "past":
        return reference - timedelta(days=(reference.weekday() - weekday) % 7 or 7)
    if words[-1] in ("coming", "upcoming"):
        return reference + timedelta(days=(weekday - reference.weekday()) % 7 or 7)
    return periods.monday(reference) + timedelta(days=weekday, weeks=1 if words[0] == "next" else 0)


def _weekday_of_week(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    week = _shifted("week", anchor.reference, _SHIFTS[match["shift"].lower()])
    return Reading(periods.day(week.begin + timedelta(days=_weekday_number(match))), adverb=True)


def _bare_weekday(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    if _NOT_FREE.search(_before(match)) or _starts_compound(match):
        return None
    shift = "last" if anchor.prefer == "past" else "coming"
    return Reading(periods.day(_weekday_near(anchor.reference, _weekday_number(match), shift)), adverb=True)


def _shifted_month(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    if _OWNED.search(_before(match)) or (match["month"].islower() and match["month"].lower() in ("may", "march")):
        return None
    number = periods.MONTHS.index(match["month"].capitalize()) + 1
    step = _shift_word(match)
    own = periods.month(anchor.reference.replace(day=1, month=number))
    if step < 0 and own.until > anchor.reference:
        own = periods.month(own.begin - relativedelta(years=1))
    if step > 0 and own.begin <= anchor.reference:
        own = periods.month(own.begin + relativedelta(years=1))
    return Reading(own, adverb=True)


def _month_of_shifted_year(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    number = _month_number(match)
    if number is None:
        return None
    year_number = anchor.reference.year + _SHIFTS[match["shift"].lower()]
    return Reading(periods.month(datetime(year_number, number, 1)), adverb=match[0][0].islower())


def _season_now(name: str, reference: datetime) -> Period:
    """The season of that name in the reference's year; in January, winter is the running one."""
    running_winter = name == "winter" and reference.month <= 2
    return periods.season(name, reference.year - running_winter)


def _shifted_season(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    if _OWNED.search(_before(match)):
        return None
    name = match["season"].lower()
    step, reference = _shift_word(match), anchor.reference
    own = _season_now(name, reference)
    if step < 0 and own.until > reference:
        own = periods.season(name, own.begin.year - 1)
    if step > 0 and own.begin <= reference:
        own = periods.season(name, own.begin.year + 1)
    return Reading(own, adverb=True)


def _season_of_shifted_year(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    year_number = anchor.reference.year + _SHIFTS[match["shift"].lower()]
    return Reading(periods.season(match["season"].lower(), year_number), adverb=True)


def _over_the(match: re.Match[str], anchor: Anchor) -> Reading | None:
    """The weekend or (over the) summer nearest in the preferred direction."""
    assert anchor.reference is not None
    if match["season"]:
        name = match["season"].lower()
        period = _nearest(anchor, anchor.reference, lambda y: periods.season(name, y))
        return Reading(period, needs_preposition=frozenset(("over",))) if period else None
    in_weekend = anchor.reference.weekday() >= 5
    step = -1 if anchor.prefer == "past" and not in_weekend else 0
    reading = Reading(_shifted("weekend", anchor.reference, step))
    return replace(reading, needs_preposition=_PLACING | {"over", "for", "during"})


def _ago(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    count, loose = _count(match)
    return _distant(anchor.reference, -count, match["unit"].lower(), loose, exact_day=bool(match["today"]))


def _ahead(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    count, loose = _count(match)
    return _distant(anchor.reference, count, match["unit"].lower(), loose, exact_day=False)


def _in_time(match: re.Match[str], anchor: Anchor) -> Reading | None:
    """In two weeks: ahead, unless a past verb makes it how long something took."""
    clause = re.split(r"[.!?;]", match.string[: match.start()])[-1]
    return None if _PAST_VERB.search(clause) else _ahead(match, anchor)


_PAST_VERB: Final = re.compile(
    r"\b(?:\w{2,}ed|did|was|were|had|went|read|learnt|made|got|took|built|ran|wrote|lost|came|grew|won|sold|became|saw)\b",
    re.IGNORECASE,
)


def _distant(reference: datetime, count: int, unit: str, loose: bool, *, exact_day: bool) -> Reading:
    """`count` units away: a count of days names the day, of weeks the week, and so on; ten years
    or more, and "a few", only come near it."""
    if unit in ("minute", "hour"):
        return Reading(periods.day(reference), adverb=True)
    if unit == "decade":
        count, unit, loose = 10 * count, "year", True
    if unit in ("day", "week", "weekend"):
        weeks_or_days = timedelta(days=count) if unit == "day" else timedelta(weeks=count)
        moved = reference + weeks_or_days
    else:
        moved = reference + (relativedelta(months=count) if unit == "month" else relativedelta(years=count))
    if exact_day:
        return Reading(periods.day(moved), adverb=True)
    period = _shifted(unit, moved, 0)
    approximate = loose or (unit == "year" and abs(count) >= 10)
    return Reading(periods.around(period) if approximate else period, adverb=True)


def _year_and_half_ago(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    months = 6 if match["half"] else 18
    return Reading(periods.around(periods.month(anchor.reference - relativedelta(months=months))), adverb=True)


def _weeks_from_day(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    count, loose = _count(match)
    if loose:
        return None
    day_word = match["from_day"].lower()
    if day_word in ("today", "tomorrow"):
        start = anchor.reference + timedelta(days=day_word == "tomorrow")
    else:
        weekday = next(i for i, name in enumerate(periods.WEEKDAYS) if name.lower() == day_word)
        start = _weekday_near(anchor.reference, weekday, "coming")
    return Reading(periods.day(start + timedelta(weeks=count)), adverb=True)


def _since_duration(match: re.Match[str], anchor: Anchor) -> Reading | None:
    """For five years now, for the past three years: since about that year."""
    assert anchor.reference is not None
    count, _ = _count(match)
    if not (match["past"] or match["now"]) or (count < 2 and match["unit"].lower() == "month"):
        return None
    unit = match["unit"].lower()
    moved = anchor.reference - (relativedelta(months=count) if unit == "month" else relativedelta(years=count))
    period = periods.around(_shifted(unit, moved, 0))
    return Reading(replace(period, preposition="since"), adverb=True)


def _this_time(match: re.Match[str], anchor: Anchor) -> Reading | None:
    assert anchor.reference is not None
    unit = match["unit"].lower()
    step = _SHIFTS[match["shift"].lower()]
    if unit == "year":
        moved = anchor.reference + relativedelta(years=step)
        return Reading(periods.around(periods.month(moved)), adverb=True)
    moved = anchor.reference + (timedelta(weeks=step) if unit == "week" else relativedelta(months=step))
    return Reading(periods.around(periods.day(moved)), adverb=True)


def _earlier(match: re.Match[str], anchor: Anchor) -> Reading | None:
    """Earlier (later) this year: between its beginning (end) and the reference day."""
    assert anchor.reference is not None
    word = match["word"].lower()
    if match["unit"].lower() == "today":
        return Reading(periods.day(anchor.reference), adverb=True)
    whole = _shifted(match["unit"].lower(), anchor.reference, 0)
    today = periods.day(anchor.reference)
    begin, until = (whole.begin, today.until) if word == "earlier" else (today.begin, whole.until)
    noun = f"{word} in {whole.noun}"
    return Reading(Period(begin, until, whole.unit, noun, ""), adverb=True)


def _bare_month(match: re.Match[str], anchor: Anchor) -> Reading | None:
    number = _month_number(match)
    if number is None or anchor.reference is None:
        return None
    period = _nearest(anchor, anchor.reference, lambda y: periods.month(datetime(y, number, 1)))
    name = match["month"].lower()
    allowed = _IN_OR_SINCE if name in _NAMES else _MONTH_PREPOSITIONS
    return Reading(period, needs_preposition=allowed) if period else None


def _day_of_month(match: re.Match[str], anchor: Anchor) -> Reading | None:
    """On the 7th: the nearest one in the preferred direction."""
    assert anchor.reference is not None
    if _starts_compound(match):
        return None
    step = -1 if anchor.prefer == "past" else 1
    for months in range(3):
        try:
            date = (periods.midnight(anchor.reference).replace(day=1) + relativedelta(months=step * months)).replace(
                day=int(match["day"])
            )
        except ValueError:  # a month without a 31st
            continue
        period = periods.day(date)
        if (period.begin <= anchor.reference) if step < 0 else (period.until > anchor.reference):
            return Reading(period, needs_preposition=frozenset(("on", "by", "until", "since", "from", "before", "after")))
    return None


def _holiday(match: re.Match[str], anchor: Anchor) -> Reading | None:
    name = _holiday_name(match["holiday"])
    if match["year"]:
        return Reading(periods.holiday(name, int(match["year"])), relative=False)
    if anchor.reference is None or _starts_compound(match):
        return None
    reference, shift = anchor.reference, (match["shift"] or "").lower()
    if shift == "this":
        return Reading(periods.holiday(name, reference.year), adverb=True)
    prefer: Prefer = {"last": "past", "next": "future"}.get(shift, anchor.prefer)  # type: ignore[assignment]
    period = _nearest(Anchor(reference, prefer), reference, lambda y: periods.holiday(name, y))
    if period is None:
        return None
    return Reading(period, adverb=bool(shift), needs_preposition=None if shift else _HOLIDAY_PREPOSITIONS)


def _holiday_name(written: str) -> str:
    words = " ".join(written.lower().replace("’", "'").replace(".", "").split())
    if "july" in words:
        return "Independence Day"
    if words.startswith("thanksgiving"):
        return "Thanksgiving"
    if words.startswith("new year"):
        return "New Year's Eve" if words.endswith("eve") else "New Year's Day"
    key = words.replace("'", "").removeprefix("st ")
    for name in periods.HOLIDAYS:
        plain = name.lower().replace("'", "").removeprefix("st. ")
        if plain == key or plain.replace("s day", " day") == key:
            return name
    raise AssertionError(f"no holiday is called {written!r}")


def habit(written: str, reference: datetime) -> Reading:
    """A recurring time, kept as written."""
    return Reading(replace(periods.day(reference), noun=written, preposition=""), recurring=True)


# --------------------------------------------------------------------------- the tables

_NO_NUMBER_BEFORE: Final = r"(?<![\w.,$€£#/:+-])"
_SHIFT_OF_YEAR: Final = r"(?P<shift>last|this|next)\s+year\b"
_SHIFT_UNIT: Final = r"(?P<shift>last|this(?:\s+(?:past|last|coming|upcoming))?|next)\s+"

VAGUE: Final = pattern(
    rf"\b(?:the|over|in|for|these|those)\s+(?:the\s+)?(?:last|past|next|previous|following|coming|same|first|second)\s+"
    rf"(?!(?:weekend|week|day|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\s+(?:of|in)\b)"
    rf"(?:(?:\d+|\w+|couple\s+of)\s+)?{_UNITS}\b(?!\s+before\s+last)"
    rf"|\b(?:last|past|next)\s+(?:few|couple(?:\s+of)?|several|\d+|two|three|four|five|six)\s+{_UNITS}\b"
    rf"|\b{_COUNT}\s+(?:of\s+)?{_UNITS}\s+(?:later|earlier|after(?!\s+next)|before(?!\s+last)|prior)\b"
    rf"|\b(?:last|next)\s+(?:day|week|weekend|month|summer)\s+of\b(?!\s+{MONTH.replace('P<month>', ':')})"
)
"""Durations and times relative to something else in the story: claimed, so that no part of them
is read as a time, and left alone."""

RECURRING: Final = pattern(
    r"\b(?:every|each)\s+(?:other\s+|single\s+|second\s+|\d+\s+|two\s+|three\s+|few\s+)?"
    r"(?:days?|weeks?|weekends?|months?|years?|mornings?|afternoons?|evenings?|nights?|summer|winter|spring|fall|autumn"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|christmas|halloween|thanksgiving"
    r"|january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"(?:\s+(?:and|or)\s+(?:mon|tues|wednes|thurs|fri|satur|sun)days?)*(?:\s+(?:morning|afternoon|evening|night)s?)?"
    r"|\b(?:on\s+|at\s+)?(?:the\s+)?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|weekdays|weeknights)\b(?!\s+(?:ago|back|from|before|after|later)\b)"
    r"(?:\s*(?:,|and|or|&)\s*(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b)*"
    r"|\b(?:daily|weekly|monthly|yearly|annually|nightly)\b"
    r"|\b(?:once|twice|(?:\d|two|three|four|five)\s+(?:times|days))\s+(?:a|per|every)\s+(?:day|week|month|year)\b"
)

DATES: Final[tuple[tuple[re.Pattern[str], Resolver], ...]] = (
    (
        pattern(
            rf"{_NO_NUMBER_BEFORE}(?P<y>(?:19|20)\d\d)[-/](?P<m>1[0-2]|0[1-9])[-/](?P<d>[12]\d|3[01]|0[1-9])"
            r"(?:(?:T|\s+)(?P<h>[01]\d|2[0-3]):(?P<min>[0-5]\d)(?::[0-5]\d(?:\.\d+)?)?(?:Z|\s?[+-]\d\d:?\d\d)?)?"
            r"(?![\w/-]|[.:]\d)"
        ),
        _iso,
    ),
    (
        pattern(
            rf"{_NO_NUMBER_BEFORE}(?P<a>[12]\d|3[01]|0?[1-9])(?P<sep>[./-])(?P<b>[12]\d|3[01]|0?[1-9])(?P=sep)"
            r"(?P<y>(?:19|20)\d\d)(?![\w/-]|[.:]\d)"
        ),
        _numeric,
    ),
    (
        pattern(
            rf"{_NO_NUMBER_BEFORE}(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+(?:the\s+)?)?(?:the\s+)?"
            rf"{_DAY}{_ORDINAL}?(?:\s*[-–]\s*(?P<last>[12]\d|3[01]|0?[1-9]){_ORDINAL}?)?(?:\s+of)?\s+"
            rf"{MONTH}(?!\w)(?:,?\s+{YEAR})?"
        ),
        _date,
    ),
    (
        pattern(
            rf"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+)?{MONTH}\s+(?:the\s+)?"
            rf"{_DAY}{_ORDINAL}?(?:\s*[-–]\s*(?P<last>[12]\d|3[01]|0?[1-9]){_ORDINAL}?)?"
            rf"(?![\w%]|[.,:/-]\d|\s*[ap]\.?m\b)(?:,?\s+{YEAR})?"
        ),
        _date,
    ),
)

_DATE_TEXT: Final = (
    r"(?P<date>(?:\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?[a-z]{3,9}\.?(?:,?\s+(?:19|20)\d\d)?)"
    r"|[a-z]{3,9}\.?\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s+(?:19|20)\d\d)?|(?:19|20)\d\d-\d\d-\d\d)\b"
)

ABSOLUTE: Final[tuple[tuple[re.Pattern[str], Resolver], ...]] = (
    (
        pattern(
            r"\bthe\s+(?P<kind>day|week|weekend|morning|afternoon|evening|night"
            rf"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\s+(?P<side>of|before|after)\s+(?:the\s+)?{_DATE_TEXT}"
        ),
        _named_week,
    ),
    *DATES,
    (
        pattern(
            r"\b(?:the\s+)?(?P<nth>first|second|third|fourth|last)\s+"
            r"(?P<kind>day|week|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
            rf"\s+(?:of|in)\s+{MONTH}\b(?:,?\s+{YEAR})?"
        ),
        _nth_of_month,
    ),
    (
        pattern(
            r"\b(?P<third>(?:the\s+)?(?:beginning|start|middle|end)\s+of|early|mid|late)(?:\s+in)?[\s-]+(?:"
            rf"{MONTH}\b(?:(?:,|\s+of)?\s+{YEAR})?|{_SEASON}\s+(?:of\s+)?(?P<season_year>(?:19|20)\d\d)\b"
            r"|(?P<bare_year>(?:19|20)\d\d)(?![\d%s]|[.,:/-]\d)"
            r"|the\s+(?P<own>week|month|year)\b|(?P<shift>last|this|next)\s+(?P<unit>week|month|year)\b)"
        ),
        _third,
    ),
    (pattern(rf"\b{MONTH}(?:,|\s+of)?\s+{YEAR}"), _month_of_year),
    (pattern(rf"\b(?:the\s+)?{_SEASON}(?:,|\s+of)?\s+{YEAR}"), _season_of_year),
    (
        pattern(rf"\b(?:(?P<shift>last|this|next)\s+)?(?<![-'’]){_HOLIDAY}(?![\w'’-])(?:(?:,|\s+of)?\s+{YEAR})?"),
        _holiday,
    ),
    (
        pattern(
            rf"\b(?P<open>from\s|between\s|in\s)?\s*(?P<year>(?:19|20)\d\d)\s*(?:-|–|to|and|until)\s*"
            r"(?P<last>(?:19|20)\d\d)(?![\d%-]|[.,:/]\d)"
        ),
        _years,
    ),
    (pattern(r"\bthe\s+(?P<year>(?:19|20)\d0)['’]?s\b"), _decade),
    (pattern(rf"{_NO_NUMBER_BEFORE}(?P<the_year>the\s+year\s+(?:of\s+)?)?{YEAR}(?!\w)"), _year),
)

RELATIVE: Final[tuple[tuple[re.Pattern[str], Resolver], ...]] = (
    (pattern(r"\b(?P<word>earlier|later)\s+(?:this\s+)?(?P<unit>(?<=this\s)(?:week|month|year)|today)\b"), _earlier),
    (
        pattern(
            r"\b(?:the\s+)?(?P<unit>week|weekend|month|year)\s+(?P<side>before\s+last|after\s+next)\b"
        ),
        _before_last,
    ),
    (pattern(r"\bthis\s+time\s+(?P<shift>last|next)\s+(?P<unit>week|month|year)\b"), _this_time),
    (
        pattern(
            rf"\b{_ROUGHLY}{_COUNT}\s+(?:of\s+)?(?P<unit>minute|hour|day|week|weekend|month|year|decade)s?"
            r"\s+(?:ago|back)\b(?P<today>\s+today)?"
        ),
        _ago,
    ),
    (
        pattern(r"\b(?:about\s+)?(?:(?P<half>half\s+a\s+year)|a\s+year\s+and\s+a\s+half|one\s+and\s+a\s+half\s+years)\s+ago\b"),
        _year_and_half_ago,
    ),
    (
        pattern(
            rf"\b(?P<roughly>)?{_COUNT}\s+weeks?\s+from\s+(?P<from_day>today|tomorrow"
            r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
        ),
        _weeks_from_day,
    ),
    (
        pattern(
            rf"\b{_ROUGHLY}{_COUNT}\s+(?:of\s+)?(?P<unit>day|week|weekend|month|year)s?\s+from\s+(?:now|today)\b"
        ),
        _ahead,
    ),
    (
        pattern(
            rf"\bfor\s+(?P<past>(?:the\s+)?(?:past|last)\s+)?{_ROUGHLY}{_COUNT}\s+(?:of\s+)?"
            r"(?P<unit>month|year)s?\b(?P<now>\s+now)?"
        ),
        _since_duration,
    ),
    (
        pattern(rf"\bin\s+{_ROUGHLY}{_COUNT}\s+(?:of\s+)?(?P<unit>day|week|month|year)s?\b(?!['’])"),
        _in_time,
    ),
    (pattern(r"\b(?:the\s+)?day\s+before\s+yesterday\b|\b(?:the\s+)?day\s+after\s+tomorrow\b"), _near_day),
    (pattern(rf"\b{WEEKDAY},?\s+(?:of\s+)?(?P<shift>last|this|next)\s+week\b"), _weekday_of_week),
    (pattern(rf"\b(?P<shift>last|this|next)\s+week,?\s+(?:on\s+)?{WEEKDAY}\b"), _weekday_of_week),
    (pattern(rf"\b{MONTH},?\s+(?:of\s+)?{_SHIFT_OF_YEAR}"), _month_of_shifted_year),
    (pattern(rf"\b{_SHIFT_OF_YEAR}\s+in\s+{MONTH}\b"), _month_of_shifted_year),
    (pattern(rf"\b(?:the\s+)?{_SEASON},?\s+(?:of\s+)?{_SHIFT_OF_YEAR}"), _season_of_shifted_year),
    (pattern(r"\b(?P<near>this|last)\s+(?P<part>morning|afternoon|evening|night)\b"), _part_of_near_day),
    (pattern(rf"\b{_SHIFT_UNIT}(?P<unit>week|weekend|month|year)\b(?!-|\s+of\b)"), _shifted_unit),
    (pattern(rf"\b{_SHIFT_UNIT}{_SHORT_WEEKDAY}(?!\w){_COMPOUND}"), _shifted_weekday),
    (
        pattern(
            rf"\b{_SHIFT_UNIT}(?P<month>january|february|march|april|may|june|july|august|september|october"
            r"|november|december)\b"
        ),
        _shifted_month,
    ),
    (pattern(rf"\b{_SHIFT_UNIT}{_SEASON}\b{_COMPOUND}"), _shifted_season),
    (pattern(rf"\bthe\s+(?:weekend\b|{_SEASON}\b{_COMPOUND})(?!\s+of\b)"), _over_the),
    (pattern(r"\b(?:yesterday|today|tonight|tomorrow)\b"), _near_day),
    (pattern(rf"\b{WEEKDAY}\b(?!-)"), _bare_weekday),
    (pattern(rf"(?<=\bon\s){_SHORT_WEEKDAY}(?!\w)"), _bare_weekday),
    (pattern(rf"\b{MONTH}(?![\w'’-])"), _bare_month),
    (pattern(rf"\bthe\s+{_DAY}{_ORDINAL}\b(?!\s+of\b|-)"), _day_of_month),
)

RULES: Final = (*RELATIVE[:1], *ABSOLUTE, *RELATIVE)

CLOCK: Final = (
    r"(?:(?P<h12>1[0-2]|0?[1-9])(?:[:.](?P<m12>[0-5]\d))?\s*(?P<half>[ap])\.?m\b\.?"
    r"|(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d)(?::[0-5]\d)?(?![\d:])|(?P<named>noon|midnight)\b)"
)


def clock(match: re.Match[str], date: datetime) -> datetime:
    """The moment on a date that a match of CLOCK names; midnight is the day's beginning."""
    if match["named"]:
        return periods.midnight(date) + timedelta(hours=12 if match["named"].lower() == "noon" else 0)
    if match["h24"]:
        return periods.midnight(date) + timedelta(hours=int(match["h24"]), minutes=int(match["m24"]))
    hour = int(match["h12"]) % 12 + (12 if match["half"].lower() == "p" else 0)
    return periods.midnight(date) + timedelta(hours=hour, minutes=int(match["m12"] or 0))
