"""Times as logs write them, read without guessing.

Returns naive datetimes: the wall clock the log states (an offset is dropped), Unix epochs as UTC.
03/04/2024 is read only when `day_first` says how; see `day_first_of`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time

_EARLIEST, _LATEST = 100_000_000, 4_102_444_800  # March 1973 to 2100, in epoch seconds

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july",
            "aug august", "sep sept september", "oct october", "nov november", "dec december",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_CLOCK = (
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))(?::(?P<second>\d\d)(?:\.\d+)?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?(?:\s*(?:UTC|GMT|Z|[+-]\d\d:?\d\d))?"
)
_WEEKDAY = r"(?:\(?(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\)?\.?,?\s+)?"
_JOIN = r"(?:\s*,\s*|\s+at\s+|\s+|T)"
_DATES = (
    rf"{_YEAR}[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}})(?:\s+\(\w{{3,9}}\))?",
    rf"{_WEEKDAY}{_DAY}\.?\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}",
    rf"{_WEEKDAY}{_MONTH}\s+{_DAY},?\s+{_YEAR}",
    r"(?P<a>\d{1,2})[/.-](?P<b>\d{1,2})[/.-](?P<year>(?:19|20)?\d\d)",
)
_YEAR_FIRST, *_WITH_MONTHS, _NUMBERS = (
    tuple(
        re.compile(form, re.IGNORECASE)
        for form in (day, f"{day}{_JOIN}{_CLOCK}", rf"{_CLOCK}(?:\s+on\s+|\s*,\s*|\s+){day}")
    )
    for day in _DATES
)
_FORMS = (*_YEAR_FIRST, *(form for forms in _WITH_MONTHS for form in forms), *_NUMBERS)
_FORMS_OF_NUMBERS = (*_YEAR_FIRST, *_NUMBERS)
_LETTERS = re.compile(r"[^\W\d_]{3}")
"""What the name of any month has."""
_CLOCK_ONLY = re.compile(_CLOCK, re.IGNORECASE)
_NUMERIC = re.compile(r"(?<!\d)(\d{1,2})[/.-](\d{1,2})[/.-](?:19|20)?\d\d(?!\d)")


def parse_time(value: object, day_first: bool | None = None) -> datetime | None:
    """A point in time from an epoch (seconds, milli-, micro- or nanoseconds), ISO 8601 or a common
    written form (`1:56 pm on 8 May, 2023`, `Mar 5, 2024, 18:30`). None when it is none of these or
    ambiguous. A date alone is its midnight.

    >>> parse_time("2023/01/11 (Wed) 23:15"), parse_time(1_700_000_000_000)
    (datetime.datetime(2023, 1, 11, 23, 15), datetime.datetime(2023, 11, 14, 22, 13, 20))
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_epoch(value)
    if not isinstance(value, str) or not 6 <= len(text := value.strip()) <= 60:
        return None
    if re.fullmatch(r"\d{9,19}(\.\d+)?", text, re.ASCII):
        return _from_epoch(float(text))
    for form in _FORMS if _LETTERS.search(text) else _FORMS_OF_NUMBERS:
        if found := form.fullmatch(text):
            return _from_parts(found.groupdict(), day_first)
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None


def parse_clock(text: str) -> time | None:
    """A time of day without a date: `18:30`, `6:30 pm`."""
    found = _CLOCK_ONLY.fullmatch(text.strip())
    return _clock(found.groupdict()) if found else None


def day_first_of(times: Iterable[str]) -> bool | None:
    """How a file writes 03/04/2024, when some date in it can only be read one way."""
    day_first = month_first = False
    for text in times:
        for found in _NUMERIC.finditer(text):
            day_first |= int(found[1]) > 12
            month_first |= int(found[2]) > 12
    return day_first if day_first != month_first else None


def is_ambiguous(text: str) -> bool:
    """Whether a time was left unread only because day and month could be either way round."""
    return parse_time(text) is None and parse_time(text, day_first=True) is not None


def _from_epoch(value: float) -> datetime | None:
    try:
        if not math.isfinite(value):
            return None
    except OverflowError:
        return None
    for unit in (1, 1_000, 1_000_000, 1_000_000_000):
        if _EARLIEST <= value / unit <= _LATEST:
            return datetime.fromtimestamp(value / unit, UTC).replace(tzinfo=None)
    return None


def _from_parts(parts: dict[str, str | None], day_first: bool | None) -> datetime | None:
    year = int(parts["year"] or 0)
    year += 2000 if year < 100 else 0
    if parts.get("a") is not None:
        first, second = int(parts["a"] or 0), int(parts["b"] or 0)
        if day_first is None and first <= 12 and second <= 12 and first != second:
            return None
        is_day_first = first > 12 if day_first is None else day_first
        day, month = (first, second) if is_day_first else (second, first)
    else:
        written = (parts["month"] or "").lower()
        month = _MONTHS.get(written) or int(written)
        day = int(parts["day"] or 0)
    clock = _clock(parts) if parts.get("hour") else time()
    try:
        return datetime.combine(date(year, month, day), clock) if clock else None
    except ValueError:
        return None


def _clock(parts: dict[str, str | None]) -> time | None:
    hour, half = int(parts["hour"] or 0), (parts.get("half") or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half[0] == "p" else 0)
    try:
        return time(hour, int(parts["minute"] or 0), int(parts.get("second") or 0))
    except ValueError:
        return None
