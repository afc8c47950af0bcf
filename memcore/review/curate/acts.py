"""What a person can do to memories and to the graph by hand. Data only; `perform` does it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from memcore.domain.models import Fault, Source

STAGES: tuple[Fault, ...] = tuple(fault for fault in get_args(Fault) if fault)
"""The stages at which something can have gone wrong."""


@dataclass(frozen=True, slots=True)
class EventTime:
    """The time that a memory describes; without `at`, none. `end` is exclusive."""

    at: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class EditMemories:
    """Change what memories say (None: leave it as it is); a text can be given to one memory only.

    Without `since` it is a correction: what stood there was never true. With `since` it is an update: what
    stood there held until then. `stage` and `reason` say what had gone wrong (a reason without a stage counts
    as "other")."""

    ids: tuple[str, ...]
    text: str | None = None
    event: EventTime | None = None
    persons: tuple[str, ...] | None = None
    kind: str | None = None
    since: datetime | None = None
    stage: Fault = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MarkWrong:
    """Memories or triples that were never true, why, and at which stage that came about."""

    ids: tuple[str, ...]
    stage: Fault = "other"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class End:
    """Memories or triples that held until `on` and no longer."""

    ids: tuple[str, ...]
    on: datetime


@dataclass(frozen=True, slots=True)
class MergeMemories:
    """Several memories of one system become one with this text."""

    ids: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Part:
    """One of the memories that a memory is split into, and the words it rests on (none: those of the
    whole)."""

    text: str
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class SplitMemory:
    """One memory becomes several."""

    id: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Delete:
    """Memories or triples that are not to be remembered, whether true or not."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AddMemory:
    """A memory that no system made, and the words it rests on."""

    text: str
    sources: tuple[Source, ...]
    recipe: str
    kind: str = "fact"
    event: EventTime = EventTime()
    persons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CiteWords:
    """A memory rests on other words than it cites."""

    id: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class ChangeRelation:
    """A triple says something else (None: that part stays); what it said was never true."""

    id: str
    relation: str | None = None
    subject_id: str | None = None
    object_id: str | None = None


@dataclass(frozen=True, slots=True)
class RenameEntity:
    """An entity has another name; the old one becomes an alias, by which it is still found."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class RetypeEntities:
    """Entities are of another type."""

    ids: tuple[str, ...]
    type: str


@dataclass(frozen=True, slots=True)
class MergeEntities:
    """Several entities of one graph are one: the first survives with everybody's names."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SplitEntity:
    """An entity stands for two: some of its triples and aliases go to another one of this name."""

    id: str
    name: str
    triple_ids: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    type: str | None = None


Act = (
    EditMemories
    | MarkWrong
    | End
    | MergeMemories
    | SplitMemory
    | Delete
    | AddMemory
    | CiteWords
    | ChangeRelation
    | RenameEntity
    | RetypeEntities
    | MergeEntities
    | SplitEntity
)
"""One step of a person, on one object or on many: one batch of events, one undo."""


def targets(act: Act) -> tuple[str, ...]:
    """The ids of what an act changes, each once (an added memory has none yet)."""
    if isinstance(act, AddMemory):
        return ()
    if isinstance(act, SplitMemory | CiteWords | ChangeRelation | RenameEntity | SplitEntity):
        return (act.id,)
    return tuple(dict.fromkeys(act.ids))


def cited(act: Act) -> tuple[Source, ...]:
    """The words an act names."""
    if isinstance(act, AddMemory | CiteWords):
        return act.sources
    if isinstance(act, SplitMemory):
        return tuple(source for part in act.parts for source in part.sources)
    return ()
