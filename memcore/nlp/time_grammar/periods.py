"""Stretches of calendar time and their English names: a day, a week, a weekend, a season.

Conventions: weeks start on Monday; a weekend is Saturday and Sunday; seasons are the meteorological
ones of the northern hemisphere and are named by the year they begin in (winter 2022 ends in February
2023); the night of a day ends at midnight, so that it has one date. Knows nothing of text, of a
reference date, or of time zones.
"""

from __future__ import annotations

import calendar
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal

Unit = Literal["minute", "day", "week", "weekend", "month", "season", "year"]
Third = Literal["early", "mid", "late"]

MONTHS: Final = tuple(calendar.month_name)[1:]
SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
DAY_PARTS: Final = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 24)}


@dataclass(frozen=True, slots=True)
class Period:
    """`begin` to `until` (exclusive), its absolute name without preposition ("the week of 1 May
    2023") and the preposition that places an event in it (on, in, at)."""

    begin: datetime
    until: datetime
    unit: Unit
    noun: str
    preposition: str


def plus_months(moment: datetime, count: int) -> datetime:
    """The same day that many months on (back, if negative), or the last day of a shorter month.

    >>> plus_months(datetime(2024, 3, 31), -1)
    datetime.datetime(2024, 2, 29, 0, 0)
    """
    year_number, month_index = divmod(moment.year * 12 + moment.month - 1 + count, 12)
    last_day = calendar.monthrange(year_number, month_index + 1)[1]
    return moment.replace(year=year_number, month=month_index + 1, day=min(moment.day, last_day))


def midnight(moment: datetime) -> datetime:
    """The beginning of the day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def monday(moment: datetime) -> datetime:
    """The beginning of the week."""
    return midnight(moment) - timedelta(days=moment.weekday())


def _name(date: datetime) -> str:
    return f"{date.day} {MONTHS[date.month - 1]} {date.year}"


def day(moment: datetime) -> Period:
    """The day of a moment."""
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
    """The week, from Monday, that a moment lies in."""
    begin = monday(within)
    return Period(begin, begin + timedelta(days=7), "week", f"the week of {_name(begin)}", "in")


def weekend(within: datetime) -> Period:
    """The weekend that ends the week of a moment."""
    begin = monday(within) + timedelta(days=5)
    return Period(begin, begin + timedelta(days=2), "weekend", f"the weekend of {_name(begin)}", "on")


def month(within: datetime) -> Period:
    """The month that a moment lies in."""
    begin = midnight(within).replace(day=1)
    noun = f"{MONTHS[begin.month - 1]} {begin.year}"
    return Period(begin, plus_months(begin, 1), "month", noun, "in")


def season(name: str, year_of_begin: int) -> Period:
    """Three whole months, named by the year in which they begin."""
    begin = datetime(year_of_begin, SEASONS[name], 1)
    return Period(begin, plus_months(begin, 3), "season", f"{name} {year_of_begin}", "in")


def year(number: int) -> Period:
    """A calendar year."""
    return years(number, number)


def years(first: int, last: int) -> Period:
    """One or several whole years. Raises ValueError when last < first."""
    if last < first:
        raise ValueError("the last year comes before the first")
    noun = f"{first}" if first == last else f"{first}–{last}"
    return Period(datetime(first, 1, 1), datetime(last + 1, 1, 1), "year", noun, "in")


def decade(first: int) -> Period:
    """Ten years from the one given."""
    return replace(years(first, first + 9), noun=f"the {first}s")


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
        cuts = [plus_months(of.begin, months), plus_months(of.begin, 2 * months)]
    else:
        raise ValueError(f"a {of.unit} has no thirds")
    bounds = [of.begin, *cuts, of.until]
    index = ("early", "mid", "late").index(which)
    return bounds[index], bounds[index + 1]


def around(period: Period) -> Period:
    """The period and its neighbours on both sides, named as an approximation."""
    months = {"month": 1, "season": 3, "year": 12}.get(period.unit)
    if months is not None:
        begin, until = plus_months(period.begin, -months), plus_months(period.until, months)
    else:
        hours = {"minute": 1, "day": 24, "week": 7 * 24, "weekend": 7 * 24}[period.unit]
        begin, until = period.begin - timedelta(hours=hours), period.until + timedelta(hours=hours)
    return replace(
        period,
        begin=begin,
        until=until,
        noun=f"around {period.noun}",
        preposition="",
    )
