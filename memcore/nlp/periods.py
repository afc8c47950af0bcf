"""Stretches of calendar time and their English names: a day, a week, a weekend, a season.

Conventions: weeks start on Monday; a weekend is Saturday and Sunday; seasons are the meteorological
ones of the northern hemisphere and are named by the year they begin in (winter 2022 ends in February
2023); the night of a day ends at midnight, so that it has one date. Knows nothing of text, of a
reference date, or of time zones; holidays are the few in `HOLIDAYS`, Thanksgiving as in the USA.
"""

from __future__ import annotations

import calendar
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal

from dateutil.relativedelta import relativedelta

Unit = Literal["minute", "day", "week", "weekend", "month", "season", "year"]
Third = Literal["early", "mid", "late"]

MONTHS: Final = tuple(calendar.month_name)[1:]
WEEKDAYS: Final = tuple(calendar.day_name)
SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
DAY_PARTS: Final = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 24)}
HOLIDAYS: Final = {
    "Christmas": (12, 25),
    "Christmas Day": (12, 25),
    "Christmas Eve": (12, 24),
    "Boxing Day": (12, 26),
    "New Year's Eve": (12, 31),
    "New Year's Day": (1, 1),
    "Halloween": (10, 31),
    "Valentine's Day": (2, 14),
    "St. Patrick's Day": (3, 17),
    "Independence Day": (7, 4),
    "Thanksgiving": (11, None),
}
_STEP: Final = {
    "minute": relativedelta(hours=1),
    "day": relativedelta(days=1),
    "week": relativedelta(weeks=1),
    "weekend": relativedelta(weeks=1),
    "month": relativedelta(months=1),
    "season": relativedelta(months=3),
    "year": relativedelta(years=1),
}


@dataclass(frozen=True, slots=True)
class Period:
    """`begin` to `until` (exclusive), its absolute name without preposition ("the week of 1 May
    2023") and the preposition that places an event in it (on, in, at)."""

    begin: datetime
    until: datetime
    unit: Unit
    noun: str
    preposition: str


def midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def monday(moment: datetime) -> datetime:
    return midnight(moment) - timedelta(days=moment.weekday())


def _name(date: datetime) -> str:
    return f"{date.day} {MONTHS[date.month - 1]} {date.year}"


def day(moment: datetime) -> Period:
    begin = midnight(moment)
    return Period(begin, begin + timedelta(days=1), "day", _name(begin), "on")


def days(first: datetime, last: datetime) -> Period:
    """Some days of one month, both inclusive: 7–9 May 2023. Raises ValueError when last < first."""
    if last < first:
        raise ValueError("the last day comes before the first")
    return Period(first, last + timedelta(days=1), "day", f"{first.day}–{_name(last)}", "on")


def part_of_day(moment: datetime, part: str) -> Period:
    """The morning, afternoon, evening or night of a day."""
    begin, until = (midnight(moment) + timedelta(hours=hour) for hour in DAY_PARTS[part])
    return Period(begin, until, "day", f"the {part} of {_name(moment)}", "on")


def moment(at: datetime) -> Period:
    """A clock time, one minute long."""
    return Period(at, at + timedelta(minutes=1), "minute", f"{at:%H:%M} on {_name(at)}", "at")


def week(within: datetime) -> Period:
    begin = monday(within)
    return Period(begin, begin + timedelta(days=7), "week", f"the week of {_name(begin)}", "in")


def weekend(within: datetime) -> Period:
    """The weekend that ends the week of a moment."""
    begin = monday(within) + timedelta(days=5)
    return Period(begin, begin + timedelta(days=2), "weekend", f"the weekend of {_name(begin)}", "on")


def month(within: datetime) -> Period:
    begin = midnight(within).replace(day=1)
    noun = f"{MONTHS[begin.month - 1]} {begin.year}"
    return Period(begin, begin + relativedelta(months=1), "month", noun, "in")


def season(name: str, year_of_begin: int) -> Period:
    begin = datetime(year_of_begin, SEASONS[name], 1)
    return Period(begin, begin + relativedelta(months=3), "season", f"{name} {year_of_begin}", "in")


def year(number: int) -> Period:
    return years(number, number)


def years(first: int, last: int) -> Period:
    """One or several whole years. Raises ValueError when last < first."""
    if last < first:
        raise ValueError("the last year comes before the first")
    noun = f"{first}" if first == last else f"{first}–{last}"
    return Period(datetime(first, 1, 1), datetime(last + 1, 1, 1), "year", noun, "in")


def decade(first: int) -> Period:
    return replace(years(first, first + 9), noun=f"the {first}s")


def holiday(name: str, year_number: int) -> Period:
    month_number, day_number = HOLIDAYS[name]
    if day_number is None:
        return replace(nth_weekday(year_number, month_number, 3, 4), noun=f"{name} {year_number}")
    period = day(datetime(year_number, month_number, day_number))
    return replace(period, noun=f"{name} {year_number}", preposition="at" if name == "Christmas" else "on")


def nth_weekday(year_number: int, month_number: int, weekday: int, nth: int) -> Period:
    """The nth (1 to 4; -1: last) Monday (0) to Sunday (6) of a month."""
    first = datetime(year_number, month_number, 1)
    begin = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (max(nth, 1) - 1))
    while nth == -1 and (begin + timedelta(days=7)).month == month_number:
        begin += timedelta(days=7)
    return day(begin)


def third(which: Third, of: Period) -> tuple[datetime, datetime]:
    """Bounds of the first, middle or last third: months 1-10, 11-20, 21-end; years and seasons by
    whole months; weeks Monday-Tuesday, Wednesday-Thursday, Friday-Sunday."""
    cuts: list[datetime]
    if of.unit == "month":
        cuts = [of.begin + timedelta(days=10), of.begin + timedelta(days=20)]
    elif of.unit == "week":
        cuts = [of.begin + timedelta(days=2), of.begin + timedelta(days=4)]
    elif of.unit in ("year", "season"):
        months = 4 if of.unit == "year" else 1
        cuts = [of.begin + relativedelta(months=months), of.begin + relativedelta(months=2 * months)]
    else:
        raise ValueError(f"a {of.unit} has no thirds")
    bounds = [of.begin, *cuts, of.until]
    index = ("early", "mid", "late").index(which)
    return bounds[index], bounds[index + 1]


def around(period: Period) -> Period:
    """The period and its neighbours on both sides, named as an approximation."""
    step = _STEP[period.unit]
    return replace(
        period,
        begin=period.begin - step,
        until=period.until + step,
        noun=f"around {period.noun}",
        preposition="",
    )
