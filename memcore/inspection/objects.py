"""What screens and the command line show: store objects joined with what a reader needs beside them.

Read-only; nothing here decides or changes anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memcore.domain.errors import NotFoundError
from memcore.domain.models import (
    BY_PERSON,
    DEFAULT_OWNER,
    DEFAULT_RECIPE,
    Candidate,
    Entity,
    Event,
    Grounding,
    LlmCall,
    MemoryEntry,
    Message,
    Proposal,
    Run,
    Segment,
    Session,
    SessionSummary,
    Source,
    StageTrace,
    TopicCut,
    Triple,
)
from memcore.domain.protocols import Store
from memcore.retrieval.results import Quote
from memcore.review.diff import DiffPart, word_diff


@dataclass(frozen=True, slots=True)
class MemoryView:
    """One memory with its evidence, its triples, what replaced it and what it replaced. `removed` are triples
    that it stated and that no search finds any more, because a person corrected or removed them. `segment` is
    the topic that its words stand in now, whoever set its boundaries. `grounding` is whether its evidence
    carries it (None: not checked yet), `better` the message that does where the cited ones do not."""

    memory: MemoryEntry
    quotes: tuple[Quote, ...]
    triples: tuple[Triple, ...]
    entities: dict[str, Entity]
    segment: Segment | None
    replaces: tuple[MemoryEntry, ...]
    events: tuple[Event, ...]
    grounding: Grounding | None = None
    better: Message | None = None
    removed: tuple[Triple, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionView:
    """One session as one recipe worked on it: messages in order, the segments that stand,
    and every memory that cites it. `recipes` are all that worked on it; `cut` is a person's own division,
    if that is the one that stands."""

    session: Session
    messages: tuple[Message, ...]
    segments: tuple[Segment, ...]
    memories: tuple[MemoryEntry, ...]
    summary: SessionSummary | None
    owner: str = DEFAULT_OWNER
    recipe: str = DEFAULT_RECIPE
    recipes: tuple[str, ...] = ()
    cut: TopicCut | None = None

    def memories_of(self, segment: Segment) -> tuple[MemoryEntry, ...]:
        """The memories whose main source stands in a segment, whichever one they were first read in."""
        return tuple(m for m in self.memories if m.sources and m.sources[0].message_id in segment.message_ids)


@dataclass(frozen=True, slots=True)
class ProposalView:
    """One proposal with everything a decision needs: diff, targets, scored candidates, evidence (`quotes` by
    memory) and whether that carries them (`groundings` by memory, as far as they were checked). `words` are
    those in which an addition was proposed, `cites` those that its memory would cite instead."""

    proposal: Proposal
    diff: tuple[DiffPart, ...]
    targets: tuple[MemoryEntry, ...]
    candidates: tuple[tuple[MemoryEntry, float], ...]
    quotes: dict[str, tuple[Quote, ...]]
    entities: tuple[Entity, ...]
    events: tuple[Event, ...]
    words: Quote | None = None
    groundings: dict[str, Grounding] = field(default_factory=dict)
    cites: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class RunView:
    """One run with its stage traces, LLM calls and milliseconds by stage."""

    run: Run
    traces: tuple[StageTrace, ...]
    calls: tuple[LlmCall, ...]
    stage_milliseconds: dict[str, float]


def quotes_of(store: Store, sources: Sequence[Source]) -> tuple[Quote, ...]:
    """The text of sources, in their order."""
    messages = store.messages_by_id([source.message_id for source in sources])
    return tuple(Quote(messages[s.message_id], s.start, s.end) for s in sources if s.message_id in messages)


def quotes_by_id(store: Store, cited: Iterable[MemoryEntry | Triple]) -> dict[str, tuple[Quote, ...]]:
    """By the id of a memory or triple, its source text; all messages are read at once."""
    said = {one.id: one.sources for one in cited}
    messages = store.messages_by_id(list({s.message_id for sources in said.values() for s in sources}))
    return {
        key: tuple(Quote(messages[s.message_id], s.start, s.end) for s in sources if s.message_id in messages)
        for key, sources in said.items()
    }


def memory_view(store: Store, memory_id: str, *, owner: str = DEFAULT_OWNER) -> MemoryView:
    """Raises NotFoundError for an id that is none of the owner's."""
    memory = store.memory(memory_id)
    if memory is None or memory.owner != owner:
        raise NotFoundError(
            f"{owner} has no memory with the id {memory_id!r}.",
            "List ids with `search` or the Memories page.",
        )
    triples = store.triples(memory.owner, memory_ids=[memory_id])
    replaced = store.memories(memory.owner, states=None, superseded_by=memory_id)
    grounding = store.groundings([memory_id]).get(memory_id)
    return MemoryView(
        memory,
        quotes_of(store, memory.sources),
        tuple(triple for triple in triples if triple.mentions),
        _ends(store, triples),
        _topic_of(store, memory),
        tuple(replaced),
        tuple(store.events(object_id=memory_id)),
        grounding,
        store.messages_by_id([grounding.better]).get(grounding.better) if grounding else None,
        tuple(triple for triple in triples if not triple.mentions),
    )


