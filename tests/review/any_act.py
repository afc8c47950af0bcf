"""Acts by hand of every kind, on whatever a store holds, whether they make sense or not."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memcore.domain.models import Entity, MemoryEntry, Source, Triple
from memcore.review.curate import acts
from memcore.store import DuckStore

TEXTS = ["Ann likes tea", "Ann has a dog Rex", "Ben likes jazz", "Rex is brown", "It rained"]
DAYS = [datetime(2023, 1, 1), datetime(2024, 2, 1), datetime(2024, 6, 1)]
NOTHING = "nothing"
"""The id of no object."""


@dataclass(frozen=True)
class Choices:
    """What an act is made of: chance, and what a store holds."""

    chance: random.Random
    store: DuckStore

    def pick(self, *words: str) -> str:
        return self.chance.choice(words)

    def text(self) -> str:
        return self.pick(*TEXTS)

    def day(self) -> datetime:
        return self.chance.choice(DAYS)

    def memories(self) -> list[MemoryEntry]:
        return self.store.memories("me", states=None)

    def triples(self) -> list[Triple]:
        return self.store.triples("me")

    def entities(self) -> list[Entity]:
        return self.store.entities("me")

    def one(self, objects: Sequence[Any]) -> str:
        return self.chance.choice(sorted(one.id for one in objects) or [NOTHING])

    def some(self, objects: Sequence[Any], most: int = 3) -> tuple[str, ...]:
        ids = sorted(one.id for one in objects)
        return tuple(self.chance.sample(ids, min(len(ids), self.chance.randint(1, most))))

    def words(self) -> tuple[Source, ...]:
        said = sorted(m.id for s in self.store.sessions(owner="me") for m in self.store.messages(s.id))
        return (Source(self.chance.choice(said or [NOTHING]), 0, self.chance.randint(1, 9)),)

    def parts(self) -> tuple[acts.Part, ...]:
        return (acts.Part(self.text(), self.words()), acts.Part("Rex barks"))


Maker = Callable[[Choices], acts.Act]

MAKERS: tuple[tuple[type, Maker], ...] = (
    (acts.EditMemories, lambda c: acts.EditMemories((c.one(c.memories()),), c.text())),
    (acts.EditMemories, lambda c: acts.EditMemories((c.one(c.memories()),), c.text(), since=c.day())),
    (
        acts.EditMemories,
        lambda c: acts.EditMemories(
            c.some(c.memories()), event=acts.EventTime(c.day()), persons=("Cleo",), kind="event"
        ),
    ),
    (acts.AddMemory, lambda c: acts.AddMemory(c.text(), c.words(), "memscope")),
    (acts.CiteWords, lambda c: acts.CiteWords(c.one(c.memories()), c.words())),
    (acts.SplitMemory, lambda c: acts.SplitMemory(c.one(c.memories()), c.parts())),
    (acts.MergeMemories, lambda c: acts.MergeMemories(c.some(c.memories()), c.text())),
    (acts.ChangeRelation, lambda c: acts.ChangeRelation(c.one(c.triples()), c.pick("likes", "met"))),
    (acts.ChangeRelation, lambda c: acts.ChangeRelation(c.one(c.triples()), object_id=c.one(c.entities()))),
    (acts.RenameEntity, lambda c: acts.RenameEntity(c.one(c.entities()), c.pick("Ann", "Eve", "Rex"))),
    (acts.RetypeEntities, lambda c: acts.RetypeEntities(c.some(c.entities()), c.pick("PLACE", "PET"))),
    (acts.MergeEntities, lambda c: acts.MergeEntities(c.some(c.entities()))),
    (
        acts.SplitEntity,
        lambda c: acts.SplitEntity(c.one(c.entities()), c.pick("Ann", "Zoe"), c.some(c.triples())),
    ),
    (acts.End, lambda c: acts.End(c.some(c.triples()), c.day())),
    (acts.MarkWrong, lambda c: acts.MarkWrong(c.some(c.triples()), "graph", "why")),
    (acts.Delete, lambda c: acts.Delete(c.some(c.triples()))),
    (acts.End, lambda c: acts.End(c.some(c.memories()), c.day())),
    (acts.MarkWrong, lambda c: acts.MarkWrong(c.some(c.memories()), "time", "why")),
    (acts.Delete, lambda c: acts.Delete(c.some(c.memories()))),
)
"""Kind of act → what makes one; what takes most away comes last."""


def any_act(chance: random.Random, store: DuckStore) -> acts.Act:
    """Of any kind, on any objects."""
    _, make = chance.choice(MAKERS)
    return make(Choices(chance, store))
