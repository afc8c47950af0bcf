"""Rules for times that count from the reference date: "yesterday", "last week", "next Friday", "in June".

Where English is ambiguous: "last Friday" is the latest one before the reference day; "this Friday" and
"this weekend" belong to the reference's own week, "next Friday" and "next weekend" to the one after;
"next June" and "next summer" are the first to begin after the reference, "last summer" the latest to be over.
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
    ANY_MONTH,
    ANY_SEASON,
    ANY_WEEKDAY,
    DAY,
    IN_OR_SINCE,
    MONTH,
    MONTH_NAME,
    MONTH_PREPOSITIONS,
    ORDINAL,
    SEASON,
    UNITS,
    WEEKDAY,
    WEEKDAY_NAME,
    WEEKDAY_STEM,
    Anchor,
    Interpretation,
    Rule,
    nearest,
    pattern,
    read_month,
    shifted,
    starts_compound,
    step_of,
    text_before,
    weekday_after,
    weekday_before,
    weekday_number,
)

_OWNED: Final = pattern(r"\b(?:the|my|your|his|her|its|our|their|a|an|that|very)\s+$")
_NOT_FREE: Final = pattern(
    r"\b(?:a|an|one|that|some|any|every|each|which|what|most|many|no|the|my|your|his|her|our|their"
    r"|last|this|next|previous|following|same|coming|first|second|third|another"
    r"|black|good|casual|cyber|ash|fat|palm|super|freaky|whit|shrove|maundy|giving|mr|ms|mrs|dr)\.?\s+$"
)
_OWNED_KIND: Final = pattern(r"\b(?:my|our|your|his|her|their|the)\s+(?:[\w-]+\s+)?$")
_PART_OF: Final = pattern(
    r"\s+(?:morning|afternoon|evening|night)\s+(?!and\b|at\b|to\b|with\b|for\b|when\b|in\b|but\b|so\b)[a-z]"
)
_FEELS_LIKE: Final = pattern(r"\blike\s+(?:it\s+was\s+)?(?:just\s+|only\s+)?$")
_COMPOUND: Final = (
    r"(?![\s-]+(?:camps?|school|break|vacations?|holidays?|jobs?|intern\w*|program\w*|festival|tour|concert|series"
    r"|session|projects?|class\w*|course|house|homes?|dress\w*|clothes|rolls?|cleaning|league|games|olympics|onions?"
    r"|collection|semester|term|brunch|roast|reading|solstice|equinox)\b)"
)
_PERSON_NAMES: Final = frozenset(("april", "may", "june", "august"))
_WEEKEND_PREPOSITIONS: Final = MONTH_PREPOSITIONS | {"on", "at", "over", "for"}
_DAY_PREPOSITIONS: Final = frozenset(("on", "by", "until", "since", "from", "before", "after"))


def _near_day(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    if match[0] == "Today" and re.search(r"[A-Z]\w+ $", text_before(match)):  # USA Today
        return None
    if _FEELS_LIKE.search(text_before(match)):
        return None
    word = " ".join(match[0].lower().split()).removeprefix("the ")
    if word == "tonight":
        return Interpretation(periods.part_of_day(anchor.reference, "night"), adverb=True)
    steps = {"day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "day after tomorrow": 2}
    return Interpretation(shifted("day", anchor.reference, steps[word]), adverb=True)


def _near_part_of_day(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    date = anchor.reference + timedelta(days=step_of(match["shift"]))
    return Interpretation(periods.part_of_day(date, match["part"].lower()), adverb=True)


def _shifted_unit(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    if _OWNED.search(text_before(match)):
        return None
    step, unit = step_of(match["shift"]), match["unit"].lower()
    if unit == "weekend" and step > 0 and match["shift"].lower() != "next":
        step = 0  # "this coming weekend" ends the present week
    if unit == "week" and step == 0 and anchor.prefer == "future" and _is_on_weekend(anchor):
        step = 1  # at the weekend "this week", of a plan, is the one that is about to begin
    return Interpretation(shifted(unit, anchor.reference, step), adverb=True)


def _is_on_weekend(anchor: Anchor) -> bool:
    return anchor.reference.weekday() >= 5


def _before_last(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    """The week before last, the year after next."""
    step = -2 if match["side"].lower() == "before" else 2
    return Interpretation(shifted(match["unit"].lower(), anchor.reference, step), adverb=True)


def _shifted_weekday(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    if _OWNED.search(text_before(match)):
        return None
    weekday, step = weekday_number(match["weekday"]), step_of(match["shift"])
    if step < 0:
        date = weekday_before(anchor.reference, weekday)
    elif step > 0 and match["shift"].lower() != "next":
        date = weekday_after(anchor.reference, weekday)
    else:
        date = periods.monday(anchor.reference) + timedelta(days=weekday, weeks=step)
        if step == 0 and anchor.prefer == "future" and date < anchor.reference.replace(hour=0, minute=0):
            date += timedelta(weeks=1)  # on Saturday "this Friday" is still to come
    return Interpretation(periods.day(date), adverb=True)


def _weekday_of_week(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    """Monday of last week, next week on Friday."""
    monday = shifted("week", anchor.reference, step_of(match["shift"])).begin
    return Interpretation(periods.day(monday + timedelta(days=weekday_number(match["weekday"]))), adverb=True)


_IT_IS: Final = re.compile(r"\b(?:it|today)(?:['’]s|\s+is)\s+(?:already\s+|only\s+)?$", re.IGNORECASE)
""" "It's Friday": today."""


def _bare_weekday(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    if _NOT_FREE.search(text_before(match)) or starts_compound(match) or _is_of_a_kind(match):
        return None
    number = weekday_number(match["weekday"])
    if number == anchor.reference.weekday() and _IT_IS.search(text_before(match)):
        return Interpretation(periods.day(anchor.reference))
    beside = weekday_before if anchor.prefer == "past" else weekday_after
    return Interpretation(periods.day(beside(anchor.reference, number)), adverb=True)


def _is_of_a_kind(match: re.Match[str]) -> bool:
    """ "My intense Saturday morning class" is one of every week."""
    owned = _OWNED_KIND.search(text_before(match))
    return bool(owned and _PART_OF.match(match.string, match.end()))


def _shifted_month(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    name = match["month"]
    if _OWNED.search(text_before(match)) or name in ("may", "march"):
        return None
    month = periods.MONTHS.index(name.capitalize()) + 1
    own = periods.month(anchor.reference.replace(day=1, month=month))
    years = _years_to(own, step_of(match["shift"]), anchor.reference)
    return Interpretation(periods.month(periods.plus_months(own.begin, 12 * years)), adverb=True)


def _shifted_season(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    if _OWNED.search(text_before(match)):
        return None
    name, reference = match["season"].lower(), anchor.reference
    begun_last_year = name == "winter" and reference.month <= 2
    own = periods.season(name, reference.year - begun_last_year)
    years = _years_to(own, step_of(match["shift"]), reference)
    return Interpretation(periods.season(name, own.begin.year + years), adverb=True)


def _years_to(own: Period, step: int, reference: datetime) -> int:
    """From this year's occurrence to the last one over, this one, or the next one to begin."""
    if step < 0:
        return -1 if own.until > reference else 0
    if step > 0:
        return 1 if own.begin <= reference else 0
    return 0


