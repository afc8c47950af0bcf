"""Deduplication of entities as LiCoMemory does it: one type, and the same words in the name.

A name is the entity of the same type that has it as its name or another name, else the one of the same type
whose name, or one of whose other names, shares at least 85 % of the words of both (published:
entity_merge_threshold, a Jaccard index). A name that was found near is kept as another name of that entity.
Nothing that is stored is merged or renamed: that is consolidation, which proposes. The name of an entity
that a person merged into another needs no judgement and is that other entity's.

Two deliberate differences. THING says that no type is known: an equal name is the same entity where one of
the two is a THING. And without a language model the types are guessed word by word, so that one person may be
a PERSON here and a PLACE there: then an equal name is one entity whatever its types (`typed`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memcore.domain.extraction import Fact
from memcore.domain.models import Entity
from memcore.domain.names import MAX_NAME, entity_key, shown_name
from memcore.stages.link import entity_id_of, survivor_of

SAME_FROM = 0.85
UNTYPED = "THING"
"""The type of what has no other."""
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
    only that share a word with it. `typed`: whether an equal name is an entity's only where the types
    agree, too."""

    def __init__(self, entities: Iterable[Entity] = (), *, typed: bool = False) -> None:
        self._typed = typed
        self._entities: dict[str, Entity] = {}
        self._by_key: dict[str, set[str]] = {}
        self._by_alias: dict[str, set[str]] = {}
        self._by_word: dict[str, set[str]] = {}
        self._merged: dict[str, Entity] = {}
        self.learn(entities)

    def contradicts(self, entity_id: str, type_: str) -> bool:
        """Whether this is the id of an entity that nothing of this type can be."""
        entity = self._entities.get(entity_id) or self._merged.get(entity_id)
        return entity is not None and self._typed and entity.type not in (type_, UNTYPED) and type_ != UNTYPED

    def learn(self, entities: Iterable[Entity]) -> None:
        """Add entities, or take over how those already there have changed."""
        for entity in entities:
            if entity.merged_into is not None:
                self._merged[entity.id] = entity
                continue
            self._entities[entity.id] = entity
            self._by_key.setdefault(entity_key(entity.name), set()).add(entity.id)
            for key in map(entity_key, entity.aliases):
                self._by_alias.setdefault(key, set()).add(entity.id)
            for word in _words(entity.name, *entity.aliases):
                self._by_word.setdefault(word, set()).add(entity.id)

    def without_entities(self) -> KnownEntities:
        """An empty one by the same rule."""
        return KnownEntities(typed=self._typed)

    def named(self, name: str, type_: str) -> Entity | None:
        """The entity of this name or, where none has it, with this alias: of several the first by
        name, or where types count the one of this type, then one without."""
        key = entity_key(name)
        for ids in (self._by_key.get(key, ()), self._by_alias.get(key, ())):
            found = [self._entities[i] for i in ids if self._agree(self._entities[i], key, type_)]
            if found:
                return min(found, key=lambda one: (self._strangeness(one, type_), one.name, one.id))
        return None

    def _strangeness(self, entity: Entity, type_: str) -> int:
        if not self._typed or entity.type == type_:
            return 0
        return 1 if entity.type == UNTYPED else 2

    def _agree(self, entity: Entity, key: str, type_: str) -> bool:
        """Whether a name of this type may be the entity's: what a person merged into it is, whatever type
        that had."""
        if not self._typed or entity.type == type_ or UNTYPED in (entity.type, type_):
            return True
        return any(
            one.type == type_
            and entity_key(one.name) == key
            and survivor_of(one, self._entities | self._merged) == entity
            for one in self._merged.values()
        )

    def nearest(self, name: str, type_: str) -> tuple[Entity, FoundEqual] | None:
        """The entity of this type that shares most words with the name, if it shares enough; of equals
        the first by name."""
        near = {i for word in _words(name) for i in self._by_word.get(word, ())}
        found = [
            (
                entity,
                FoundEqual(
                    name,
                    type_,
                    entity.name,
                    max(word_overlap(name, n) for n in (entity.name, *entity.aliases)),
                ),
            )
            for entity in (self._entities[i] for i in near)
            if entity.type == type_
        ]
        best = min(found, key=lambda one: (-one[1].overlap, one[0].name, one[0].id), default=None)
        return best if best is not None and best[1].overlap >= SAME_FROM else None


def word_overlap(one: str, other: str) -> float:
    """The words two names share, as a part of all words of both.

    >>> word_overlap("the LGBTQ support-group", "LGBTQ support group"), word_overlap("New York", "York")
    (1.0, 0.5)
    """
    some, others = _words(one), _words(other)
    return len(some & others) / len(some | others) if some and others else 0.0


def dedupe(
    relations: Iterable[Fact], known: KnownEntities, *, owner: str, recipe: str
) -> tuple[dict[tuple[str, str], str], DedupeTrace]:
    """What linking needs to know of one turn's names (`link`'s `ids`): which entity, known or new with this
    turn, each name (as `entity_key`) and type stand for. The first entity of a name has the id that its
    name alone gives, so that a store from before goes on with the entities it has."""
    fresh = known.without_entities()
    ids: dict[tuple[str, str], str] = {}
    equal: list[FoundEqual] = []
    names = dict.fromkeys(
        end
        for fact in relations
        for draft in fact.triples
        for end in ((draft.subject, draft.subject_type), (draft.object, draft.object_type))
    )
    for name, type_ in names:
        key = entity_key(name[:MAX_NAME])
        if not key or (key, type_) in ids:
            continue
        if (same := known.named(key, type_) or fresh.named(key, type_)) is not None:
            ids[key, type_] = same.id
        elif (near := known.nearest(name, type_) or fresh.nearest(name, type_)) is not None:
            ids[key, type_] = near[0].id
            equal.append(near[1])
        else:
            entity_id = entity_id_of(owner, recipe, key)
            if known.contradicts(entity_id, type_) or fresh.contradicts(entity_id, type_):
                entity_id = entity_id_of(owner, recipe, key, type_)
            ids[key, type_] = entity_id
            fresh.learn([Entity(entity_id, owner, shown_name(name), type_)])
    return ids, DedupeTrace(len(names), tuple(equal))


def _words(*names: str) -> set[str]:
    return {word for name in names for word in _BETWEEN_WORDS.split(entity_key(name)) if word}
