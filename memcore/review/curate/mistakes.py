"""What people found wrong, and at which stage it came about: what a system gets wrong, in its own words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from memcore.domain.models import CurationAct, Fault, MemoryEntry, Source, Triple
from memcore.domain.protocols import Store


@dataclass(frozen=True, slots=True)
class Mistake:
    """One memory or triple that a person marked wrong, or corrected and said why. `text` is what it said
    before, `sources` the words it cites."""

    stage: Fault
    recipe: str
    act: CurationAct
    object_type: str
    object_id: str
    text: str
    reason: str
    actor: str
    at: datetime
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Mistakes:
    """All of them, by stage, system and time."""

    rows: tuple[Mistake, ...]

    @property
    def by_stage(self) -> dict[str, int]:
        """How many of each stage, the most frequent first."""
        return dict(Counter(row.stage for row in self.rows).most_common())


def by_stage(store: Store, owner: str) -> dict[str, int]:
    """How many of each stage, the most frequent first, without reading what they are."""
    return dict(Counter(one.stage for one in store.curations(owner) if one.stage).most_common())


def mistakes(store: Store, owner: str, *, recipe: str | None = None) -> Mistakes:
    """What stands marked wrong (what was undone is not there)."""
    found = [curation for curation in store.curations(owner, recipe=recipe) if curation.stage]
    ids = [curation.object_id for curation in found]
    objects: dict[str, MemoryEntry | Triple] = {**store.memories_by_id(ids), **store.triples_by_id(ids)}
    rows = [
        Mistake(
            c.stage,
            c.recipe,
            c.act,
            c.object_type,
            c.object_id,
            _said(store, c.id, c.object_id),
            c.reason,
            c.actor,
            c.at,
            objects[c.object_id].sources if c.object_id in objects else (),
        )
        for c in found
    ]
    return Mistakes(tuple(sorted(rows, key=lambda row: (row.stage, row.recipe, row.at, row.object_id))))


def _said(store: Store, curation_id: str, object_id: str) -> str:
    """What it said before that was decided: the object's state before the event of the same step."""
    noted = store.last_event_of(curation_id)
    events = store.events(batch=noted.batch, object_id=object_id) if noted else []
    before = next((event.before for event in events if event.before), None)
    if before is None:
        return ""
    if "text" in before:
        return str(before["text"])
    names = {i: e.name for i, e in store.entities_by_id([before["subject_id"], before["object_id"]]).items()}
    ends = names.get(before["subject_id"], "?"), names.get(before["object_id"], "?")
    return f"{ends[0]} {str(before['relation']).replace('_', ' ')} {ends[1]}"
