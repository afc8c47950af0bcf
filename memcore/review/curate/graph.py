"""What an act makes of triples and entities: from the objects as they are to what they become. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from memcore.domain.errors import NotFoundError, UsageError
from memcore.domain.models import Entity, Triple, stable_id
from memcore.domain.names import entity_key, shown_name
from memcore.review.apply import Changes, entity_changes
from memcore.review.curate.acts import (
    ChangeRelation,
    Delete,
    End,
    MarkWrong,
    MergeEntities,
    RenameEntity,
    RetypeEntities,
    SplitEntity,
)
from memcore.review.curate.memories import Making
from memcore.review.curate.scene import Scene, survives_as
from memcore.review.curate.stating import never_said
from memcore.stages.link import entity_id_of


def relation_changed(act: ChangeRelation, scene: Scene, making: Making) -> Changes:
    """The triple keeps its id, so that a run which reads the same words again finds it taken."""
    (triple,) = _triples(scene)
    for entity_id in (act.subject_id, act.object_id):
        if entity_id is not None:
            entity = scene.entities.get(entity_id)
            if entity is None or entity.owner != scene.owner or entity.recipe != triple.recipe:
                raise NotFoundError(f"The graph has no entity {entity_id!r}.", "Choose one of its entities.")
    relation = "_".join((act.relation or triple.relation).split())
    after = replace(
        triple,
        relation=relation,
        subject_id=act.subject_id or triple.subject_id,
        object_id=act.object_id or triple.object_id,
    )
    if after == triple:
        raise UsageError("That is what the relation says already.", "Name another relation.")
    return Changes(triples=(after,))


def triples_removed(act: MarkWrong | Delete, scene: Scene, making: Making) -> Changes:
    """Out of the graph, at whatever time."""
    return Changes(triples=tuple(never_said(triple, making.at) for triple in _triples(scene)))


def triples_ended(act: End, scene: Scene, making: Making) -> Changes:
    """They held until `on`."""
    triples = _triples(scene)
    for triple in triples:
        if triple.invalidated_at is not None:
            raise UsageError(f"The relation {triple.id} has ended already.", "Undo that first.")
        if triple.valid_from is not None and act.on < triple.valid_from:
            raise UsageError(
                f"The relation {triple.id} holds from {triple.valid_from:%Y-%m-%d} on.",
                "Name a later date, or mark it wrong.",
            )
    return Changes(triples=tuple(replace(triple, invalidated_at=act.on) for triple in triples))


def renamed(act: RenameEntity, scene: Scene, making: Making) -> Changes:
    """The old name becomes an alias."""
    (entity,) = _entities(scene)
    name = _name(act.name)
    if name == entity.name:
        raise UsageError(f"It is called “{name}” already.", "Write another name.")
    aliases = tuple(dict.fromkeys(n for n in (entity.name, *entity.aliases) if n != name))
    return Changes(entities=(replace(entity, name=name, aliases=aliases),))


def retyped(act: RetypeEntities, scene: Scene, making: Making) -> Changes:
    """All of them are of one type."""
    entities = _entities(scene)
    type_ = _type(act.type)
    if not type_ or all(entity.type == type_ for entity in entities):
        raise UsageError(f"They are of the type {type_!r} already.", "Name another type.")
    return Changes(entities=tuple(replace(entity, type=type_) for entity in entities))


def entities_merged(act: MergeEntities, scene: Scene, making: Making) -> Changes:
    """As an approved merge."""
    entities = _entities(scene)
    if len(entities) < 2 or len({entity.recipe for entity in entities}) > 1:
        raise UsageError("A merge takes two or more entities of one graph.", "Select them again.")
    return entity_changes(entities)


def entity_split(act: SplitEntity, scene: Scene, making: Making) -> Changes:
    """The chosen triples and aliases go to another entity: one that was once merged into this one, if it has
    the name, else a new one."""
    (entity,) = _entities(scene)
    name = _name(act.name)
    ours = {i for i, one in scene.entities.items() if survives_as(one, scene.entities) == entity.id}
    theirs = [triple for triple in scene.triples if triple.id in act.triple_ids]
    foreign = set(act.triple_ids) - {t.id for t in theirs if {t.subject_id, t.object_id} & ours}
    if foreign or not set(act.aliases) <= {*entity.aliases, entity.name} or not (theirs or act.aliases):
        raise UsageError(
            f"“{entity.name}” can only be split by relations and aliases of its own.",
            "Choose some of its relations or aliases.",
        )
    other = _other(entity, name, act, scene, making)
    stays = replace(entity, aliases=tuple(a for a in entity.aliases if a not in act.aliases and a != name))
    moved = tuple(
        replace(
            triple,
            subject_id=other.id if triple.subject_id in ours else triple.subject_id,
            object_id=other.id if triple.object_id in ours else triple.object_id,
        )
        for triple in theirs
    )
    # First as if it had been merged: that is where undoing its creation takes it back to.
    before = () if other.id in scene.entities else (replace(other, merged_into=entity.id),)
    return Changes(triples=moved, entities=(*before, other, stays))


def _other(entity: Entity, name: str, act: SplitEntity, scene: Scene, making: Making) -> Entity:
    named = entity_id_of(entity.owner, entity.recipe, entity_key(name))
    once = scene.entities.get(named)
    type_ = _type(act.type or "") or (once.type if once else entity.type)
    aliases = tuple(dict.fromkeys(a for a in act.aliases if a != name))
    if once is not None and once.id != entity.id and survives_as(once, scene.entities) == entity.id:
        return replace(once, merged_into=None, name=name, type=type_, aliases=aliases)
    free: Callable[[int], str] = lambda n: named if n == 0 else stable_id("ent", "split", entity.id, name, n)  # noqa: E731
    return Entity(
        making.free(free),
        entity.owner,
        name,
        type_,
        aliases,
        entity.first_seen,
        entity.last_seen,
        recipe=entity.recipe,
    )


def _triples(scene: Scene) -> list[Triple]:
    found = [one for one in scene.targets if isinstance(one, Triple)]
    if len(found) < len(scene.targets):
        raise UsageError("Memories and relations are changed in separate steps.", "Name only relations.")
    for triple in found:
        if not triple.mentions:
            raise UsageError(f"The relation {triple.id} was removed already.", "Undo that first.")
    return found


def _entities(scene: Scene) -> list[Entity]:
    found = [one for one in scene.targets if isinstance(one, Entity)]
    if len(found) < len(scene.targets):
        raise UsageError("That can be done to entities only.", "Name entities.")
    for entity in found:
        if entity.merged_into:
            raise UsageError(
                f"“{entity.name}” was merged into {entity.merged_into}.", "Name that one, or undo the merge."
            )
    return found


def _type(written: str) -> str:
    return "_".join(written.split()).upper()


def _name(written: str) -> str:
    name = shown_name(written)
    if not entity_key(name):
        raise UsageError(f"{written!r} is no name.", "Write one.")
    return name
