"""What a system is, what it works on and what it hands back: one step, stored in one transaction.

A system has two halves. `read` is where models work; it needs nothing but the step's messages, so
several steps are read side by side. `remember` turns a reading into what to store, knowing what the
owner already has; it runs for one step after the other. Neither writes: the runner (`memcore.runs.ingest`)
commits the result together with the checkpoint, so a killed process loses at most the steps it had
in hand and repeats exactly those.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, Literal, TypeVar

from pydantic import TypeAdapter

from memcore.domain.extraction import Extractor
from memcore.domain.models import (
    Entity,
    MemoryEntry,
    Message,
    Proposal,
    Segment,
    Session,
    SessionSummary,
    StageTrace,
    Triple,
)
from memcore.domain.protocols import Compressor, Embedder, Llm, Store, TokenCodes, TurnAttention, Vectors
from memcore.retrieval.dense import dense
from memcore.retrieval.question import Search
from memcore.review.decisions import Decider
from memcore.stages.buffer import CONTEXT_MESSAGES
from memcore.systems.drawings import Draw
from memcore.systems.nearest import Nearest
from memcore.systems.settings import NoSettings

SPOKEN = frozenset({"user", "assistant", "person"})
"""Roles of what people and assistants say to each other; not a system's or a tool's."""


@dataclass(frozen=True, slots=True)
class SessionPart:
    """Unprocessed messages of one session with nothing between them that is in a segment, with what came
    before them and the summary of the session as it was when the run began. `contiguous_from`
    is the position of the first message of the contiguous run they are part of: the parts of one session
    that have it in common follow each other. `goes_on`: the next part is of the same run."""

    session: Session
    messages: tuple[Message, ...]
    before: tuple[Message, ...] = ()
    people: tuple[str, ...] = ()
    summary: str = ""
    contiguous_from: int = 0
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One unit of work of a run; after the `last` one nothing more will come. `run_messages`: how many the
    run reads in all."""

    owner: str
    run_id: str
    position: int
    parts: tuple[SessionPart, ...]
    last: bool = True
    run_messages: int = 0

    @property
    def messages(self) -> list[Message]:
        """All of its parts, in order."""
        return [message for part in self.parts for message in part.messages]


Carry = TypeVar("Carry")
"""What a step hands to the next of the same system."""


def _nothing_yet(session_id: str) -> Sequence[MemoryEntry]:
    return ()


@dataclass(slots=True)
class Known(Generic[Carry]):
    """What the system already has of the owner's, always as the step before left it: entities and triples by
    id, summaries by session id, its active memories and its entities by similarity, what that step left in
    short-term memory (`StepResult.carry`), and `of_session`: its active memories of a session, by session id.

    A system that compares what it says later in a step with what it said earlier puts that into
    `near_memories` and `near_entities` as it goes; the runner does not."""

    entities: dict[str, Entity]
    triples: dict[str, Triple]
    summaries: dict[str, SessionSummary]
    near_memories: Nearest[MemoryEntry]
    near_entities: Nearest[Entity]
    carry: Carry | None = None
    of_session: Callable[[str], Sequence[MemoryEntry]] = _nothing_yet

    def take(self, result: StepResult[Carry]) -> None:
        """What a step made is known to the next."""
        self.entities.update((entity.id, entity) for entity in result.entities)
        self.triples.update((triple.id, triple) for triple in result.triples)
        self.summaries.update((summary.session_id, summary) for summary in result.summaries)
        self.carry = result.carry


@dataclass(frozen=True, slots=True)
class Tools:
    """The backends a system uses and the settings it obeys: the retention rate r, the named
    segmentation method, the tokens at which short-term memory (th) and sensory memory are full, and
    whose messages are read. Without an `llm`, the language pipeline extracts and rules judge;
    `count_tokens` counts as cl100k_base does. `own` are the system's own settings (None: its defaults)."""

    embedder: Embedder
    compressor: Compressor
    attention: TurnAttention
    extractor: Extractor
    compression_rate: float
    segment_method: str
    buffer_tokens: int
    sensory_tokens: int = 512
    roles: frozenset[str] = SPOKEN
    llm: Llm | None = None
    count_tokens: Callable[[str], int] = len
    own: Any = None


