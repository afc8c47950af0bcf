"""Times of day: "3pm", "14:00", "noon". Whether one belongs to a date is for the caller to see."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final

from memcore.nlp.time_grammar import periods

CLOCK: Final = (
    r"(?:(?P<h12>1[0-2]|0?[1-9])(?:[:.](?P<m12>[0-5]\d))?\s*(?P<half>[ap])(?:\.m\.|m\b)"
    r"|(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d)(?::[0-5]\d)?(?![\d:])|(?P<named>noon|midnight)\b)"
)


def moment_of(match: re.Match[str], date: datetime) -> datetime:
    """The moment on a date that a match of CLOCK names; midnight is the day's beginning."""
    if match["named"]:
        hours, minutes = (12 if match["named"].lower() == "noon" else 0), 0
    elif match["h24"]:
        hours, minutes = int(match["h24"]), int(match["m24"])
    else:
        hours = int(match["h12"]) % 12 + (12 if match["half"].lower() == "p" else 0)
        minutes = int(match["m12"] or 0)
    return periods.midnight(date) + timedelta(hours=hours, minutes=minutes)


def is_unambiguous(match: re.Match[str]) -> bool:
    """False for "3:30", which may be in either half of the day."""
    return match["h24"] is None or len(match["h24"]) == 2
