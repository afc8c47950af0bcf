"""memscope: our own system, the default. The best of the others in one pass, works with no LLM.

    sensory      each message compressed, embedded and scored by one encoder pass          LightMem
    topics       every session segmented; its start is always a boundary                   LightMem
    short-term   buffers of th tokens, of whole sessions where they fit                    LightMem
    extraction   one call a buffer: facts, triples, topic labels and, as CogniGraph has
                 them, a summary of each session, continued where one exists               LiCoMemory
                 standalone sentences, absolute times; what need not be remembered is
                 skipped, with the reason                                              SimpleMem
    long-term    soft insert: nothing that is there changes                                LightMem
    graph        entities and typed triples with validity, beside the memory that states
                 each; what contradicts is proposed by consolidation, never done here      Mem0-graph

`read` is all of it up to extraction; it needs nothing but its step, so steps are read side by side.
`remember` links and inserts.

Calls: never more than LightMem makes of the same messages. A buffer is released where a session ends and
it holds th tokens, within a session only at th and a sensory memory more (`stages.buffer.queue_sessions`
says why that is enough); what a step has left joins its last buffer. A step that cannot fill one hands its
topics to the next that cannot either, so a step costs no call of its own. There is one corner: LightMem's
queue would put such a leftover into the same call as a fuller step behind it, which here is read already.
Each time that happens memscope may make one call more; it takes a step of 128 messages with less than th
tokens (in a session that goes on: than th and a sensory memory), followed by one with more. LightMem reads
only the user's messages by default; the same messages means all.

Deliberate differences. LightMem feeds compressed text to the extractor; here a language model gets
compressed text, the language pipeline the raw text, because a parser needs whole sentences. LightMem's
sensory memory is a stream segmented where it overflows; here a session is segmented as a whole, which
needs no state. SimpleMem gates by density against what is already known; here the extractor, which knows
only the session's summary, skips what says nothing, and what is said twice is for consolidation to propose
merging.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from memcore.domain.extraction import Buffer, SummaryDraft
from memcore.domain.models import Message, Segment, SessionSummary, triple_text
from memcore.domain.protocols import Compressed, TokenCodes, Vectors
from memcore.stages.buffer import queue_sessions, topics_of
from memcore.stages.compress import compress
from memcore.stages.link import Linked, in_context, link
from memcore.stages.segmentation.segment import segment
from memcore.systems.extracting import Extracted, begin, extract
from memcore.systems.steps import SPOKEN, EmbedTrace, Known, Step, StepResult, Tools, Tracer, embedded

NAME = "memscope"
LONGEST_SUMMARY = 2000
MOST_KEYWORDS = 5


@dataclass(frozen=True, slots=True)
class ExtractedStep:
    """One step after all models have read it: the buffers that were extracted from, the topics that filled
    none, the messages nobody reads, and the vectors of messages and facts by text."""

    step: Step
    extracted: tuple[Extracted, ...]
    waiting: tuple[Buffer, ...]
    unread: tuple[str, ...]
    errors: tuple[str, ...]
    vectors: Mapping[str, Vectors]
    token_codes: Mapping[str, TokenCodes]
    tracer: Tracer


def read(step: Step, tools: Tools) -> ExtractedStep:
    """Everything models do: compress, embed, segment, extract."""
    tracer = Tracer(step)
    begin(step, tools)
    spoken = [[m for m in part.messages if m.role in SPOKEN] for part in step.parts]
    messages = [message for said in spoken for message in said]
    with tracer.timing("compress"):
        compressed, compression = compress(
            messages, tools.compression_rate, tools.compressor, window=tools.sensory_tokens
        )
    with tracer.timing("embed"):
        vectors = embedded([message.text for message in messages], tools.embedder)
    topics: list[Buffer] = []
    for part, said in zip(step.parts, spoken, strict=True):
        if said:
            tracer.add("compress", part.session.id, compression.of(said))
            segments = _segments(said, compressed, vectors, tools, tracer)
            topics += topics_of(segments, said, compressed, before=part.before, people=part.people)
    waiting, released = _buffers((), topics, step, tools, last=False)
    extracted, errors = extract(
        _with_summaries(released, {part.session.id: part.summary for part in step.parts}), tools, tracer
    )
    vectors |= _fact_vectors(extracted, tools, tracer)
    return ExtractedStep(
        step=step,
        extracted=extracted,
        waiting=waiting,
        unread=tuple(m.id for part in step.parts for m in part.messages if m.role not in SPOKEN),
        errors=errors,
        vectors=vectors,
        token_codes=_codes(vectors, tools, tracer),
        tracer=tracer,
    )


def remember(
    prepared: ExtractedStep, known: Known[tuple[Buffer, ...]], tools: Tools
) -> StepResult[tuple[Buffer, ...]]:
    """Soft insert: facts become memories, names entities, relations triples. Topics that filled no buffer
    of their own step are extracted from once they do, or once nothing more will come."""
    step, tracer = prepared.step, prepared.tracer
    waiting = known.carry or ()
    released: tuple[Buffer, ...] = ()
    if prepared.waiting or step.last:
        waiting, released = _buffers(waiting, prepared.waiting, step, tools, last=step.last)
    so_far = {session_id: summary.text for session_id, summary in known.summaries.items()}
    late, late_errors = extract(_with_summaries(released, so_far), tools, tracer)
    extracted = (*prepared.extracted, *late)
    late_vectors = _fact_vectors(late, tools, tracer)
    vectors = {**prepared.vectors, **late_vectors}
    with tracer.timing("link"):
        facts = in_context(
            [fact for _, read in extracted for fact in read.facts],
            [message for buffer, _ in extracted for message in buffer.messages],
            [segment for buffer, _ in extracted for segment in buffer.segments],
            owner=step.owner,
            recipe=NAME,
            run_id=step.run_id,
            compressed={i: text for buffer, _ in extracted for i, text in buffer.compressed.items()},
        )
        linked, link_trace = link(
            facts, embedding_model=tools.embedder.model_id, entities=known.entities, triples=known.triples
        )
    tracer.add("link", step.run_id, link_trace)
    with tracer.timing("embed"):
        triples = embedded(_triple_texts(linked, known), tools.embedder)
    tracer.add("embed", step.run_id, EmbedTrace(tools.embedder.model_id, len(vectors), len(triples)))
    return StepResult(
        segments=tuple(segment for buffer, _ in extracted for segment in buffer.segments),
        memories=linked.memories,
        entities=linked.entities,
        triples=linked.triples,
        summaries=tuple(_summaries(extracted, step.owner, known, linked)),
        embedding_model=tools.embedder.model_id,
        vectors={**vectors, **triples},
        token_codes={**prepared.token_codes, **_codes(late_vectors, tools, tracer)},
        traces=tracer.traces(),
        processed=(*prepared.unread, *(m.id for buffer, _ in extracted for m in buffer.messages)),
        errors=(*prepared.errors, *late_errors),
        carry=waiting,
    )


def _segments(
    said: Sequence[Message],
    compressed: Mapping[str, Compressed],
    vectors: Mapping[str, Vectors],
    tools: Tools,
    tracer: Tracer,
) -> tuple[Segment, ...]:
    """The topics of one session part."""
    with tracer.timing("segment"):
        segments, trace = segment(
            said,
            np.stack([vectors[message.text] for message in said]),
            method=tools.segment_method,
            attention=tools.attention,
            turns=[compressed[message.id].text for message in said],
            recipe=NAME,
        )
    tracer.add("segment", trace.session_id, trace)
    return segments


def _buffers(
    queue: Sequence[Buffer], topics: Sequence[Buffer], step: Step, tools: Tools, *, last: bool
) -> tuple[tuple[Buffer, ...], tuple[Buffer, ...]]:
    """Short-term memory: never more buffers than LightMem's queue would make."""
    return queue_sessions(
        queue,
        topics,
        threshold=tools.buffer_tokens,
        most=tools.buffer_tokens + tools.sensory_tokens,
        goes_on=step.parts[-1].goes_on,
        last=last,
    )


