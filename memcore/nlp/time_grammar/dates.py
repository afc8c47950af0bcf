"""Time expressions in English text: where they stand, what interval they mean, how to say it absolutely.

"I adopted a dog last week", said on 8 May 2023, has one: 1 to 8 May, "in the week of 1 May 2023".
Rule-based, so that the same words always mean the same time. Does not know: languages other than
English, time zones (a written zone is read past), the hemisphere of the speaker, who "a year later" counts
from, or the tense of a sentence (say `prefer`). What is vague ("recently", "the other day", "for three
years") or could be no time at all is left out rather than guessed; so is a clock time without a date,
as "at 7am" tells of a habit more often than of today.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal, TypeVar

from memcore.domain.errors import UsageError
from memcore.domain.models import now
from memcore.nlp.time_grammar import periods
from memcore.nlp.time_grammar.absolute import ABSOLUTE
from memcore.nlp.time_grammar.clock import CLOCK, is_unambiguous, moment_of
from memcore.nlp.time_grammar.distances import DISTANCES
from memcore.nlp.time_grammar.holidays import HOLIDAYS
from memcore.nlp.time_grammar.periods import Period
from memcore.nlp.time_grammar.relative import RELATIVE
from memcore.nlp.time_grammar.sought import Sought, small_letters
from memcore.nlp.time_grammar.unresolved import RECURRING, VAGUE, habit
from memcore.nlp.time_grammar.words import Anchor, Interpretation, Prefer

_A = TypeVar("_A")
Relation = Literal["during", "from", "until", "before", "after"]


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A time named in `text[start:end]`.

    `begin` to `until` (exclusive) is the interval named; `relation` says how what is told stands to
    it (during; or from: "since 2016", until: "by Friday", before, after). `rendered` can replace the
    characters. `relative` ones needed the reference date. `recurring` ones ("every Friday") are
    habits: `rendered` is as written and the interval is the reference day.
    """

    start: int
    end: int
    text: str
    begin: datetime
    until: datetime
    rendered: str
    relative: bool
    recurring: bool
    relation: Relation = "during"


_TRIGGER: Final = re.compile(
    r"\d|day|week|month|year|decade|night|noon|morning|january|february|march|april|\bmay\b|june|july|august|september"
    r"|october|november|december|spring|summer|autumn|fall|winter|morrow|christmas|halloween|thanksgiving|easter|daily|annual"
    r"|(?:last|next|this|on)\s+(?:coming\s+|past\s+)?(?:mon|tue|wed|thu|fri|sat|sun)",
    re.IGNORECASE,
)
_RELATIONS: Final[dict[str, Relation]] = {
    "since": "from",
    "until": "until",
    "till": "until",
    "by": "until",
    "through": "until",
    "before": "before",
    "after": "after",
}
_NATURAL: Final = frozenset(("on", "in", "at"))
_PREPOSITION: Final = re.compile(
    r"\b(on|in|at|since|from|until|till|by|before|after|to|through|during|throughout|over|for|of|about|around)\s+$",
    re.IGNORECASE,
)
_CLOCK_AFTER: Final = re.compile(rf",?\s+(?:(?:at|@)\s*)?{CLOCK}", re.IGNORECASE)
_CLOCK_BEFORE: Final = re.compile(rf"(?<![\w.:]){CLOCK},?\s+(?:on\s+)?$", re.IGNORECASE)
_PART_AFTER: Final = re.compile(r"\s+(morning|afternoon|evening|night)\b", re.IGNORECASE)
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_CLAUSE_START: Final = re.compile(
    r"(?:^|[.!?,;:(\"“\n–—-]|\b(?:and|but|so|that|because|think|hope|guess|know|how))\s*$", re.IGNORECASE
)
_SUBJECT_OF: Final = re.compile(
    r"\s+(?:is|was|will\s+be|has|had|went|turned|felt|feels|seems|seemed|looks|sounds|marks|brought|taught|works)\b",
    re.IGNORECASE,
)
_OBJECT_OF: Final = re.compile(
    r"\b(?:spen[dt]|spending|remember|recall|love[ds]?|enjoy(?:ed)?|miss(?:ed)?|past)\s+$", re.IGNORECASE
)
_DAY_OF_MONTH: Final = re.compile(
    r"(?:[A-Za-z]{3,9}\.? \d{1,2}|\d{1,2}(?:st|nd|rd|th)?(?: of)? [A-Z][a-z]{2,8})"
)
_BARE_DAY: Final = re.compile(r"(?:on )?the (?P<day>\d{1,2})(?:st|nd|rd|th)", re.IGNORECASE)
_ANOTHER_CLAUSE: Final = re.compile(
    r"[.!?;:]|\b(?:and|but|so|or|because|since|when|while|if|which|who|that|I|we|you|he|she|it|they|is|are|was"
    r"|were|will)\b",
    re.IGNORECASE,
)
"""Between a month and a day that need not be one of it: "I moved in March, and I'm free on the 10th"."""
_AND_THEN: Final = re.compile(
    r",? (?:and|but|then)(?: (?:it|they))?(?: (?:only|finally|then))? (?:arrived|came|was delivered|got here"
    r"|was shipped|shipped|returned|ended|finished)\b[^,.;:]*",
    re.IGNORECASE,
)
"""Between two days of one month: "I ordered it on 3 March and it came on the 10th"."""
_ANY_WHOLE: Final = re.compile(r"\ban?\s+(?:entire|whole|full)\s+$", re.IGNORECASE)
"""It says how long, not when: "spent an entire Sunday afternoon"."""
_LAZY: Final = re.compile(r"\ban?\s+(?:\w+\s+)?$", re.IGNORECASE)
_WEEKDAY_FIRST: Final = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day(?=,?\s)", re.IGNORECASE)
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?\n]\s*[\"“(]?)\s*$")
_WINDOW: Final = 40
_ONE_DAY: Final = timedelta(days=1)


