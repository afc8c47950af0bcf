"""The store: all reading and the one way of writing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from memcore.domain.models import (
    AskedQuestion,
    Conversation,
    ConversationLog,
    Coverage,
    Curation,
    Entity,
    Event,
    Grant,
    Grounding,
    Link,
    LlmCall,
    LlmCost,
    MemoryEntry,
    Message,
    Proposal,
    RuleSwitch,
    Run,
    Segment,
    Session,
    SessionSummary,
    StageTrace,
    Statement,
    TopicCut,
    Triple,
)
from memcore.domain.protocols.grounding import Judge
from memcore.domain.protocols.indexes import SearchIndex
from memcore.domain.protocols.inference import TokenCodes
from memcore.domain.protocols.llm import Ledger


class StoreWriter(Protocol):
    """One transaction. Everything given to it is committed together when the `with` block ends
    without an exception, and nothing is otherwise; with it, a verdict on every memory, triple and summary
    that says or cites something new, where the store has a judge. `put_*` on reviewable objects (memories,
    entities, triples, summaries, topic cuts, proposals, rule switches, grants, curations) appends the event
    with the snapshots before and after; putting an object equal to what is stored is no change and no
    event."""

    batch: str

    def add_log(self, log: ConversationLog) -> int:
        """Store evidence; what is already stored (same ids) is left as it is. Returns the number
        of new messages."""
        ...

    def add_segments(self, segments: Sequence[Segment]) -> None:
        """Store topic segments; what is already stored is left as it is."""
        ...

    def put_memories(self, memories: Sequence[MemoryEntry], *, kind: str = "memory.added") -> None:
        """Store memories, or put them in place of what is there."""
        ...

    def put_entities(self, entities: Sequence[Entity], *, kind: str = "entity.added") -> None:
        """Store entities, or put them in place of what is there."""
        ...

    def put_triples(self, triples: Sequence[Triple], *, kind: str = "triple.added") -> None:
        """Store triples, or put them in place of what is there."""
        ...

    def put_summaries(self, summaries: Sequence[SessionSummary]) -> None:
        """Store session summaries, or put them in place of what is there."""
        ...

    def put_topic_cuts(self, cuts: Sequence[TopicCut], *, kind: str = "topics.moved") -> None:
        """Store a person's topic boundaries, or put them in place of what is there."""
        ...

    def put_proposals(self, proposals: Sequence[Proposal], *, kind: str = "proposal.made") -> None:
        """Store proposals, or put them in place of what is there."""
        ...

    def put_rule_switches(self, switches: Sequence[RuleSwitch], *, kind: str = "rule.switched") -> None:
        """Store which rules of automatic approval are on."""
        ...

    def put_grants(self, grants: Sequence[Grant], *, kind: str = "grant.given") -> None:
        """Store what persons may do with whose memory, or no longer."""
        ...

    def put_curations(self, curations: Sequence[Curation], *, kind: str = "curation.noted") -> None:
        """Store what a person decided about objects by hand."""
        ...

    def put_groundings(self, found: Sequence[tuple[Statement, Grounding]]) -> None:
        """Store verdicts on statements. No event."""
        ...

    def add_question(self, question: AskedQuestion, *, keep: int) -> None:
        """Note a question in place of the same one asked before, and forget all but the newest `keep` of its
        owner's. No event."""
        ...

    def restore(
        self, object_type: str, object_id: str, snapshot: dict[str, Any] | None, *, undo_of: str
    ) -> None:
        """Set an object to an earlier snapshot (None: it had not existed; it is kept, marked
        deleted) as a new event that names the event it undoes."""
        ...

    def add_embeddings(
        self,
        model_id: str,
        vectors: Mapping[str, NDArray[np.float32]],
        token_codes: Mapping[str, TokenCodes] | None = None,
    ) -> None:
        """text -> unit vector, and -> token codes for some or all of them; keyed in the store by the
        text's hash. A text whose vector is there already is left as it is."""
        ...

    def put_run(self, run: Run) -> None:
        """Store the run as it stands; a run is no reviewable object and makes no event."""
        ...

    def add_traces(self, traces: Sequence[StageTrace]) -> None:
        """Store what stages left behind."""
        ...

    def mark_processed(self, recipe: str, message_ids: Sequence[str], run_id: str) -> None:
        """Checkpoint: these messages need no further work by this recipe."""
        ...


