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
from memcore.recipes.steps import EmbedTrace, SessionPart, Step, StepResult, Tools, Tracer
from memcore.stages.buffer import fill_buffers
from memcore.stages.compress import compress, compression_trace
from memcore.stages.facts import Extraction, Fact, SummaryDraft, TopicBuffer
from memcore.stages.link import FactContext, Linked, link
from memcore.stages.segment import segment

NAME = "memscope"
SPOKEN = frozenset({"user", "assistant", "person"})
LONGEST_SUMMARY = 2000


@dataclass(frozen=True, slots=True)
class _Read:
    """One session part after the encoder's pass: what was said, cut into topics and buffers."""

    part: SessionPart
    messages: tuple[Message, ...]
    segments: tuple[Segment, ...]
    buffers: tuple[TopicBuffer, ...]


def remember(step: Step, tools: Tools) -> StepResult:
    """Work through one step. Failed buffers are reported in `errors`; their messages stay pending."""
    tracer = Tracer(step)
    spoken = [[m for m in part.messages if m.role in SPOKEN] for part in step.parts]
    messages = [message for said in spoken for message in said]

    with tracer.timing("compress"):
        compressed, _ = compress(messages, tools.compression_rate, tools.compressor)
    with tracer.timing("embed"):
        said_vectors = _embedded([message.text for message in messages], tools)
    read = [
        _cut(part, said, compressed, said_vectors, tools, tracer)
        for part, said in zip(step.parts, spoken, strict=True)
        if said
    ]

    with tracer.timing("extract"):
        extracted = tools.extractor.extract([buffer for one in read for buffer in one.buffers])
    errors: list[str] = []
    failed: set[str] = set()
    extractions: dict[str, list[Extraction]] = {}
    buffers = [buffer for one in read for buffer in one.buffers]
    for buffer, (extraction, trace) in zip(buffers, extracted, strict=True):
        tracer.add("extract", buffer.session_id, trace)
        if trace.error:
            errors.append(trace.error)
            failed.update(message.id for message in buffer.messages)
        else:
            extractions.setdefault(buffer.session_id, []).append(extraction)

    segments = _labelled(read, extractions)
    with tracer.timing("link"):
        facts = _facts_in_context(step, segments, extractions, messages, compressed)
        linked, link_trace = link(
            facts, embedding_model=tools.embedder.model_id, entities=step.entities, triples=step.triples
        )
    tracer.add("link", step.run_id, link_trace)
    with tracer.timing("embed"):
        fact_vectors = _embedded(_texts(linked, step), tools)
    tracer.add("embed", step.run_id, EmbedTrace(tools.embedder.model_id, len(said_vectors), len(fact_vectors)))

    return StepResult(
        segments=tuple(segments.values()),
        memories=linked.memories,
        entities=linked.entities,
        triples=linked.triples,
        summaries=tuple(_summaries(step, read, extractions, linked)),
        embedding_model=tools.embedder.model_id,
        vectors={**said_vectors, **fact_vectors},
        traces=tracer.traces(),
        processed=tuple(m.id for part in step.parts for m in part.messages if m.id not in failed),
        errors=tuple(errors),
    )


def _cut(
    part: SessionPart,
    said: Sequence[Message],
    compressed: Mapping[str, Compressed],
    vectors: Mapping[str, Vectors],
    tools: Tools,
    tracer: Tracer,
) -> _Read:
    """Sensory memory to short-term memory for one session part."""
    turns = [compressed[message.id].text for message in said]
    tracer.add(
        "compress",
        part.session.id,
        compression_trace(said, compressed, tools.compression_rate, tools.compressor.name),
    )
    with tracer.timing("segment"):
        segments, trace = segment(
            said,
            np.stack([vectors[message.text] for message in said]),
            method=tools.segment_method,
            attention=tools.attention,
            turns=turns,
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
            summary=part.summary.text if part.summary else "",
        )
    tracer.add("buffer", part.session.id, buffer_trace)
    return _Read(part, tuple(said), segments, buffers)