@dataclass(frozen=True, slots=True)
class StepResult(Generic[Carry]):
    """Everything to commit: new or changed objects, embeddings by text, token codes by text where the
    system's search is by late interaction, traces, and the messages that need no further work. `errors` are
    buffers that failed; their messages stay pending. `proposals` wait for a person; each may rest on
    memories of this very step. `carry` is what a system that works on a stream hands to its own next step:
    messages still in its buffers, which are not among `processed` and, if the process dies, are simply read
    again."""

    segments: tuple[Segment, ...] = ()
    memories: tuple[MemoryEntry, ...] = ()
    entities: tuple[Entity, ...] = ()
    triples: tuple[Triple, ...] = ()
    summaries: tuple[SessionSummary, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    embedding_model: str = ""
    vectors: Mapping[str, Vectors] = field(default_factory=dict)
    token_codes: Mapping[str, TokenCodes] = field(default_factory=dict)
    traces: tuple[StageTrace, ...] = ()
    processed: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    carry: Carry | None = None


@dataclass(frozen=True, slots=True)
class About:
    """A system in words: its name, what it does, and what stands in for a language model where none is
    chosen. `bound` marks a system that only bounds a comparison. `nobody_heard` is what is said where it
    read none of the messages because of who said them: that, and what can be done."""

    title: str
    does: str
    without_model: str
    bound: Literal["", "ceiling", "floor"] = ""
    nobody_heard: tuple[str, ...] = ()


Prepared = TypeVar("Prepared")


def _language_pipeline(llm: Llm | None, own: Any, workers: int) -> Extractor | None:
    return None


def _rules_or_common_prompt(llm: Llm | None, own: Any, workers: int) -> Decider | None:
    return None


def _as_chosen(tools: Tools, own: Any) -> Tools:
    return tools


@dataclass(frozen=True, slots=True)
class System(Generic[Prepared, Carry]):
    """A system: its name, its two halves, how it answers a question, and what it is in words.

    `extractor(llm, settings, workers)` makes what reads its buffers with a language model (None: none is
    chosen) in so many calls side by side; where it gives none, the language pipeline reads them. `decider`,
    given the same, decides its update queues; where it gives none, the model is asked with the prompt that
    systems share, or rules decide.
    `settings` is the dataclass of its own settings (`systems.settings`), `tools(tools, settings)` what they
    change about the tools it is given. `older_settings`: settings that a file may still have under a
    name of this system, and what they are called now. `drawings`: by stage, what it shows of its own steps.

    `sleep_time`: its memories are consolidated while nobody talks (LightMem), without being named.
    `running_summary`: its summaries are one summary of the conversation, as it stood after each session.
    `graph`: it keeps entities and triples. `topics`: it divides sessions into topics, which a person may
    divide otherwise. `finds_unlinked_memories`: its search finds a memory that no triple and no summary
    leads to, so that one can be added from outside. `search_uses_llm`: its search asks a language model,
    where one is chosen. `ranking_depends_on_k`: how many results are asked for decides which come first, so
    that ten are not the first ten of a hundred.
    `step_messages` is what a step aims at (None: the runner's own): what is lost and repeated when a
    process dies. A part's context counts towards it. `before` is how many earlier messages of its session
    a part comes with; `before_in_conversation`: of the conversation's earlier sessions, too, where its
    own has fewer, and without counting."""

    name: str
    read: Callable[[Step, Tools], Prepared]
    remember: Callable[[Prepared, Known[Carry], Tools], StepResult[Carry]]
    search: Search = dense
    about: About = About("", "", "")
    extractor: Callable[[Llm | None, Any, int], Extractor | None] = _language_pipeline
    decider: Callable[[Llm | None, Any, int], Decider | None] = _rules_or_common_prompt
    settings: type[Any] = NoSettings
    tools: Callable[[Tools, Any], Tools] = _as_chosen
    older_settings: Mapping[str, str] = field(default_factory=dict)
    drawings: Mapping[str, Draw] = field(default_factory=dict)
    sleep_time: bool = False
    running_summary: bool = False
    graph: bool = True
    topics: bool = True
    finds_unlinked_memories: bool = True
    search_uses_llm: bool = False
    ranking_depends_on_k: bool = False
    step_messages: int | None = None
    before: int = CONTEXT_MESSAGES
    before_in_conversation: bool = False

    @property
    def title(self) -> str:
        """What it is called on screen."""
        return self.about.title or self.name


def embedded(texts: Sequence[str], embedder: Embedder) -> dict[str, Vectors]:
    """Text → unit vector; a text that is there twice is embedded once."""
    unique = list(dict.fromkeys(texts))
    return dict(zip(unique, embedder.embed(unique), strict=True)) if unique else {}


def vectors_of(texts: Sequence[str], store: Store, embedder: Embedder) -> dict[str, Vectors]:
    """Text → unit vector, embedded anew only where the store has none. Nothing is stored."""
    stored = dict(store.embeddings(embedder.model_id, texts))
    return stored | embedded([text for text in texts if text not in stored], embedder)


@dataclass(frozen=True, slots=True)
class EmbedTrace:
    """What was embedded for one step, and by which model."""

    model: str
    messages_and_facts: int
    triples: int


_adapter: Callable[[type], TypeAdapter[Any]] = cache(TypeAdapter)
"""Building an adapter takes longer than all else that tracing does."""


class Tracer:
    """Collects the stage traces of one step, with the time each stage took."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self._spent: dict[str, float] = {}
        self._entries: list[tuple[str, str, dict[str, Any]]] = []

    @contextmanager
    def timing(self, stage: str) -> Iterator[None]:
        """Add the block's wall time to `stage`."""
        begun = time.perf_counter()
        yield
        self._spent[stage] = self._spent.get(stage, 0.0) + (time.perf_counter() - begun) * 1000

    def add(self, stage: str, unit: str, trace: object) -> None:
        """Keep a stage's own trace dataclass for one unit (a session, a step)."""
        self._entries.append((stage, unit, _adapter(type(trace)).dump_python(trace, mode="json")))

    def traces(self) -> tuple[StageTrace, ...]:
        """One StageTrace per entry; a stage's time is shared evenly among its units."""
        units: dict[str, int] = {}
        for stage, _, _ in self._entries:
            units[stage] = units.get(stage, 0) + 1
        return tuple(
            StageTrace(
                self._step.run_id,
                stage,
                unit,
                self._step.position,
                self._spent.get(stage, 0.0) / units[stage],
                payload,
            )
            for stage, unit, payload in self._entries
        )
