"""Mem0-graph: a graph of entities and relations, kept up to date as messages come in (section 2.2).

    extraction   for each new message pair, entities with their types, then relations between
                 them, triplets (v_s, r, v_d)                                stages/extract_graph.py
    update       for each relation, nodes at similarity t = 0.7 or above are used, others created:
                 both, one or none                                           stages/match_nodes.py
                 conflict detection and the update resolver: relations that are obsolete are marked
                 invalid, never removed                                      review/graph_conflicts.py
    retrieval    entity-centric and semantic triplet, merged                 retrieval/mem0_graph.py

`read` is extraction, which needs the pair only, so pairs are read side by side. `remember` updates the
graph pair after pair: each sees what those before it have made.

Deliberate differences from the paper. A relation is stored as a triple and as the memory that states it,
so that it has evidence, can be reviewed, undone and asked for as of a day like any other memory. An obsolete
relation is proposed for invalidation and ends at the time of the new one once a person approves; until then
both hold. Similarity speaks for common words, never for names and numbers (see match_nodes). A relation is
compared with those of its subject among the 200 memories most similar to it, and the one stated earlier may
be obsolete, also where an older log comes later. A pair is two messages by different speakers and never
spans sessions or steps. Without a language model the language pipeline's triples are the relations, and
rules resolve conflicts.

Differences from the published code. It matches nodes at .9 where it adds and at .7 where it searches, and
deletes an obsolete relation; here, as in the paper, t is one threshold and what is obsolete stays and is
marked. It stores the graph beside the memories of its base system; here the graph's own are the memories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memcore.domain.errors import LlmError, LlmUnavailableError
from memcore.domain.extraction import Buffer, ExtractionTrace, Fact, SkippedText
from memcore.domain.models import Proposal, Segment, now
from memcore.domain.names import shown_name
from memcore.domain.protocols import Vectors
from memcore.review.proposals import to_proposal
from memcore.stages.link import Linked, in_context, link
from memcore.stages.pairs import as_segment, message_pairs
from memcore.stages.relations import as_relations
from memcore.systems.mem0_graph.conflicts import MOST_SIMILAR, ConflictTrace, made_by, resolve
from memcore.systems.mem0_graph.growing_graph import NEAREST_MEMORIES, GrowingGraph
from memcore.systems.mem0_graph.match_nodes import match_nodes
from memcore.systems.steps import (
    EmbedTrace,
    Known,
    SessionPart,
    Step,
    StepResult,
    Tools,
    Tracer,
    embedded,
)

NAME = "mem0_graph"
STEP_MESSAGES = 32
BEFORE = 2
"""Earlier messages that come with a part: the pair before, in which the language pipeline finds who
"she" is. A model is shown the pair alone, as published."""
UNREAD = "messages of this role are not read"


@dataclass(frozen=True, slots=True)
class Pair:
    """A message pair after extraction, with one fact a relation."""

    buffer: Buffer
    facts: tuple[Fact, ...]

    @property
    def segment(self) -> Segment:
        """The one segment of the pair's buffer."""
        return self.buffer.segments[0]


@dataclass(frozen=True, slots=True)
class ExtractedPairs:
    """One step's pairs in order, with the vectors of their relations' words and names. Pairs that could
    not be read are not among them, but in `errors`; `unread` are messages nobody reads."""

    step: Step
    pairs: tuple[Pair, ...]
    vectors: Mapping[str, Vectors]
    unread: tuple[str, ...]
    errors: tuple[str, ...]
    tracer: Tracer


def read(step: Step, tools: Tools) -> ExtractedPairs:
    """Extraction phase: entities and relations of each message pair."""
    tracer = Tracer(step)
    buffers: list[Buffer] = []
    unread: list[str] = []
    for part in step.parts:
        buffers += _pairs(part, tools)
        rows = tuple(
            SkippedText(m.id, 0, len(m.text), UNREAD) for m in part.messages if m.role not in tools.roles
        )
        if rows:
            tracer.add("extract", part.session.id, ExtractionTrace(part.session.id, NAME, rows))
        unread += [row.message_id for row in rows]
    with tracer.timing("extract"):
        results = [as_relations(*result) for result in tools.extractor.extract(buffers)]
    for _, trace in results:
        tracer.add("extract", trace.session_id, trace)
    pairs = tuple(
        Pair(buffer, extraction.facts)
        for buffer, (extraction, trace) in zip(buffers, results, strict=True)
        if not trace.error
    )
    with tracer.timing("embed"):
        vectors = embedded([text for pair in pairs for text in _words(pair.facts)], tools.embedder)
    errors = tuple(trace.error for _, trace in results if trace.error)
    return ExtractedPairs(step, pairs, vectors, tuple(unread), errors, tracer)


