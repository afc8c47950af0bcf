"""A person moves the topic boundaries of a session, and what that changed is read again.

Moving a boundary, splitting a topic and joining two are one operation: a new list of the messages at
which topics start. Only segments whose messages changed are extracted again, by the system's own
extractor, in a run of its own. What they say for the first time is added (soft
insert); what they said before and no longer say is never removed but proposed for removal. Memories
that are said again stay exactly as they are, with the segment they were first read in; the topic
they stand in now follows from their words (`objects.standing_segments`). The session's summary stays
too: what was said has not changed. Everything is one transaction and one batch of events, so one
undo takes it back; a reading that fails changes nothing. It knows no screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from memcore.domain.errors import CancelledError, ConflictError, MemcoreError
from memcore.domain.extraction import Buffer, Extraction
from memcore.domain.models import (
    MemoryEntry,
    Proposal,
    Run,
    RunState,
    Segment,
    TopicCut,
    now,
    triple_text,
)
from memcore.domain.protocols import Cancelled, Compressed, Progress, Store, StoreWriter, Vectors
from memcore.review.curate.protect import admitted
from memcore.review.proposals import ProposalQueue, no_longer_said
from memcore.runs.boundaries import Plan, cut_of, planned
from memcore.runs.ingest import llm_totals
from memcore.stages.buffer import CONTEXT_MESSAGES, buffer_trace, queue_topics, topics_of
from memcore.stages.compress import compress
from memcore.stages.link import Linked, in_context, link
from memcore.systems.steps import EmbedTrace, Step, System, Tools, Tracer, embedded


@dataclass(frozen=True, slots=True)
class Resegmented:
    """What moving boundaries did. `segments` are the topics that stand now, `changed` the ids of those that
    were read again; `added` are the memories they say for the first time, `kept` counts those they say
    again, `proposals` would remove those they no longer say. Undoing `event_id` takes it all back."""

    run_id: str
    cut: TopicCut
    segments: tuple[Segment, ...]
    changed: tuple[str, ...]
    added: tuple[MemoryEntry, ...]
    kept: int
    proposals: tuple[Proposal, ...]
    event_id: str
    seconds: float


def resegment(
    store: Store,
    session_id: str,
    starts: Sequence[str],
    *,
    run: Run,
    recipe: System[Any, Any],
    tools: Tools,
    llm: dict[str, Any],
    actor: str,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Resegmented:
    """Divide the session anew for one system: a topic starts at every message of `starts`, and at the
    first one whether named or not.

    Raises NotFoundError (no such session), UsageError (nothing would change, an unknown message, a
    start that must stay), ConflictError (someone else moved its boundaries meanwhile), CancelledError, and
    MemcoreError when a topic cannot be read; nothing but the run's record is changed then.
    """
    plan = planned(store, session_id, recipe.name, starts)
    with store.write(actor=actor, run_id=run.id) as writer:
        writer.put_run(run)
    try:
        if progress is not None:
            progress("read", 0, len(plan.changed))
        read_again = _read(store, plan, run, tools)
        if progress is not None:
            progress("read", len(plan.changed), len(plan.changed))
        if cancelled is not None and cancelled():
            raise CancelledError("Cancelled before anything was changed.", "Read the topics again to go on.")
        with store.write(actor=actor, run_id=run.id) as writer:
            done = _remember(store, writer, plan, read_again, run, tools, graph=recipe.graph)
            ended = replace(run, state="finished", finished_at=now())
            totals = {
                "segments": len(done.changed),
                "memories": len(done.added),
                "proposals": len(done.proposals),
                "seconds": ended.seconds,
                "llm": llm_totals(store, run, llm),
            }
            writer.put_run(replace(ended, totals=totals))
    except BaseException as error:
        state: RunState = "cancelled" if isinstance(error, CancelledError | KeyboardInterrupt) else "failed"
        spent = {"llm": llm_totals(store, run, llm)}
        why = str(error) or type(error).__name__
        with store.write(actor=actor, run_id=run.id) as writer:
            writer.put_run(replace(run, state=state, finished_at=now(), totals=spent, error=why))
        raise
    made = store.last_event_of(done.cut.id)
    assert made is not None, "the boundaries were stored a moment ago"
    return replace(done, event_id=made.id, seconds=ended.seconds or 0.0)


# --------------------------------------------------------------------------- reading again


@dataclass(frozen=True, slots=True)
class _ReadAgain:
    """The changed segments after extraction, with their labels, and the facts' vectors by text."""

    segments: tuple[Segment, ...]
    extractions: tuple[Extraction, ...]
    compressed: Mapping[str, Compressed]
    vectors: Mapping[str, Vectors]
    tracer: Tracer


