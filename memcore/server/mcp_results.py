"""What the Model Context Protocol server answers with, and how large that may be.

Every answer goes into another assistant's context window, so texts and lists are cut to sizes stated here,
and a cut is always told (`left_out`, or the sign … at a text's end). Texts are what logs and programs wrote:
data, whatever they say. Knows no protocol and no store, but for one thing: the SDK makes the tools' output
schemas of these classes, and of a class with slots it would take the slots for defaults.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memcore.domain.models import Event, Grounding, Proposal
from memcore.inspection import grounding
from memcore.inspection.objects import MemoryView, ProposalView
from memcore.retrieval.results import Answer, Citation, Hit, Quote, SearchReport, without_model
from memcore.retrieval.time_of_asking import in_words
from memcore.review.audit import audit

TEXT_CHARACTERS = 2_000
QUOTE_CHARACTERS = 600
QUOTES = 5
"""Quotes of one result."""
ANSWER_CHARACTERS = 40_000
"""Of a list of results, quotes included: what goes beyond is left out from its end on and counted."""
EVENTS = 50
"""Newest events of one object."""


@dataclass(frozen=True)
class Words:
    """Words a memory rests on: who wrote or said them, and where they stand."""

    quote: str
    speaker: str
    file: str
    where: str
    said_at: str | None


@dataclass(frozen=True)
class Found:
    """One result. `kind` message: words nothing was remembered of; summary: of a whole session. `when` is the
    time described, else the time it was said. `sources` are the words it came from, `grounding` whether
    they carry it, and `doubts` what in it they do not."""

    id: str
    kind: str
    text: str
    score: float
    when: str | None
    state: str
    sources: list[Words]
    grounding: str | None
    doubts: list[str]


@dataclass(frozen=True)
class SearchAnswer:
    """Results, best first; `left_out` counts those that would have been too much text. `asked`: when the
    question counted as asked, and why then. `warnings`: what the search had to do without."""

    results: list[Found]
    left_out: int
    asked: str
    warnings: list[str]


@dataclass(frozen=True)
class Cited:
    """What [number] in the context stands for."""

    number: int
    result: Found


@dataclass(frozen=True)
class AskAnswer:
    """The context for a question, what its [numbers] cite, and the answer of the model configured in Memscope
    (null: none is, or it could not be asked; `warnings` say). `asked`: as in a search."""

    context: str
    context_tokens: int
    citations: list[Cited]
    left_out: int
    answer: str | None
    answered_by: str
    warnings: list[str]
    asked: str


@dataclass(frozen=True)
class Proposed:
    """A proposal: a change that waits for a person, or what became of it. `before` null: it adds something;
    `after` null: it takes something away."""

    id: str
    operation: str
    state: str
    before: str | None
    after: str | None
    reason: str
    made_by: str
    risk: str
    created_at: str


@dataclass(frozen=True)
class ProposalsAnswer:
    """Proposals, newest first, of `total`."""

    proposals: list[Proposed]
    total: int


@dataclass(frozen=True)
class AddAnswer:
    """What became of an addition: the proposal's id and state, and in words what that means."""

    proposal: str
    state: str
    meaning: str


@dataclass(frozen=True)
class LogAnswer:
    """What became of turns: how many were new and how many known already. They are evidence now; `meaning`
    says what happens next, or what kept the last ones from being read."""

    new: int
    known: int
    meaning: str


@dataclass(frozen=True)
class MemoryAnswer:
    """One memory with its evidence and history (`history`: a line an event, oldest first)."""

    id: str
    text: str
    state: str
    mentioned_at: str | None
    event_at: str | None
    event_end: str | None
    valid_from: str | None
    valid_to: str | None
    superseded_by: str | None
    replaces: list[str]
    sources: list[Words]
    grounding: str
    doubts: list[str]
    history: list[str]


@dataclass(frozen=True)
class ProposalAnswer:
    """One proposal with its history. `words` are the evidence of an addition."""

    proposal: Proposed
    words: Words | None
    history: list[str]


def search_answer(report: SearchReport) -> SearchAnswer:
    """The hits of a search, within `ANSWER_CHARACTERS`."""
    results, left_out = fitting([found(hit) for hit in report.hits])
    return SearchAnswer(results, left_out, in_words(report.trace.asked), without_model(report.trace.failure))