def session_view(
    store: Store, session_id: str, recipe: str | None = None, *, owner: str = DEFAULT_OWNER
) -> SessionView:
    """A session as `recipe` worked on it; without one, the default recipe if it did, else the first
    that did. Raises NotFoundError for a session that is none of the owner's, or a recipe that has not worked
    on it."""
    session = store.session(session_id)
    if session is None or owner_of(store, session) != owner:
        raise NotFoundError(
            f"{owner} has no session with the id {session_id!r}.", "Choose one from the list of sessions."
        )
    recipes = store.recipes_of(session_id)
    if recipe is None:
        recipe = DEFAULT_RECIPE if DEFAULT_RECIPE in recipes else next(iter(recipes), DEFAULT_RECIPE)
    elif recipe not in recipes:
        known = f"Choose one of: {', '.join(recipes)}." if recipes else "Ingest it first."
        raise NotFoundError(f"The recipe {recipe!r} has not worked on this session.", known)
    summaries = store.summaries(owner, recipe=recipe)
    summary = next((one for one in summaries if one.session_id == session_id), None)
    cut = store.topic_cut(session_id, recipe)
    memories = store.memories(owner, states=None, session_id=session_id)
    return SessionView(
        session,
        tuple(store.messages(session_id)),
        standing_segments(store, session_id, recipe),
        tuple(memory for memory in memories if memory.recipe == recipe),
        summary,
        owner,
        recipe,
        tuple(recipes),
        cut if cut and cut.segment_ids else None,
    )


def owner_of(store: Store, session: Session) -> str:
    """Whose memory a session belongs to."""
    return next(c.owner for c in store.conversations() if c.id == session.conversation_id)


def standing_segments(store: Store, session_id: str, recipe: str) -> tuple[Segment, ...]:
    """The topic segments of a session in order: a person's where there are such, the recipe's own
    for whatever messages that leaves (they came later)."""
    segments = store.segments(session_id=session_id, recipe=recipe)
    cut = store.topic_cut(session_id, recipe)
    chosen = set(cut.segment_ids) if cut else set()
    covered = {i for segment in segments if segment.id in chosen for i in segment.message_ids}
    return tuple(
        segment
        for segment in segments
        if segment.id in chosen
        or (segment.boundary.get("method") != BY_PERSON and covered.isdisjoint(segment.message_ids))
    )


def proposal_view(store: Store, proposal_id: str, *, owner: str = DEFAULT_OWNER) -> ProposalView:
    """Raises NotFoundError for an id that is none of the owner's."""
    proposal = store.proposal(proposal_id)
    if proposal is None or proposal.owner != owner:
        raise NotFoundError(
            f"{owner} has no proposal with the id {proposal_id!r}.", "List them with `review list`."
        )
    about_entities = proposal.operation == "merge_entities"
    ids = [*proposal.target_ids, *(c.memory_id for c in proposal.candidates)]
    memories = {} if about_entities else store.memories_by_id(ids)
    entities = store.entities_by_id(ids) if about_entities else {}
    return ProposalView(
        proposal,
        tuple(word_diff(proposal.before, proposal.after or "")),
        tuple(memories[i] for i in proposal.target_ids if i in memories),
        tuple(
            (memories[c.memory_id], c.score)
            for c in _by_score(proposal.candidates)
            if c.memory_id in memories
        ),
        {memory.id: quotes_of(store, memory.sources) for memory in memories.values()},
        tuple(entities.values()),
        tuple(store.events(object_id=proposal_id)),
        _words_of(store, proposal),
        store.groundings(list(memories)),
        quotes_of(store, proposal.sources),
    )


def run_view(store: Store, run_id: str, *, owner: str = DEFAULT_OWNER) -> RunView:
    """Raises NotFoundError for an id that is none of the owner's."""
    run = store.run(run_id)
    if run is None or run.owner != owner:
        raise NotFoundError(
            f"{owner} has no run with the id {run_id!r}.", "Choose one from the list of runs."
        )
    traces = tuple(store.traces(run_id=run_id))
    spent: dict[str, float] = {}
    for trace in traces:
        spent[trace.stage] = spent.get(trace.stage, 0.0) + trace.milliseconds
    return RunView(run, traces, tuple(store.llm_calls(run_id=run_id)), spent)


def _topic_of(store: Store, memory: MemoryEntry) -> Segment | None:
    """The segment that holds the memory's main source, else the one it was first read in."""
    first = store.segments(ids=[memory.segment_id]) if memory.segment_id else []
    if not first or not memory.sources:
        return next(iter(first), None)
    standing = standing_segments(store, first[0].session_id, memory.recipe)
    said_in = memory.sources[0].message_id
    return next((segment for segment in standing if said_in in segment.message_ids), first[0])


def _words_of(store: Store, proposal: Proposal) -> Quote | None:
    if proposal.operation != "add":
        return None
    message = store.messages_by_id([proposal.words_id]).get(proposal.words_id)
    return Quote(message, 0, len(message.text)) if message else None


def _ends(store: Store, triples: Iterable[Triple]) -> dict[str, Entity]:
    ids = {i for triple in triples for i in (triple.subject_id, triple.object_id)}
    return store.entities_by_id(sorted(ids))


def _by_score(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda c: -c.score)