def _month_of_shifted_year(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    month = read_month(match)
    if month is None:
        return None
    year = anchor.reference.year + step_of(match["shift"])
    return Interpretation(periods.month(datetime(year, month, 1)), adverb=True)


def _season_of_shifted_year(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    year = anchor.reference.year + step_of(match["shift"])
    return Interpretation(periods.season(match["season"].lower(), year), adverb=True)


def _the_weekend(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    step = -1 if anchor.prefer == "past" and not _is_on_weekend(anchor) else 0
    return Interpretation(shifted("weekend", anchor.reference, step), needs_preposition=_WEEKEND_PREPOSITIONS)


def _the_season(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    """Over the summer; "in the summer" is any summer."""
    name = match["season"].lower()
    period = nearest(anchor, lambda year: periods.season(name, year))
    return Interpretation(period, needs_preposition=frozenset(("over",))) if period else None


def _this_time(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    """This time last year: around its month; last month or week: around its day."""
    step, unit = step_of(match["shift"]), match["unit"].lower()
    if unit == "year":
        period = periods.month(periods.plus_months(anchor.reference, 12 * step))
    elif unit == "month":
        period = periods.day(periods.plus_months(anchor.reference, step))
    else:
        period = periods.day(anchor.reference + timedelta(weeks=step))
    return Interpretation(periods.around(period), adverb=True)


def _earlier(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    """Earlier (later) this year: from its beginning to the reference day (from that to its end)."""
    today = periods.day(anchor.reference)
    if match["unit"] is None:
        return Interpretation(today, adverb=True)
    whole = shifted(match["unit"].lower(), anchor.reference, 0)
    word = match["word"].lower()
    begin, until = (whole.begin, today.until) if word == "earlier" else (today.begin, whole.until)
    period = replace(whole, begin=begin, until=until, noun=f"{word} in {whole.noun}", preposition="")
    return Interpretation(period, adverb=True)


def _bare_month(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    month = read_month(match)
    if month is None:
        return None
    period = nearest(anchor, lambda year: periods.month(datetime(year, month, 1)))
    allowed = IN_OR_SINCE if match["month"].lower() in _PERSON_NAMES else MONTH_PREPOSITIONS
    return Interpretation(period, needs_preposition=allowed) if period else None


def _day_of_month(match: re.Match[str], anchor: Anchor) -> Interpretation | None:
    """On the 7th: the nearest one in the preferred direction."""
    if starts_compound(match):
        return None
    day, past = int(match["day"]), anchor.prefer == "past"
    first = periods.month(anchor.reference).begin
    for months in range(3):
        within = periods.plus_months(first, -months if past else months)
        period = periods.day(within + timedelta(days=day - 1))
        exists = period.begin.month == within.month
        if exists and (period.begin <= anchor.reference if past else period.until > anchor.reference):
            return Interpretation(period, needs_preposition=_DAY_PREPOSITIONS)
    return None


_SHIFT: Final = r"(?P<shift>last|next|(?:this|the)\s+(?:past|last|coming|upcoming)|this)\s+"
_SHIFTED_YEAR: Final = r"(?P<shift>last|this|next)\s+year\b"
_SHORT_WEEKDAY: Final = rf"(?P<weekday>{WEEKDAY_STEM})(?:day|\b\.?)(?!\w)"

_SHIFTS: Final = "last next this past coming"

RELATIVE: Final[tuple[Rule, ...]] = (
    (
        sought(
            r"\b(?P<word>earlier|later)\s+(?:today|this\s+(?P<unit>week|month|year))\b",
            "earlier later",
            "day week month year",
        ),
        _earlier,
    ),
    (
        sought(
            r"\b(?:the\s+)?(?P<unit>week|weekend|month|year)\s+(?P<side>before|after)\s+(?:last|next)\b"
            rf"(?!\s+(?:night|{UNITS}|{WEEKDAY_NAME}|{MONTH_NAME})\b)",
            "before after",
            "last next",
            "week month year",
        ),
        _before_last,
    ),
    (
        sought(
            r"\bthis\s+time\s+(?P<shift>last|next)\s+(?P<unit>week|month|year)\b",
            "time",
            "last next",
            "week month year",
        ),
        _this_time,
    ),
    (
        sought(
            r"\b(?:the\s+)?day\s+(?:before\s+yesterday|after\s+tomorrow)\b",
            "before after",
            "yesterday tomorrow",
        ),
        _near_day,
    ),
    (
        sought(
            rf"\b{WEEKDAY},?\s+(?:of\s+)?(?P<shift>last|this|next)\s+week\b", "week", "last this next", "day"
        ),
        _weekday_of_week,
    ),
    (
        sought(
            rf"\b(?P<shift>last|this|next)\s+week,?\s+(?:on\s+)?{WEEKDAY}\b", "week", "last this next", "day"
        ),
        _weekday_of_week,
    ),
    (
        sought(rf"\b{MONTH},?\s+(?:of\s+)?{_SHIFTED_YEAR}", "year", "last this next", ANY_MONTH),
        _month_of_shifted_year,
    ),
    (
        sought(rf"\b{_SHIFTED_YEAR}\s+in\s+{MONTH}(?!\w)", "year", "last this next", ANY_MONTH),
        _month_of_shifted_year,
    ),
    (
        sought(rf"\b(?:the\s+)?{SEASON},?\s+(?:of\s+)?{_SHIFTED_YEAR}", "year", "last this next", ANY_SEASON),
        _season_of_shifted_year,
    ),
    (
        sought(
            r"\b(?P<shift>this)\s+(?P<part>morning|afternoon|evening|night)\b",
            "this",
            "morning afternoon evening night",
        ),
        _near_part_of_day,
    ),
    (sought(r"\b(?P<shift>last)\s+(?P<part>evening|night)\b", "last", "evening night"), _near_part_of_day),
    (
        sought(rf"\b{_SHIFT}(?P<unit>week|weekend|month|year)\b(?!-|\s+of\b)", _SHIFTS, "week month year"),
        _shifted_unit,
    ),
    (sought(rf"\b{_SHIFT}{_SHORT_WEEKDAY}{_COMPOUND}", _SHIFTS, ANY_WEEKDAY), _shifted_weekday),
    (sought(rf"\b{_SHIFT}(?P<month>{MONTH_NAME})\b", _SHIFTS, ANY_MONTH), _shifted_month),
    (sought(rf"\b{_SHIFT}{SEASON}\b{_COMPOUND}(?!\s+of\b)", _SHIFTS, ANY_SEASON), _shifted_season),
    (sought(r"\bthe\s+weekend\b(?!\s+of\b)", "weekend"), _the_weekend),
    (sought(rf"\bthe\s+{SEASON}\b{_COMPOUND}(?!\s+of\b)", ANY_SEASON), _the_season),
    (sought(r"\b(?:yesterday|today|tonight|tomorrow)\b", "day tonight tomorrow"), _near_day),
    (sought(rf"\b{WEEKDAY}\b(?!-)", "day"), _bare_weekday),
    (sought(rf"(?<=\bon\s){_SHORT_WEEKDAY}", ANY_WEEKDAY), _bare_weekday),
    (sought(rf"\b{MONTH}(?![\w'’-])", ANY_MONTH), _bare_month),
    (sought(rf"\bthe\s+{DAY}{ORDINAL}\b(?!\s+of\b|-)", "st nd rd th"), _day_of_month),
)