def ask_answer(told: Answer) -> AskAnswer:
    """A context with its citations within `ANSWER_CHARACTERS`, and what the model wrote or why nothing."""
    kept, left_out = _cited(told.citations)
    missing = [f"No answer: {told.failure.cause} {told.failure.fix}"] if told.failure else []
    return AskAnswer(
        told.context,
        told.context_tokens,
        kept,
        left_out,
        told.answer,
        told.answered_by,
        [*told.warnings, *missing, *without_model(told.trace.failure)],
        in_words(told.trace.asked),
    )


def _cited(citations: Sequence[Citation]) -> tuple[list[Cited], int]:
    """Citations within `ANSWER_CHARACTERS`, and how many that leaves out."""
    results, left_out = fitting([found(citation.hit) for citation in citations])
    return [Cited(c.number, result) for c, result in zip(citations, results, strict=False)], left_out


def fitting(results: Sequence[Found]) -> tuple[list[Found], int]:
    """The first results that fit, at least one, and how many do not."""
    left, kept = ANSWER_CHARACTERS, 0
    for result in results:
        left -= len(result.text) + sum(len(words.quote) for words in result.sources)
        left -= sum(map(len, result.doubts))
        if left < 0 and kept:
            break
        kept += 1
    return list(results[:kept]), len(results) - kept


def found(hit: Hit) -> Found:
    """A hit with as much of its words as an answer carries."""
    return Found(
        id=hit.id,
        kind=hit.kind,
        text=cut(hit.text, TEXT_CHARACTERS),
        score=round(hit.score, 4),
        when=iso(hit.event_at or hit.mentioned_at),
        state=hit.state,
        sources=[words(quote) for quote in hit.quotes[:QUOTES]],
        grounding=None if hit.kind == "message" else grounding.verdict_of(hit.grounding).label,
        doubts=_doubts(hit.grounding),
    )


def _doubts(judged: Grounding | None) -> list[str]:
    return [cut(reason, QUOTE_CHARACTERS) for reason in grounding.verdict_of(judged).reasons[:QUOTES]]


def words(quote: Quote) -> Words:
    """A quote with its place."""
    message = quote.message
    return Words(
        quote=cut(quote.text, QUOTE_CHARACTERS),
        speaker=message.speaker,
        file=message.raw_ref.file,
        where=message.raw_ref.where,
        said_at=iso(message.said_at),
    )


def proposed(proposal: Proposal) -> Proposed:
    """A proposal in short."""
    return Proposed(
        id=proposal.id,
        operation=proposal.operation,
        state=proposal.state,
        before=cut(proposal.before, TEXT_CHARACTERS) or None,
        after=None if proposal.after is None else cut(proposal.after, TEXT_CHARACTERS),
        reason=cut(proposal.reason, QUOTE_CHARACTERS),
        made_by=proposal.made_by,
        risk=proposal.risk,
        created_at=proposal.created_at.isoformat(timespec="seconds"),
    )


def memory_answer(view: MemoryView) -> MemoryAnswer:
    """A memory with evidence and history."""
    memory = view.memory
    return MemoryAnswer(
        id=memory.id,
        text=cut(memory.text, TEXT_CHARACTERS),
        state=memory.state,
        mentioned_at=iso(memory.mentioned_at),
        event_at=iso(memory.event_at),
        event_end=iso(memory.event_end),
        valid_from=iso(memory.valid_from),
        valid_to=iso(memory.valid_to),
        superseded_by=memory.superseded_by,
        replaces=[replaced.id for replaced in view.replaces],
        sources=[words(quote) for quote in view.quotes[:QUOTES]],
        grounding=grounding.verdict_of(view.grounding).label,
        doubts=_doubts(view.grounding),
        history=history(view.events),
    )


def proposal_answer(view: ProposalView) -> ProposalAnswer:
    """A proposal with evidence and history."""
    said = words(view.words) if view.words else None
    return ProposalAnswer(proposed(view.proposal), said, history(view.events))


def history(events: Sequence[Event]) -> list[str]:
    """The newest events as lines, oldest first."""
    return [cut(entry.line, TEXT_CHARACTERS) for entry in audit(events)[-EVENTS:]]


def cut(text: str, most: int) -> str:
    """The beginning of a text that is too long, with the sign that it goes on.

    >>> cut("several words", 8), cut("few", 8)
    ('several…', 'few')
    """
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def iso(moment: datetime | None) -> str | None:
    """ISO 8601, or None for an unknown time."""
    return moment.isoformat() if moment else None
