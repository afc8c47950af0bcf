"""What is kept of an evaluation's questions: as much as its page shows, and no more of the dataset.

Of the conversations only the evidence stays, of the results beyond those that a page lists only their places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from pydantic import TypeAdapter

from memcore.domain.models import LogRead, Message
from memcore.evaluation.retrieval_result import QuestionResult, RetrievalResult
from memcore.retrieval.missed import StandIn, StandIns
from memcore.retrieval.results import Candidate, Hit, Quote, SearchReport, ViewTrace

SHOWN_HITS = 20
"""Results of a question that are listed with their words."""
SHOWN_TURNS = 4
"""Turns that are shown of a session, where only the session is known to be evidence."""
MOST_CHARACTERS = 4_000
"""Of a message's text, and of a result's."""
_LABEL = 200
"""Characters of a text that is only ever named."""


@dataclass(frozen=True, slots=True)
class QuestionDetail:
    """The questions of an evaluation of retrieval, and what the system made of the messages that are
    evidence."""

    result: RetrievalResult
    made: StandIns


@cache
def _adapter() -> TypeAdapter[QuestionDetail]:
    return TypeAdapter(QuestionDetail)


def to_json(detail: QuestionDetail) -> bytes:
    """As JSON, from which `from_json` makes the same."""
    return _adapter().dump_json(detail)


def from_json(data: bytes) -> QuestionDetail:
    """Raises ValueError for what is no such document."""
    return _adapter().validate_json(data)


def trimmed(result: RetrievalResult, made: StandIns) -> QuestionDetail:
    """The same evaluation with what its page shows of each question and nothing else of the dataset."""
    wanted = {owner: _evidence_of(owner, log, result.questions) for owner, log in result.dataset.logs.items()}
    logs = {owner: _only(log, wanted[owner]) for owner, log in result.dataset.logs.items()}
    questions = tuple(_trimmed(one, {*wanted[one.question.owner]}, made) for one in result.questions)
    short = {
        message_id: tuple(replace(one, text=one.text[:_LABEL]) for one in each)
        for message_id, each in made.items()
    }
    dataset = replace(result.dataset, logs=logs, scored=tuple(one.question for one in questions))
    return QuestionDetail(replace(result, dataset=dataset, questions=questions), short)


def _evidence_of(owner: str, log: LogRead, questions: tuple[QuestionResult, ...]) -> Mapping[str, Message]:
    """The messages of a conversation that are evidence; of a whole session, the first with their words."""
    asked = [one.question for one in questions if one.question.owner == owner]
    turns = {i for question in asked for i in question.messages}
    sessions = {i for question in asked if not question.messages for i in question.sessions}
    found: dict[str, Message] = {}
    told: dict[str, int] = {}
    for message in (message for part in log.logs for message in part.messages):
        if message.id in turns:
            found[message.id] = _capped(message)
        elif message.session_id in sessions:
            told[message.session_id] = number = told.get(message.session_id, 0) + 1
            found[message.id] = _capped(message) if number <= SHOWN_TURNS else replace(message, text="")
    return found


def _only(log: LogRead, evidence: Mapping[str, Message]) -> LogRead:
    parts = []
    for part in log.logs:
        messages = tuple(evidence[message.id] for message in part.messages if message.id in evidence)
        parts.append(replace(part, sessions=(), messages=messages))
    return replace(log, logs=tuple(parts))


def _capped(message: Message) -> Message:
    return replace(message, text=message.text[:MOST_CHARACTERS])


def _trimmed(
    one: QuestionResult, evidence: set[str], made: Mapping[str, tuple[StandIn, ...]]
) -> QuestionResult:
    """The question with its first results in words, and of rankings the places of the evidence."""
    known = evidence | {each.id for i in evidence for each in made.get(i, ())}
    hits = tuple(
        _shown(hit) if place < SHOWN_HITS else _named(hit) for place, hit in enumerate(one.report.hits)
    )
    views = tuple(_places(view, known) for view in one.report.trace.views)
    candidates = _candidates(one.report, evidence)
    trace = replace(one.report.trace, views=views, candidates=candidates)
    report = replace(one.report, hits=hits, trace=trace)
    baselines = {name: replace(ranked, turns=()) for name, ranked in one.baselines.items()}
    return replace(one, recipe=replace(one.recipe, turns=()), baselines=baselines, report=report)


def _places(view: ViewTrace, known: set[str]) -> ViewTrace:
    """A ranking as long as it was, which names nothing but the evidence and what was made of it."""
    return replace(view, ranking=tuple((i, score) if i in known else ("", 0.0) for i, score in view.ranking))


def _candidates(report: SearchReport, evidence: set[str]) -> tuple[Candidate, ...]:
    """Those that stand for evidence, and the first: none at all would say that the system tells none."""
    ranked = report.trace.candidates
    return tuple(
        one for place, one in enumerate(ranked) if not place or not evidence.isdisjoint(one.message_ids)
    )


def _shown(hit: Hit) -> Hit:
    return replace(hit, text=hit.text[:MOST_CHARACTERS], quotes=tuple(map(_window, hit.quotes)))


def _named(hit: Hit) -> Hit:
    quotes = tuple(Quote(replace(quote.message, text=""), 0, 0) for quote in hit.quotes)
    return replace(hit, text=hit.text[:_LABEL], quotes=quotes)


def _window(quote: Quote) -> Quote:
    """The quote in its message or, of a very long one, in what surrounds it."""
    if len(quote.message.text) <= MOST_CHARACTERS:
        return quote
    start = max(0, min(quote.start, quote.end - MOST_CHARACTERS // 2) - MOST_CHARACTERS // 4)
    text = quote.message.text[start : start + MOST_CHARACTERS]
    shift = min(quote.start, len(quote.message.text)) - start
    return Quote(replace(quote.message, text=text), max(0, shift), max(0, min(quote.end - start, len(text))))