class MemoryFilter(TypedDict, total=False):
    """Which of an owner's memories are wanted; without `states`, the active ones (None: all).

    `run_id`: those that this run made. `session_id`, `message_ids`: those that cite one of these messages.
    `person` matches persons and speaker and `contains` a part of the text, both regardless of case.
    `event_from`, `event_to` (exclusive): those that overlap the interval; a memory without event time
    overlaps none. `verdicts`: those with one of these, or `unchecked`."""

    states: Sequence[str] | None
    recipe: str | None
    run_id: str | None
    session_id: str | None
    message_ids: Sequence[str] | None
    segment_id: str | None
    superseded_by: str | None
    person: str | None
    kind: str | None
    event_from: datetime | None
    event_to: datetime | None
    contains: str | None
    verdicts: Sequence[str] | None


class Store(SearchIndex, Ledger, Protocol):
    """All reading and the one way of writing. Unknown ids give None or are absent from lists.
    Listings are in a stable order (by time, then place in the log, then id); those that can be long
    take limit and offset."""

    @property
    def read_only(self) -> bool:
        """Whether every write raises ReadOnlyStoreError."""
        ...

    def write(self, *, actor: str, run_id: str = "") -> AbstractContextManager[StoreWriter]:
        """A transaction; the events it appends name the actor and the run."""
        ...

    def claim(self, owner: str, recipe: str, *, waiting: Callable[[], bool]) -> AbstractContextManager[bool]:
        """The right to read an owner's messages with a system, which one run at a time has: what a system
        knows of the owner when it begins must still be so when it stores its first step. While another has
        it, `waiting` is asked now and then whether to go on waiting; False is given where it said no. It is
        given up with the block, whatever ends it, and with the process."""
        ...

    def at_work(self, run_id: str) -> bool:
        """Whether a run is at work now, in whichever process; one that is only said to run was broken off."""
        ...

    def owners(self) -> list[str]:
        """Everyone whose memory this store holds, in alphabetical order."""
        ...

    def stats(self, owner: str) -> dict[str, int]:
        """How many there are of what, by table and, where it matters, by state."""
        ...

    def find_object(self, object_id: str) -> tuple[str, dict[str, Any]] | None:
        """(object type, snapshot) of whatever has this id."""
        ...

    # evidence
    def conversations(self, owner: str | None = None) -> list[Conversation]:
        """Conversations; None: everyone's."""
        ...

    def sessions(self, *, conversation_id: str | None = None, owner: str | None = None) -> list[Session]:
        """Sessions of one conversation, of one owner, or all."""
        ...

    def session(self, session_id: str) -> Session | None:
        """One session."""
        ...

    def messages(self, session_id: str) -> list[Message]:
        """A session's messages in their order."""
        ...

    def messages_by_session(self, session_ids: Sequence[str]) -> dict[str, list[Message]]:
        """Of each of these sessions the messages in their order; nothing of one that has none."""
        ...

    def messages_of(self, conversation_id: str) -> list[Message]:
        """Everything said in one conversation, by session, position."""
        ...

    def messages_by_id(self, ids: Sequence[str]) -> dict[str, Message]:
        """Messages by id."""
        ...

    def neighbours(self, owner: str, message_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """The ids of the messages before and after each of the owner's in its session (empty: none)."""
        ...

    def pending_messages(
        self, recipe: str, owner: str, *, conversation_id: str | None = None
    ) -> list[Message]:
        """Messages this recipe has not processed (of one conversation, if one is named), by
        conversation, session, position."""
        ...

    def count_pending(self, recipe: str, owner: str) -> int:
        """How many messages `pending_messages` would give."""
        ...

    def pending_conversations(self, recipe: str, owner: str) -> dict[str, int]:
        """By conversation, in its order, how many messages `pending_messages` would give; none without."""
        ...

    def coverage(self, owner: str) -> list[Coverage]:
        """Which of the owner's conversations each run worked on: by recipe, run, conversation. A run
        that was stopped before its first step was kept is not among them."""
        ...

    def segments(
        self,
        *,
        session_id: str | None = None,
        ids: Sequence[str] | None = None,
        recipe: str | None = None,
        message_ids: Sequence[str] | None = None,
    ) -> list[Segment]:
        """`message_ids` keeps the segments that hold one of these messages."""
        ...

    def recipes_of(self, session_id: str) -> list[str]:
        """The recipes that have worked on a session's messages, in alphabetical order."""
        ...

    def topic_cut(self, session_id: str, recipe: str) -> TopicCut | None:
        """What a person made of the recipe's topics of this session (None: never touched)."""
        ...

    def speakers(self, owner: str) -> list[str]:
        """Everyone who speaks in the owner's conversations, in alphabetical order."""
        ...

    def speakers_of(self, conversation_id: str) -> list[str]:
        """Everyone who speaks in one conversation, in order of first speaking."""
        ...

    def last_said(self, owner: str) -> datetime | None:
        """When the owner's newest dated message was said."""
        ...

    # semantic index
    def memory(self, memory_id: str) -> MemoryEntry | None:
        """One memory, in whatever state."""
        ...

    def memories_by_id(self, ids: Sequence[str]) -> dict[str, MemoryEntry]:
        """Memories by id, in whatever state."""
        ...

    def cited_by(self, memory_ids: Sequence[str], *, recipe: str) -> dict[str, tuple[str, ...]]:
        """Memory id -> the ids of the messages it came from, each once, for those of the recipe that are not
        deleted."""
        ...

    def memories_of_messages(
        self, owner: str, message_ids: Sequence[str], *, recipe: str
    ) -> dict[str, MemoryEntry]:
        """By id, what the recipe made of any of these messages, in whatever state. Fast at any size."""
        ...

    def memories(
        self,
        owner: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        unsupported_first: bool = False,
        **wanted: Unpack[MemoryFilter],
    ) -> list[MemoryEntry]:
        """An owner's memories that meet every condition. `unsupported_first`: those that their words carry
        least come first, and those not checked yet last."""
        ...

    def count_memories(self, owner: str, **wanted: Unpack[MemoryFilter]) -> int:
        """How many memories `memories` gives without a limit."""
        ...

    def persons(self, owner: str, *, recipe: str | None = None) -> list[str]:
        """Everyone whom memories are about, in whatever state, in alphabetical order."""
        ...

    def remembering(self, owner: str) -> list[str]:
        """The recipes that remember something of this owner's, those that last learned something first."""
        ...

    def entities(self, owner: str, *, recipe: str | None = None) -> list[Entity]:
        """An owner's entities; None: those of every system."""
        ...

    def entities_by_id(self, ids: Sequence[str]) -> dict[str, Entity]:
        """Entities by id."""
        ...

    def entities_named(self, owner: str, keys: Iterable[str], *, recipe: str) -> list[Entity]:
        """The standing entities with a name or alias that is, as `names.entity_key`, among `keys`, and
        those merged into them, in the order of `entities`. Fast at any size."""
        ...

    def triples_by_id(self, ids: Sequence[str]) -> dict[str, Triple]:
        """Triples by id, invalidated ones among them."""
        ...

    def triples_of_entities(self, owner: str, entity_ids: Sequence[str], *, recipe: str) -> dict[str, Triple]:
        """By id, every triple with one of these entities at either end, also what no longer holds.
        Fast at any size."""
        ...

    def triples(
        self,
        owner: str,
        *,
        entity_ids: Sequence[str] | None = None,
        memory_ids: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        recipe: str | None = None,
        include_invalidated: bool = True,
        limit: int | None = None,
    ) -> list[Triple]:
        """An owner's triples that meet every condition: about one of the entities, told by one of the
        memories."""
        ...

    def links(self, owner: str, *, recipe: str, conversation_id: str | None = None) -> list[Link]:
        """Every triple of one graph that somebody still says, of one conversation or (None) of all, by the
        time it began to hold (unknown last), then id."""
        ...

    def graphs(self, owner: str) -> list[str]:
        """The recipes that have found entities for this owner, in alphabetical order."""
        ...

    def summaries(self, owner: str, *, recipe: str | None = None) -> list[SessionSummary]:
        """An owner's session summaries; None: those of every system."""
        ...

    def embeddings(self, model_id: str, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """text -> vector for the texts whose embedding is cached."""
        ...

    # grounding
    def judge_with(self, judge: Judge | None) -> None:
        """Let this judge what is written from now on; None: nobody does."""
        ...

    def judged(self, statements: Sequence[Statement]) -> list[tuple[Statement, Grounding]]:
        """What whoever judges what is written says of statements that are still to be (nothing, where nobody
        does): put with them, these are not judged again while nobody else may write."""
        ...

    def groundings(self, object_ids: Sequence[str], *, owner: str | None = None) -> dict[str, Grounding]:
        """By the id of a memory, triple or summary (of one owner, if one is named), the verdict on what it
        says now; none where it was not checked yet."""
        ...

    def unjudged(self, owner: str | None, made_by: str, *, limit: int | None = None) -> list[Statement]:
        """What these rules have not judged yet as it stands, of one owner or (None) of all; not what was
        deleted."""
        ...

    def verdicts(self, owner: str, *, recipe: str, conversation_id: str | None = None) -> dict[str, int]:
        """How many of the recipe's active memories (of one conversation, if one is named) have which verdict,
        or `unchecked`."""
        ...

    # review
    def proposals(
        self, owner: str, *, states: Sequence[str] | None = ("pending",), recipe: str | None = None
    ) -> list[Proposal]:
        """An owner's proposals in one of these states (None: in any)."""
        ...

    def proposal(self, proposal_id: str) -> Proposal | None:
        """One proposal."""
        ...

    def last_decided(self, owner: str, by: Sequence[str] | None = None) -> Proposal | None:
        """Of an owner's proposals that stand applied or rejected (by one of these, if any are named) the one
        that was decided last."""
        ...

    def rule_switches(self, owner: str) -> list[RuleSwitch]:
        """Every switch of an automatic rule that the owner has ever touched, by rule."""
        ...

    def grants(self, *, person: str | None = None) -> list[Grant]:
        """What persons (or one of them) may do with whose memory, by person, then owner; also what was taken
        back."""
        ...

    def curations(self, owner: str, *, recipe: str | None = None) -> list[Curation]:
        """What a person decided about the owner's objects by hand and has not undone, by time."""
        ...

    def curation(self, object_id: str) -> Curation | None:
        """What a person last decided about this object by hand, also if it was undone."""
        ...

    def questions(self, owner: str) -> list[AskedQuestion]:
        """The questions noted for an owner, newest first."""
        ...

    def events(
        self,
        *,
        object_id: str | None = None,
        batch: str | None = None,
        event_id: str | None = None,
        run_id: str | None = None,
        object_type: str | None = None,
        owner: str | None = None,
        limit: int | None = None,
        newest_first: bool = False,
    ) -> list[Event]:
        """Events that meet every condition; with an owner, theirs and those that are nobody's
        (`Event.owner`), which say nothing but that something was erased."""
        ...

    def last_event_of(self, object_id: str) -> Event | None:
        """The newest event of an object."""
        ...

    # work
    def runs(self, *, owner: str | None = None, limit: int | None = None) -> list[Run]:
        """Runs, newest first; None: everyone's."""
        ...

    def run(self, run_id: str) -> Run | None:
        """One run."""
        ...

    def traces(
        self,
        *,
        run_id: str | None = None,
        stage: str | None = None,
        unit: str | None = None,
        recipe: str | None = None,
    ) -> list[StageTrace]:
        """Traces that meet every condition."""
        ...

    def llm_calls(self, *, run_id: str | None = None, limit: int | None = None) -> list[LlmCall]:
        """Calls of a language model, of one run or all."""
        ...

    def llm_costs(self, owner: str, *, run_id: str | None = None) -> list[LlmCost]:
        """What the calls of the owner's runs, or of one of them, cost: by stage, in alphabetical order."""
        ...
