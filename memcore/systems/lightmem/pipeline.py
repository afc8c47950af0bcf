"""LightMem's online half: sensory memory, short-term memory, soft insert into long-term memory.

    Light1  each message compressed at rate r (LLMLingua-2) into a buffer of 512 tokens; when the next
            one finds no room, the buffer is cut by topic (B1 ∩ B2, both of compressed text)
            and the tail stays                                                                section 3.1
    Light2  the segments queue as {topic, turns}; at th tokens one call extracts from all     section 3.2
    Light3  facts are inserted as they are; nothing is updated before sleep time              section 3.3

`read` is what each message needs for itself, ahead of the stream; `remember` is the stream, which one
step hands to the next, so that where steps begin makes no difference. The sleep-time update is
consolidation (`memcore.review`), which proposes; retrieval is `search`. Whose messages are read is a
setting, as in the published code (messages_use).

Deliberate differences from the paper. A session's start is always a boundary, so a segment never spans
sessions; an extraction still does, as N·r·T/th calls require. A turn is a message, not a user's message
with its reply: nothing here depends on who speaks when. Talk between other people begins a buffer of
its own. The end of a run empties both memories; a message that is still in one when the process dies
was never checkpointed and is read again. The language pipeline, where no model is chosen, reads the raw
text of a buffer, because a parser needs whole sentences.

Differences from the published code. Its ±3 rule is the segmentation method `lightmem`; here the paper's
intersection is the default. A segment joins the queue before th is asked for, not after. Its defects are
absent: topics are segments with stable ids, not a counter that restarts in every batch; each memory has
its own message's time, whoever spoke, not one counted on from the batch's first in steps of 0.5 s;
emptying sensory memory by force loses no segment already cut; a message that cannot be compressed stays
raw and stops no other; a failed extraction is reported and its messages are read again by the next run.
LightMem has no graph and no session summaries: triples and summaries an extractor offers are not stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from memcore.domain.extraction import Buffer, ExtractionTrace, SkippedText
from memcore.domain.models import MemoryEntry, Segment
from memcore.domain.protocols import Vectors
from memcore.stages.buffer import CONTEXT_MESSAGES, queue_topics
from memcore.stages.compress import compress
from memcore.stages.link import in_context, link
from memcore.stages.segmentation.segment import segment
from memcore.systems.extracting import Extracted, extract
from memcore.systems.lightmem.sensory import SensoryMemory, SensoryTurn
from memcore.systems.steps import EmbedTrace, Known, Step, StepResult, Tools, Tracer, embedded

NAME = "lightmem"
UNREAD = "messages of this role are not read (lightmem_messages)"


@dataclass(frozen=True, slots=True)
class CompressedStep:
    """One step's messages as turns in order, and those nobody reads."""

    step: Step
    turns: tuple[SensoryTurn, ...]
    unread: tuple[str, ...]
    tracer: Tracer


@dataclass(frozen=True, slots=True)
class Waiting:
    """What one step hands to the next: sensory memory and the queue of short-term memory."""

    sensory: SensoryMemory
    queue: tuple[Buffer, ...] = ()


def read(step: Step, tools: Tools) -> CompressedStep:
    """Pre-compression (section 3.1): every message compressed until it fits sensory memory."""
    tracer = Tracer(step)
    heard = [tuple(m for m in part.messages if m.role in tools.roles) for part in step.parts]
    messages = [message for said in heard for message in said]
    with tracer.timing("compress"):
        compressed, compression = compress(
            messages, tools.compression_rate, tools.compressor, window=tools.sensory_tokens
        )
    with tracer.timing("embed"):
        vectors = embedded([compressed[message.id].text for message in messages], tools.embedder)
    turns: list[SensoryTurn] = []
    unread: list[str] = []
    for part, said in zip(step.parts, heard, strict=True):
        if said:
            tracer.add("compress", part.session.id, compression.of(said))
        skipped = tuple(
            SkippedText(m.id, 0, len(m.text), UNREAD) for m in part.messages if m.role not in tools.roles
        )
        if skipped:
            tracer.add("extract", part.session.id, ExtractionTrace(part.session.id, NAME, skipped))
        unread += [row.message_id for row in skipped]
        earlier = [message for message in part.before if message.role in tools.roles]
        for message in said:
            turns.append(
                SensoryTurn(
                    message=message,
                    compressed=compressed[message.id],
                    vector=vectors[compressed[message.id].text],
                    contiguous_from=(part.session.id, part.contiguous_from),
                    before=tuple(earlier[-CONTEXT_MESSAGES:]),
                    people=part.people,
                )
            )
            earlier.append(message)
    return CompressedStep(step, tuple(turns), tuple(unread), tracer)