def find_times(text: str, reference: datetime | None, *, prefer: Prefer = "past") -> list[TimeExpression]:
    """The time expressions of a text, in order, not overlapping.

    `reference` is when the text was said; with None only absolute expressions are found. `prefer`
    is the side on which a bare "on Friday", "in June" or "May 7" lies: the sentence's tense. Never raises
    on any text; a time that the calendar cannot hold (31 June, 900 years before the year 1) is no time.
    """
    if not _TRIGGER.search(text):
        return []
    anchor = None if reference is None else Anchor(reference, prefer)
    expressions = sorted(_dated(text, anchor), key=lambda expression: expression.start)
    kept: list[TimeExpression] = []
    for expression in expressions:
        if not kept or expression.start >= kept[-1].end:
            kept.append(expression)
        if len(kept) > 1:
            kept[-1] = _in_its_month(text, *kept[-2:])
        if len(kept) > 1 and _says_again(text, *kept[-2:]):
            kept[-2:] = [_narrowed(text, *kept[-2:])]
    return kept


def _in_its_month(text: str, wide: TimeExpression, narrow: TimeExpression) -> TimeExpression:
    """ "Last month, on the 15th", "in March, for my aunt's birthday on the 15th", "ordered on 10 March and it
    came on the 14th": the day is one of the month before it, not of the one in which it is said."""
    found = _BARE_DAY.fullmatch(narrow.text)
    between = text[wide.end : narrow.start]
    if found is None or wide.relation != "during" or wide.recurring or len(between) > _WINDOW:
        return narrow
    month = periods.month(wide.begin)
    begin = month.begin + timedelta(days=int(found["day"]) - 1)
    whole = (wide.begin, wide.until) == (month.begin, month.until) and not _ANOTHER_CLAUSE.search(between)
    after = wide.until <= begin and _AND_THEN.fullmatch(between.rstrip()) is not None
    if begin >= month.until or not (whole or (after and _DAY_OF_MONTH.search(wide.text))):
        return narrow
    said, meant = periods.day(narrow.begin), periods.day(begin)
    rendered = narrow.rendered.replace(said.noun, meant.noun)
    return replace(narrow, begin=meant.begin, until=meant.until, rendered=rendered)


