"""The semantic index and the summaries above it: memories, entities, triples, session summaries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memcore.domain.models.evidence import Source
from memcore.domain.models.identity import DEFAULT_RECIPE, MemoryState, stable_id


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """One standalone statement an assistant may later rely on, with the words it came from.

    LightMem's MemoryEntry, SimpleMem's memory unit, Mem0's memory. `event_at`/`event_end` bound
    the time of what is described (an end is exclusive; equal granularity: a day is one day long);
    `mentioned_at` is when it was said. `valid_from`/`valid_to` bound when it held: `valid_to` is
    set when something newer replaced it. What is not `active` stays stored and visible. `segment_id`
    is the topic segment it was first read in; a person may since have moved its boundaries
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