def remember(prepared: CompressedStep, known: Known[Waiting], tools: Tools) -> StepResult[Waiting]:
    """The stream: from sensory memory through short-term memory into long-term memory."""
    step, tracer = prepared.step, prepared.tracer
    waiting = known.carry or Waiting(SensoryMemory(tools.sensory_tokens))

    sensory, topics = _sense(waiting.sensory, prepared.turns, step.last, tools, tracer)  # Light1
    queue, released = queue_topics(  # Light2
        waiting.queue, topics, threshold=tools.buffer_tokens, last=step.last
    )
    extracted, errors = extract(released, tools, tracer)
    memories, vectors = _insert(extracted, step, tools, tracer)  # Light3

    texts = len(prepared.turns) + len(vectors)
    tracer.add("embed", step.run_id, EmbedTrace(tools.embedder.model_id, texts, triples=0))
    return StepResult(
        segments=tuple(segment for buffer, _ in extracted for segment in buffer.segments),
        memories=memories,
        embedding_model=tools.embedder.model_id,
        vectors=vectors,
        traces=tracer.traces(),
        processed=(*prepared.unread, *(message.id for buffer, _ in extracted for message in buffer.messages)),
        errors=errors,
        carry=Waiting(sensory, queue),
    )


def _sense(
    sensory: SensoryMemory, turns: Sequence[SensoryTurn], last: bool, tools: Tools, tracer: Tracer
) -> tuple[SensoryMemory, list[Buffer]]:
    """Light1, sensory memory (section 3.1): full at 512 tokens, then divided into topics."""
    topics: list[Buffer] = []

    def cut(following: SensoryTurn | None) -> SensoryMemory:
        left, found, traces = sensory.cut(lambda run: _segments(run, tools, tracer), following)
        topics.extend(found)
        for trace in traces:
            tracer.add("sensory", trace.session_id, trace)
        return left

    for turn in turns:
        while not sensory.has_room(turn):
            sensory = cut(turn)
        sensory = sensory.hold(turn)
    return (cut(None) if last else sensory), topics


def _segments(turns: Sequence[SensoryTurn], tools: Tools, tracer: Tracer) -> tuple[Segment, ...]:
    """Topic segmentation (section 3.1): boundaries are B1 ∩ B2, or another named method's. Both are read
    from what the buffer holds, the compressed texts."""
    with tracer.timing("segment"):
        segments, trace = segment(
            [turn.message for turn in turns],
            np.stack([turn.vector for turn in turns]),
            method=tools.segment_method,
            attention=tools.attention,
            turns=[turn.compressed.text for turn in turns],
            recipe=NAME,
        )
    tracer.add("segment", trace.session_id, trace)
    return segments


def _insert(
    extracted: Sequence[Extracted], step: Step, tools: Tools, tracer: Tracer
) -> tuple[tuple[MemoryEntry, ...], dict[str, Vectors]]:
    """Light3, soft update (section 3.3): facts become memories as they are, each with the time of its
    own source message, and nothing that is there changes."""
    with tracer.timing("link"):
        facts = [
            found
            for buffer, extraction in extracted
            for found in in_context(
                [replace(fact, triples=()) for fact in extraction.facts],
                buffer.messages,
                buffer.segments,
                owner=step.owner,
                recipe=NAME,
                run_id=step.run_id,
                compressed=buffer.compressed,
            )
        ]
        linked, trace = link(facts, embedding_model=tools.embedder.model_id, entities={}, triples={})
    tracer.add("link", step.run_id, trace)
    with tracer.timing("embed"):
        vectors = embedded([memory.text for memory in linked.memories], tools.embedder)
    return linked.memories, vectors
