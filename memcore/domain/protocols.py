"""The seams: what the stages, retrieval and review need from models, servers and storage.

Implementations live in `nlp`, `llm` and `store`; tests inject small fakes. Sequences in and out
have equal length and order unless a docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, Protocol, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from memcore.domain.models import (
    DEFAULT_RECIPE,
    Conversation,
    ConversationLog,
    Coverage,
    Entity,
    Event,
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
    TopicCut,
    Triple,
)

Vectors = NDArray[np.float32]


# --------------------------------------------------------------------------- in-process models


TokenCodes = NDArray[np.uint8]
"""The word pieces of one text as an index keeps them: shape (pieces, ceil(dimension / 8)), a bit for each
positive component. Enough to tell which piece of a text a word of a question comes nearest to (on LoCoMo
turn recall with them is that with the whole vectors), at a thirty-second of the size."""


def sign_codes(states: NDArray[np.float32]) -> TokenCodes:
    """Signs, packed along the last axis.

    >>> sign_codes(np.array([[.3, -.2, .1, 0., 1., -1., -.5, .2]], dtype=np.float32)).tolist()
    [[169]]
    """
    return np.packbits(states > 0, axis=-1)


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """A question as the encoder reads it: its unit `vector`, and of each word piece the unit vector, shape
    (pieces, dimension), and the characters it stands for."""

    vector: NDArray[np.float32]
    pieces: Vectors
    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(
        cls, vector: NDArray[np.float32], states: Vectors, spans: Sequence[tuple[int, int]]
    ) -> QuestionReading:
        """From a vector and the hidden states of the pieces, of any length."""
        lengths = np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-12)
        length = max(float(np.linalg.norm(vector)), 1e-12)
        return cls(vector / length, states / lengths, tuple(spans))


class Embedder(Protocol):
    """Texts to unit vectors, and to their word pieces. `model_id` names weights exactly; a store refuses
    another one."""

    model_id: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, rows of length 1."""
        ...

    def token_codes(self, texts: Sequence[str]) -> list[TokenCodes]:
        """The pieces of each text, as far as `embed` reads it, without those that only frame it. A text
        that was just embedded is not read again where the backend can remember it."""
        ...

    def read_question(self, text: str) -> QuestionReading:
        """One pass over a question, for search."""
        ...


@dataclass(frozen=True, slots=True)
class WordScore:
    """One word of a raw text (characters start:end), the compressor's probability that it should
    be kept, whether it was, and whether a protection rule (number, name, negation) forced it."""

    start: int
    end: int
    keep: float
    kept: bool
    forced: bool = False


@dataclass(frozen=True, slots=True)
class Compressed:
    """A text after compression: kept words in order, with one space wherever anything lay between
    them. Words (punctuation around a word is one of its own) partition the non-space characters of
    the raw text. `tokens_*` are what the compressor counts (LLMLingua-2: cl100k_base)."""

    text: str
    words: tuple[WordScore, ...]
    tokens_before: int
    tokens_after: int


class Compressor(Protocol):
    """LLMLingua-2 style extractive compression. `name` says what is active, for screens."""

    name: str

    def compress(self, texts: Sequence[str], rate: float) -> list[Compressed]:
        """Keep about `rate` (0 to 1] of each text's tokens; never turn a text into nothing."""
        ...


class TurnAttention(Protocol):
    """LightMem's turn-level attention matrix from the compressor's encoder."""

    def turn_attention(self, turns: Sequence[str]) -> NDArray[np.float32]:
        """M, shape (n, n), strictly lower triangular, rows normalised over j < i (row 0 zero).

        Turns that do not fit one encoder window together are read in overlapping windows;
        pairs that never shared a window are 0.
        """
        ...


# --------------------------------------------------------------------------- language models


