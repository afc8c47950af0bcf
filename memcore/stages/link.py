"""Linking: from an extraction's facts and names to memories, entities and triples with stable ids.

Deterministic: one normalised name is one entity of one owner and recipe. What is merely similar ("dog", "my
dog Rex") is left apart; consolidation proposes such merges and a person decides (graphiti's order:
deterministic first, judgement only for the rest). A triple with an end that is no individual is left in the
memory's text. Re-linking the same facts yields equal objects,
so a repeated step adds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

from memcore.domain.extraction import Fact, TripleDraft
from memcore.domain.models import (
    DEFAULT_RECIPE,
    Entity,
    MemoryEntry,
    Message,
    Segment,
    Source,
    Triple,
    stable_id,
)
from memcore.domain.names import MAX_NAME, entity_key, shown_name
from memcore.stages.namesakes import Names, Namesakes

NO_NODES: Mapping[str, str] = MappingProxyType({})
NO_IDS: Mapping[tuple[str, str], str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class LinkTrace:
    """Counts of one linking step: what was new and what was recognised."""

    memories: int
    new_entities: int
    known_entities: int
    new_triples: int
    repeated_triples: int
    nameless: int


@dataclass(frozen=True, slots=True)
class Linked:
    """What to store: new or changed objects only (`memories` are always new)."""

    memories: tuple[MemoryEntry, ...]
    entities: tuple[Entity, ...]
    triples: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class FactContext:
    """Where a fact was found: what a Memory needs beyond the fact itself."""

    owner: str
    recipe: str
    run_id: str
    segment_id: str | None
    topic: str
    compressed: str
    message: Message


def in_context(
    facts: Iterable[Fact],
    messages: Iterable[Message],
    segments: Iterable[Segment],
    *,
    owner: str,
    recipe: str,
    run_id: str,
    compressed: Mapping[str, str] | None = None,
) -> list[tuple[Fact, FactContext]]:
    """Each fact with its own source message, whose time it inherits (LightMem section 3.2), and the
    segment that holds it. `compressed` texts are by message id."""
    by_id = {message.id: message for message in messages}
    segment_of = {i: segment for segment in segments for i in segment.message_ids}
    found = []
    for fact in facts:
        message = by_id[fact.sources[0].message_id]
        home = segment_of[message.id]
        context = FactContext(
            owner=owner,
            recipe=recipe,
            run_id=run_id,
            segment_id=home.id,
            topic=home.topic,
            compressed=(compressed or {}).get(message.id, ""),
            message=message,
        )
        found.append((fact, context))
    return found


def by_name(entities: Iterable[Entity]) -> dict[str, Entity]:
    """Every name and alias (as `entity_key`) → the entity it stands for today; an entity's own name
    before an alias, and none that was merged into another."""
    standing = [e for e in entities if e.merged_into is None]
    aliases = {entity_key(alias): e for e in standing for alias in e.aliases}
    return aliases | {entity_key(e.name): e for e in standing}


def survivor_of(entity: Entity, entities: Mapping[str, Entity]) -> Entity:
    """The entity that stands for this one today, at the end of a chain of merges; `entities` are by id."""
    met = {entity.id}
    while (survivor := entities.get(entity.merged_into or "")) is not None and survivor.id not in met:
        met.add(survivor.id)
        entity = survivor
    return entity


def memory_id(owner: str, recipe: str, text: str, sources: Sequence[Source]) -> str:
    """The same for the same words made of the same places."""
    return stable_id("mem", owner, recipe, text, *(f"{s.message_id}:{s.start}-{s.end}" for s in sources))


def to_memory(fact: Fact, context: FactContext, embedding_model: str) -> MemoryEntry:
    """Soft insert (LightMem section 3.3): the fact as it is, valid from when it was said."""
    message = context.message
    sources = tuple(dict.fromkeys((*fact.sources, *fact.told_in)))
    return MemoryEntry(
        id=memory_id(context.owner, context.recipe, fact.text, sources),
        owner=context.owner,
        text=fact.text,
        kind=fact.kind,
        recipe=context.recipe,
        run_id=context.run_id,
        sources=sources,
        category=fact.category,
        subcategory=fact.subcategory,
        speaker=fact.speaker or message.speaker,
        mentioned_at=message.said_at,
        event_at=fact.event_at,
        event_end=fact.event_end,
        segment_id=context.segment_id,
        topic=fact.topic or context.topic,
        keywords=fact.keywords,
        persons=fact.persons,
        entities=fact.entities,
        location=fact.location,
        compressed_source=context.compressed,
        valid_from=message.said_at,
        embedding_model=embedding_model,
    )


def link(
    facts: Sequence[tuple[Fact, FactContext]],
    *,
    embedding_model: str,
    entities: Mapping[str, Entity],
    triples: Mapping[str, Triple],
    nodes: Mapping[str, str] = NO_NODES,
    ids: Mapping[tuple[str, str], str] = NO_IDS,
) -> tuple[Linked, LinkTrace]:
    """Link facts of one recipe against what it already has of the owner's (`entities` and `triples` by
    id). `nodes` are names that stand for an entity that they may not make by themselves, having another name
    or having had another: from `entity_key` to the id of an entity, new or known. `ids` says it of a name
    together with its type."""
    memories: dict[str, MemoryEntry] = {}
    known_entities, known_triples = dict(entities), dict(triples)
    touched_entities: dict[str, Entity] = {}
    touched_triples: dict[str, Triple] = {}
    nameless = 0
    pets = Namesakes(entities, triples.values(), entity_id_of)
    for fact, context in facts:
        memory = to_memory(fact, context, embedding_model)
        memories[memory.id] = memory
        called = pets.learn(fact.triples, memory)
        for draft in (d for d in fact.triples if d.telling):
            ends = _ends(draft, memory, known_entities, Names(nodes, ids, pets, called))
            if ends is None:
                nameless += 1
                continue
            for entity in ends:
                known_entities[entity.id] = touched_entities[entity.id] = entity
            triple = _triple(draft, memory, fact.sources, ends, known_triples)
            known_triples[triple.id] = touched_triples[triple.id] = triple
    changed_entities = [e for e in touched_entities.values() if entities.get(e.id) != e]
    changed_triples = [t for t in touched_triples.values() if triples.get(t.id) != t]
    trace = LinkTrace(
        memories=len(memories),
        new_entities=sum(i not in entities for i in touched_entities),
        known_entities=sum(i in entities for i in touched_entities),
        new_triples=sum(i not in triples for i in touched_triples),
        repeated_triples=sum(i in triples for i in touched_triples),
        nameless=nameless,
    )
    return Linked(tuple(memories.values()), tuple(changed_entities), tuple(changed_triples)), trace


def _ends(
    draft: TripleDraft,
    memory: MemoryEntry,
    known: Mapping[str, Entity],
    names: Names,
) -> tuple[Entity, Entity] | None:
    ends = []
    for name, kind in ((draft.subject, draft.subject_type), (draft.object, draft.object_type)):
        key = entity_key(name[:MAX_NAME])
        if not key:
            return None
        entity_id = names.id_of(key, kind, draft, memory)
        ends.append(_entity(name, entity_id, kind, memory, known, names.called.get(entity_id, "")))
    return ends[0], ends[1]


def _entity(
    name: str, entity_id: str, kind: str, memory: MemoryEntry, known: Mapping[str, Entity], called: str
) -> Entity:
    """`called`: how a new one is called that is told from another of the name."""
    shown = shown_name(name)
    entity = known.get(entity_id)
    if entity is None:
        seen, also = memory.mentioned_at, (shown,) if called else ()
        return Entity(entity_id, memory.owner, called or shown, kind, also, seen, seen, recipe=memory.recipe)
    aliases = entity.aliases
    if shown != entity.name and shown not in aliases:
        aliases = (*aliases, shown)
    return replace(
        entity,
        type=kind if entity.type == "THING" else entity.type,
        aliases=aliases,
        first_seen=_earliest(entity.first_seen, memory.mentioned_at),
        last_seen=_latest(entity.last_seen, memory.mentioned_at),
    )


def entity_id_of(owner: str, recipe: str, *key: str) -> str:
    """The id of the entity of a name (as `entity_key`), or of a name and a type where entities of several
    types have the name. The default recipe's graph was once the only one: its ids name no recipe, so that a
    store from then goes on with the entities it has."""
    return stable_id("ent", owner, *(() if recipe == DEFAULT_RECIPE else (recipe,)), *key)


def _triple(
    draft: TripleDraft,
    memory: MemoryEntry,
    said: Sequence[Source],
    ends: tuple[Entity, Entity],
    known: Mapping[str, Triple],
) -> Triple:
    subject, object_ = ends
    parts: list[object] = [memory.owner, subject.id, draft.relation, object_.id]
    triple_id = stable_id("tri", *parts)
    existing = known.get(triple_id)
    if existing is not None and _said_again_after_it_ended(existing, memory):
        triple_id = stable_id("tri", *parts, str(existing.invalidated_at))
        existing = known.get(triple_id)
    if existing is None:
        return Triple(
            id=triple_id,
            owner=memory.owner,
            subject_id=subject.id,
            relation=draft.relation,
            object_id=object_.id,
            sources=tuple(dict.fromkeys(said)),
            memory_ids=(memory.id,),
            valid_from=memory.valid_from,
            recipe=memory.recipe,
        )
    sources = tuple(dict.fromkeys((*existing.sources, *said)))
    return replace(
        existing,
        sources=sources,
        memory_ids=tuple(dict.fromkeys((*existing.memory_ids, memory.id))),
        valid_from=_earliest(existing.valid_from, memory.valid_from),
        mentions=_mentions(sources),
    )


def _said_again_after_it_ended(triple: Triple, memory: MemoryEntry) -> bool:
    """A new period of validity, not a mention of the old one. Without a date that is what comes in after a
    person approved the end: it would be hidden with what ended."""
    if triple.invalidated_at is None or memory.id in triple.memory_ids:
        return False
    return memory.mentioned_at is None or memory.mentioned_at >= triple.invalidated_at


def _mentions(sources: Iterable[Source]) -> int:
    return len({source.message_id for source in sources})


def _earliest(one: datetime | None, other: datetime | None) -> datetime | None:
    return min((t for t in (one, other) if t is not None), default=None)


def _latest(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((t for t in (one, other) if t is not None), default=None)
