"""LiCoMemory: CogniGraph, three layers linked both ways, and a search that goes down them.

    Li1  a turn (a message and its reply) is a chunk: evidence, kept whole                    section 3.1
    Li2  one light call a turn: the session summary updated, entities and triples extracted   section 3.1
    Li3  entities deduplicated (one type; equal name or word overlap of at least 0.85)        section 3.1
    Li4  linked: summary to triples and chunks, triple to memory, chunk and session           section 3.1
    Li5  entities of the question, sessions by summary, triples in them, both weighted by
         time: `retrieval.licomemory`                                                         section 3.2

`read` only lines the turns up: what a turn's call is given, the turn before leaves behind. So turns are
read one after the other, in `remember`, and steps are small. A turn that a step's end parts waits for its
other half in the next one.

Without a language model the language pipeline reads the turns, its triples are what is remembered, and its
sentences continue the summary by rule (`stages.session_summary`).

Deliberate differences from the paper. A turn may be two friends' as well as a user's and an assistant's.
Where no model gives the types, an equal name is one entity whatever its types (`dedupe_entities`). A triple
that is said again is the same edge with one mention more; each mention is a memory with its own time, words
and chunk. A triple is stored as the memory that states it, too, so that a person can review it. Nothing is
proposed here: contradictions stand side by side and time decides their weight, as published.

Differences from the published code. Summaries are updated turn by turn, not written once a session is over.
Several relations between one pair are several edges; there a directed graph without parallel edges keeps
the last. A failed call is reported and its messages are read again; there it yields an empty chunk. The
temporal weight is always on, as in the paper (enable_CogniRank is off there).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memcore.domain.errors import LlmUnavailableError
from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, SkippedText, SummaryDraft
from memcore.domain.models import Message, Segment
from memcore.domain.protocols import Vectors
from memcore.stages.buffer import CONTEXT_MESSAGES
from memcore.stages.link import Linked, in_context, link
from memcore.stages.pairs import as_segment, message_pairs
from memcore.stages.relations import as_relations
from memcore.systems.licomemory.cognigraph import CogniGraph
from memcore.systems.licomemory.dedupe_entities import dedupe
from memcore.systems.licomemory.session_summary import MOST_KEYWORDS, MOST_THEMES, SummaryVersion, continued
from memcore.systems.steps import EmbedTrace, Known, Step, StepResult, Tools, Tracer, embedded

NAME = "licomemory"
STEP_MESSAGES = 32
"""A call a turn: a step that is lost and repeated costs 16."""
MOST_ENTITIES = 60
"""Entities of its session that a turn is read with, those last met: a prompt must not grow for ever."""
COUNTED_MEMORIES = 200
"""Memories of its session, the last ones, whose names a summary by rule counts: a turn of a session of years
must not take longer and longer."""
UNREAD = "messages of this role are not read"


@dataclass(frozen=True, slots=True)
class DialogueTurn:
    """A message and its reply, or one alone; `before` and `people` as in `Buffer`."""

    messages: tuple[Message, ...]
    before: tuple[Message, ...]
    people: tuple[str, ...]

    @property
    def session_id(self) -> str:
        """The session it was said in."""
        return self.messages[0].session_id

    @property
    def chunk(self) -> Segment:
        """Li1: the turn as evidence."""
        return as_segment(self.messages, NAME, "turn")


def read(step: Step, tools: Tools) -> Step:
    """Nothing ahead of the stream: a turn is read with what the turn before it left."""
    return step


def remember(step: Step, known: Known[DialogueTurn], tools: Tools) -> StepResult[DialogueTurn]:
    """One turn after the other, each with the graph and the summary as the turn before left them."""
    tracer = Tracer(step)
    graph = CogniGraph(step.owner, NAME, known, typed=tools.llm is not None)
    turns, waiting = _turns(step, known.carry, tools)
    unread = _unread(step, tools, tracer)
    errors: list[str] = []
    try:
        for turn, (extraction, trace) in zip(turns, _extractions(turns, graph, tools, tracer), strict=True):
            relations, trace = as_relations(extraction, trace)
            tracer.add("extract", turn.session_id, trace)
            if trace.error:  # the turns after it go on with the last good summary
                errors.append(trace.error)
                continue
            extraction = replace(extraction, facts=relations.facts)
            linked = _link(extraction, turn, graph, step, tools, tracer)  # Li3
            graph.take(turn.chunk, linked)
            _summarize(extraction, trace.made_by, turn, graph, linked, tools, tracer)  # Li4
    except LlmUnavailableError as error:
        if not graph.chunks:
            raise
        errors.append(str(error))  # the turns read before it are kept
    return StepResult(
        segments=graph.chunks,
        memories=graph.memories,
        entities=graph.changed_entities,
        triples=graph.changed_triples,
        summaries=graph.changed_summaries,
        embedding_model=tools.embedder.model_id,
        vectors=_embedded(graph, step, tools, tracer),
        traces=tracer.traces(),
        processed=(*unread, *(i for chunk in graph.chunks for i in chunk.message_ids)),
        errors=tuple(errors),
        carry=waiting,
    )


def _turns(
    step: Step, carry: DialogueTurn | None, tools: Tools
) -> tuple[list[DialogueTurn], DialogueTurn | None]:
    """The step's turns in order. Where a step's end parts a message from what may be its reply, the message
    waits for the next step, which goes on with it."""
    turns: list[DialogueTurn] = []
    waiting = carry
    for part in step.parts:
        said = [message for message in part.messages if message.role in tools.roles]
        earlier = [message for message in part.before if message.role in tools.roles]
        if waiting is not None:
            said, earlier = [*waiting.messages, *said], list(waiting.before)
        for pair in message_pairs(said):
            turns.append(DialogueTurn(pair, tuple(earlier[-CONTEXT_MESSAGES:]), part.people))
            earlier += pair
        waiting = turns.pop() if said and part.goes_on and len(turns[-1].messages) == 1 else None
    return turns, waiting


def _unread(step: Step, tools: Tools, tracer: Tracer) -> list[str]:
    """The messages that nobody said: they need no further work."""
    unread: list[str] = []
    for part in step.parts:
        rows = tuple(
            SkippedText(m.id, 0, len(m.text), UNREAD) for m in part.messages if m.role not in tools.roles
        )
        if rows:
            tracer.add("extract", part.session.id, ExtractionTrace(part.session.id, NAME, rows))
        unread += [row.message_id for row in rows]
    return unread


def _extractions(
    turns: Sequence[DialogueTurn], graph: CogniGraph, tools: Tools, tracer: Tracer
) -> Iterator[tuple[Extraction, ExtractionTrace]]:
    """Li2, turn after turn: the one light call is made when the turn before has left its summary in the
    graph. The language pipeline needs nothing of that and reads all turns in one batch."""
    if tools.llm is None:
        with tracer.timing("extract"):
            read = tools.extractor.extract([_buffer(turn) for turn in turns])
        yield from read
        return
    for turn in turns:
        summary = graph.summary(turn.session_id).text
        met = graph.entities_of(turn.session_id, MOST_ENTITIES)
        known = tuple(f"{entity.name} ({entity.type})" for entity in met)
        with tracer.timing("extract"):
            ((extraction, trace),) = tools.extractor.extract(
                [replace(_buffer(turn), summary=summary, known=known)]
            )
        yield extraction, trace


def _buffer(turn: DialogueTurn) -> Buffer:
    return Buffer(turn.session_id, (turn.chunk,), turn.messages, before=turn.before, people=turn.people)


def _link(
    extraction: Extraction, turn: DialogueTurn, graph: CogniGraph, step: Step, tools: Tools, tracer: Tracer
) -> Linked:
    """Li3: which names are an entity's already; then memories, entities and triples."""
    with tracer.timing("dedupe"):
        ids, dedupe_trace = dedupe(extraction.facts, graph.names, owner=step.owner, recipe=NAME)
    if dedupe_trace.equal:
        tracer.add("dedupe", turn.session_id, replace(dedupe_trace, segment_id=turn.chunk.id))
    with tracer.timing("link"):
        facts = in_context(
            extraction.facts, turn.messages, [turn.chunk], owner=step.owner, recipe=NAME, run_id=step.run_id
        )
        linked, trace = link(
            facts,
            embedding_model=tools.embedder.model_id,
            entities=graph.entities,
            triples=graph.triples,
            ids=ids,
        )
    tracer.add("link", turn.session_id, trace)
    return linked


