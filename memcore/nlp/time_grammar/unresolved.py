"""Words that look like times but name no one interval: durations, times told from within a story, habits.

They are claimed before other rules, so that no part of them is read as a time ("last week" in "for the
last week of my stay").
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from memcore.nlp.time_grammar import periods
from memcore.nlp.time_grammar.sought import first_of, sought
from memcore.nlp.time_grammar.words import (
    ANY_UNIT,
    COUNT,
    MONTH_NAME,
    UNITS,
    WEEKDAY_NAME,
    WEEKDAY_STEM,
    Interpretation,
)

_DATED: Final = rf"\s+(?:\d{{1,2}}\s+)?(?:{MONTH_NAME}\s+)?(?:19|20)\d\d\b"
VAGUE: Final = sought(
    r"\bthe\s+(?!(?:past|last|coming)\s+weekend\b)(?:last|past|next|previous|following|coming|same|first|second)\s+"
    rf"(?!(?:weekend|week|day|{WEEKDAY_NAME})\s+(?:of|in)\b)(?:(?:\d+|\w+|couple\s+of)\s+)?{UNITS}\b"
    rf"|\b(?:last|past|next|coming)\s+(?:few|couple(?:\s+of)?|several|\d+|two|three|four|five|six)\s+{UNITS}\b"
    rf"|\b{COUNT}\s+(?:of\s+)?{UNITS}\s+(?:later|earlier|after(?!\s+next)|before(?!\s+last|{_DATED})|prior)\b"
    rf"|\b(?:last|next)\s+{UNITS}\s+of\s+(?!{MONTH_NAME})",
    ANY_UNIT,
    "last past next previous following coming same first second later earlier after before prior",
)
_DAY: Final = rf"(?:weds|(?:{WEEKDAY_STEM})(?:days?)?)\b"
_WEEKDAYS: Final = "monday tuesday wednesday thursday friday saturday sunday"
RECURRING: Final = first_of(
    (
        r"\b(?:every|each)\s+(?:other\s+|single\s+|second\s+|\d+\s+|two\s+|three\s+|few\s+)?"
        r"(?:days?|weeks?|weekends?|months?|years?|mornings?|afternoons?|evenings?|nights?"
        rf"|summer|winter|spring|fall|autumn|{WEEKDAY_NAME}s?|christmas|halloween|thanksgiving|easter|{MONTH_NAME})\b"
        rf"(?:\s+(?:and|or)\s+{WEEKDAY_NAME}s?)*(?:\s+(?:morning|afternoon|evening|night)s?)?",
        "every each",
    ),
    (
        rf"\b(?:on\s+|at\s+)?(?:the\s+)?(?:{WEEKDAY_NAME}s|weekends|weekdays|weeknights)\b"
        r"(?!\s+(?:ago|back|from|before|after|later)\b)"
        rf"(?:\s*(?:,|and|or|&)\s*{WEEKDAY_NAME}s\b)*",
        "days weekends weeknights",
    ),
    (
        rf"\b(?:on\s+)?{WEEKDAY_NAME}(?:\s*,\s*{WEEKDAY_NAME}){{1,5}}\s*,?\s*(?:and|or|&)\s+{WEEKDAY_NAME}\b"
        rf"|\b(?:on\s+)?{WEEKDAY_NAME}(?:\s*,\s*{WEEKDAY_NAME}){{2,6}}\b",
        _WEEKDAYS,
    ),
    (
        rf"(?<=\(){_DAY}(?:\s*[,/&+]\s*{_DAY}|\s+(?:and|or)\s+{_DAY}){{1,5}}(?=\))",
        "(mon (tue (wed (thu (fri (sat (sun",
    ),
    (
        rf"\b(?:from\s+)?{WEEKDAY_NAME}\s*(?:to|through|thru|-|–)\s*{WEEKDAY_NAME}\b",
        _WEEKDAYS,
    ),
    (
        r"(?<![\w-])(?:daily|weekly|monthly|yearly|annually|nightly)\b",
        "daily weekly monthly yearly annually nightly",
    ),
    (
        r"\b(?:once|twice|(?:\d|two|three|four|five)\s+(?:times|days))\s+(?:a|per|every)\s+(?:day|week|month|year)\b",
        "once twice times days",
        "day week month year",
    ),
)


def habit(written: str, reference: datetime) -> Interpretation:
    """A recurring time, kept as written, with the reference day as its interval."""
    return Interpretation(replace(periods.day(reference), noun=written, preposition=""), recurring=True)