def _says_again(text: str, wide: TimeExpression, narrow: TimeExpression) -> bool:
    """ "Last month, on 15 May": the second says which day of the first."""
    beside = text[wide.end : narrow.start].strip(" ,") == ""
    both = not (wide.recurring or narrow.recurring) and {wide.relation, narrow.relation} == {"during"}
    within = wide.begin <= narrow.begin and narrow.until <= wide.until
    return beside and both and wide.relative and (within or _DAY_OF_MONTH.search(narrow.text) is not None)


def _narrowed(text: str, wide: TimeExpression, narrow: TimeExpression) -> TimeExpression:
    shown = narrow.rendered
    if wide.rendered[0].isupper():
        shown = shown[0].upper() + shown[1:]
    return replace(narrow, start=wide.start, text=text[wide.start : narrow.end], rendered=shown)


def parse_when(text: str, reference: datetime | None = None) -> tuple[datetime, datetime]:
    """The interval (begin, exclusive until) that a person typed: "2023-05-07", "2023-05", "7 May 2023",
    "February", "last week". `reference` (default: now) resolves relative ones, into the past where
    they could be either.

    Raises UsageError when it is no date, or when day and month could be exchanged.
    """
    written = text.strip()
    if match := _ISO_MONTH.fullmatch(written):
        written = f"{periods.MONTHS[int(match[2]) - 1]} {match[1]}"
    elif match := _AMBIGUOUS.fullmatch(written):
        first, second, year = int(match[1]), int(match[2]), match[3]
        if max(first, second) <= 12 and first != second:
            raise UsageError(
                f"{text!r} can be read as two dates.",
                f"Write it as {year}-{second:02}-{first:02} or {year}-{first:02}-{second:02}.",
            )
    reference = reference or now()
    for sentence in (written, f"in {written}", f"on {written}", f"at {written}"):
        expressions = find_times(sentence, reference)
        if len(expressions) == 1 and not expressions[0].recurring and expressions[0].relation == "during":
            only = expressions[0]
            if only.start == 0 and only.end == len(sentence):
                return only.begin, only.until
    raise UsageError(
        f"{text!r} is no date.", 'Write for example 2023-05-07, "2023-05-07 14:00", 2023-05 or "7 May 2023".'
    )


_ISO_MONTH: Final = re.compile(r"((?:19|20)\d\d)-(1[0-2]|0[1-9])")
_AMBIGUOUS: Final = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})")


def _dated(text: str, anchor: Anchor | None) -> Iterator[TimeExpression]:
    """Expressions whose cores share no character: what an earlier rule claimed, or refused as a
    habit or a duration, no later rule sees."""
    taken, letters = bytearray(len(text)), small_letters(text)
    for match in RECURRING.finditer(text, letters):
        _take(taken, match)
        if anchor is not None:
            yield _expression(text, *match.span(), habit(match[0], anchor.reference), match[0])
    if anchor is not None:
        yield from _claimed(text, letters, DISTANCES, anchor, taken)
    for match in VAGUE.finditer(text, letters):
        _take(taken, match)
    if anchor is None:
        yield from _claimed(text, letters, (*HOLIDAYS, *ABSOLUTE), None, taken)
    else:
        yield from _claimed(text, letters, (*HOLIDAYS, *ABSOLUTE, *RELATIVE), anchor, taken)


def _take(taken: bytearray, match: re.Match[str]) -> None:
    taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())


def _claimed(
    text: str,
    letters: str,
    rules: Sequence[tuple[Sought, Callable[[re.Match[str], _A], Interpretation | None]]],
    anchor: _A,
    taken: bytearray,
) -> Iterator[TimeExpression]:
    for pattern, read in rules:
        for match in pattern.finditer(text, letters):
            begun = max(0, match.start() - _WINDOW)
            if 1 in taken[match.start() : match.end()] or _ANY_WHOLE.search(text, begun, match.start()):
                continue
            try:
                reading = read(match, anchor)
                expression = _in_context(text, *match.span(), reading) if reading else None
            except (ValueError, OverflowError):  # 31 June; beyond the years 1 to 9999
                _take(taken, match)
                continue
            if expression is not None:
                _take(taken, match)
                yield expression


