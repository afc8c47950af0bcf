"""Mem0: long-term memory kept up to date with every new message pair (paper of 2025, section 2.1).

    extraction   for each new message pair, candidate facts Ω from the pair, the summary S of the
                 conversation and the m = 10 messages before it                 stages/extract_mem0.py
    S            refreshed in the background, while pairs go on being read
                                                                       stages/conversation_summary.py
    update       for each candidate fact, the s = 10 most similar memories and one tool call:
                 ADD, UPDATE, DELETE or NOOP                                   review/decide_mem0.py
    retrieval    the memories nearest to the question by embedding                retrieval/dense.py

Fact after fact and pair after pair: each is compared with what those before it added. That needs the
stream, so `read` only sorts out who is heard, and `remember` does the work. Without a model the language
pipeline finds the candidate facts, the rules of sleep-time update decide, and S is made of the pipeline's
own drafts.

Deliberate differences from the paper. Only ADD changes the memory at once. An UPDATE or DELETE is
proposed, and its fact is stored beside what it is about, so that approving ends the old at the time of the
new and rejecting loses nothing. A NOOP is a row of the trace that names the memory. The first fact of all,
to which no memory is similar, is added without asking: UPDATE, DELETE and NOOP would have none to name.
A fact is compared with memories said no later than itself, which makes a difference only where logs arrive
out of order. The paper leaves S's period open; here it is five pairs, about the m messages that extraction
sees in any case, and S is taken over exactly one period late. A pair is two neighbouring messages of one
session by different speakers; a message without such a neighbour is read alone.

Differences from the published code. It has no S and asks one call about all facts of a pair and the memories
similar to any of them; here each fact is asked about alone, as in the paper. On a contradiction it deletes
the old memory and never adds the new fact. Ids it cannot map back are dropped with a log line; here that is
an error, and the pair is read again by the next run. Facts keep the message and the words they come from,
and that message's time. The graph variant is `mem0_graph`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from memcore.errors import LlmError, LlmReplyError, LlmUnavailableError
from memcore.models import Memory, Message, Proposal, Segment, SessionSummary, now
from memcore.protocols import Vectors
from memcore.recipes.steps import (
    EmbedTrace,
    Known,
    Recipe,
    SessionPart,
    Step,
    StepResult,
    Tools,
    Tracer,
    embedded,
)
from memcore.retrieval.dense import dense
from memcore.review.decide_mem0 import Similar, UpdateTrace, Verdict, decide, made_by, weighed
from memcore.review.proposals import to_proposal
from memcore.stages import conversation_summary
from memcore.stages.conversation_summary import (
    METHOD,
    Refresh,
    RunningSummary,
    SaidPair,
    SummaryTrace,
    TakenOver,
    as_session_summary,
    refresh_by_drafts,
    refresh_by_model,
    said,
    take_over,
    uncovered,
)
from memcore.stages.facts import Extraction, ExtractionTrace, PassedOver, TopicBuffer
from memcore.stages.link import in_context, to_memory
from memcore.stages.pairs import as_segment, message_pairs

NAME = "mem0"
RECENT = 10
"""m, the messages before a pair that extraction sees (published default)."""
SIMILAR = 10
"""s, the memories a fact is compared with (published default)."""
SEARCHED = 50
"""Memories nearest to a fact among which are those said no later than itself."""
SUMMARY_EVERY = 5
"""Message pairs between two refreshes of S."""
BEFORE = 4 * SUMMARY_EVERY
"""The messages of two periods: what the S in use may not cover when a run resumes."""
STEP_MESSAGES = 16
UNREAD = "not said by a person or an assistant"


@dataclass(frozen=True, slots=True)
class Reading:
    """One step with those messages of each part that are heard, and the ids of the others."""

    step: Step
    heard: tuple[tuple[Message, ...], ...]
    unread: tuple[str, ...]
    tracer: Tracer


@dataclass(frozen=True, slots=True)
class Stream:
    """What one step hands to the next: S of the conversation, and a message whose other half may be in
    the next part of its session."""

    conversation_id: str
    summary: RunningSummary
    held: tuple[Message, ...] = ()


def read(step: Step, tools: Tools) -> Reading:
    """Who is heard. All else depends on what was said before."""
    tracer = Tracer(step)
    unread: list[str] = []
    for part in step.parts:
        rows = tuple(
            PassedOver(m.id, 0, len(m.text), UNREAD) for m in part.messages if m.role not in tools.roles
        )
        if rows:
            tracer.add("extract", part.session.id, ExtractionTrace(part.session.id, NAME, rows))
        unread += [row.message_id for row in rows]
    return Reading(step, tuple(_heard(part.messages, tools) for part in step.parts), tuple(unread), tracer)


def remember(reading: Reading, known: Known, tools: Tools) -> StepResult:
    """Pair after pair: extraction, update, S."""
    work = _Work(reading, known, tools)
    try:
        for part, heard in zip(reading.step.parts, reading.heard, strict=True):
            work.read_part(part, heard)
        if reading.step.last:
            work.end_conversation()
    except LlmUnavailableError as error:
        if not work.segments:
            raise
        work.give_up(error)
    return work.result()


class _Work:
    """What the pairs of one step make, and the stream they are read in."""

    def __init__(self, reading: Reading, known: Known, tools: Tools) -> None:
        self._step, self._tracer, self._unread = reading.step, reading.tracer, reading.unread
        self._known, self._tools = known, tools
        self._stream = known.carry if isinstance(known.carry, Stream) else None
        self._refresh: Refresh = refresh_by_drafts if tools.llm is None else refresh_by_model(tools.llm)
        self.segments: list[Segment] = []
        self._memories: list[Memory] = []
        self._proposals: list[Proposal] = []
        self._summaries: dict[str, SessionSummary] = {}
        self._vectors: dict[str, Vectors] = {}
        self._embedded = 0
        self._errors: list[str] = []

    # ------------------------------------------------------------------ the stream

    def read_part(self, part: SessionPart, heard: Sequence[Message]) -> None:
        """The message pairs of one part, each with the messages before it."""
        stream = self._stream_of(part)
        waiting = {message.id for message in stream.held}
        earlier = [message for message in _heard(part.before, self._tools) if message.id not in waiting]
        pairs = message_pairs([*stream.held, *heard])
        held = pairs.pop() if part.goes_on and pairs and len(pairs[-1]) == 1 else ()
        self._stream = replace(stream, held=held)
        for pair in pairs:
            self._read_pair(pair, earlier[-RECENT:], part)
            earlier += pair

    def end_conversation(self) -> None:
        """Nothing follows for now: S is what a refresh under way makes of it."""
        if self._stream is not None:
            summary, taken = take_over(self._stream.summary)
            self._stream = replace(self._stream, summary=summary)
            self._note(taken, "")

    def give_up(self, error: LlmError) -> None:
        """The pairs that are not done wait for the next run."""
        self._errors.append(str(error))
        self._stream = None

    def result(self) -> StepResult:
        """Everything to commit."""
        model = self._tools.embedder.model_id
        self._tracer.add("embed", self._step.run_id, EmbedTrace(model, self._embedded, triples=0))
        done = (message_id for segment in self.segments for message_id in segment.message_ids)
        return StepResult(
            segments=tuple(self.segments),
            memories=tuple(self._memories),
            summaries=tuple(self._summaries.values()),
            proposals=tuple(self._proposals),
            embedding_model=model,
            vectors=self._vectors,
            traces=self._tracer.traces(),
            processed=(*self._unread, *done),
            errors=tuple(self._errors),
            carry=self._stream,
        )

    def _stream_of(self, part: SessionPart) -> Stream:
        """The stream the part belongs to. Where another run left off, S is the one it stored, and the
        pairs that this S does not cover are said again to it, as they were then."""
        conversation_id = part.session.conversation_id
        if self._stream is not None and self._stream.conversation_id == conversation_id:
            return self._stream
        self.end_conversation()
        before = _heard(part.before, self._tools)
        summaries = self._known.summaries
        stored = next((summaries[m.session_id] for m in reversed(before) if m.session_id in summaries), None)
        summary = RunningSummary(stored.text if stored else "")
        for pair in self._with_drafts(uncovered(before, stored, NAME)):
            summary, _ = said(summary, pair, every=SUMMARY_EVERY, refresh=self._refresh)
        return Stream(conversation_id, summary)

    # ------------------------------------------------------------------ one pair

    def _read_pair(self, pair: tuple[Message, ...], recent: Sequence[Message], part: SessionPart) -> None:
        """Extraction, update, and S after it. A pair that failed is told to S all the same."""
        assert self._stream is not None, "a part has begun"
        segment = as_segment(pair, NAME, METHOD)
        buffer = TopicBuffer(
            session_id=segment.session_id,
            segments=(segment,),
            messages=pair,
            before=tuple(recent),
            people=part.people,
            summary=self._stream.summary.text,
        )
        with self._tracer.timing("extract"):
            ((extraction, trace),) = self._tools.extractor.extract([buffer])
        if not trace.error:
            try:
                verdicts = self._update(buffer, extraction)
            except LlmReplyError as error:
                trace = replace(trace, error=str(error))
            else:
                rows = (row for verdict in verdicts for row in _nothing_new(verdict))
                trace = replace(trace, passed_over=(*trace.passed_over, *rows))
        self._tracer.add("extract", segment.session_id, trace)
        if trace.error:
            self._errors.append(trace.error)
        self._summarise(SaidPair(segment, pair, _draft(extraction)))

    def _update(self, buffer: TopicBuffer, extraction: Extraction) -> list[Verdict]:
        """Decide about each candidate fact in turn, and keep all but those that say nothing new. Raises
        LlmError, and then nothing of the pair is kept."""
        segment = replace(buffer.segments[0], topic=extraction.topics.get(buffer.segments[0].id, ""))
        facts = self._candidates(extraction, buffer, segment)
        with self._tracer.timing("embed"):
            vectors = embedded([fact.text for fact in facts], self._tools.embedder)
        verdicts: list[Verdict] = []
        kept: list[Memory] = []
        failure = ""
        try:
            with self._tracer.timing("update"):
                for fact in facts:
                    verdict = decide(fact, self._similar(fact, vectors[fact.text]), self._tools.llm)
                    verdicts.append(verdict)
                    if verdict.operation != "NOOP":
                        kept.append(fact)
                        self._known.near_memories.put([fact], [vectors[fact.text]])
        except LlmError as error:
            failure = str(error)
            self._known.near_memories.forget([fact.id for fact in kept])
            raise
        finally:
            rows = tuple(weighed(verdict) for verdict in verdicts)
            named = UpdateTrace(segment.session_id, segment.id, made_by(self._tools.llm), rows, failure)
            self._tracer.add("update", segment.session_id, named)
        self.segments.append(segment)
        self._memories += kept
        self._vectors.update((fact.text, vectors[fact.text]) for fact in kept)
        self._embedded += len(vectors)
        self._proposals += [
            to_proposal(v.decision, {v.fact.id: v.fact}, run_id=self._step.run_id, at=now())
            for v in verdicts
            if v.decision is not None
        ]
        return verdicts

    def _candidates(self, extraction: Extraction, buffer: TopicBuffer, segment: Segment) -> list[Memory]:
        """The candidate facts as the memories they would become; one that is there twice, once."""
        facts = in_context(
            [replace(fact, triples=()) for fact in extraction.facts],
            buffer.messages,
            [segment],
            owner=self._step.owner,
            recipe=NAME,
            run_id=self._step.run_id,
        )
        model = self._tools.embedder.model_id
        made = (to_memory(fact, context, model) for fact, context in facts)
        return list({memory.id: memory for memory in made}.values())

    def _similar(self, fact: Memory, vector: NDArray[np.float32]) -> Similar:
        """The s memories most similar to a fact, of those said no later."""
        near = self._known.near_memories.search(vector, SEARCHED)
        at = fact.mentioned_at
        return [
            (memory, score)
            for memory, score in near
            if at is None or memory.mentioned_at is None or memory.mentioned_at <= at
        ][:SIMILAR]

    # ------------------------------------------------------------------ S

    def _summarise(self, pair: SaidPair) -> None:
        assert self._stream is not None, "a part has begun"
        with self._tracer.timing("summary"):
            summary, taken = said(self._stream.summary, pair, every=SUMMARY_EVERY, refresh=self._refresh)
        self._stream = replace(self._stream, summary=summary)
        self._note(taken, pair.segment.id)

    def _note(self, taken: TakenOver | None, after: str) -> None:
        """Store S as the summary of the session that it tells of last, and say what became of it."""
        if taken is None or self._stream is None:
            return
        session_id, text = taken.pairs[-1].segment.session_id, self._stream.summary.text
        by = conversation_summary.made_by(self._tools.llm)
        added = tuple(pair.segment.id for pair in taken.pairs)
        self._tracer.add("summary", session_id, SummaryTrace(session_id, by, added, text, after, taken.error))
        if taken.error:
            self._errors.append(taken.error)
        elif text:
            before = self._summaries.get(session_id) or self._known.summaries.get(session_id)
            self._summaries[session_id] = as_session_summary(
                text, taken.pairs, owner=self._step.owner, recipe=NAME, before=before
            )

    def _with_drafts(self, pairs: Sequence[SaidPair]) -> Sequence[SaidPair]:
        """Pairs that another run read, with what the language pipeline has to say of them; a model needs
        no drafts."""
        if self._tools.llm is not None:
            return pairs
        buffers = [TopicBuffer(p.segment.session_id, (p.segment,), p.messages) for p in pairs]
        results = self._tools.extractor.extract(buffers)
        return [replace(pair, draft=_draft(found)) for pair, (found, _) in zip(pairs, results, strict=True)]


def _heard(messages: Sequence[Message], tools: Tools) -> tuple[Message, ...]:
    return tuple(message for message in messages if message.role in tools.roles)


def _draft(extraction: Extraction) -> str:
    return " ".join(draft.text for draft in extraction.summaries.values())


def _nothing_new(verdict: Verdict) -> list[PassedOver]:
    """NOOP as rows of the extraction's trace: what was said, and which memory says it already."""
    if verdict.operation != "NOOP" or verdict.memory is None:
        return []
    reason = (
        f"NOOP: “{verdict.fact.text}” is remembered already ({verdict.memory.id}: “{verdict.memory.text}”)"
    )
    return [
        PassedOver(source.message_id, source.start, source.end, reason) for source in verdict.fact.sources
    ]


RECIPE = Recipe(
    NAME,
    read,
    remember,
    search=dense,
    graph=False,
    topics=False,
    step_messages=BEFORE + STEP_MESSAGES,
    before=BEFORE,
    before_in_conversation=True,
)
