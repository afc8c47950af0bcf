"""Deduplication of entities as LiCoMemory does it: one type, and the same words in the name.

A name that the graph does not have is the entity of the same type whose name, or one of whose other names,
shares at least 85 % of the words of both (published: entity_merge_threshold, a Jaccard index). The name is
kept as another name of that entity. Nothing that is stored is merged or renamed: that is consolidation,
which proposes. A name the graph does have, or that of an entity a person merged into another, needs no
judgement and is that entity's, whatever type is given to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memcore.domain.extraction import Fact
from memcore.domain.models import Entity
from memcore.domain.names import entity_key, shown_name

SAME_FROM = 0.85
_BETWEEN_WORDS = re.compile(r"[\s_/–—-]+")


@dataclass(frozen=True, slots=True)
class FoundEqual:
    """A name as it was said, the entity it was found equal to, and the words they share (0 to 1)."""

    name: str
    type: str
    entity: str
    overlap: float


@dataclass(frozen=True, slots=True)
class DedupeTrace:
    """How many names a turn's triples have, and which of them were found equal to another name;
    `segment_id` is the turn's chunk."""

    names: int
    equal: tuple[FoundEqual, ...]
    segment_id: str = ""


class KnownEntities:
    """A graph's standing entities by the words of their names, so that a new name is compared with those
    only that share a word with it."""

    def __init__(self, entities: Iterable[Entity] = ()) -> None:
        self._entities: dict[str, Entity] = {}
        self._by_key: dict[str, Entity] = {}
        self._by_alias: dict[str, Entity] = {}
        self._by_word: dict[str, set[str]] = {}
        self.learn(entities)

    def learn(self, entities: Iterable[Entity]) -> None:
        """Add entities, or take over how those already there have changed."""
        for entity in entities:
            if entity.merged_into is not None:
                continue
            self._entities[entity.id] = entity
            self._by_key[entity_key(entity.name)] = entity
            for key in map(entity_key, entity.aliases):
                first = self._by_alias.get(key, entity)
                self._by_alias[key] = min(first, entity, key=lambda one: one.name)
            for word in _words(entity.name, *entity.aliases):
                self._by_word.setdefault(word, set()).add(entity.id)

    def named(self, name: str) -> Entity | None:
        """The entity of this name or, where none has it, with this alias (of several the first by name)."""
        key = entity_key(name)
        return self._by_key.get(key) or self._by_alias.get(key)

    def nearest(self, name: str, type_: str) -> FoundEqual | None:
        """The entity of this type that shares most words with the name, if it shares enough; of equals
        the first by name."""
        near = {i for word in _words(name) for i in self._by_word.get(word, ())}
        found = [
            FoundEqual(
                name, type_, entity.name, max(word_overlap(name, n) for n in (entity.name, *entity.aliases))
            )
            for entity in (self._entities[i] for i in near)
            if entity.type == type_
        ]
        best = min(found, key=lambda one: (-one.overlap, one.entity), default=None)
        return best if best is not None and best.overlap >= SAME_FROM else None


def word_overlap(one: str, other: str) -> float:
    """The words two names share, as a part of all words of both.

    >>> word_overlap("the LGBTQ support-group", "LGBTQ support group"), word_overlap("New York", "York")
    (1.0, 0.5)
    """
    some, others = _words(one), _words(other)
    return len(some & others) / len(some | others) if some and others else 0.0


def dedupe(relations: Iterable[Fact], known: KnownEntities) -> tuple[dict[str, str], DedupeTrace]:
    """What linking needs to know of one turn's names (`link`'s `nodes`): which of them stand for an entity
    of another name, be it known or of this turn, from `entity_key` to the entity's own."""
    fresh = KnownEntities()
    nodes: dict[str, str] = {}
    equal: list[FoundEqual] = []
    names = dict.fromkeys(
        end
        for fact in relations
        for draft in fact.triples
        for end in ((draft.subject, draft.subject_type), (draft.object, draft.object_type))
    )
    for name, type_ in names:
        key = entity_key(name)
        if not key or key in nodes or fresh.named(name) is not None:
            continue
        if (same := known.named(name)) is not None:
            if entity_key(same.name) != key:
                nodes[key] = entity_key(same.name)
            continue
        found = known.nearest(name, type_) or fresh.nearest(name, type_)
        if found is None:
            fresh.learn([Entity(key, "", shown_name(name), type_)])
        else:
            nodes[key] = entity_key(found.entity)
            equal.append(found)
    return nodes, DedupeTrace(len(names), tuple(equal))


def _words(*names: str) -> set[str]:
    return {word for name in names for word in _BETWEEN_WORDS.split(entity_key(name)) if word}
