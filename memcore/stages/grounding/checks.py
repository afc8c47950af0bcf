"""The checks of facts: which names, numbers, times and negations of a statement were not said."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from memcore.domain.models import Reason
from memcore.nlp.language.words.inflection import stem
from memcore.nlp.language.words.wording import listed
from memcore.nlp.time_grammar.dates import TimeExpression
from memcore.stages.grounding.findings import NOTHING, Check
from memcore.stages.grounding.reading import Reading, figures_of
from memcore.stages.grounding.said import Said

EARLIER, LONG_BEFORE = 0.2, 0.4
"""What stands against a number or time that was said, but in a turn before the cited one, or long before."""

_MISSING = 0.4
_NEAREST = 4
_COUNTED = 3
"""Words after a number among which what it counts is looked for where it was said long before."""
_LEAD = re.compile(
    r"^(?:(?:on|in|at|since|by|around|about|during|for|from)\s+)?(?:the\s+|this past\s+|past\s+)?"
)
_SEASON = re.compile(r"\b(?:spring|summer|autumn|fall|winter)\b")
_DAYS = {stem("day"): 1.0, stem("week"): 7.0, stem("month"): 30.4, stem("year"): 365.25}
_ABOUT = re.compile(r"(?:around|about)\s", re.IGNORECASE)


def check_names(statement: Reading, support: Mapping[int, float], elsewhere: Mapping[str, str]) -> Check:
    """Names that nobody said. `support`: how far the word at each place was found, 0 to 1; `elsewhere`: by
    stem, the message that has it."""
    gaps = [(1.0 - support.get(at, 0.0), word) for at, word in enumerate(statement.words) if word.is_name]
    reasons = (
        Reason("name", word.text, f"{word.text} is not named there.", elsewhere.get(word.stem, ""))
        for gap, word in gaps
        if gap > _MISSING
    )
    return Check(max((gap for gap, _ in gaps), default=0.0), tuple(reasons))


def check_numbers(
    statement: Reading,
    cited: Sequence[Said],
    before: Sequence[Said],
    long_before: Callable[[tuple[str, str]], bool],
) -> Check:
    """Numbers that were not said, or not of what they count. `long_before`: whether one was said of it
    earlier in the conversation."""
    against, reasons = 0.0, []
    for place, figure, word, what in figures_of(statement):
        if any(figure in said.numbers for said in cited):
            continue
        others = sorted({other for said in cited for other in said.counted.get(what, ())})
        if not others and any(figure in said.numbers for said in before):
            against = max(against, EARLIER)
            continue
        if not others and any(
            long_before((figure, one.stem)) for one in statement.words[place + 1 : place + 1 + _COUNTED]
        ):
            against = max(against, LONG_BEFORE)
            continue
        against = max(against, 1.0 if others or figure != "1" else 0.35)
        says = f"; there it is {listed(others)}" if others else ""
        reasons.append(Reason("number", word, f"{word} is not said{says}.", contradicts=bool(others)))
    return Check(against, tuple(reasons))


def check_dates(
    statement: Reading,
    cited: Sequence[Said],
    before: Sequence[Said],
    long_before: Callable[[tuple[datetime, datetime]], bool],
) -> Check:
    """Times that differ from those told, or that nobody told. `long_before`: whether one was told earlier in
    the conversation, by its begin and end."""
    if not statement.times:
        return NOTHING
    told = [time for said in cited for time in said.times]
    earlier = [time for said in before for time in said.times]
    against, reasons = 0.0, []
    for time in statement.times:
        of_told = max((_fit(time, one) for one in told), default=0.0)
        of_earlier = max((_fit(time, one) for one in earlier), default=0.0)
        fits = max(
            of_told,
            (EARLIER if told else 1.0 - EARLIER) * of_earlier,
            _when_said(time, cited),
            _by_its_season(time, cited),
            _counted_back(time, cited),
        )
        if fits < 1.0 - LONG_BEFORE and not time.relative and long_before((time.begin, time.until)):
            fits = 1.0 - LONG_BEFORE
        against = max(against, 1.0 - fits)
        if fits < 1.0 - _MISSING:
            words = statement.text[time.start : time.end]
            says = f"; there it is {told[0].rendered[0].lower()}{told[0].rendered[1:]}" if told else ""
            reasons.append(Reason("date", words, f"{words} is not said{says}.", contradicts=bool(told)))
    return Check(against, tuple(reasons))


def _fit(stated: TimeExpression, told: TimeExpression) -> float:
    """1 for the same time, less for one that holds the other, 0 for another one."""
    if _without_lead(stated.text) == _without_lead(told.text):
        return 1.0
    if stated.recurring or told.recurring:
        return 0.3 if stated.recurring and told.recurring else 0.0
    if (stated.begin, stated.until) == (told.begin, told.until):
        return 1.0
    if stated.begin <= told.begin and told.until <= stated.until:
        return 0.3 if stated.relative else 0.95
    if _ABOUT.match(stated.text) and stated.begin < told.until and told.begin < stated.until:
        return 0.95
    if (
        not stated.relative
        and stated.until - stated.begin == timedelta(days=1)
        and not told.recurring
        and (told.begin == stated.begin or told.until == stated.until)
    ):
        return 0.9
    return 0.25 if told.begin <= stated.begin and stated.until <= told.until else 0.0


def _by_its_season(stated: TimeExpression, cited: Sequence[Said]) -> float:
    """How well a season of a year fits one that was said without it."""
    season = None if stated.relative else _SEASON.search(stated.text.lower())
    said = season is not None and any(season[0] in one.reading.text.lower() for one in cited)
    return 0.9 if said else 0.0


def _counted_back(stated: TimeExpression, cited: Sequence[Said]) -> float:
    """How well a day fits a number of days, weeks, months or years until a message was said."""
    if stated.relative or stated.recurring:
        return 0.0
    for said in cited:
        if said.message.said_at is None:
            continue
        for unit, days in _DAYS.items():
            for figure in said.counted.get(unit, ()):
                if figure.isdigit() and len(figure) <= 3:
                    away = said.message.said_at - stated.begin - timedelta(days=days * int(figure))
                    if abs(away) <= timedelta(days=max(1.5, days / 2)):
                        return 0.9
    return 0.0


@lru_cache(maxsize=4_096)
def _without_lead(time: str) -> str:
    return _LEAD.sub("", " ".join(time.lower().split()))


def _when_said(stated: TimeExpression, cited: Sequence[Said]) -> float:
    """How well a date fits the day on which a message was said."""
    if stated.relative or stated.recurring:
        return 0.0
    days = [said.message.said_at for said in cited if said.message.said_at is not None]
    if any(stated.begin <= day < stated.until for day in days):
        return 0.9
    return 0.6 if any(abs(stated.begin - day) < timedelta(days=1) for day in days) else 0.0


def check_negation(statement: Reading, cited: Sequence[Said], before: Sequence[Said]) -> tuple[Check, Check]:
    """Negations that were not said, and negations said that the statement leaves out."""
    stems = {word.stem for word in statement.words if word.weight}
    denied = {stem for said in cited for stem in stems & said.denied}
    if not denied and not statement.negations:
        return NOTHING, NOTHING
    plain = {stem for said in cited for stem in stems & said.plain}
    lost = _lost(statement, denied - plain)
    if not statement.negations:
        return NOTHING, lost
    negated = {stem for said in cited for stem in stems & said.negated}
    earlier = {stem for said in before for stem in stems & said.negated}
    any_negated = any(said.negated for said in cited)
    added = (
        _added(statement, reached, plain, negated, earlier, any_negated) for reached in statement.negations
    )
    return max(added, key=lambda check: check.against), lost


def _added(
    statement: Reading,
    reached: Sequence[int],
    plain: set[str],
    negated: set[str],
    earlier: set[str],
    any_negated: bool,
) -> Check:
    """Whether the words that one negation reaches were said so, or the other way round."""
    here = [statement.words[at] for at in reached if statement.words[at].weight][:_NEAREST]
    if not here or any(word.stem in (negated if word.negated else plain) for word in here):
        return NOTHING
    text = " ".join(word.text for word in here)
    if any(word.stem in plain | negated for word in here):
        return Check(1.0, (_negation(text, "There it is said the other way round."),))
    if any(word.stem in earlier for word in here):
        return Check(EARLIER)
    if not any_negated:
        return Check(0.9, (_negation(text, "Nothing there is negated."),))
    return Check(0.4)


def _lost(statement: Reading, negated: set[str]) -> Check:
    """Whether what was only said negated is stated."""
    if any(word.loosely for word in statement.words):
        return NOTHING
    words = [word for word in statement.words if word.weight]
    lost = [word for word in words if word.stem in negated and not word.is_name]
    total = sum(word.weight for word in words)
    share = sum(word.weight for word in lost) / total if total else 0.0
    text = " ".join(word.text for word in lost)
    reasons = (_negation(text, "There it is negated."),) if share >= 0.25 else ()
    return Check(min(1.0, 2 * share), reasons)


def _negation(words: str, why: str) -> Reason:
    return Reason("negation", words, why, contradicts=True)
