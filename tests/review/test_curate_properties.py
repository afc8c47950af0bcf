"""Whatever a person does by hand: the store stays sound, and every step undone and redone is as it was."""

from __future__ import annotations

import random
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcore.domain.errors import MemcoreError
from memcore.domain.models import Entity, MemoryEntry, Source, Triple
from memcore.review.curate import acts
from memcore.review.curate.perform import do
from memcore.review.decide import undo
from memcore.store import DuckStore
from tests.pipeline import log, open_with, run_ingest
from tests.store.samples import EMBEDDER

TEXTS = ["Ann likes tea", "Ann has a dog Rex", "Ben likes jazz", "Rex is brown", "It rained"]
DAYS = [datetime(2023, 1, 1), datetime(2024, 2, 1), datetime(2024, 6, 1)]
SAID = [["likes tea. has Rex.", "likes tea. likes jazz."], ["knows Ben. likes Rex.", "knows Ann."]]


def memories(store: DuckStore) -> list[MemoryEntry]:
    return store.memories("me", states=None)


def triples(store: DuckStore) -> list[Triple]:
    return store.triples("me")


def entities(store: DuckStore) -> list[Entity]:
    return store.entities("me")


def some(chance: random.Random, objects: list[Any], most: int = 3) -> tuple[str, ...]:
    ids = sorted(one.id for one in objects)
    return tuple(chance.sample(ids, min(len(ids), chance.randint(1, most))))


def words(chance: random.Random, store: DuckStore) -> tuple[Source, ...]:
    said = sorted(m.id for s in store.sessions(owner="me") for m in store.messages(s.id))
    return (Source(chance.choice(said), 0, chance.randint(1, 9)),)


def any_act(chance: random.Random, store: DuckStore) -> acts.Act:
    """Of any kind, on any objects, whether it makes sense or not."""
    of_memories, of_graph, names = memories(store), triples(store), entities(store)
    either = chance.choice([of_memories, of_graph])
    (one,), (link,), (name,) = (some(chance, of, 1) for of in (of_memories, of_graph, names))
    text, day = chance.choice(TEXTS), chance.choice(DAYS)
    parts = (acts.Part(text, words(chance, store)), acts.Part("Rex barks"))
    when = acts.EventTime(day)
    made: list[acts.Act] = [
        acts.EditMemories((one,), text, since=chance.choice([None, day])),
        acts.EditMemories(some(chance, of_memories), event=when, persons=("Cleo",), kind="event"),
        acts.MarkWrong(some(chance, either), "time", "why"),
        acts.End(some(chance, either), day),
        acts.Delete(some(chance, either)),
        acts.MergeMemories(some(chance, of_memories), text),
        acts.SplitMemory(one, parts),
        acts.AddMemory(text, words(chance, store), "memscope"),
        acts.CiteWords(one, words(chance, store)),
        acts.ChangeRelation(link, chance.choice(["likes", "met"])),
        acts.RenameEntity(name, chance.choice(["Ann", "Eve", "Rex"])),
        acts.RetypeEntities(some(chance, names), chance.choice(["PLACE", "PET"])),
        acts.MergeEntities(some(chance, names)),
        acts.SplitEntity(name, chance.choice(["Ann", "Zoe"]), some(chance, of_graph)),
    ]
    return chance.choice(made)


def state(store: DuckStore) -> dict[str, Any]:
    """All that counts: what an undone act had made is deleted, and merged into what it came from."""
    return {
        "memories": {m.id: m for m in memories(store) if m.state != "deleted"},
        "deleted": {c.object_id for c in store.curations("me")},
        "triples": {t.id: t for t in triples(store)},
        "entities": {e.id: e for e in entities(store) if not e.merged_into},
        "by hand": store.curations("me"),
    }


def unsound(store: DuckStore) -> list[Any]:
    return [finding for finding in store.check() if not finding.sound]


def steps_undone_and_redone(seeds: list[int], steps: int) -> None:
    """As many acts as can be done of those that the seeds stand for, at most `steps`."""
    with (
        tempfile.TemporaryDirectory() as directory,
        open_with(EMBEDDER, Path(directory) / "store") as store,
    ):
        run_ingest(store, log(*SAID))
        stood, done = [state(store)], []
        for seed in seeds:
            act = any_act(random.Random(seed), store)
            try:
                done.append(do(store, EMBEDDER, act, owner="me", actor="ann"))
                stood.append(state(store))
            except MemcoreError:
                assert state(store) == stood[-1], "what is refused changes nothing"
            if len(done) == steps:
                break
        assert unsound(store) == []
        undone = []
        for number in range(len(done) - 1, -1, -1):
            undone.append(undo(store, done[number].event_id, "ann"))
            assert state(store) == stood[number]
        assert unsound(store) == []
        for number, step in enumerate(reversed(undone), start=1):
            undo(store, step.event_id, "ann")
            assert state(store) == stood[number]
        assert unsound(store) == []


def seeds(number: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, 2**32), min_size=number, max_size=number)


@settings(max_examples=2, derandomize=True, suppress_health_check=list(HealthCheck))
@given(seeds=seeds(8))
def test_steps_undone_and_redone_leave_what_stood_there(seeds: list[int]) -> None:
    steps_undone_and_redone(seeds, 5)


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(seeds=seeds(60))
def test_thirty_steps_undone_and_redone_leave_what_stood_there(seeds: list[int]) -> None:
    steps_undone_and_redone(seeds, 30)