def _embedded(texts: Sequence[str], tools: Tools) -> dict[str, Vectors]:
    unique = list(dict.fromkeys(texts))
    return dict(zip(unique, tools.embedder.embed(unique), strict=True)) if unique else {}


def _labelled(read: Sequence[_Read], extractions: Mapping[str, Sequence[Extraction]]) -> dict[str, Segment]:
    """Segments by id, with the topic label that extraction gave them."""
    topics = {i: label for done in extractions.values() for one in done for i, label in one.topics.items()}
    return {s.id: replace(s, topic=topics.get(s.id, "")) for one in read for s in one.segments}


def _facts_in_context(
    step: Step,
    segments: Mapping[str, Segment],
    extractions: Mapping[str, Sequence[Extraction]],
    messages: Sequence[Message],
    compressed: Mapping[str, Compressed],
) -> list[tuple[Fact, FactContext]]:
    """Each fact with its own source message, whose time it inherits (LightMem section 3.2)."""
    by_id = {message.id: message for message in messages}
    segment_of = {i: segment for segment in segments.values() for i in segment.message_ids}
    found = []
    for extraction in (one for done in extractions.values() for one in done):
        for fact in extraction.facts:
            message = by_id[fact.sources[0].message_id]
            home = segment_of[message.id]
            context = FactContext(
                owner=step.owner,
                recipe=NAME,
                run_id=step.run_id,
                segment_id=home.id,
                topic=home.topic,
                compressed=compressed[message.id].text,
                message=message,
            )
            found.append((fact, context))
    return found


def _texts(linked: Linked, step: Step) -> list[str]:
    """What semantic search compares a question with: memories, and triples as sentences."""
    names = {i: e.name for i, e in step.entities.items()} | {e.id: e.name for e in linked.entities}
    triples = [triple_text(names[t.subject_id], t.relation, names[t.object_id]) for t in linked.triples]
    return [memory.text for memory in linked.memories] + triples


def _summaries(
    step: Step, read: Sequence[_Read], extractions: Mapping[str, Sequence[Extraction]], linked: Linked
) -> list[SessionSummary]:
    """One summary a session: what it said so far, and what its new buffers add."""
    home = {i: one.part.session.id for one in read for s in one.segments for i in s.message_ids}
    parts: dict[str, list[_Read]] = {}
    for one in read:
        parts.setdefault(one.part.session.id, []).append(one)
    summaries = []
    for session_id, pieces in parts.items():
        drafts = [e.summary for e in extractions.get(session_id, ()) if e.summary]
        before = pieces[0].part.summary
        if not drafts:
            continue
        times = [m.said_at for one in pieces for m in one.messages if m.said_at is not None]
        known = [t for t in (before.started_at, before.ended_at) if t] if before else []
        triples = [t.id for t in linked.triples if home.get(t.sources[0].message_id) == session_id]
        summaries.append(
            SessionSummary(
                session_id=session_id,
                owner=step.owner,
                text=_joined(before.text if before else "", drafts),
                keywords=_united(before.keywords if before else (), [d.keywords for d in drafts], 5),
                themes=_united(before.themes if before else (), [d.themes for d in drafts], 5),
                started_at=min(times + known, default=None),
                ended_at=max(times + known, default=None),
                triple_ids=_united(before.triple_ids if before else (), [triples], None),
                segment_ids=_united(
                    before.segment_ids if before else (),
                    [[s.id for s in one.segments] for one in pieces],
                    None,
                ),
            )
        )
    return summaries


def _joined(so_far: str, drafts: Sequence[SummaryDraft]) -> str:
    """A draft that continues the text so far replaces it; several buffers' drafts follow each other."""
    added = [draft.text.removeprefix(so_far).strip() for draft in drafts]
    return " ".join(dict.fromkeys(text for text in (so_far, *added) if text))[:LONGEST_SUMMARY]


def _united(so_far: Sequence[str], groups: Sequence[Sequence[str]], most: int | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*so_far, *(item for group in groups for item in group)]))[:most]
