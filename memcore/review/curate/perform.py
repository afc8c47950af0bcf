"""Doing an act: one transaction, one batch of events, one undo (`decide.undo`).

What it changes is worked out by pure functions (`memories`, `graph`) from what the store holds, and worked
out anew under the write lock, so that what is stored follows from what is there then. Whoever acts on a
preview names what it was made of (`Planned.expected`): if any of it has changed since, nothing is done. Each
act also notes who decided about which object (`Curation`), which later runs obey (`protect`). A changed text
is embedded with it, and so are the triples that read otherwise now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from memcore.domain.errors import ConflictError
from memcore.domain.models import (
    Curation,
    CurationAct,
    Entity,
    MemoryEntry,
    Triple,
    now,
    triple_text,
)
from memcore.domain.protocols import Embedder, Store, StoreWriter, Vectors
from memcore.review.apply import Changes
from memcore.review.curate import graph, memories
from memcore.review.curate.acts import (
    Act,
    AddMemory,
    ChangeRelation,
    CiteWords,
    Delete,
    EditMemories,
    End,
    MarkWrong,
    MergeEntities,
    MergeMemories,
    RenameEntity,
    RetypeEntities,
    SplitEntity,
    SplitMemory,
    targets,
)
from memcore.review.curate.memories import Making
from memcore.review.curate.protect import said_hash, triple_hash
from memcore.review.curate.scene import Curated, Scene, scene_of

Expected = tuple[tuple[str, str], ...]
"""(object id, id of its newest event) of what an act was planned on."""

_OF_MEMORIES: dict[type, tuple[CurationAct, Callable[..., Changes]]] = {
    EditMemories: ("edited", memories.edited),
    MarkWrong: ("wrong", memories.removed),
    End: ("ended", memories.ended),
    MergeMemories: ("merged", memories.merged),
    SplitMemory: ("split", memories.split),
    Delete: ("deleted", memories.removed),
    AddMemory: ("added", memories.added),
    CiteWords: ("cited", memories.cites),
}
_OF_GRAPH: dict[type, tuple[CurationAct, Callable[..., Changes]]] = {
    MarkWrong: ("wrong", graph.triples_removed),
    End: ("ended", graph.triples_ended),
    Delete: ("deleted", graph.triples_removed),
    ChangeRelation: ("edited", graph.relation_changed),
    RenameEntity: ("renamed", graph.renamed),
    RetypeEntities: ("retyped", graph.retyped),
    MergeEntities: ("merged", graph.entities_merged),
    SplitEntity: ("split", graph.entity_split),
}


@dataclass(frozen=True, slots=True)
class Planned:
    """What an act would change, and what that rests on."""

    act: Act
    scene: Scene
    changes: Changes
    expected: Expected


@dataclass(frozen=True, slots=True)
class Done:
    """What an act did: `made` are the memories and entities that it made, `changed` counts all objects.
    `undo` with `event_id` takes all of it back."""

    made: tuple[str, ...]
    changed: int
    batch: str
    event_id: str


def plan(
    store: Store,
    act: Act,
    owner: str,
    *,
    embedding_model: str,
    at: datetime | None = None,
    changed_here: Mapping[str, Curated] = MappingProxyType({}),
) -> Planned:
    """Work an act out; changes nothing. `changed_here` is what the open transaction has changed already.
    Raises NotFoundError and UsageError."""
    scene = scene_of(store, act, owner).after(changed_here)
    making = Making(at or now(), embedding_model, lambda object_id: store.find_object(object_id) is not None)
    changes = _doing(act, scene)[1](act, scene, making)
    # The ends of triples are read as names only: another mention of one is no conflict.
    changing = {*(m.id for m in changes.memories), *(t.id for t in changes.triples)}
    rested_on = [*targets(act), *sorted({*scene.memories, *(t.id for t in scene.triples)} & changing)]
    return Planned(act, scene, changes, tuple((i, _newest(store, i)) for i in dict.fromkeys(rested_on)))


def do(
    store: Store, embedder: Embedder, act: Act, *, owner: str, actor: str, expected: Expected | None = None
) -> Done:
    """Do an act. Raises as `plan`, and ConflictError when something of `expected` has changed."""
    model = embedder.model_id
    vectors = _vectors(store, embedder, _texts(plan(store, act, owner, embedding_model=model), store), {})
    with store.write(actor=actor) as writer:
        if expected is not None:
            _as_expected(store, expected)
        at = now()
        planned = plan(store, act, owner, embedding_model=model, at=at)
        put(store, writer, embedder, planned, actor=actor, at=at, vectors=vectors)
        batch = writer.batch
    before = planned.scene.memories.keys() | planned.scene.entities.keys()
    after = changed(planned.changes)
    made = [i for i, one in after.items() if i not in before and not isinstance(one, Triple)]
    event = store.events(batch=batch, limit=1)[0]
    return Done(tuple(made), len(after), batch, event.id)


def put(
    store: Store,
    writer: StoreWriter,
    embedder: Embedder,
    planned: Planned,
    *,
    actor: str,
    at: datetime,
    vectors: Mapping[str, Any],
) -> None:
    """Put what an act changes into the open transaction, with who decided it. `vectors` are those of texts
    that are known already."""
    texts = _texts(planned, store)
    found = _vectors(store, embedder, texts, {text: vectors[text] for text in texts if text in vectors})
    if found:
        codes = dict(zip(found, embedder.token_codes(list(found)), strict=True))
        writer.add_embeddings(embedder.model_id, found, codes)
    _put(writer, planned)
    writer.put_curations(_curations(store, planned, actor, at), kind="curation.noted")


def changed(changes: Changes) -> dict[str, Curated]:
    """Every object that changes, as it becomes, by id."""
    after: list[Curated] = [*changes.memories, *changes.entities, *changes.triples]
    return {one.id: one for one in after}


def _doing(act: Act, scene: Scene) -> tuple[CurationAct, Callable[..., Changes]]:
    on_memories = not scene.targets or isinstance(scene.targets[0], MemoryEntry)
    kinds = _OF_MEMORIES if type(act) not in _OF_GRAPH or on_memories else _OF_GRAPH
    return kinds.get(type(act)) or _OF_GRAPH[type(act)]


def _newest(store: Store, object_id: str) -> str:
    event = store.last_event_of(object_id)
    return event.id if event else ""


def _as_expected(store: Store, expected: Expected) -> None:
    for object_id, event_id in expected:
        newest = store.last_event_of(object_id)
        if newest is not None and newest.id != event_id:
            raise ConflictError(
                f"The {newest.object_type} {object_id} has changed since you looked at it "
                f"({newest.kind} by {newest.actor}, {newest.at:%Y-%m-%d %H:%M} UTC, event {newest.id}).",
                "Nothing was done. Look at it again, then decide.",
                object_id=object_id,
            )


def _put(writer: StoreWriter, planned: Planned) -> None:
    act = _doing(planned.act, planned.scene)[0]
    chosen = set(targets(planned.act))
    for memory in planned.changes.memories:
        kind = f"memory.{act}" if memory.id in planned.scene.memories else "memory.added"
        writer.put_memories([memory], kind=kind)
    for entity in planned.changes.entities:
        writer.put_entities([entity], kind=f"entity.{act}")
    for triple in planned.changes.triples:
        writer.put_triples([triple], kind=f"triple.{act}" if triple.id in chosen else "triple.changed")


def _curations(store: Store, planned: Planned, actor: str, at: datetime) -> list[Curation]:
    act = _doing(planned.act, planned.scene)[0]
    chosen = set(targets(planned.act))
    was: dict[str, Curated] = {one.id: one for one in planned.scene.targets}
    was |= {triple.id: triple for triple in planned.scene.triples}
    said = planned.act if isinstance(planned.act, EditMemories | MarkWrong) else MarkWrong((), "")
    reason = said.reason.strip()
    made = []
    for one in changed(planned.changes).values():
        meant = one.id in chosen
        before = was.get(one.id)
        if isinstance(one, Triple) and not meant and one.mentions and not _ends(before, one):
            continue  # another memory states it as well: nobody decided about it
        earlier = store.curation(one.id)
        kept = earlier.refused if earlier is not None and earlier.standing else ()
        made.append(
            Curation(
                id=Curation.id_for(one.id),
                owner=one.owner,
                object_type=_type(one),
                object_id=one.id,
                act=act if before is not None else "added",
                actor=actor,
                at=at,
                stage=(said.stage or ("other" if reason else "")) if meant else "",
                reason=reason if meant else "",
                refused=tuple(dict.fromkeys((*kept, *_refused(act, before, one)))) if meant else kept,
                recipe=one.recipe,
            )
        )
    return made


def _ends(before: Curated | None, after: Triple) -> bool:
    return isinstance(before, Triple) and replace(before, memory_ids=after.memory_ids) != after


def _refused(act: CurationAct, before: Curated | None, after: Curated) -> Iterable[str]:
    """What must not come back by itself: what was never true, or is not wanted."""
    if isinstance(before, MemoryEntry) and isinstance(after, MemoryEntry):
        if act == "split" or after.state == "deleted" or after.text != before.text:
            yield said_hash(before.text)
    elif isinstance(before, Triple) and isinstance(after, Triple):
        ends = (before.subject_id, before.relation, before.object_id)
        if not after.mentions or ends != (after.subject_id, after.relation, after.object_id):
            yield triple_hash(before)


def _type(one: Curated) -> str:
    if isinstance(one, MemoryEntry):
        return "memory"
    return "entity" if isinstance(one, Entity) else "triple"


def _texts(planned: Planned, store: Store) -> list[str]:
    """Everything that is searched by a text it did not have before."""
    changes, scene = planned.changes, planned.scene
    texts = [
        memory.text for memory in changes.memories if memory.state == "active" or memory.id in scene.memories
    ]
    names: dict[str, str] = {i: entity.name for i, entity in scene.entities.items()}
    names |= {entity.id: entity.name for entity in changes.entities}
    texts += [entity.name for entity in changes.entities]
    triples = {triple.id: triple for triple in (*scene.triples, *changes.triples)}
    texts += [
        triple_text(names.get(t.subject_id, ""), t.relation, names.get(t.object_id, ""))
        for t in triples.values()
        if t.mentions
    ]
    return list(dict.fromkeys(texts))


def _vectors(
    store: Store, embedder: Embedder, texts: list[str], known: Mapping[str, Any]
) -> dict[str, Vectors]:
    """Text → vector for what the store has none of."""
    missing = [text for text in texts if text not in known]
    stored = store.embeddings(embedder.model_id, missing) if missing else {}
    new = [text for text in missing if text not in stored]
    return {**known, **(dict(zip(new, embedder.embed(new), strict=True)) if new else {})}
