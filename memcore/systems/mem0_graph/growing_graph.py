"""A recipe's graph while a step adds to it: what is known, and what each unit of the step has made so far.

Nothing is stored here. What one unit takes in, the next one sees; a unit that fails is not taken in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memcore.domain.models import Entity, MemoryEntry, Triple, triple_text
from memcore.domain.names import MAX_NAME, entity_key
from memcore.domain.protocols import Embedder, Vectors
from memcore.stages.link import Linked, by_name, entity_id_of, survivor_of
from memcore.systems.mem0_graph.conflicts import Relation, Similar, Stated, turned_round
from memcore.systems.steps import Known, embedded

NEAREST_MEMORIES = 200
"""Memories among which the relations of a subject are looked for: whoever speaks has thousands."""


class GrowingGraph:
    """`known` with the memories, entities and triples of one step. `vectors` are the unit vectors of the
    step's memory texts and entity names."""

    def __init__(self, known: Known[None], vectors: Mapping[str, Vectors], embedder: Embedder) -> None:
        self.entities = dict(known.entities)
        self.triples = dict(known.triples)
        self.names = by_name(self.entities.values())
        self._known = known
        self._vectors = dict(vectors)
        self._embedder = embedder
        self._memories: dict[str, MemoryEntry] = {}
        self._changed: set[str] = set()
        self._stating: dict[str, dict[str, None]] = {}
        self._note_what_is_stated(self.triples.values())

    def near(self, vector: NDArray[np.float32], k: int) -> list[tuple[Entity, float]]:
        """The k nodes whose names are nearest, as they are now."""
        return [
            (self.entities.get(e.id, e), score) for e, score in self._known.near_entities.search(vector, k)
        ]

    def vector(self, text: str) -> NDArray[np.float32]:
        """A text's unit vector."""
        if text not in self._vectors:
            self._vectors |= embedded([text], self._embedder)
        return self._vectors[text]

    def ids(self, said: Iterable[str], nodes: Mapping[str, str], owner: str, recipe: str) -> dict[str, str]:
        """The id of the node that each of the names `said` stands for, by `entity_key`. `nodes` are those of
        them that stand for a node of another name. A node's own name says its id only as long as nobody has
        given it another."""
        own = {key: nodes.get(key, key) for key in (entity_key(name[:MAX_NAME]) for name in said)}
        return {
            key: self.names[name].id if name in self.names else entity_id_of(owner, recipe, name)
            for key, name in own.items()
        }

    def stated(self, linked: Linked, most: int) -> list[Stated]:
        """The relations that something just linked states, each beside those of its subject that still
        hold: of the `most` similar, those that were stated before. Where one was stated later, as in a log
        that is older than what is known, it is the other that may be obsolete by it."""
        memories = {memory.id: memory for memory in linked.memories}
        found = []
        for triple in linked.triples:
            new = [memories[i] for i in triple.memory_ids if i in memories]
            if new:
                active = {m.id: m for m in (*self._known.near_memories.those(triple.memory_ids), *new)}
                relation = Relation(triple.id, tuple(sorted(active.values(), key=_age)))
                earlier = []
                for similar in self._similar(triple, new[-1])[:most]:
                    if not similar.relation.newest_is_later_than(new[-1]):
                        earlier.append(similar)
                    elif relation.newest.id == new[-1].id:
                        found.append(turned_round(relation, similar))
                found.append(Stated(relation, new[-1], tuple(earlier)))
        return found

    def take(self, linked: Linked) -> None:
        """Let what follows see this."""
        new = [entity for entity in linked.entities if entity.id not in self.entities]
        self.entities |= {entity.id: entity for entity in linked.entities}
        self.names |= by_name(linked.entities)
        self.triples |= {triple.id: triple for triple in linked.triples}
        self._note_what_is_stated(linked.triples)
        self._changed.update(entity.id for entity in linked.entities)
        self._changed.update(triple.id for triple in linked.triples)
        self._memories |= {memory.id: memory for memory in linked.memories}
        self._known.near_entities.put(new, [self.vector(entity.name) for entity in new])
        self._known.near_memories.put(linked.memories, [self.vector(m.text) for m in linked.memories])

    def to_store(self) -> tuple[Linked, dict[str, Vectors]]:
        """What the step has made or changed, and the vectors by which it will be found."""
        made = Linked(
            tuple(self._memories.values()),
            tuple(entity for entity in self.entities.values() if entity.id in self._changed),
            tuple(triple for triple in self.triples.values() if triple.id in self._changed),
        )
        texts = dict.fromkeys(
            (
                *(memory.text for memory in made.memories),
                *(entity.name for entity in made.entities),
                *(self._text(triple) for triple in made.triples),
            )
        )
        there = {text: self._vectors[text] for text in texts if text in self._vectors}
        return made, there | embedded([text for text in texts if text not in there], self._embedder)

    def _note_what_is_stated(self, triples: Iterable[Triple]) -> None:
        for triple in triples:
            for memory_id in triple.memory_ids:
                self._stating.setdefault(memory_id, {})[triple.id] = None

    def _similar(self, triple: Triple, memory: MemoryEntry) -> list[Similar]:
        """The other relations of the triple's subject that hold and that memories near to this one state,
        the most similar first."""
        subject = self._subject(triple)
        found: dict[str, Similar] = {}
        for near, cosine in self._known.near_memories.search(self.vector(memory.text), NEAREST_MEMORIES):
            for triple_id in self._stating.get(near.id, ()):
                other = self.triples[triple_id]
                if triple_id in found or triple_id == triple.id or other.invalidated_at is not None:
                    continue
                if self._subject(other) == subject:
                    stated_by = self._known.near_memories.those(other.memory_ids)
                    relation = Relation(triple_id, tuple(sorted(stated_by, key=_age)))
                    found[triple_id] = Similar(relation, cosine)
        return list(found.values())

    def _subject(self, triple: Triple) -> str:
        """Whom the relation is of today; one that nothing was taken of yet is nobody else."""
        entity = self.entities.get(triple.subject_id)
        return survivor_of(entity, self.entities).id if entity else triple.subject_id

    def _text(self, triple: Triple) -> str:
        """As semantic search compares it with a question."""
        ends = [self.entities[i].name for i in (triple.subject_id, triple.object_id)]
        return triple_text(ends[0], triple.relation, ends[1])


def _age(memory: MemoryEntry) -> tuple[datetime, str]:
    return memory.mentioned_at or datetime.min, memory.id
