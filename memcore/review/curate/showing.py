"""An act before it is done, for a person to look at: every object as it is and as it would become. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal

from memcore.domain.models import Entity, MemoryEntry, triple_text
from memcore.review.audit import Change
from memcore.review.curate.acts import targets
from memcore.review.curate.perform import Planned, changed
from memcore.review.curate.scene import Curated
from memcore.review.diff import DiffPart, word_diff

Part = Literal["chosen", "made", "follows"]
_INTERNAL = {"id", "embedding_model", "run_id", "keywords", "entities", "text", "name", "relation"}


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """One object as it is and as it would become. `part`: it was chosen, would be made, or changes because
    of those. `before` and `after` are what it says (`after` empty: it would no longer be found; `before`
    empty: it was not there); `diff` compares them, `changes` are its other fields, as JSON values."""

    object_type: Literal["memory", "entity", "triple"]
    object_id: str
    part: Part
    before: str
    after: str
    diff: tuple[DiffPart, ...]
    changes: tuple[Change, ...]


def shown(planned: Planned) -> tuple[ObjectChange, ...]:
    """What was chosen first, then what would be made, then what follows."""
    scene = planned.scene
    was: dict[str, Curated] = {**scene.memories, **scene.entities, **{t.id: t for t in scene.triples}}
    was |= {one.id: one for one in scene.targets}
    after = changed(planned.changes)
    names = {i: entity.name for i, entity in scene.entities.items()}
    later = names | {one.id: one.name for one in after.values() if isinstance(one, Entity)}
    chosen = set(targets(planned.act))
    found = []
    for object_id, becomes in after.items():
        before = was.get(object_id)
        part: Part = "chosen" if object_id in chosen else "made" if before is None else "follows"
        said, says = _says(before, names), "" if _gone(becomes) else _says(becomes, later)
        found.append(
            ObjectChange(
                _type(becomes), object_id, part, said, says, word_diff(said, says), _changes(before, becomes)
            )
        )
    order = {"chosen": 0, "made": 1, "follows": 2}
    return tuple(sorted(found, key=lambda one: order[one.part]))


def _says(one: Curated | None, names: Mapping[str, str]) -> str:
    if one is None:
        return ""
    if isinstance(one, MemoryEntry):
        return one.text
    if isinstance(one, Entity):
        return one.name
    return triple_text(names.get(one.subject_id, "?"), one.relation, names.get(one.object_id, "?"))


def _gone(one: Curated) -> bool:
    if isinstance(one, MemoryEntry):
        return one.state == "deleted"
    return not isinstance(one, Entity) and not one.mentions


def _type(one: Curated) -> Literal["memory", "entity", "triple"]:
    if isinstance(one, MemoryEntry):
        return "memory"
    return "entity" if isinstance(one, Entity) else "triple"


def _changes(before: Curated | None, after: Curated) -> tuple[Change, ...]:
    if before is None:
        return ()
    names = [field.name for field in fields(after) if field.name not in _INTERNAL]
    pairs = [(name, getattr(before, name), getattr(after, name)) for name in names]
    return tuple(Change(name, _plain(was), _plain(becomes)) for name, was, becomes in pairs if was != becomes)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return [item if isinstance(item, str) else str(item) for item in value]
    return value
