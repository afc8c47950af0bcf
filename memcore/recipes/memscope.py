"""memscope: our own system, the default. One pass, nothing updated silently, works with no LLM.

    compress and embed  LightMem's sensory memory; one encoder pass gives both
    segment             topic segments per session; a session's start is always a boundary
    buffer              LightMem's short-term memory, th tokens
    extract             one extraction a buffer: facts, triples, topic labels and session summary
                        together; standalone sentences and absolute times (SimpleMem)
    link                soft insert (LightMem), entities and typed triples with validity
                        (Mem0-graph, LiCoMemory)

Deliberate differences. LightMem feeds compressed text to the extractor; here a language model gets
compressed text, the language pipeline the raw text, because a parser needs whole sentences.
SimpleMem's density gate is a model's judgement; here it drops only what the extractor passes over
(shown in its trace) and repeated facts of one step. Nothing is updated or deleted here: that is
consolidation, which only proposes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from memcore.models import Message, Segment, SessionSummary, triple_text
from memcore.protocols import Compressed, Vectors
from memcore.recipes.steps import (
    SPOKEN,
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
from memcore.stages.buffer import fill_buffers
from memcore.stages.compress import CompressionTrace, compress
from memcore.stages.facts import Extraction, SummaryDraft, TopicBuffer
from memcore.stages.link import Linked, in_context, link
from memcore.stages.segment import segment

NAME = "memscope"
LONGEST_SUMMARY = 2000
MOST_KEYWORDS = 5


@dataclass(frozen=True, slots=True)
class Cut:
    """One session part after the encoder's pass: what was said, cut into topics and buffers."""

    session_id: str
    messages: tuple[Message, ...]
    segments: tuple[Segment, ...]
    buffers: tuple[TopicBuffer, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """One step after all models have read it."""

    step: Step
    cuts: tuple[Cut, ...]
    compressed: Mapping[str, Compressed]
    extractions: tuple[Extraction, ...]
    failed: frozenset[str]
    errors: tuple[str, ...]
    vectors: Mapping[str, Vectors]
    tracer: Tracer


def read(step: Step, tools: Tools) -> Reading:
    """Everything models do: compress, embed, segment, extract. A failed buffer is an error of the
    reading, its messages are in `failed`."""
    tracer = Tracer(step)
    spoken = [[m for m in part.messages if m.role in SPOKEN] for part in step.parts]
    messages = [message for said in spoken for message in said]
    with tracer.timing("compress"):
        compressed, compression = compress(messages, tools.compression_rate, tools.compressor)
    with tracer.timing("embed"):
        vectors = embedded([message.text for message in messages], tools.embedder)
    cuts = tuple(
        _cut(part, said, compressed, compression, vectors, tools, tracer)
        for part, said in zip(step.parts, spoken, strict=True)
        if said
    )
    buffers = [buffer for cut in cuts for buffer in cut.buffers]
    with tracer.timing("extract"):
        extracted = tools.extractor.extract(buffers)
    failed: set[str] = set()
    for buffer, (_, trace) in zip(buffers, extracted, strict=True):
        tracer.add("extract", buffer.session_id, trace)
        if trace.error:
            failed.update(message.id for message in buffer.messages)
    extractions = tuple(extraction for extraction, trace in extracted if not trace.error)
    with tracer.timing("embed"):
        facts = embedded(
            [fact.text for extraction in extractions for fact in extraction.facts], tools.embedder
        )
    return Reading(
        step=step,
        cuts=cuts,
        compressed=compressed,
        extractions=extractions,
        failed=frozenset(failed),
        errors=tuple(trace.error for _, trace in extracted if trace.error),
        vectors={**vectors, **facts},
        tracer=tracer,
    )


def remember(reading: Reading, known: Known, tools: Tools) -> StepResult:
    """Soft insert: facts become memories, names entities, relations triples."""
    step, tracer = reading.step, reading.tracer
    segments = _labelled(reading)
    with tracer.timing("link"):
        facts = in_context(
            [fact for extraction in reading.extractions for fact in extraction.facts],
            [message for cut in reading.cuts for message in cut.messages],
            segments.values(),
            owner=step.owner,
            recipe=NAME,
            run_id=step.run_id,
            compressed={i: compressed.text for i, compressed in reading.compressed.items()},
        )
        linked, link_trace = link(
            facts, embedding_model=tools.embedder.model_id, entities=known.entities, triples=known.triples
        )
    tracer.add("link", step.run_id, link_trace)
    with tracer.timing("embed"):
        triples = embedded(_triple_texts(linked, known), tools.embedder)
    tracer.add("embed", step.run_id, EmbedTrace(tools.embedder.model_id, len(reading.vectors), len(triples)))
    return StepResult(
        segments=tuple(segments.values()),
        memories=linked.memories,
        entities=linked.entities,
        triples=linked.triples,
        summaries=tuple(_summaries(reading, segments, known, linked)),
        embedding_model=tools.embedder.model_id,
        vectors={**reading.vectors, **triples},
        traces=tracer.traces(),
        processed=tuple(m.id for part in step.parts for m in part.messages if m.id not in reading.failed),
        errors=reading.errors,
    )


def _cut(
    part: SessionPart,
    said: Sequence[Message],
    compressed: Mapping[str, Compressed],
    compression: CompressionTrace,
    vectors: Mapping[str, Vectors],
    tools: Tools,
    tracer: Tracer,
) -> Cut:
    """Sensory memory to short-term memory for one session part."""
    turns = [compressed[message.id].text for message in said]
    tracer.add("compress", part.session.id, compression.of(said))
    with tracer.timing("segment"):
        segments, trace = segment(
            said,
            np.stack([vectors[message.text] for message in said]),
            method=tools.segment_method,
            attention=tools.attention,
            turns=turns,
            recipe=NAME,
        )
    tracer.add("segment", part.session.id, trace)
    with tracer.timing("buffer"):
        buffers, buffer_trace = fill_buffers(
            part.session.id,
            segments,
            said,
            {message.id: turn for message, turn in zip(said, turns, strict=True)},
            {message.id: compressed[message.id].tokens_after for message in said},
            threshold=tools.buffer_tokens,
            before=part.before,
            people=part.people,
            summary=part.summary,
        )
    tracer.add("buffer", part.session.id, buffer_trace)
    return Cut(part.session.id, tuple(said), segments, buffers)


def _labelled(reading: Reading) -> dict[str, Segment]:
    """Segments by id, with the topic label that extraction gave them. Those of failed buffers are cut
    anew when their messages are read again."""
    topics = {i: label for extraction in reading.extractions for i, label in extraction.topics.items()}
    return {
        s.id: replace(s, topic=topics.get(s.id, ""))
        for cut in reading.cuts
        for s in cut.segments
        if reading.failed.isdisjoint(s.message_ids)
    }


def _triple_texts(linked: Linked, known: Known) -> list[str]:
    """Triples as sentences, which is how semantic search compares them with a question."""
    names = {i: e.name for i, e in known.entities.items()} | {e.id: e.name for e in linked.entities}
    return [triple_text(names[t.subject_id], t.relation, names[t.object_id]) for t in linked.triples]


def _summaries(
    reading: Reading, segments: Mapping[str, Segment], known: Known, linked: Linked
) -> list[SessionSummary]:
    """One summary a session: what it said so far, and what its new buffers add."""
    drafts: dict[str, list[SummaryDraft]] = {
        cut.session_id: [] for cut in reading.cuts if cut.session_id in known.summaries
    }
    for extraction in reading.extractions:
        for session_id, draft in extraction.summaries.items():
            drafts.setdefault(session_id, []).append(draft)
    return [
        _summary(session_id, added, reading, segments, known, linked) for session_id, added in drafts.items()
    ]


def _summary(
    session_id: str,
    drafts: Sequence[SummaryDraft],
    reading: Reading,
    segments: Mapping[str, Segment],
    known: Known,
    linked: Linked,
) -> SessionSummary:
    cuts = [cut for cut in reading.cuts if cut.session_id == session_id]
    said = {m.id: m.said_at for cut in cuts for m in cut.messages if m.id not in reading.failed}
    before = known.summaries.get(session_id) or SessionSummary(
        SessionSummary.id_for(session_id, NAME), session_id, reading.step.owner, "", recipe=NAME
    )
    times = [t for t in (before.started_at, before.ended_at, *said.values()) if t is not None]
    return replace(
        before,
        text=_joined(before.text, drafts),
        keywords=_united(before.keywords, *(draft.keywords for draft in drafts))[:MOST_KEYWORDS],
        themes=_united(before.themes, *(draft.themes for draft in drafts))[:MOST_KEYWORDS],
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        triple_ids=_united(
            before.triple_ids, [t.id for t in linked.triples if any(s.message_id in said for s in t.sources)]
        ),
        segment_ids=_united(
            before.segment_ids, [s.id for s in segments.values() if s.session_id == session_id]
        ),
    )


def _joined(so_far: str, drafts: Sequence[SummaryDraft]) -> str:
    """A draft that continues the text so far adds only what is new; several drafts follow each other."""
    added = [draft.text.removeprefix(so_far).strip() for draft in drafts]
    return " ".join(dict.fromkeys(text for text in (so_far, *added) if text))[:LONGEST_SUMMARY]


def _united(*groups: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for group in groups for item in group))


RECIPE = Recipe("memscope", read, remember)
