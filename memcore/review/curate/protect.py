"""What a person decided by hand stands against later runs.

Every run passes what it is about to store through here (`runs.ingest`, `runs.resegment`; nothing else of a
run writes memories or a graph). A memory that a person has decided about is left as it is. What a person
marked wrong, corrected away or deleted does not come back by itself: said again in the same words, it is
stored, for anyone to see and restore, but deleted, so that no search finds it (`memory.withheld`). A triple
keeps the relation, ends and times, an entity the name and type that a person gave it; new mentions are added.
A run that would change such a memory only ever proposes it, like any change, and no automatic rule decides
about it (`review.automatic`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memcore.domain.models import Entity, MemoryEntry, Triple, now, text_hash
from memcore.domain.protocols import Store, StoreWriter


@dataclass(frozen=True, slots=True)
class Admitted:
    """What a run may store, and what it stores out of everybody's way."""

    memories: tuple[MemoryEntry, ...]
    entities: tuple[Entity, ...]
    triples: tuple[Triple, ...]
    withheld: tuple[MemoryEntry, ...] = ()
    withheld_triples: tuple[Triple, ...] = ()

    def put(self, writer: StoreWriter) -> None:
        """Store all of it."""
        writer.put_memories(self.memories)
        writer.put_memories(self.withheld, kind="memory.withheld")
        writer.put_entities(self.entities, kind="entity.linked")
        writer.put_triples(self.triples, kind="triple.linked")
        writer.put_triples(self.withheld_triples, kind="triple.withheld")


def letters(text: str) -> str:
    """A text without capitals and marks, as which two wordings are one."""
    return re.sub(r"[\W_]+", " ", text).strip().casefold()


def said_hash(text: str) -> str:
    """What a statement is refused by: the same for every wording that differs in capitals and marks only."""
    return text_hash(letters(text) or text)


def triple_hash(triple: Triple) -> str:
    """What a triple is refused by."""
    return text_hash("\x1f".join((triple.subject_id, triple.relation, triple.object_id)))


def admitted(
    store: Store,
    owner: str,
    recipe: str,
    memories: Sequence[MemoryEntry],
    entities: Sequence[Entity],
    triples: Sequence[Triple],
) -> Admitted:
    """What of a run's new and changed objects a person's decisions leave."""
    curations = store.curations(owner, recipe=recipe)
    if not curations:
        return Admitted(tuple(memories), tuple(entities), tuple(triples))
    decided = {curation.object_id for curation in curations}
    refused = {one for curation in curations for one in curation.refused}
    new = [memory for memory in memories if memory.id not in decided]
    withheld = [replace(m, state="deleted") for m in new if said_hash(m.text) in refused]
    out = {memory.id for memory in withheld} | _deleted(store, triples, decided)
    known = store.triples_by_id([triple.id for triple in triples])
    kept, kept_out = [], []
    for triple in triples:
        before = known.get(triple.id)
        if triple.id in decided and before is not None:
            if before.mentions:
                kept.append(_as_decided(triple, before))
        elif triple_hash(triple) in refused or set(triple.memory_ids) <= out:
            if before is None:
                gone = triple.invalidated_at or triple.valid_from or now()
                kept_out.append(replace(triple, mentions=0, invalidated_at=gone))
        else:
            kept.append(triple)
    named = store.entities_by_id([entity.id for entity in entities if entity.id in decided])
    return Admitted(
        tuple(memory for memory in new if memory.id not in out),
        tuple(_named(entity, named.get(entity.id)) for entity in entities),
        tuple(kept),
        tuple(withheld),
        tuple(kept_out),
    )


def _deleted(store: Store, triples: Sequence[Triple], decided: set[str]) -> set[str]:
    stating = {i for triple in triples for i in triple.memory_ids} & decided
    found = store.memories_by_id(sorted(stating))
    return {i for i, memory in found.items() if memory.state == "deleted"}


def _as_decided(triple: Triple, before: Triple) -> Triple:
    return replace(
        triple,
        subject_id=before.subject_id,
        relation=before.relation,
        object_id=before.object_id,
        valid_from=before.valid_from,
        invalidated_at=before.invalidated_at,
    )


def _named(entity: Entity, before: Entity | None) -> Entity:
    if before is None:
        return entity
    return replace(entity, name=before.name, type=before.type, merged_into=before.merged_into)
