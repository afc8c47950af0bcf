"""Strict reading of the dates a model gives: a whole ISO 8601 date or nothing.

No natural language, no repair: `2023-02-30` and `next May` are refused, with the reason.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

_ISO = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2})"
    r"(?:[T ](?P<hour>\d{2}):(?P<minute>\d{2})(?::\d{2}(?:\.\d+)?)?Z?)?)?)?"
)


def read_period(begin: str | None, end: str | None) -> tuple[datetime | None, datetime | None]:
    """The half-open period from `begin` to the end of `end` (None: of `begin`), each at its own
    granularity: a year, month, day or minute.

    Raises ValueError, in words, for anything that is not such a period.

    >>> read_period("2023-05", None)
    (datetime.datetime(2023, 5, 1, 0, 0), datetime.datetime(2023, 6, 1, 0, 0))
    """
    begin, end = (begin or "").strip(), (end or "").strip()
    if not begin:
        if end:
            raise ValueError(f"it ends ({end!r}) but does not begin")
        return None, None
    starts, own_end = _bounds(begin)
    ends = _bounds(end)[1] if end else own_end
    if ends <= starts:
        raise ValueError(f"it ends ({end!r}) before it begins ({begin!r})")
    return starts, ends


def _bounds(text: str) -> tuple[datetime, datetime]:
    match = _ISO.fullmatch(text)
    if match is None:
        raise ValueError(f"{text[:40]!r} is not an ISO 8601 date")
    part = {name: int(value) for name, value in match.groupdict().items() if value is not None}
    try:
        start = datetime(
            part["year"], part.get("month", 1), part.get("day", 1), part.get("hour", 0), part.get("minute", 0)
        )
        if "hour" in part:
            return start, start + timedelta(minutes=1)
        if "day" in part:
            return start, start + timedelta(days=1)
        if "month" in part:
            return start, start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
        return start, start.replace(year=start.year + 1)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{text!r} is no date ({error})") from error
