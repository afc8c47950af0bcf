"""What an act needs to know of the store: its objects, and everything that changes with them.

Reads only. Raises NotFoundError for what is not this owner's: an id of somebody else's is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memcore.domain.errors import NotFoundError, UsageError
from memcore.domain.models import Entity, MemoryEntry, Message, Source, Triple
from memcore.domain.protocols import Store
from memcore.review.curate.acts import Act, AddMemory, ChangeRelation, RenameEntity, cited, targets

Curated = MemoryEntry | Triple | Entity


@dataclass(frozen=True, slots=True)
class Scene:
    """The targets in the order named; the triples that the target memories state or that end at a target
    entity; every entity at their ends, and every memory that states them; the messages cited."""

    owner: str
    targets: tuple[Curated, ...]
    triples: tuple[Triple, ...]
    entities: Mapping[str, Entity]
    memories: Mapping[str, MemoryEntry]
    messages: Mapping[str, Message]

    @property
    def active_ids(self) -> frozenset[str]:
        """The memories that stand."""
        return frozenset(i for i, memory in self.memories.items() if memory.state == "active")

    def after(self, changed: Mapping[str, Curated]) -> Scene:
        """The same with what around the targets has changed meanwhile, by id."""
        memories = {i: one for i in self.memories if isinstance(one := changed.get(i), MemoryEntry)}
        entities = {i: one for i in self.entities if isinstance(one := changed.get(i), Entity)}
        triples = (changed.get(triple.id, triple) for triple in self.triples)
        return replace(
            self,
            memories={**self.memories, **memories},
            entities={**self.entities, **entities},
            triples=tuple(triple for triple in triples if isinstance(triple, Triple)),
        )

    def name(self, entity_id: str) -> str:
        """What an entity is called."""
        return self.entities[entity_id].name if entity_id in self.entities else ""


def scene_of(store: Store, act: Act, owner: str) -> Scene:
    """Everything that `act` touches, as it is now. Raises NotFoundError for an unknown id or message, and
    UsageError for words that a message does not have."""
    found = _targets(store, targets(act), owner)
    if not found and not isinstance(act, AddMemory):
        raise UsageError("Nothing was named to change.", "Name one or more ids.")
    memories = {one.id: one for one in found if isinstance(one, MemoryEntry)}
    entities = {one.id: one for one in found if isinstance(one, Entity)}
    triples = {one.id: one for one in found if isinstance(one, Triple)}
    if memories:
        triples |= {t.id: t for t in store.triples(owner, memory_ids=list(memories)) if t.mentions}
    for entity in list(entities.values()):
        ids = [entity.id]
        if not isinstance(act, RenameEntity):
            merged = [e for e in store.entities(owner, recipe=entity.recipe) if e.merged_into]
            entities |= {e.id: e for e in merged}
            ids += [e.id for e in merged if survives_as(e, entities) == entity.id]
        triples |= store.triples_of_entities(owner, ids, recipe=entity.recipe)
    ends = {i for t in triples.values() for i in (t.subject_id, t.object_id)}
    if isinstance(act, ChangeRelation):
        ends |= {i for i in (act.subject_id, act.object_id) if i}
    entities |= store.entities_by_id(sorted(ends - entities.keys()))
    stating = {i for t in triples.values() for i in t.memory_ids} - memories.keys()
    memories |= store.memories_by_id(sorted(stating))
    return Scene(owner, found, tuple(triples.values()), entities, memories, _words(store, cited(act), owner))


def survives_as(entity: Entity, entities: Mapping[str, Entity]) -> str:
    """The id of the entity at the end of a chain of merges."""
    met = {entity.id}
    while (into := entities.get(entity.merged_into or "")) is not None and into.id not in met:
        entity = into
        met.add(entity.id)
    return entity.merged_into or entity.id


def _targets(store: Store, ids: Sequence[str], owner: str) -> tuple[Curated, ...]:
    found: dict[str, Curated] = {
        **store.memories_by_id(ids),
        **store.triples_by_id(ids),
        **store.entities_by_id(ids),
    }
    for object_id in ids:
        if object_id not in found or found[object_id].owner != owner:
            raise NotFoundError(
                f"{owner} has no memory, relation or entity with the id {object_id!r}.",
                "Look it up with `search` or `history`.",
            )
    return tuple(found[i] for i in ids)


def _words(store: Store, sources: Sequence[Source], owner: str) -> dict[str, Message]:
    messages = store.messages_by_id([source.message_id for source in sources])
    theirs = {conversation.id for conversation in store.conversations(owner)} if sources else set()
    for source in sources:
        message = messages.get(source.message_id)
        session = store.session(message.session_id) if message else None
        if message is None or session is None or session.conversation_id not in theirs:
            raise NotFoundError(
                f"{owner} has no message with the id {source.message_id!r}.",
                "Cite a message of one of this owner's logs.",
            )
        if not 0 <= source.start < source.end <= len(message.text):
            raise UsageError(
                f"Message {message.id} has {len(message.text)} characters; "
                f"{source.start} to {source.end} are no words of it.",
                "Name characters within the message.",
            )
    return messages