def _in_context(text: str, start: int, end: int, reading: Interpretation) -> TimeExpression | None:
    """The expression with the part of the day, clock time and preposition around its core."""
    start, end, period = _refined(text, start, end, reading.period)
    possessive = _POSSESSIVE.match(text, end)
    preposition = _PREPOSITION.search(text, max(0, start - _WINDOW), start)
    word = preposition[1].lower() if preposition else ""
    if reading.needs_preposition is not None and word not in reading.needs_preposition:
        return None
    if possessive:
        end = possessive.end()
        rendered = period.noun + possessive[0]
        return _expression(text, start, end, replace(reading, period=period), rendered)
    relation: Relation = _RELATIONS.get(period.preposition, "during")
    lazy = False
    if (weekday := _WEEKDAY_FIRST.match(text, start)) and _LAZY.search(text, max(0, start - _WINDOW), start):
        lazy = True  # "on a lazy Sunday, 12 March 2023"
        period = replace(period, noun=f"{weekday[0]}, {period.noun}")
    rendered = period.noun
    if word == "around" and period.preposition == "since":
        preposition, word = None, ""  # "have them around for the past six months"
    if preposition and word == "around":
        period = periods.around(period)
        start, rendered = preposition.start(), period.noun
        preposition = _PREPOSITION.search(text, max(0, start - _WINDOW), start)
        word = preposition[1].lower() if preposition else ""
    if preposition and word in _RELATIONS:
        start, relation = preposition.start(), _RELATIONS[word]
        rendered = f"{word} {period.noun}"
    elif preposition and _is_placed_by(word, period, adverb=reading.adverb):
        start, rendered = preposition.start(), _placed(period)
    elif reading.adverb and word in _NATURAL | {""} and not (lazy or _is_noun(text, start, end)):
        rendered = _placed(period)
    if text[start].isupper() and _SENTENCE_START.search(text, max(0, start - _WINDOW), start):
        rendered = rendered[0].upper() + rendered[1:]
    return _expression(text, start, end, replace(reading, period=period), rendered, relation)


def _refined(text: str, start: int, end: int, period: Period) -> tuple[int, int, Period]:
    """A single day narrowed to its morning ("Friday morning") or to a time ("tomorrow at 3pm")."""
    if period.unit != "day" or period.until - period.begin != _ONE_DAY:
        return start, end, period
    if part := _PART_AFTER.match(text, end):
        return start, part.end(), periods.part_of_day(period.begin, part[1].lower())
    if (after := _CLOCK_AFTER.match(text, end)) and is_unambiguous(after):
        return start, after.end(), periods.moment(moment_of(after, period.begin))
    before = _CLOCK_BEFORE.search(text, max(0, start - _WINDOW), start)
    if before and is_unambiguous(before):
        return before.start(), end, periods.moment(moment_of(before, period.begin))
    return start, end, period


def _is_placed_by(word: str, period: Period, *, adverb: bool) -> bool:
    """Whether a preposition belongs to the expression: "on 3 May", "from 3 to 5 May"; not "from May"."""
    return word == period.preposition == "from" or (
        word in _NATURAL and (not adverb or word == period.preposition)
    )


def _placed(period: Period) -> str:
    return f"{period.preposition} {period.noun}".lstrip()


def _is_noun(text: str, start: int, end: int) -> bool:
    """Whether the expression is a subject or object ("Last week was hard", "spent last week")."""
    window = max(0, start - _WINDOW)
    if _OBJECT_OF.search(text, window, start):
        return True
    return bool(_SUBJECT_OF.match(text, end) and _CLAUSE_START.search(text, window, start))


def _expression(
    text: str, start: int, end: int, reading: Interpretation, rendered: str, relation: Relation = "during"
) -> TimeExpression:
    period = reading.period
    return TimeExpression(
        start=start,
        end=end,
        text=text[start:end],
        begin=period.begin,
        until=period.until,
        rendered=rendered,
        relative=reading.relative,
        recurring=reading.recurring,
        relation=relation,
    )