def remember(prepared: ExtractedPairs, known: Known[None], tools: Tools) -> StepResult[None]:
    """Update phase, pair after pair. A pair whose conflicts could not be resolved leaves nothing behind."""
    step, tracer = prepared.step, prepared.tracer
    graph = GrowingGraph(known, prepared.vectors, tools.embedder)
    done: list[Segment] = []
    proposals: list[Proposal] = []
    errors = list(prepared.errors)
    for pair in prepared.pairs:
        try:
            linked, found = _update(pair, graph, step, tools, tracer)
        except LlmError as error:
            failed = ConflictTrace(pair.segment.id, made_by(tools.llm), 0, error=str(error))
            tracer.add("conflicts", pair.segment.session_id, failed)
            errors.append(str(error))
            if not isinstance(error, LlmUnavailableError):
                continue
            if not done:
                raise
            break  # the pairs after this one wait with it
        graph.take(linked)
        done.append(pair.segment)
        proposals += found
    with tracer.timing("embed"):
        made, vectors = graph.to_store()
    triples = len(made.triples)
    tracer.add("embed", step.run_id, EmbedTrace(tools.embedder.model_id, len(vectors) - triples, triples))
    return StepResult(
        segments=tuple(done),
        memories=made.memories,
        entities=made.entities,
        triples=made.triples,
        proposals=tuple(proposals),
        embedding_model=tools.embedder.model_id,
        vectors=vectors,
        traces=tracer.traces(),
        processed=(*prepared.unread, *(i for segment in done for i in segment.message_ids)),
        errors=tuple(errors),
    )


def _update(
    pair: Pair, graph: GrowingGraph, step: Step, tools: Tools, tracer: Tracer
) -> tuple[Linked, list[Proposal]]:
    """One pair's relations: their nodes found or made, linked, and what they make obsolete proposed."""
    session_id = pair.segment.session_id
    with tracer.timing("match"):
        nodes, matching = match_nodes(
            [draft for fact in pair.facts for draft in fact.triples],
            segment_id=pair.segment.id,
            names=graph.names,
            near=graph.near,
            vector=graph.vector,
        )
    with tracer.timing("link"):
        facts = in_context(
            pair.facts,
            pair.buffer.messages,
            pair.buffer.segments,
            owner=step.owner,
            recipe=NAME,
            run_id=step.run_id,
        )
        linked, linking = link(
            facts,
            embedding_model=tools.embedder.model_id,
            entities=graph.entities,
            triples=graph.triples,
            nodes=graph.ids(_ends(pair.facts), nodes, step.owner, NAME),
        )
    with tracer.timing("conflicts"):
        stated = graph.stated(linked, MOST_SIMILAR if tools.llm else NEAREST_MEMORIES)
        decisions, conflicts = resolve(stated, segment_id=pair.segment.id, llm=tools.llm)
    for stage, trace in (("match", matching), ("link", linking), ("conflicts", conflicts)):
        tracer.add(stage, session_id, trace)
    return linked, [to_proposal(d, {}, run_id=step.run_id, at=now()) for d in decisions]


def _pairs(part: SessionPart, tools: Tools) -> list[Buffer]:
    """The message pairs of one session part, each as a buffer and a segment of its own."""
    earlier = [message for message in part.before if message.role in tools.roles]
    buffers = []
    for pair in message_pairs([message for message in part.messages if message.role in tools.roles]):
        buffers.append(
            Buffer(
                session_id=part.session.id,
                segments=(as_segment(pair, NAME, "message pair"),),
                messages=pair,
                before=tuple(earlier[-BEFORE:]),
                people=part.people,
            )
        )
        earlier += pair
    return buffers


def _words(facts: Sequence[Fact]) -> list[str]:
    """What of the relations is embedded: their sentences, and the names of their ends."""
    return [*(fact.text for fact in facts), *map(shown_name, _ends(facts))]


def _ends(facts: Sequence[Fact]) -> list[str]:
    drafts = [draft for fact in facts for draft in fact.triples]
    return [name for draft in drafts for name in (draft.subject, draft.object)]