def _read(store: Store, plan: Plan, run: Run, tools: Tools) -> _ReadAgain:
    """Raises MemcoreError for the first buffer that cannot be read."""
    tracer = Tracer(Step(run.owner, run.id, 0, ()))
    wanted = {i for segment in plan.changed for i in segment.message_ids}
    said = [message for message in plan.messages if message.id in wanted]
    with tracer.timing("compress"):
        compressed, trace = compress(
            said, tools.compression_rate, tools.compressor, window=tools.sensory_tokens
        )
    tracer.add("compress", plan.session_id, trace)
    buffers = list(_buffers(store, plan, compressed, tools, tracer))
    with tracer.timing("extract"):
        extracted = tools.extractor.extract(buffers)
    for _, how in extracted:
        tracer.add("extract", plan.session_id, how)
        if how.error:
            raise MemcoreError(
                f"The topics could not be read again: {how.error}",
                "Topics and memories are as before. Try again, or discard the draft.",
            )
    topics = {i: label for extraction, _ in extracted for i, label in extraction.topics.items()}
    labelled = tuple(replace(s, topic=topics.get(s.id, s.topic)) for s in plan.changed)
    extractions = tuple(extraction for extraction, _ in extracted)
    with tracer.timing("embed"):
        texts = [fact.text for extraction in extractions for fact in extraction.facts]
        vectors = embedded(texts, tools.embedder)
    return _ReadAgain(labelled, extractions, compressed, vectors, tracer)


def _buffers(
    store: Store, plan: Plan, compressed: Mapping[str, Compressed], tools: Tools, tracer: Tracer
) -> Iterator[Buffer]:
    """Neighbouring changed segments share buffers, by LightMem's rule of short-term memory; what was said
    before them gives context."""
    people = store.speakers_of(plan.conversation_id)
    changed = {segment.id for segment in plan.changed}
    by_id = {message.id: message for message in plan.messages}
    place = {message.id: number for number, message in enumerate(plan.messages)}
    with tracer.timing("buffer"):
        for is_changed, group in groupby(plan.segments, key=lambda segment: segment.id in changed):
            if not is_changed:
                continue
            segments = list(group)
            said = [by_id[i] for segment in segments for i in segment.message_ids]
            first = place[said[0].id]
            before = plan.messages[max(0, first - CONTEXT_MESSAGES) : first]
            topics = topics_of(segments, said, compressed, before=before, people=people)
            _, released = queue_topics((), topics, threshold=tools.buffer_tokens, last=True)
            tracer.add(
                "buffer", plan.session_id, buffer_trace(plan.session_id, released, tools.buffer_tokens)
            )
            yield from released


# --------------------------------------------------------------------------- storing