Reply = TypeVar("Reply", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class LlmReply(Generic[Reply]):
    """A checked answer (`data` is an instance of the model class that was asked for), the text it
    was read from, and what the call cost (tokens as the server reports them; None: it did not)."""

    data: Reply
    text: str
    prompt_tokens: int | None
    completion_tokens: int | None
    milliseconds: float


class Llm(Protocol):
    """A chat model that answers with JSON obeying a schema. Every attempt, also a failed one, goes
    to the ledger it was made with. Safe to call from several threads. Raises LlmUnavailableError
    or LlmReplyError; never returns an empty or unchecked answer."""

    model_id: str

    def ask(
        self, *, stage: str, prompt_version: str, system: str, user: str, schema: type[Reply]
    ) -> LlmReply[Reply]:
        """An instance of `schema`, whose JSON schema the server is told to obey."""
        ...

    def call(
        self,
        *,
        stage: str,
        prompt_version: str,
        system: str,
        user: str,
        tools: Sequence[type[BaseModel]],
    ) -> LlmReply[BaseModel]:
        """One tool call: an instance of the tool the model chose. A tool is a model class; its name is
        the tool's name, its docstring what the model is told of it, its fields the arguments."""
        ...

    def write(self, *, stage: str, prompt_version: str, system: str, user: str) -> str:
        """Free text, for answers shown to a person."""
        ...


class Ledger(Protocol):
    """Where LLM calls are recorded as they happen (they outlive a failed step)."""

    def record(self, call: LlmCall) -> None: ...


# --------------------------------------------------------------------------- store


class VectorIndex(Protocol):
    """Nearest neighbours in one collection: one owner's objects of one kind."""

    def __len__(self) -> int: ...

    def put(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Add objects, or give those already there another vector. `vectors`: (len(ids), dimension)."""
        ...

    def remove(self, ids: Sequence[str]) -> None:
        """Forget objects; ids that are not there are no error."""
        ...

    def search(self, vector: NDArray[np.float32], k: int) -> list[tuple[str, float]]:
        """The k nearest (all, when there are fewer) as (id, cosine), best first, equals by id."""
        ...


MakeIndex = Callable[[int], VectorIndex]
"""An empty index of unit vectors of a dimension."""


class KeywordIndex(Protocol):
    """Full-text search in one collection: one owner's objects of one kind."""

    def __len__(self) -> int: ...

    def put(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        """Add objects, or give those already there another text."""
        ...

    def remove(self, ids: Sequence[str]) -> None:
        """Forget objects; ids that are not there are no error."""
        ...

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """The k best that share a word with `query` as (id, score > 0), best first, equals by id."""
        ...

    def rarity(self, words: Sequence[str]) -> list[float]:
        """How much each word tells: log((n + 1) / (m + ½)), where m of the n objects hold it."""
        ...


SearchedKind = Literal["memory", "message", "triple", "entity"]


class SearchIndex(Protocol):
    """Nearest neighbours over the active and formerly active objects of one owner and, but for
    messages, one recipe (for messages `recipe` is empty)."""

    def semantic(
        self,
        owner: str,
        vector: NDArray[np.float32],
        k: int,
        *,
        kind: SearchedKind,
        recipe: str = DEFAULT_RECIPE,
    ) -> list[tuple[str, float]]:
        """(object id, cosine) best first. An object whose text was never embedded is not found."""
        ...

    def lexical(
        self, owner: str, query: str, k: int, *, kind: SearchedKind, recipe: str = DEFAULT_RECIPE
    ) -> list[tuple[str, float]]:
        """(object id, BM25 score > 0) best first."""
        ...

    def rarity(
        self, owner: str, words: Sequence[str], *, kind: SearchedKind, recipe: str = DEFAULT_RECIPE
    ) -> list[float]:
        """As `KeywordIndex.rarity`, among the owner's objects."""
        ...

    def token_codes(
        self, owner: str, ids: Sequence[str], *, kind: SearchedKind, recipe: str = DEFAULT_RECIPE
    ) -> dict[str, TokenCodes]:
        """The token codes of objects by id; those whose text has none stored are left out."""
        ...

    def prepare(
        self,
        owner: str,
        *,
        recipe: str = DEFAULT_RECIPE,
        semantic: Sequence[SearchedKind] = (),
        lexical: Sequence[SearchedKind] = (),
    ) -> None:
        """Make the indexes that a search is about to ask and that none has asked yet, side by side. A
        search that leaves it out finds the same, later."""
        ...


class StoreWriter(Protocol):
    """One transaction. Everything given to it is committed together when the `with` block ends
    without an exception, and nothing is otherwise. `put_*` on reviewable objects (memories,
    entities, triples, summaries, topic cuts, proposals, rule switches) appends the event with the
    snapshots before and after; putting an object equal to what is stored is no change and no event."""

    batch: str

    def add_log(self, log: ConversationLog) -> int:
        """Store evidence; what is already stored (same ids) is left as it is. Returns the number
        of new messages."""
        ...

    def add_segments(self, segments: Sequence[Segment]) -> None: ...
    def put_memories(self, memories: Sequence[MemoryEntry], *, kind: str = "memory.added") -> None: ...
    def put_entities(self, entities: Sequence[Entity], *, kind: str = "entity.added") -> None: ...
    def put_triples(self, triples: Sequence[Triple], *, kind: str = "triple.added") -> None: ...
    def put_summaries(self, summaries: Sequence[SessionSummary]) -> None: ...
    def put_topic_cuts(self, cuts: Sequence[TopicCut], *, kind: str = "topics.moved") -> None: ...
    def put_proposals(self, proposals: Sequence[Proposal], *, kind: str = "proposal.made") -> None: ...
    def put_rule_switches(self, switches: Sequence[RuleSwitch], *, kind: str = "rule.switched") -> None: ...
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

    def put_run(self, run: Run) -> None: ...
    def add_traces(self, traces: Sequence[StageTrace]) -> None: ...
    def mark_processed(self, recipe: str, message_ids: Sequence[str], run_id: str) -> None:
        """Checkpoint: these messages need no further work by this recipe."""
        ...


class MemoryFilter(TypedDict, total=False):
    """Which of an owner's memories are wanted; without `states`, the active ones (None: all).

    `session_id`, `message_ids`: those that cite one of these messages. `person` matches persons and
    speaker and `contains` a part of the text, both regardless of case. `event_from`, `event_to`
    (exclusive): those that overlap the interval; a memory without event time overlaps none."""

    states: Sequence[str] | None
    recipe: str | None
    session_id: str | None
    message_ids: Sequence[str] | None
    segment_id: str | None
    superseded_by: str | None
    person: str | None
    kind: str | None
    event_from: datetime | None
    event_to: datetime | None
    contains: str | None


class Store(SearchIndex, Ledger, Protocol):
    """All reading and the one way of writing. Unknown ids give None or are absent from lists.
    Listings are in a stable order (by time, then place in the log, then id); those that can be long
    take limit and offset."""

    def write(self, *, actor: str, run_id: str = "") -> AbstractContextManager[StoreWriter]: ...

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
    def conversations(self, owner: str | None = None) -> list[Conversation]: ...
    def sessions(self, *, conversation_id: str | None = None, owner: str | None = None) -> list[Session]: ...
    def session(self, session_id: str) -> Session | None: ...
    def messages(self, session_id: str) -> list[Message]: ...
    def messages_of(self, conversation_id: str) -> list[Message]:
        """Everything said in one conversation, by session, position."""
        ...

    def messages_by_id(self, ids: Sequence[str]) -> dict[str, Message]: ...
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
    def memory(self, memory_id: str) -> MemoryEntry | None: ...
    def memories_by_id(self, ids: Sequence[str]) -> dict[str, MemoryEntry]: ...
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
        **wanted: Unpack[MemoryFilter],
    ) -> list[MemoryEntry]: ...
    def count_memories(self, owner: str, **wanted: Unpack[MemoryFilter]) -> int: ...
    def persons(self, owner: str, *, recipe: str | None = None) -> list[str]:
        """Everyone whom memories are about, in whatever state, in alphabetical order."""
        ...

    def remembering(self, owner: str) -> list[str]:
        """The recipes that remember something of this owner's, those that last learned something first."""
        ...

    def entities(self, owner: str, *, recipe: str | None = None) -> list[Entity]: ...
    def entities_by_id(self, ids: Sequence[str]) -> dict[str, Entity]: ...
    def entities_named(self, owner: str, keys: Iterable[str], *, recipe: str) -> list[Entity]:
        """The standing entities with a name or alias that is, as `names.entity_key`, among `keys`, and
        those merged into them, in the order of `entities`. Fast at any size."""
        ...

    def triples_by_id(self, ids: Sequence[str]) -> dict[str, Triple]: ...
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
    ) -> list[Triple]: ...
    def links(self, owner: str, *, recipe: str) -> list[Link]:
        """Every triple of one graph that somebody still says, by the time it began to hold (unknown
        last), then id."""
        ...

    def graphs(self, owner: str) -> list[str]:
        """The recipes that have found entities for this owner, in alphabetical order."""
        ...

    def summaries(self, owner: str, *, recipe: str | None = None) -> list[SessionSummary]: ...
    def embeddings(self, model_id: str, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """text -> vector for the texts whose embedding is cached."""
        ...

    # review
    def proposals(
        self, owner: str, *, states: Sequence[str] | None = ("pending",), recipe: str | None = None
    ) -> list[Proposal]: ...
    def proposal(self, proposal_id: str) -> Proposal | None: ...
    def rule_switches(self, owner: str) -> list[RuleSwitch]:
        """Every switch of an automatic rule that the owner has ever touched, by rule."""
        ...

    def events(
        self,
        *,
        object_id: str | None = None,
        batch: str | None = None,
        event_id: str | None = None,
        run_id: str | None = None,
        object_type: str | None = None,
        limit: int | None = None,
        newest_first: bool = False,
    ) -> list[Event]: ...
    def last_event_of(self, object_id: str) -> Event | None: ...

    # work
    def runs(self, *, limit: int | None = None) -> list[Run]: ...
    def run(self, run_id: str) -> Run | None: ...
    def traces(
        self,
        *,
        run_id: str | None = None,
        stage: str | None = None,
        unit: str | None = None,
        recipe: str | None = None,
    ) -> list[StageTrace]: ...
    def llm_calls(self, *, run_id: str | None = None, limit: int | None = None) -> list[LlmCall]: ...
    def llm_costs(self, owner: str, *, run_id: str | None = None) -> list[LlmCost]:
        """What the calls of the owner's runs, or of one of them, cost: by stage, in alphabetical order."""
        ...


# --------------------------------------------------------------------------- progress


Progress = Callable[[str, int, int], None]
"""(stage, done, total) as work advances."""

Cancelled = Callable[[], bool]
"""Asked between steps; True stops after the last finished step."""