def _summarize(
    extraction: Extraction,
    made_by: str,
    turn: DialogueTurn,
    graph: CogniGraph,
    linked: Linked,
    tools: Tools,
    tracer: Tracer,
) -> None:
    """Li4: the summary that the next turn is given, linked to its triples and chunks."""
    before = graph.summary(turn.session_id)
    draft = extraction.summaries.get(turn.session_id, SummaryDraft(""))
    if tools.llm is None:
        draft = continued(before, draft, graph.memories_of(turn.session_id)[-COUNTED_MEMORIES:])
    elif not draft.text:
        draft = SummaryDraft(before.text, before.keywords, before.themes)
    times = [message.said_at for message in turn.messages if message.said_at is not None]
    summary = replace(
        before,
        text=draft.text,
        keywords=draft.keywords[:MOST_KEYWORDS],
        themes=draft.themes[:MOST_THEMES],
        started_at=min((t for t in (before.started_at, *times) if t is not None), default=None),
        ended_at=max((t for t in (before.ended_at, *times) if t is not None), default=None),
        triple_ids=tuple(dict.fromkeys((*before.triple_ids, *(t.id for t in linked.triples)))),
        segment_ids=tuple(dict.fromkeys((*before.segment_ids, turn.chunk.id))),
    )
    graph.put_summary(summary)
    version = SummaryVersion(
        turn.chunk.id, max(times, default=None), summary.text, summary.keywords, summary.themes, made_by
    )
    tracer.add("summarize", turn.session_id, version)


def _embedded(graph: CogniGraph, step: Step, tools: Tools, tracer: Tracer) -> dict[str, Vectors]:
    """What search compares with a question: statements, triples, and summaries of sessions that the next step
    does not go on with (a summary that has no vector yet is embedded by the search)."""
    unfinished = {part.session.id for part in step.parts if part.goes_on}
    told = [memory.text for memory in graph.memories]
    told += [s.text for s in graph.changed_summaries if s.text and s.session_id not in unfinished]
    triples = [graph.text(triple) for triple in graph.changed_triples]
    with tracer.timing("embed"):
        vectors = embedded([*told, *triples], tools.embedder)
    trace = EmbedTrace(tools.embedder.model_id, len(set(told)), len(set(triples) - set(told)))
    tracer.add("embed", step.run_id, trace)
    return vectors