def _remember(
    store: Store,
    writer: StoreWriter,
    plan: Plan,
    read_again: _ReadAgain,
    run: Run,
    tools: Tools,
    *,
    graph: bool,
) -> Resegmented:
    """Put everything into the open transaction; without `graph`, the system keeps no triples."""
    if store.topic_cut(plan.session_id, plan.recipe) != plan.cut:
        raise ConflictError(
            "The boundaries of these topics were moved while they were being read.",
            "Look at them again, then decide.",
        )
    tracer = read_again.tracer
    entities = {entity.id: entity for entity in store.entities(plan.owner, recipe=plan.recipe)}
    triples = {
        triple.id: triple for triple in store.triples(plan.owner, recipe=plan.recipe) if triple.mentions
    }
    with tracer.timing("link"):
        linked, trace = link(
            in_context(
                [
                    fact if graph else replace(fact, triples=())
                    for extraction in read_again.extractions
                    for fact in extraction.facts
                ],
                plan.messages,
                read_again.segments,
                owner=plan.owner,
                recipe=plan.recipe,
                run_id=run.id,
                compressed={i: compressed.text for i, compressed in read_again.compressed.items()},
            ),
            embedding_model=tools.embedder.model_id,
            entities=entities,
            triples=triples,
        )
    tracer.add("link", run.id, trace)
    known = store.memories_by_id([memory.id for memory in linked.memories])
    # What an undone reading made is there, marked deleted; what a person decided about stays as it is.
    added = [m for m in linked.memories if m.id not in known or known[m.id].state == "deleted"]
    leave = admitted(store, plan.owner, plan.recipe, added, linked.entities, linked.triples)
    names = {i: e.name for i, e in entities.items()} | {e.id: e.name for e in linked.entities}
    said = [triple_text(names[t.subject_id], t.relation, names[t.object_id]) for t in linked.triples]
    with tracer.timing("embed"):
        vectors = {**read_again.vectors, **embedded(said, tools.embedder)}
    tracer.add("embed", run.id, EmbedTrace(tools.embedder.model_id, len(read_again.vectors), len(said)))
    proposals = _removals(store, writer, plan, linked, run, tools.extractor.name)
    cut = cut_of(store, plan)
    writer.add_segments(read_again.segments)
    codes = dict(zip(read_again.vectors, tools.embedder.token_codes(list(read_again.vectors)), strict=True))
    writer.add_embeddings(tools.embedder.model_id, vectors, codes)
    leave.put(writer)
    writer.put_topic_cuts([cut])
    writer.add_traces(tracer.traces())
    labelled = {segment.id: segment for segment in read_again.segments}
    return Resegmented(
        run_id=run.id,
        cut=cut,
        segments=tuple(labelled.get(segment.id, segment) for segment in plan.segments),
        changed=tuple(labelled),
        added=leave.memories,
        kept=sum(i in known and memory.state == "active" for i, memory in known.items()),
        proposals=tuple(proposals),
        event_id="",
        seconds=0.0,
    )


def _removals(
    store: Store, writer: StoreWriter, plan: Plan, linked: Linked, run: Run, reader: str
) -> list[Proposal]:
    """Propose to remove what the changed topics said and no longer say. A memory that an approved
    proposal made is a person's decision and not one message's; it is left alone."""
    read_again = {i for segment in plan.changed for i in segment.message_ids}
    said = {memory.id for memory in linked.memories}
    same_words = {memory.text: memory for memory in linked.memories}
    proposal_queue = ProposalQueue(store.proposals(plan.owner))
    made = []
    for memory in store.memories(plan.owner, session_id=plan.session_id):
        of_theirs = memory.recipe == plan.recipe and memory.sources[0].message_id in read_again
        if not of_theirs or memory.id in said:
            continue
        made_by = store.run(memory.run_id)
        if made_by is not None and made_by.kind == "consolidate":
            continue
        proposal = no_longer_said(memory, same_words.get(memory.text), reader=reader, run_id=run.id, at=now())
        before = store.proposal(proposal.id)
        if before is not None and before.state != "superseded":
            continue  # it waits already, or a person has decided it
        admission = proposal_queue.admit(proposal)
        if admission.admitted:
            made.append(proposal)
        else:
            writer.put_proposals([admission.waiting], kind="proposal.noted")
    writer.put_proposals(made)
    return made
