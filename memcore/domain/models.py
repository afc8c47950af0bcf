"""The domain of Memscope: what a conversation log, a memory and a change to a memory are.

Three layers, as in LiCoMemory's CogniGraph: evidence (conversations, sessions, messages, topic
segments: raw and immutable), semantic index (memories, entities, triples: each points at its
evidence) and summaries (session summaries: entry points).

Every class is a frozen dataclass; a change makes a new value and an `Event`. Times are naive
`datetime`s: for a message, the wall clock its log states (Unix epochs are read as UTC); for
what Memscope does itself (events, runs, decisions), UTC.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

TimeSource = Literal["message", "session", "asked", "none"]
MemoryState = Literal["active", "superseded", "invalidated", "deleted"]
Operation = Literal["add", "update", "merge", "delete", "invalidate", "merge_entities"]
ProposalState = Literal["pending", "approved", "rejected", "applied", "superseded"]
Risk = Literal["low", "medium", "high"]
RunKind = Literal["ingest", "recut", "consolidate", "names", "propose", "decide", "search", "ask", "import"]
RunState = Literal["running", "finished", "cancelled", "failed"]
CallOutcome = Literal["ok", "invalid_json", "truncated", "error"]

DEFAULT_OWNER = "me"
DEFAULT_RECIPE = "memscope"
BY_PERSON = "person"
"""`Segment.boundary["method"]` of a segment that a person cut."""
PROPOSED = "proposed"
"""`Conversation.format` of words that another program proposed to remember (`review.additions`): evidence of
the memory that a person approves, and until then nothing. No recipe reads them and no search finds them on
their own."""


def stable_id(prefix: str, *parts: object) -> str:
    """A short id that is the same whenever the parts are: resuming a step can never duplicate.

    >>> stable_id("mem", "a", 1) == stable_id("mem", "a", 1)
    True
    """
    digest = hashlib.sha256("\x1f".join(str(part) for part in parts).encode()).hexdigest()
    return f"{prefix}_{digest[:16]}"


def text_hash(text: str) -> str:
    """The key under which a text's embedding is cached: sha256 of its UTF-8, hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def triple_text(subject: str, relation: str, object_: str) -> str:
    """A triple as the sentence that is embedded (Mem0-graph's semantic triplet).

    >>> triple_text("Melanie", "go_to", "support group")
    'Melanie go to support group'
    """
    return f"{subject} {relation.replace('_', ' ')} {object_}"


def now() -> datetime:
    """The present, as the naive UTC time that events, runs and decisions carry."""
    return datetime.now(UTC).replace(tzinfo=None)


# --------------------------------------------------------------------------- evidence


@dataclass(frozen=True, slots=True)
class RawRef:
    """Where in which file a message stands, in words a person can follow (`line 12`)."""

    file: str
    where: str


@dataclass(frozen=True, slots=True)
class Message:
    """One utterance, exactly as logged. `position` counts from 0 within its session."""

    id: str
    session_id: str
    position: int
    speaker: str
    role: str
    text: str
    said_at: datetime | None
    time_source: TimeSource
    raw_ref: RawRef