def _with_summaries(buffers: Sequence[Buffer], so_far: Mapping[str, str]) -> list[Buffer]:
    """Each buffer with what its sessions were about so far."""
    return [
        replace(one, summaries={i: text for i in one.session_ids if (text := so_far.get(i))})
        for one in buffers
    ]


def _fact_vectors(extracted: Sequence[Extracted], tools: Tools, tracer: Tracer) -> dict[str, Vectors]:
    with tracer.timing("embed"):
        return embedded([fact.text for _, read in extracted for fact in read.facts], tools.embedder)


def _codes(texts: Iterable[str], tools: Tools, tracer: Tracer) -> dict[str, TokenCodes]:
    """The token codes of messages and facts, for late interaction."""
    with tracer.timing("embed"):
        unique = list(texts)
        return dict(zip(unique, tools.embedder.token_codes(unique), strict=True)) if unique else {}


def _triple_texts(linked: Linked, known: Known[tuple[Buffer, ...]]) -> list[str]:
    """Triples as sentences, which is how semantic search compares them with a question."""
    names = {i: e.name for i, e in known.entities.items()} | {e.id: e.name for e in linked.entities}
    return [triple_text(names[t.subject_id], t.relation, names[t.object_id]) for t in linked.triples]


def _summaries(
    extracted: Sequence[Extracted], owner: str, known: Known[tuple[Buffer, ...]], linked: Linked
) -> list[SessionSummary]:
    """One summary a session: what it said so far, and what its new buffers add."""
    drafts: dict[str, list[SummaryDraft]] = {
        i: [] for buffer, _ in extracted for i in buffer.session_ids if i in known.summaries
    }
    for _, read in extracted:
        for session_id, draft in read.summaries.items():
            drafts.setdefault(session_id, []).append(draft)
    return [
        _summary(
            known.summaries.get(session_id)
            or SessionSummary(SessionSummary.id_for(session_id, NAME), session_id, owner, "", recipe=NAME),
            added,
            extracted,
            linked,
        )
        for session_id, added in drafts.items()
    ]


def _summary(
    before: SessionSummary, drafts: Sequence[SummaryDraft], extracted: Sequence[Extracted], linked: Linked
) -> SessionSummary:
    session_id = before.session_id
    said = {m.id: m.said_at for buffer, _ in extracted for m in buffer.messages if m.session_id == session_id}
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
            before.segment_ids,
            [s.id for buffer, _ in extracted for s in buffer.segments if s.session_id == session_id],
        ),
    )


def _joined(so_far: str, drafts: Sequence[SummaryDraft]) -> str:
    """A draft that continues the text so far adds only what is new; several drafts follow each other."""
    added = [draft.text.removeprefix(so_far).strip() for draft in drafts]
    return " ".join(dict.fromkeys(text for text in (so_far, *added) if text))[:LONGEST_SUMMARY]


def _united(*groups: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for group in groups for item in group))
