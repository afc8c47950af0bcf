"""Which decision on proposals an undo takes back."""

from __future__ import annotations

from dataclasses import replace

from memcore.review.decide import approve, reject, undo
from memcore.review.standing import decision_on, last_decision
from memcore.store import DuckStore
from tests.review.scenes import JAN, MAR, fill, proposal, said
from tests.store.samples import EMBEDDER

DOG = said("dog", "Ann has a dog", JAN)
REX = said("rex", "Ann has a brown dog named Rex", MAR, message="a-s0-m2")
UPDATE = proposal("update", ["dog", "rex"], ["rex"], before=DOG.text, after=REX.text)
DELETE = proposal("delete", ["rex"], [], before=REX.text)


def test_what_waits_has_no_decision_to_take_back(store: DuckStore) -> None:
    fill(store, DOG, REX, UPDATE)
    assert decision_on(store, UPDATE) is None
    assert last_decision(store, "me", None) is None


def test_decisions_are_taken_back_one_after_the_other_and_a_redo_is_one(store: DuckStore) -> None:
    fill(store, DOG, REX, UPDATE, DELETE)
    reject(store, [DELETE.id], "me")
    approve(store, EMBEDDER, [UPDATE.id], "ann")
    last = last_decision(store, "me", None)
    assert last is not None and last.proposal.id == UPDATE.id
    undone = undo(store, last.event_id, "me")
    before = last_decision(store, "me", None)
    assert before is not None and before.proposal.id == DELETE.id

    redone = undo(store, undone.event_id, "me")
    again = last_decision(store, "me", ["ann"])
    assert again is not None and again.proposal.id == UPDATE.id
    undo(store, again.event_id, "me")
    assert again.event_id in {event.id for event in store.events(batch=redone.batch)}
    assert store.proposal(UPDATE.id) == UPDATE


def test_a_later_note_on_a_decided_proposal_is_not_its_decision(store: DuckStore) -> None:
    fill(store, DOG, REX, DELETE)
    rejected = reject(store, [DELETE.id], "me")
    decided = store.proposal(DELETE.id)
    assert decided is not None
    noted = replace(decided, reason="Proposed again")
    with store.write(actor="rules", run_id="run") as writer:
        writer.put_proposals([noted], kind="proposal.noted")
    found = decision_on(store, noted)
    assert found is not None and found.event_id == rejected.event_id
