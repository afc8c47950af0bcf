"""Mem0: long-term memory kept up to date with every new message pair (paper of 2025, section 2.1).

    extraction   for each new message pair, candidate facts Ω from the pair, the summary S of the
                 conversation and the m = 10 messages before it                 stages/extract_mem0.py
    S            refreshed in the background, while pairs go on being read
                                                                       stages/conversation_summary.py
    update       for each candidate fact, the s = 10 most similar memories and one tool call:
                 ADD, UPDATE, DELETE or NOOP                                   review/decide_mem0.py
    retrieval    the memories nearest to the question by embedding                retrieval/dense.py

How a conversation becomes pairs, each with its S and recent messages, is `mem0_stream`.

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

from memcore.domain.errors import LlmError, LlmReplyError, LlmUnavailableError
from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, SkippedText
from memcore.domain.models import MemoryEntry, Message, Proposal, Segment, now
from memcore.domain.protocols import Vectors
from memcore.review.proposals import to_proposal
from memcore.stages.link import in_context, to_memory
from memcore.systems.mem0.stream import ConversationStream, Waiting
from memcore.systems.mem0.update import Similar, UpdateTrace, Verdict, decide, made_by, traced
from memcore.systems.steps import EmbedTrace, Known, Step, StepResult, Tools, Tracer, embedded

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
"""The messages of two periods: what the S in use may not cover when a run resumes; no fewer than m."""
STEP_MESSAGES = 16
UNREAD = "not said by a person or an assistant"


@dataclass(frozen=True, slots=True)
class FilteredStep:
    """One step with those messages of each part that are heard, and the ids of the others."""

    step: Step
    heard: tuple[tuple[Message, ...], ...]
    unread: tuple[str, ...]
    tracer: Tracer


def read(step: Step, tools: Tools) -> FilteredStep:
    """Who is heard. All else depends on what was said before."""
    tracer = Tracer(step)
    heard: list[tuple[Message, ...]] = []
    unread: list[str] = []
    for part in step.parts:
        heard.append(tuple(message for message in part.messages if message.role in tools.roles))
        others = [message for message in part.messages if message.role not in tools.roles]
        if others:
            rows = tuple(SkippedText(message.id, 0, len(message.text), UNREAD) for message in others)
            tracer.add("extract", part.session.id, ExtractionTrace(part.session.id, NAME, rows))
        unread += [message.id for message in others]
    return FilteredStep(step, tuple(heard), tuple(unread), tracer)


def remember(prepared: FilteredStep, known: Known[Waiting], tools: Tools) -> StepResult[Waiting]:
    """Pair after pair: extraction, update, and S."""
    step, tracer = prepared.step, prepared.tracer
    stream = ConversationStream(step, known, tools, tracer, recipe=NAME, recent=RECENT, every=SUMMARY_EVERY)
    work = _Work(step, known, tools, tracer)
    gave_up = False
    try:
        for part, heard in zip(step.parts, prepared.heard, strict=True):
            for pair in stream.pairs(part, heard):
                extraction = work.take(pair)
                stream.said(pair, extraction, waits=pair.segments[0].id not in work.kept)
        if step.last:
            stream.end_conversation()
    except LlmUnavailableError as error:
        if not work.segments:
            raise
        work.errors.append(str(error))  # the pairs that are done are kept, and the others wait
        gave_up = True
    done = (message_id for segment in work.segments for message_id in segment.message_ids)
    tracer.add("embed", step.run_id, EmbedTrace(tools.embedder.model_id, work.embedded, triples=0))
    return StepResult(
        segments=tuple(work.segments),
        memories=tuple(work.memories),
        summaries=tuple(stream.summaries.values()),
        proposals=tuple(work.proposals),
        embedding_model=tools.embedder.model_id,
        vectors=work.vectors,
        traces=tracer.traces(),
        processed=(*prepared.unread, *done),
        errors=(*work.errors, *stream.errors),
        carry=None if gave_up else stream.waiting(),
    )


class _Work:
    """What the pairs of one step make, one after the other."""

    def __init__(self, step: Step, known: Known[Waiting], tools: Tools, tracer: Tracer) -> None:
        self._step, self._tools, self._tracer = step, tools, tracer
        self._near = known.near_memories
        self.segments: list[Segment] = []
        self.memories: list[MemoryEntry] = []
        self.proposals: list[Proposal] = []
        self.vectors: dict[str, Vectors] = {}
        self.embedded = 0
        self.errors: list[str] = []

    @property
    def kept(self) -> set[str]:
        """The ids of the segments that will be stored."""
        return {segment.id for segment in self.segments}

    def take(self, pair: Buffer) -> Extraction:
        """Extraction, then update. A pair that fails in either leaves nothing but its error, and waits."""
        with self._tracer.timing("extract"):
            ((extraction, trace),) = self._tools.extractor.extract([pair])
        if not trace.error:
            try:
                verdicts = self._update(pair, extraction)
            except LlmReplyError as error:
                trace = replace(trace, error=str(error))
            else:
                said_already = (row for verdict in verdicts for row in _said_already(verdict))
                trace = replace(trace, skipped=(*trace.skipped, *said_already))
        self._tracer.add("extract", pair.session_id, trace)
        if trace.error:
            self.errors.append(trace.error)
        return extraction

    def _update(self, pair: Buffer, extraction: Extraction) -> list[Verdict]:
        """Decide about each candidate fact in turn, and keep all but those that say nothing new. Raises
        LlmError, and then nothing of the pair is kept."""
        segment = replace(pair.segments[0], topic=extraction.topics.get(pair.segments[0].id, ""))
        facts = self._candidates(extraction, pair.messages, segment)
        with self._tracer.timing("embed"):
            vectors = embedded([fact.text for fact in facts], self._tools.embedder)
        self.embedded += len(vectors)
        verdicts: list[Verdict] = []
        kept: list[MemoryEntry] = []
        failure = ""
        try:
            with self._tracer.timing("update"):
                for fact in facts:
                    similar = self._similar(fact, vectors[fact.text])
                    verdict = decide(fact, similar, self._tools.llm)
                    verdicts.append(verdict)
                    if verdict.operation != "NOOP":
                        kept.append(fact)
                        self._near.put([fact], [vectors[fact.text]])
        except LlmError as error:
            failure = str(error)
            self._near.forget([fact.id for fact in kept])
            raise
        finally:
            rows = tuple(traced(verdict) for verdict in verdicts)
            trace = UpdateTrace(pair.session_id, segment.id, made_by(self._tools.llm), rows, failure)
            self._tracer.add("update", pair.session_id, trace)
        self.segments.append(segment)
        self.memories += kept
        self.vectors.update((fact.text, vectors[fact.text]) for fact in kept)
        self.proposals += [
            to_proposal(v.decision, {v.fact.id: v.fact}, run_id=self._step.run_id, at=now())
            for v in verdicts
            if v.decision is not None
        ]
        return verdicts

    def _candidates(
        self, extraction: Extraction, messages: Sequence[Message], segment: Segment
    ) -> list[MemoryEntry]:
        """The candidate facts as the memories they would become; one that is there twice, once."""
        facts = in_context(
            [replace(fact, triples=()) for fact in extraction.facts],
            messages,
            [segment],
            owner=self._step.owner,
            recipe=NAME,
            run_id=self._step.run_id,
        )
        made = (to_memory(fact, context, self._tools.embedder.model_id) for fact, context in facts)
        return list({memory.id: memory for memory in made}.values())

    def _similar(self, fact: MemoryEntry, vector: NDArray[np.float32]) -> Similar:
        """The s memories most similar to a fact, of those said no later."""
        at = fact.mentioned_at
        return [
            (memory, score)
            for memory, score in self._near.search(vector, SEARCHED)
            if at is None or memory.mentioned_at is None or memory.mentioned_at <= at
        ][:SIMILAR]


def _said_already(verdict: Verdict) -> list[SkippedText]:
    """A NOOP as the trace shows it: the words of the fact, and the memory that says it already."""
    memory = verdict.memory
    if verdict.operation != "NOOP" or memory is None:
        return []
    reason = f"NOOP: “{verdict.fact.text}” is remembered already ({memory.id}: “{memory.text}”)"
    return [
        SkippedText(source.message_id, source.start, source.end, reason) for source in verdict.fact.sources
    ]
