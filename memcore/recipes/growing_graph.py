"""A recipe's graph while a step adds to it: what is known, and what each unit of the step has made so far.

Nothing is stored here. What one unit takes in, the next one sees; a unit that fails is not taken in.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memcore.models import Entity, Memory, Triple, triple_text
from memcore.protocols import Embedder, Vectors
from memcore.recipes.steps import Known, embedded
from memcore.review.graph_conflicts import Relation, Stated
from memcore.stages.link import Linked, by_name


class GrowingGraph:
    """`known` with the memories, entities and triples of one step. `vectors` are the unit vectors of the
    step's memory texts and entity names."""

    def __init__(self, known: Known, vectors: Mapping[str, Vectors], embedder: Embedder) -> None:
        self.entities = dict(known.entities)
        self.triples = dict(known.triples)
        self.names = by_name(self.entities.values())
        self._known = known
        self._vectors = dict(vectors)
        self._embedder = embedder
        self._memories: dict[str, Memory] = {}
        self._changed: set[str] = set()
        self._of_subject: dict[str, list[str]] = {}
        self._relations: dict[str, Relation | None] = {}
        for triple in self.triples.values():
            self._of_subject.setdefault(self._standing(triple.subject_id), []).append(triple.id)

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

    def similar(self, memory: Memory) -> dict[str, float]:
        """The cosine of every active memory's text to this one's, by memory id."""
        found = self._known.near_memories.search(self.vector(memory.text), sys.maxsize)
        return {other.id: score for other, score in found}

    def stated(self, linked: Linked) -> list[Stated]:
        """The relations that something just linked states, each beside those of its subject that still
        hold."""
        memories = {memory.id: memory for memory in linked.memories}
        found = []
        for triple in linked.triples:
            before = self._known.near_memories.those(triple.memory_ids)
            new = [memories[i] for i in triple.memory_ids if i in memories]
            if new:
                every = {memory.id: memory for memory in (*before, *new)}
                relation = Relation(triple.id, tuple(sorted(every.values(), key=_age)))
                found.append(Stated(relation, new[-1], tuple(self._others(triple))))
        return found

    def take(self, linked: Linked) -> None:
        """Let what follows see this."""
        new = [entity for entity in linked.entities if entity.id not in self.entities]
        self.entities |= {entity.id: entity for entity in linked.entities}
        self.names |= by_name(linked.entities)
        for triple in linked.triples:
            if triple.id not in self.triples:
                self._of_subject.setdefault(self._standing(triple.subject_id), []).append(triple.id)
            self.triples[triple.id] = triple
            self._relations.pop(triple.id, None)
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

    def _others(self, triple: Triple) -> Iterator[Relation]:
        for other in self._of_subject.get(self._standing(triple.subject_id), ()):
            if other != triple.id:
                if other not in self._relations:
                    self._relations[other] = self._relation(self.triples[other])
                if (relation := self._relations[other]) is not None:
                    yield relation

    def _relation(self, triple: Triple) -> Relation | None:
        """The triple as active memories state it; None when it does not hold."""
        if triple.invalidated_at is not None:
            return None
        memories = self._known.near_memories.those(triple.memory_ids)
        return Relation(triple.id, tuple(sorted(memories, key=_age))) if memories else None

    def _standing(self, entity_id: str) -> str:
        """The entity that stands for this one today."""
        while (entity := self.entities.get(entity_id)) is not None and entity.merged_into is not None:
            entity_id = entity.merged_into
        return entity_id

    def _text(self, triple: Triple) -> str:
        """As semantic search compares it with a question."""
        ends = [self.entities[i].name for i in (triple.subject_id, triple.object_id)]
        return triple_text(ends[0], triple.relation, ends[1])


def _age(memory: Memory) -> tuple[datetime, str]:
    return memory.mentioned_at or datetime.min, memory.id
