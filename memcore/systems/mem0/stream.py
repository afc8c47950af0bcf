"""The stream Mem0 reads: a conversation's message pairs in order, each with the summary S and the recent
messages it is read with.

Where steps begin makes no difference: what one step leaves, the next one takes up, and what another run
left is found again in what it stored. Nothing is extracted or remembered here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memcore.domain.extraction import Buffer, Extraction
from memcore.domain.models import Message, Segment, SessionSummary
from memcore.stages.pairs import as_segment, message_pairs
from memcore.systems.mem0.conversation_summary import (
    METHOD,
    Refresh,
    RunningSummary,
    SaidPair,
    SummaryTrace,
    TakenOver,
    as_session_summary,
    made_by,
    refresh_by_drafts,
    refresh_by_model,
    said,
    take_over,
    uncovered,
)
from memcore.systems.steps import Known, SessionPart, Step, Tools, Tracer


@dataclass(frozen=True, slots=True)
class Waiting:
    """What one step hands to the next: S of a conversation, and a message whose other half may be in the
    next part of its session."""

    conversation_id: str
    summary: RunningSummary
    held: tuple[Message, ...] = ()


class ConversationStream:
    """The pairs of one step. `recent` messages before a pair are read with it; S is refreshed `every` so
    many pairs. `summaries` (by session id) are to be stored, `errors` are refreshes that failed."""

    def __init__(
        self,
        step: Step,
        known: Known[Waiting],
        tools: Tools,
        tracer: Tracer,
        *,
        recipe: str,
        recent: int,
        every: int,
    ) -> None:
        self._owner, self._recipe, self._recent, self._every = step.owner, recipe, recent, every
        self._tools, self._tracer = tools, tracer
        self._stored = known.summaries
        self._refresh: Refresh = refresh_by_drafts if tools.llm is None else refresh_by_model(tools.llm)
        self._begun = known.carry
        self.summaries: dict[str, SessionSummary] = {}
        self.errors: list[str] = []

    def pairs(self, part: SessionPart, heard: Sequence[Message]) -> Iterator[Buffer]:
        """The message pairs of one part's `heard` messages, as buffers of one segment. S of each is what
        `said` made of those before it."""
        waiting = self._waiting(part)
        held_ids = {message.id for message in waiting.held}
        earlier = [message for message in self._heard(part.before) if message.id not in held_ids]
        pairs = message_pairs([*waiting.held, *heard])
        held = pairs.pop() if part.goes_on and pairs and len(pairs[-1]) == 1 else ()
        self._begun = replace(waiting, held=held)
        for pair in pairs:
            segment = as_segment(pair, self._recipe, METHOD)
            yield Buffer(
                session_id=segment.session_id,
                segments=(segment,),
                messages=pair,
                before=tuple(earlier[-self._recent :]),
                people=part.people,
                summary=self._begun.summary.text,
            )
            earlier += pair

    def said(self, pair: Buffer, extraction: Extraction, *, waits: bool) -> None:
        """S after a pair, whether or not anything was made of it, or it `waits` to be read again."""
        assert self._begun is not None, "the pair is of a part that was begun"
        told = SaidPair(pair.segments[0], pair.messages, _draft(extraction), waits)
        with self._tracer.timing("summary"):
            summary, taken = said(self._begun.summary, told, every=self._every, refresh=self._refresh)
        self._begun = replace(self._begun, summary=summary)
        self._keep(taken, told.segment)

    def end_conversation(self) -> None:
        """Nothing follows for now: S is what a refresh under way makes of it."""
        if self._begun is not None:
            with self._tracer.timing("summary"):
                summary, taken = take_over(self._begun.summary)
            self._begun = replace(self._begun, summary=summary)
            self._keep(taken, None)

    def waiting(self) -> Waiting | None:
        """What the next step takes up."""
        return self._begun

    def _waiting(self, part: SessionPart) -> Waiting:
        """Where the stream of the part's conversation stands. Where another run left off, S is the one it
        stored, and the pairs that this S does not cover are said to it again."""
        conversation_id = part.session.conversation_id
        if self._begun is not None and self._begun.conversation_id == conversation_id:
            return self._begun
        self.end_conversation()
        before = self._heard(part.before)
        stored = next(
            (self._stored[m.session_id] for m in reversed(before) if m.session_id in self._stored), None
        )
        summary = RunningSummary(stored.text if stored else "")
        for pair in self._with_drafts(uncovered(before, stored, self._recipe)):
            summary, _ = said(summary, pair, every=self._every, refresh=self._refresh)
        return Waiting(conversation_id, summary)

    def _with_drafts(self, pairs: Sequence[SaidPair]) -> Sequence[SaidPair]:
        """Pairs that another run read, with the extractor's drafts where S is made of them."""
        if self._tools.llm is not None:
            return pairs
        buffers = [Buffer(p.segment.session_id, (p.segment,), p.messages) for p in pairs]
        results = self._tools.extractor.extract(buffers)
        return [replace(pair, draft=_draft(found)) for pair, (found, _) in zip(pairs, results, strict=True)]

    def _keep(self, taken: TakenOver | None, after: Segment | None) -> None:
        """S becomes the summary of the session it now tells of last; the trace, which is of the session where
        that happened (`after` which pair), says so, or why not."""
        if taken is None or self._begun is None:
            return
        session_id, text = taken.pairs[-1].segment.session_id, self._begun.summary.text
        added = tuple(pair.segment.id for pair in taken.pairs)
        trace = SummaryTrace(
            session_id, made_by(self._tools.llm), added, text, after.id if after else "", taken.error
        )
        self._tracer.add("summary", after.session_id if after else session_id, trace)
        if taken.error:
            self.errors.append(taken.error)
        elif text:
            before = self.summaries.get(session_id) or self._stored.get(session_id)
            self.summaries[session_id] = as_session_summary(
                text, taken.pairs, owner=self._owner, recipe=self._recipe, before=before
            )

    def _heard(self, messages: Sequence[Message]) -> list[Message]:
        return [message for message in messages if message.role in self._tools.roles]


def _draft(extraction: Extraction) -> str:
    return " ".join(draft.text for draft in extraction.summaries.values())
