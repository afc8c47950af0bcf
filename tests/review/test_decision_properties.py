"""Whatever a person decides, in whatever order: the state is what the events say, and nothing is lost."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memcore.domain.errors import ConflictError, UsageError
from memcore.domain.models import Entity, Event
from memcore.review.decide import approve, edit, reject, undo
from memcore.store.sql.tables import REVIEWABLE
from tests.pipeline import open_with
from tests.review.scenes import JAN, JUN, MAR, fill, proposal, said
from tests.store.samples import EMBEDDER, triple

MEMORIES = [
    said(key, f"Ann has {key}", when, message=f"a-s0-m{i}")
    for i, (key, when) in enumerate(
        (("dogs", JAN), ("cats", MAR), ("hens", MAR), ("cows", JUN), ("pigs", None))
    )
]
PROPOSALS = [
    proposal("update", ["dogs", "cats"], ["cats"], id="p1", after="Ann has cats and dogs"),
    proposal("merge", ["cats", "hens"], ["hens"], id="p2", after="Ann has cats"),
    proposal("delete", ["hens"], ["cows"], id="p3"),
    proposal("invalidate", ["cows"], ["pigs"], id="p4"),
    proposal("update", ["pigs"], ["dogs"], id="p5", after="Ann has a pig"),
    proposal("merge_entities", ["ann", "annie"], ["annie"], id="p6", after="Ann"),
]
IDS = st.lists(st.sampled_from([p.id for p in PROPOSALS]), min_size=1, max_size=3, unique=True)


class Deciding(RuleBasedStateMachine):
    """Approve, reject, edit and undo at random; conflicts are answers like any other."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.store = open_with(EMBEDDER, Path(self.directory.name))
        fill(self.store, *MEMORIES)
        with self.store.write(actor="ingest") as writer:
            people = [Entity(key, "me", name, "PERSON") for key, name in (("ann", "Ann"), ("annie", "Annie"))]
            writer.put_entities([*people, Entity("hen", "me", "hens", "THING")])
            writer.put_triples([triple("t", "ann", "have", "hen", memory_ids=("hens", "cats"))])
        fill(self.store, *PROPOSALS)
        self.before_batch: dict[str, dict[str, Any]] = {}
        self.seen: set[str] = set()

    def teardown(self) -> None:
        self.store.close()
        self.directory.cleanup()

    def projection(self) -> dict[str, Any]:
        """All that counts: what is active, and every proposal, entity and triple. What an undone
        approval had made stays as a tombstone and counts for nothing."""
        listed = {
            "memory": [m for m in self.store.memories("me", states=None) if m.state != "deleted"],
            "proposal": self.store.proposals("me", states=None),
            "entity": self.store.entities("me"),
            "triple": self.store.triples("me"),
        }
        return {one.id: one for objects in listed.values() for one in objects}

    @rule(ids=IDS)
    def approve(self, ids: list[str]) -> None:
        before = self.projection()
        try:
            decided = approve(self.store, EMBEDDER, ids, "me")
        except ConflictError:
            return
        self.before_batch[decided.batch] = before

    @rule(ids=IDS)
    def reject(self, ids: list[str]) -> None:
        before = self.projection()
        try:
            decided = reject(self.store, ids, "me")
        except ConflictError:
            return
        self.before_batch[decided.batch] = before

    @rule(
        key=st.sampled_from(["p1", "p2", "p5", "p3"]), text=st.sampled_from(["Ann has ants", "Ann has bees"])
    )
    def edit(self, key: str, text: str) -> None:
        try:
            edit(self.store, key, text, "me")
        except (ConflictError, UsageError):
            return

    @rule(data=st.data())
    def undo_anything(self, data: st.DataObject) -> None:
        event = data.draw(st.sampled_from(self.decisions()))
        before = self.projection()
        try:
            undone = undo(self.store, event.id, "me")
        except ConflictError:
            assert self.projection() == before
            return
        self.before_batch[undone.batch] = before

    @precondition(lambda self: self.before_batch)
    @rule()
    def undo_the_last_step(self) -> None:
        """Undoing what has just been done always works, and restores exactly what was before."""
        batch = self.store.events(newest_first=True, limit=1)[0].batch
        if batch not in self.before_batch:
            return
        here = self.projection()
        undone = undo(self.store, self.store.events(batch=batch)[-1].id, "me")
        assert self.projection() == self.before_batch[batch]
        self.before_batch[undone.batch] = here

    def decisions(self) -> list[Event]:
        """Any event from the proposals on (before them, undoing would undo the whole scene)."""
        events = self.store.events()
        first = next(e.seq for e in events if e.object_type == "proposal")
        return [e for e in events if e.seq >= first]

    @invariant()
    def the_state_is_what_the_events_say(self) -> None:
        last = {(e.object_type, e.object_id): e.after for e in self.store.events()}
        stored = {
            "memory": self.store.memories("me", states=None),
            "proposal": self.store.proposals("me", states=None),
            "entity": self.store.entities("me"),
            "triple": self.store.triples("me"),
        }
        now = {
            (name, one.id): REVIEWABLE[name].snapshot(one)
            for name, objects in stored.items()
            for one in objects
        }
        assert now == last

    @invariant()
    def nothing_is_ever_lost(self) -> None:
        ids = {m.id for m in self.store.memories("me", states=None)}
        assert self.seen <= ids
        self.seen = ids

    @invariant()
    def what_counts_can_be_searched_and_has_evidence(self) -> None:
        active = self.store.memories("me")
        assert all(m.sources for m in active)
        assert self.store.embeddings(EMBEDDER.model_id, [m.text for m in active]).keys() == {
            m.text for m in active
        }


TestDeciding = Deciding.TestCase
TestDeciding.settings = settings(max_examples=12, stateful_step_count=14)
