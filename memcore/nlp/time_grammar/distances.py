"""Rules for times a counted way off: "two weeks ago", "in a month", "a week from Friday", "for 5 years now".

A count of days names the day, of weeks the week, and so on. "A few", "about three" and ten years or more
only come near it: they are read as the counted period with its neighbours ("around 2020"). How many "a few"
are is not told ("a few years before 2023").
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from memcore.nlp.time_grammar import periods
from memcore.nlp.time_grammar.periods import Period
from memcore.nlp.time_grammar.sought import sought
from memcore.nlp.time_grammar.words import (
    COUNT,
    NUMBERS,
    WEEKDAY,
    WEEKDAY_NAME,
    Anchor,
    Interpretation,
    Rule,
    pattern,
    shifted,
    weekday_after,
    weekday_before,
    weekday_number,
)

_NUMBERS: Final = NUMBERS | {"a": 1, "an": 1}
_LOOSE_NUMBERS: Final = {"a couple": 2, "couple": 2, "a few": 3, "few": 3, "several": 4}
_FEW: Final = frozenset({"few", "several"})
_ROUND_YEARS: Final = 10
_RATED: Final = pattern(
    r"(?:\d|\b(?:once|twice|times?|dollars|euros?|pounds|bucks|cents|hours?|minutes?))\s+$"
)
_CLAUSE_END: Final = pattern(r"[.!?;,]|\b(?:and|but)\b")
_TOOK_TIME: Final = pattern(  # verbs after which "in a month" is how long, not when
    r"\b(?:\w{2,}ed|did|was|were|had|went|read|learnt|made|got|took|built|ran|wrote|lost|came|grew|won|sold"
    r"|became|saw|(?:have|has|had|did)(?:n['’]t|\s+not|\s+never)|never|\w+['’]ve)\b"
)


def _count(match: re.Match[str]) -> tuple[int, bool]:
    """The number, and whether it is only approximate."""
    word = " ".join(match["count"].lower().split())
    if word in _LOOSE_NUMBERS:
        return _LOOSE_NUMBERS[word], True
    return int(word) if word.isdigit() else _NUMBERS[word], bool(match["roughly"])


def _ago(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    count, loose = _count(match)
    word, unit = match["count"].lower().split()[-1], match["unit"].lower()
    moved = _moved(anchor.reference, -count, unit)
    if match["today"]:
        return Interpretation(periods.day(moved), adverb=True)
    if match["weekday"] and unit == "week" and not loose:
        weekday = timedelta(days=weekday_number(match["weekday"]))
        return Interpretation(periods.day(periods.monday(moved) + weekday), adverb=True)
    if word in _FEW and unit in ("day", "week", "weekend", "month", "year"):
        return Interpretation(some_before(anchor.reference, unit, word), adverb=True)
    return _distant(anchor.reference, -count, unit, loose)


def _weekdays_ago(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    """Two Sundays ago: the one before last Sunday."""
    count, loose = _count(match)
    if count < 1:
        return None
    last = weekday_before(anchor.reference, weekday_number(match["weekday"]))
    then = last - timedelta(weeks=count - 1)
    return Interpretation(periods.around(periods.day(then)) if loose else periods.day(then), adverb=True)


def _from_now(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    count, loose = _count(match)
    return _distant(anchor.reference, count, match["unit"].lower(), loose)


def _in_time(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    """In two weeks: ahead, unless a past verb makes it how long something took."""
    clause = _CLAUSE_END.split(match.string[max(0, match.start() - 120) : match.start()])[-1]
    return None if _TOOK_TIME.search(clause) else _from_now(match, anchor)


def _distant(reference: datetime, count: int, unit: str, loose: bool) -> Interpretation:
    if unit in ("minute", "hour"):
        return Interpretation(periods.day(reference), adverb=True)
    if unit == "decade":
        count, unit = 10 * count, "year"
    if loose or (unit == "year" and abs(count) >= _ROUND_YEARS):
        return Interpretation(_around(reference, count, unit), adverb=True)
    return Interpretation(shifted(unit, _moved(reference, count, unit), 0), adverb=True)


def some_before(reference: datetime, unit: str, word: str) -> Period:
    """ "A few years before 2023": nobody said how many, so the name tells no number."""
    near = _around(reference, -_LOOSE_NUMBERS[word], unit)
    whole = {"year": periods.year(reference.year), "month": periods.month(reference)}
    several = f"a few {unit}s" if word == "few" else f"several {unit}s"
    return replace(near, noun=f"{several} before {whole.get(unit, periods.day(reference)).noun}")


def _around(reference: datetime, count: int, unit: str) -> Period:
    """Near the counted period; about one year off is known to the month."""
    moved = _moved(reference, count, unit)
    return periods.around(shifted("month" if unit == "year" and abs(count) == 1 else unit, moved, 0))


def _moved(reference: datetime, count: int, unit: str) -> datetime:
    match unit:
        case "day":
            return reference + timedelta(days=count)
        case "week" | "weekend":
            return reference + timedelta(weeks=count)
        case "month":
            return periods.plus_months(reference, count)
        case _:
            return periods.plus_months(reference, 12 * count)


def _and_a_half_ago(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    """Half a year ago, a month and a half ago."""
    unit = (match["unit"] or "year").lower()
    if unit == "week":
        return Interpretation(periods.around(periods.day(_moved(anchor.reference, -10, "day"))), adverb=True)
    if unit == "month":
        then = _moved(anchor.reference, -45, "day")
    else:
        then = _moved(anchor.reference, -6 if match["half"] else -18, "month")
    return Interpretation(periods.around(periods.month(then)), adverb=True)


def _weeks_from_day(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    count, loose = _count(match)
    if loose:
        return None
    start = match["start"].lower()
    if start in ("today", "tomorrow"):
        first = anchor.reference + timedelta(days=start == "tomorrow")
    else:
        first = weekday_after(anchor.reference, weekday_number(start))
    return Interpretation(periods.day(first + timedelta(weeks=count)), adverb=True)


def _since(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    """For five years now, for the past three years: since about that year."""
    if not (match["now"] or (match["for"] and match["past"])):
        return None
    if (
        not match["for"]
        and match["count"].lower() in ("a", "an")
        and _RATED.search(match.string[: match.start()])
    ):
        return None  # "$19 a month now" is a price
    count, _ = _count(match)
    period = _around(anchor.reference, -count, match["unit"].lower())
    if (more := match["months"]) and match["unit"].lower() == "year":
        months = int(more) if more.isdigit() else _NUMBERS[more.lower()]
        period = _around(anchor.reference, -(12 * count + months), "month")
    return Interpretation(replace(period, preposition="since"), adverb=True)


_ROUGHLY: Final = (
    r"(?P<roughly>(?:about|around|almost|nearly|roughly|over|just\s+(?:under|over)|under|more\s+than|less\s+than|like|maybe"
    r"|approximately)\s+)?"
)
_NUMBER_OF: Final = rf"(?:(?:almost\s+)?exactly\s+)?{_ROUGHLY}{COUNT}\s+(?:of\s+)?"

DISTANCES: Final[tuple[Rule, ...]] = (
    (
        sought(
            rf"\b{_ROUGHLY}(?:(?P<half>half\s+a\s+year)|a\s+(?P<unit>week|month|year)\s+and\s+a\s+half"
            r"|one\s+and\s+a\s+half\s+years)\s+ago\b",
            "ago",
            "week month year",
        ),
        _and_a_half_ago,
    ),
    (
        sought(
            rf"\b{_NUMBER_OF}(?P<unit>minute|hour|day|week|weekend|month|year|decade)s?\s+(?:ago|back)\b"
            rf"(?:(?P<today>\s+today)|(?:,?\s+on\s+{WEEKDAY})\b)?",
            "ago back",
            "minute hour day week month year decade",
        ),
        _ago,
    ),
    (sought(rf"\b{_NUMBER_OF}{WEEKDAY}s\s+ago\b(?!['’]s)", "ago", "day"), _weekdays_ago),
    (
        sought(
            rf"\b{_NUMBER_OF}weeks?\s+from\s+(?P<start>today|tomorrow|{WEEKDAY_NAME})\b",
            "week",
            "from",
            "day tomorrow",
        ),
        _weeks_from_day,
    ),
    (
        sought(
            rf"\b{_NUMBER_OF}(?P<unit>day|week|weekend|month|year)s?\s+from\s+(?:now|today)\b",
            "from",
            "now today",
            "day week month year",
        ),
        _from_now,
    ),
    (
        sought(
            rf"\b(?P<for>for\s+)?(?P<past>(?:the\s+)?(?:past|last)\s+)?{_NUMBER_OF}(?P<unit>month|year)s?\b"
            r"(?:\s+and\s+(?P<months>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven)\s+months?\b)?"
            r"(?P<now>\s+now)?",
            "month year",
        ),
        _since,
    ),
    (
        sought(rf"\bin\s+{_NUMBER_OF}(?P<unit>day|week|month|year)s?\b(?!['’])", "day week month year"),
        _in_time,
    ),
)