@dataclass(frozen=True, slots=True)
class Session:
    """An uninterrupted conversation. `position` counts from 0 within its conversation."""

    id: str
    conversation_id: str
    position: int
    started_at: datetime | None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Sessions of one log. `owner` is whose memory this is (Mem0's user_id)."""

    id: str
    owner: str
    source_file: str
    format: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class ConversationLog:
    """A conversation with everything said in it, in order."""

    conversation: Conversation
    sessions: tuple[Session, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that could not be used: which file, where in it, why, and what would fix it."""

    file: str
    where: str
    why: str


@dataclass(frozen=True, slots=True)
class LogRead:
    """What a reader made of one upload: the good records and the places of the bad ones.
    `unclear_dates` are dates as written that could be day or month first; their messages are undated."""

    logs: tuple[ConversationLog, ...]
    skipped: tuple[Skipped, ...] = ()
    unclear_dates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """The words something came from: characters `start:end` of one message's raw text."""

    message_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Segment:
    """Contiguous messages of one session about one topic, as one recipe cut them. `boundary` says
    why it starts there: the method that fired and its scores at the first message."""

    id: str
    session_id: str
    message_ids: tuple[str, ...]
    topic: str = ""
    boundary: dict[str, Any] = field(default_factory=dict)
    recipe: str = DEFAULT_RECIPE


@dataclass(frozen=True, slots=True)
class TopicCut:
    """A person's cut of one session into topic segments, standing in place of the recipe's own; with
    no `segment_ids` the recipe's cut stands (again). Segments are evidence and never change: moving
    a boundary makes new ones (their `boundary` has the method `person`) and changes this."""

    id: str
    owner: str
    session_id: str
    recipe: str
    segment_ids: tuple[str, ...] = ()

    @staticmethod
    def id_for(session_id: str, recipe: str) -> str:
        """The id of the one cut that a session and recipe can have."""
        return stable_id("cut", session_id, recipe)


# --------------------------------------------------------------------------- semantic index


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """One standalone statement an assistant may later rely on, with the words it came from.

    LightMem's MemoryEntry, SimpleMem's memory unit, Mem0's memory. `event_at`/`event_end` bound
    the time of what is described (an end is exclusive; equal granularity: a day is one day long);
    `mentioned_at` is when it was said. `valid_from`/`valid_to` bound when it held: `valid_to` is
    set when something newer replaced it. What is not `active` stays stored and visible. `segment_id`
    is the topic segment it was first read in; a person may since have cut the session otherwise
    (`TopicCut`).
    """

    id: str
    owner: str
    text: str
    kind: str
    recipe: str
    run_id: str
    sources: tuple[Source, ...]
    category: str = ""
    subcategory: str = ""
    speaker: str = ""
    mentioned_at: datetime | None = None
    event_at: datetime | None = None
    event_end: datetime | None = None
    segment_id: str | None = None
    topic: str = ""
    keywords: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    location: str = ""
    compressed_source: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    superseded_by: str | None = None
    state: MemoryState = "active"
    embedding_model: str = ""

    @property
    def weekday(self) -> str:
        """Weekday on which it was mentioned, `Mon` to `Sun`; empty when the time is unknown."""
        names = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
        return names[self.mentioned_at.weekday()] if self.mentioned_at else ""

    def valid_at(self, moment: datetime | None) -> bool:
        """Whether it held at `moment` (None: now, as far as the store knows).

        >>> from datetime import datetime as d
        >>> old = MemoryEntry("m", "me", "Lives in New York", "fact", "memscope", "r", (),
        ...                   valid_from=d(2024, 1, 5), valid_to=d(2024, 3, 1), state="superseded")
        >>> old.valid_at(d(2024, 2, 1)), old.valid_at(d(2024, 4, 1)), old.valid_at(None)
        (True, False, False)
        """
        if moment is None:
            return self.state == "active"
        if self.valid_from is not None and moment < self.valid_from:
            return False
        if self.valid_to is None:
            return self.state == "active"
        return moment < self.valid_to


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, place, thing or idea that triples connect, in one recipe's graph. `merged_into` names
    its survivor."""

    id: str
    owner: str
    name: str
    type: str
    aliases: tuple[str, ...] = ()
    first_seen: datetime | None = None
    last_seen: datetime | None = None
    merged_into: str | None = None
    recipe: str = DEFAULT_RECIPE


@dataclass(frozen=True, slots=True)
class Triple:
    """(subject, relation, object) with its evidence, in one recipe's graph. Several relations between
    one pair live side by side; an invalidated triple stays, with the time it ceased to hold."""

    id: str
    owner: str
    subject_id: str
    relation: str
    object_id: str
    sources: tuple[Source, ...]
    memory_ids: tuple[str, ...] = ()
    valid_from: datetime | None = None
    invalidated_at: datetime | None = None
    mentions: int = 1
    recipe: str = DEFAULT_RECIPE


@dataclass(frozen=True, slots=True)
class Link:
    """A triple without its evidence: as much of it as finding a way through a large graph takes."""

    id: str
    subject_id: str
    relation: str
    object_id: str
    valid_from: datetime | None
    invalidated_at: datetime | None

    def held_at(self, moment: datetime | None) -> bool:
        """Whether it held at `moment` (None: whether it ever did)."""
        if moment is None:
            return True
        begun = self.valid_from is None or self.valid_from <= moment
        return begun and (self.invalidated_at is None or moment < self.invalidated_at)


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """CogniGraph's top layer: what a session was about, as one recipe says."""

    id: str
    session_id: str
    owner: str
    text: str
    keywords: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    started_at: datetime | None = None
    ended_at: datetime | None = None
    triple_ids: tuple[str, ...] = ()
    segment_ids: tuple[str, ...] = ()
    recipe: str = DEFAULT_RECIPE

    @staticmethod
    def id_for(session_id: str, recipe: str) -> str:
        """The id of the one summary that a session and recipe can have."""
        return stable_id("sum", session_id, recipe)


# --------------------------------------------------------------------------- review


@dataclass(frozen=True, slots=True)
class Candidate:
    """A member of an update queue: a memory and its similarity to the target (cosine)."""

    memory_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change to one recipe's memory that waits for a person. Nothing in the store changes until
    approval.

    `target_ids` are what would change (memories, or entities for merge_entities, or triples for
    invalidate; nothing for add), `candidates` what the decision compared them with. `before` is the
    target's text and `after` the text that would replace it (None: nothing replaces it). `edited_from`
    keeps the proposed text when a person edited it.
    """

    id: str
    owner: str
    operation: Operation
    target_ids: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    before: str
    after: str | None
    reason: str
    made_by: str
    risk: Risk
    state: ProposalState
    created_at: datetime
    run_id: str = ""
    edited_from: str | None = None
    decided_at: datetime | None = None
    decided_by: str = ""
    recipe: str = DEFAULT_RECIPE

    @property
    def words_id(self) -> str:
        """Of an addition: the id of the message that keeps the words in which it was proposed."""
        return stable_id("msg", self.id)


@dataclass(frozen=True, slots=True)
class RuleSwitch:
    """Whether a person lets an automatic rule (`review.automatic`) decide an owner's proposals. A rule that
    has none is off."""

    id: str
    owner: str
    rule: str
    on: bool

    @staticmethod
    def id_for(owner: str, rule: str) -> str:
        """The id of the one switch that an owner and rule can have."""
        return stable_id("rule", owner, rule)


@dataclass(frozen=True, slots=True)
class Event:
    """What happened to which object. `before` and `after` are whole snapshots (None: did not
    exist); events of one decision or step share a `batch`, which is undone as a whole."""

    seq: int
    id: str
    at: datetime
    actor: str
    kind: str
    object_type: str
    object_id: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    batch: str
    run_id: str = ""
    undo_of: str | None = None


# --------------------------------------------------------------------------- what work leaves behind


@dataclass(frozen=True, slots=True)
class Run:
    """One piece of work: an ingest, a consolidation, a question. `totals` are its counts."""

    id: str
    kind: RunKind
    owner: str
    recipe: str
    state: RunState
    started_at: datetime
    finished_at: datetime | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    totals: dict[str, Any] = field(default_factory=dict)
    error: str = ""


@dataclass(frozen=True, slots=True)
class Coverage:
    """A run of a recipe worked on a conversation, and finished `messages` of it (0: none, all failed)."""

    recipe: str
    run_id: str
    conversation_id: str
    messages: int


@dataclass(frozen=True, slots=True)
class StageTrace:
    """What one stage did to one unit of work (a session, a buffer, a query), for pages to draw.

    `payload` is the stage's own trace dataclass as JSON; each stage documents its own.
    """

    run_id: str
    stage: str
    unit: str
    position: int
    milliseconds: float
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class LlmCall:
    """One request to a language model, with tokens as the server reported them (None: it did
    not say). `stage` uses LightMem's statistics names where they exist (add_memory, update)."""

    id: str
    run_id: str
    stage: str
    model: str
    prompt: str
    completion: str
    prompt_tokens: int | None
    completion_tokens: int | None
    milliseconds: float
    outcome: CallOutcome
    at: datetime
    prompt_version: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class LlmCost:
    """What the calls of one stage cost, failed ones included: tokens are sums of what servers reported
    (None: of no call did one say), `unreported_calls` those of which they did not say everything."""

    stage: str
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    unreported_calls: int
