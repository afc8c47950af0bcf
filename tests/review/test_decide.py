"""What a person's decisions do to the store, and when they are refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from memcore.domain.errors import ConflictError, NotFoundError, UsageError
from memcore.domain.models import Entity, Triple
from memcore.review.decide import approve, conflict_with, edit, reject, undo
from memcore.store import DuckStore
from tests.review.scenes import JAN, JUN, MAR, fill, nearest, proposal, said, valid_texts
from tests.store.samples import EMBEDDER, triple

OLD = said("old", "Ann lives in New York", JAN)
NEW = said("new", "Ann lives in Boston since her move", MAR, message="a-s0-m2")
DOG = said("dog", "Ann has a dog", JAN)
REX = said("rex", "Ann has a brown dog named Rex", MAR, message="a-s0-m2")
UPDATE = proposal("update", ["dog", "rex"], ["rex"], before=DOG.text, after=REX.text)
MERGE = proposal("merge", ["dog", "rex"], ["rex"], before=DOG.text, after=REX.text)
DELETE = proposal("delete", ["old"], ["new"], before=OLD.text)

FEBRUARY, APRIL = datetime(2024, 2, 1), datetime(2024, 4, 1)


# --------------------------------------------------------------------------- what approval changes


def test_an_update_is_a_new_memory_with_the_sources_of_all_it_rests_on(store: DuckStore) -> None:
    fill(store, DOG, REX, UPDATE)
    (outcome,) = approve(store, EMBEDDER, [UPDATE.id], "me").outcomes
    made = store.memory(outcome.memory_id or "")
    assert made is not None
    assert made.text == REX.text
    assert set(made.sources) == {*DOG.sources, *REX.sources}
    assert (made.state, made.valid_from, made.valid_to) == ("active", MAR, None)
    assert store.memories_by_id(["dog"])["dog"].superseded_by == made.id


def test_an_update_is_embedded_anew_and_the_old_vector_leads_only_to_the_old_memory(store: DuckStore) -> None:
    """LightMem's published update keeps the old vector."""
    text = "Ann keeps two parrots called Kiwi and Mango"
    fill(store, DOG, replace(UPDATE, target_ids=("dog",), candidates=(), after=text))
    (outcome,) = approve(store, EMBEDDER, [UPDATE.id], "me").outcomes
    best, score = nearest(store, text)[0]
    assert (best, round(score, 3)) == (outcome.memory_id, 1.0)
    assert nearest(store, DOG.text)[0][0] == "dog"
    assert store.embeddings(EMBEDDER.model_id, [text]).keys() == {text}


def test_as_of_before_an_update_the_old_text_is_found_and_after_it_the_new_one(store: DuckStore) -> None:
    fill(store, DOG, REX, UPDATE)
    approve(store, EMBEDDER, [UPDATE.id], "me")
    assert valid_texts(store, FEBRUARY) == {DOG.text}
    assert valid_texts(store, APRIL) == {REX.text}
    assert valid_texts(store, None) == {REX.text}


def test_merged_memories_never_count_on_their_own_again_at_any_time(store: DuckStore) -> None:
    fill(store, DOG, REX, MERGE)
    (outcome,) = approve(store, EMBEDDER, [MERGE.id], "me").outcomes
    for moment in (JAN, FEBRUARY, MAR, APRIL, None):
        assert [m.id for m in store.memories("me", states=None) if m.valid_at(moment)] == [outcome.memory_id]


def test_a_contradiction_ends_the_old_memory_and_keeps_the_new_one(store: DuckStore) -> None:
    """Mem0's open source deletes the old fact and never adds the new one."""
    fill(store, OLD, NEW, DELETE)
    approve(store, EMBEDDER, [DELETE.id], "me")
    old, new = store.memories_by_id(["old", "new"]).values()
    assert (old.state, old.valid_to, old.superseded_by) == ("invalidated", MAR, "new")
    assert new == NEW
    assert valid_texts(store, FEBRUARY) == {OLD.text}
    assert valid_texts(store, None) == {NEW.text}
    assert nearest(store, NEW.text)[0][0] == "new"


def test_an_end_at_an_unknown_time_is_an_end_at_all_times(store: DuckStore) -> None:
    fill(store, OLD, said("new", NEW.text, None), DELETE)
    approve(store, EMBEDDER, [DELETE.id], "me")
    assert not any(store.memories_by_id(["old"])["old"].valid_at(t) for t in (None, FEBRUARY, APRIL))


def with_triples(store: DuckStore, *triples: Triple) -> None:
    ends = [Entity("ann", "me", "Ann", "PERSON"), Entity("ny", "me", "New York", "PLACE")]
    with store.write(actor="ingest") as writer:
        writer.put_entities([*ends, Entity("pet", "me", "dog", "THING")])
        writer.put_triples(triples)


def test_triples_end_with_the_only_memory_that_states_them(store: DuckStore) -> None:
    fill(store, OLD, NEW, DOG, DELETE)
    with_triples(
        store,
        triple("alone", "ann", "live_in", "ny", memory_ids=("old",)),
        triple("shared", "ann", "know", "ny", memory_ids=("old", "dog")),
    )
    approve(store, EMBEDDER, [DELETE.id], "me")
    ended = {t.id: t.invalidated_at for t in store.triples("me")}
    assert ended == {"alone": MAR, "shared": None}


def test_triples_go_over_to_an_update_unless_its_text_has_dropped_them(store: DuckStore) -> None:
    text = "Ann has a brown dog now"
    update = replace(UPDATE, target_ids=("dog", "old"), candidates=(), after=text)
    fill(store, DOG, OLD, update)
    with_triples(
        store,
        triple("kept", "ann", "have", "pet", memory_ids=("dog",)),
        triple("dropped", "ann", "live_in", "ny", memory_ids=("old",)),
    )
    (outcome,) = approve(store, EMBEDDER, [update.id], "me").outcomes
    triples = {t.id: t for t in store.triples("me")}
    assert outcome.memory_id in triples["kept"].memory_ids
    assert triples["kept"].invalidated_at is None
    assert triples["dropped"].invalidated_at == JAN


def test_a_detail_edited_out_of_the_text_is_not_carried_over(store: DuckStore) -> None:
    rex = replace(REX, entities=("Rex", "dog"), keywords=("pet",))
    fill(store, DOG, rex, UPDATE)
    edit(store, UPDATE.id, "Ann has a brown dog", "me")
    (outcome,) = approve(store, EMBEDDER, [UPDATE.id], "me").outcomes
    made = store.memory(outcome.memory_id or "")
    assert made is not None
    assert (made.entities, made.keywords) == (("dog",), ("pet",))


def test_merged_entities_point_to_the_survivor_which_has_everybodys_names(store: DuckStore) -> None:
    merging = proposal("merge_entities", ["full", "short"], ["short"], after="Ann Lee")
    fill(store, merging)
    full = Entity("full", "me", "Ann Lee", "PERSON", first_seen=MAR, last_seen=MAR)
    short = Entity("short", "me", "Ann", "PERSON", ("Annie",), first_seen=JAN, last_seen=JUN)
    with store.write(actor="ingest") as writer:
        writer.put_entities([full, short])
    approve(store, EMBEDDER, [merging.id], "me")
    entities = store.entities_by_id(["full", "short"])
    assert entities["short"].merged_into == "full"
    assert entities["full"] == replace(full, aliases=("Ann", "Annie"), first_seen=JAN, last_seen=JUN)


# --------------------------------------------------------------------------- one decision, one batch


def test_everything_one_approval_changes_is_one_batch(store: DuckStore) -> None:
    fill(store, DOG, REX, UPDATE)
    decided = approve(store, EMBEDDER, [UPDATE.id], "ann")
    events = store.events(batch=decided.batch)
    assert {e.object_id for e in events} == {"dog", "rex", UPDATE.id, decided.outcomes[0].memory_id}
    assert {e.actor for e in events} == {"ann"}
    assert [e.kind for e in events if e.object_type == "proposal"] == ["proposal.applied"]


def test_a_decided_proposal_says_by_whom_and_when_and_cannot_be_decided_again(store: DuckStore) -> None:
    fill(store, OLD, NEW, DELETE)
    reject(store, [DELETE.id], "ann")
    with pytest.raises(ConflictError, match=r"rejected already \(proposal.rejected by ann, 20\d\d-"):
        approve(store, EMBEDDER, [DELETE.id], "bob")
    assert store.memories_by_id(["old"])["old"] == OLD


def test_many_are_decided_together_each_with_its_own_outcome(store: DuckStore) -> None:
    fill(store, OLD, NEW, DOG, REX, DELETE, UPDATE)
    reject(store, [DELETE.id], "ann")
    decided = approve(store, EMBEDDER, [DELETE.id, UPDATE.id], "bob")
    assert [bool(o.conflict) for o in decided.outcomes] == [True, False]
    assert [o.proposal.state for o in decided.outcomes] == ["rejected", "applied"]


def test_proposals_on_one_memory_approved_together_conflict_after_the_first(store: DuckStore) -> None:
    second = replace(MERGE, id="second")
    fill(store, DOG, REX, UPDATE, second)
    decided = approve(store, EMBEDDER, [UPDATE.id, "second"], "me")
    assert [o.proposal.state for o in decided.outcomes] == ["applied", "superseded"]
    assert "another proposal approved in the same step" in decided.outcomes[1].conflict
    undo(store, decided.event_id, "me")
    assert {p.state for p in store.proposals("me", states=None)} == {"pending"}


def test_a_proposal_whose_memory_has_changed_is_not_applied_but_retired(store: DuckStore) -> None:
    fill(store, DOG, REX, UPDATE)
    with store.write(actor="bob") as writer:
        writer.put_memories([replace(DOG, text="Ann has two dogs")], kind="memory.changed")
    with pytest.raises(ConflictError, match=r"changed since this was proposed \(memory.changed by bob"):
        approve(store, EMBEDDER, [UPDATE.id], "me")
    assert store.proposals("me", states=None)[0].state == "superseded"
    assert store.memories("me") == [replace(DOG, text="Ann has two dogs"), REX]


def test_a_proposal_that_rests_on_a_memory_no_longer_active_is_refused(store: DuckStore) -> None:
    fill(store, OLD, NEW, DELETE)
    with store.write(actor="bob") as writer:
        writer.put_memories([replace(NEW, state="invalidated")], kind="memory.invalidated")
    assert "no longer active: invalidated" in conflict_with(store, DELETE)


def test_a_memory_changed_and_changed_back_is_no_conflict(store: DuckStore) -> None:
    fill(store, DOG, REX, UPDATE)
    with store.write(actor="bob") as writer:
        writer.put_memories([replace(DOG, text="Ann has two dogs")], kind="memory.changed")
    undo(store, store.events(object_id="dog")[-1].id, "bob")
    assert approve(store, EMBEDDER, [UPDATE.id], "me").outcomes[0].conflict == ""


@pytest.mark.parametrize("ids", [["nothing"], [UPDATE.id, "nothing"]])
def test_an_unknown_proposal_is_named_and_nothing_is_decided(store: DuckStore, ids: list[str]) -> None:
    fill(store, DOG, REX, UPDATE)
    before = store.events()
    with pytest.raises(NotFoundError, match="nothing"):
        approve(store, EMBEDDER, ids, "me")
    assert store.events() == before


# --------------------------------------------------------------------------- editing


def test_an_edited_proposal_stays_pending_and_remembers_what_was_proposed(store: DuckStore) -> None:
    fill(store, DOG, REX, UPDATE)
    edit(store, UPDATE.id, "Ann has a dog, Rex", "me")
    edited = edit(store, UPDATE.id, "  Ann has a dog called Rex ", "me")
    assert (edited.state, edited.after, edited.edited_from) == (
        "pending",
        "Ann has a dog called Rex",
        REX.text,
    )
    (outcome,) = approve(store, EMBEDDER, [UPDATE.id], "me").outcomes
    assert store.memories_by_id([outcome.memory_id or ""])[outcome.memory_id or ""].text == edited.after
    assert outcome.proposal.edited_from == REX.text


def test_editing_back_to_the_proposed_text_is_no_edit(store: DuckStore) -> None:
    fill(store, DOG, REX, UPDATE)
    edit(store, UPDATE.id, "Ann has a dog, Rex", "me")
    assert edit(store, UPDATE.id, REX.text, "me") == UPDATE


def test_there_is_no_text_to_edit_in_a_deletion_and_no_memory_without_one(store: DuckStore) -> None:
    fill(store, OLD, NEW, DOG, REX, DELETE, UPDATE)
    with pytest.raises(UsageError, match="writes no text"):
        edit(store, DELETE.id, "Ann lives in Rome", "me")
    with pytest.raises(UsageError, match="needs a text"):
        edit(store, UPDATE.id, " \n", "me")


def test_a_decided_proposal_cannot_be_edited(store: DuckStore) -> None:
    fill(store, DOG, REX, UPDATE)
    reject(store, [UPDATE.id], "ann")
    with pytest.raises(ConflictError, match="rejected already"):
        edit(store, UPDATE.id, "Ann has a dog, Rex", "me")


# --------------------------------------------------------------------------- undo


def state(store: DuckStore) -> dict[str, object]:
    """Everything a person can see: active memories, proposals, entities and triples that hold."""
    return {
        "memories": store.memories("me"),
        "proposals": store.proposals("me", states=None),
        "entities": store.entities("me"),
        "triples": store.triples("me"),
        "nearest": [i for i, _ in nearest(store, REX.text) if store.memories_by_id([i])[i].state == "active"],
    }


def test_undoing_an_approval_brings_back_the_memories_and_the_question(store: DuckStore) -> None:
    fill(store, DOG, REX, OLD, NEW, UPDATE, DELETE)
    with_triples(store, triple("t", "ann", "live_in", "ny", memory_ids=("old",)))
    before = state(store)
    decided = approve(store, EMBEDDER, [UPDATE.id, DELETE.id], "me")
    assert state(store) != before
    undone = undo(store, decided.event_id, "me")
    assert state(store) == before
    assert undone.undone_batch == decided.batch
    assert {e.undo_of for e in store.events(batch=undone.batch)} == {
        e.id for e in store.events(batch=decided.batch)
    }


def test_undoing_an_undo_is_a_redo(store: DuckStore) -> None:
    fill(store, DOG, REX, UPDATE)
    decided = approve(store, EMBEDDER, [UPDATE.id], "me")
    after = state(store)
    undone = undo(store, decided.event_id, "me")
    undo(store, undone.event_id, "me")
    assert state(store) == after


def test_what_was_undone_cannot_be_undone_again_but_is_told_how_to_redo(store: DuckStore) -> None:
    fill(store, DOG, REX, UPDATE)
    decided = approve(store, EMBEDDER, [UPDATE.id], "me")
    undone = undo(store, decided.event_id, "me")
    with pytest.raises(ConflictError, match="undone already") as refused:
        undo(store, decided.event_id, "me")
    undo(store, refused.value.fix.split()[-1].rstrip("."), "me")
    assert store.proposals("me", states=None)[0].state == "applied"
    assert undone.batch != decided.batch


def test_an_undo_that_would_overwrite_later_work_is_refused_and_names_it(store: DuckStore) -> None:
    fill(store, DOG, REX, UPDATE)
    decided = approve(store, EMBEDDER, [UPDATE.id], "me")
    made = store.memories("me")[0]
    with store.write(actor="bob") as writer:
        writer.put_memories([replace(made, text="Ann has a cat")], kind="memory.changed")
    later = store.events(object_id=made.id)[-1]
    with pytest.raises(ConflictError, match=f"changed later .memory.changed by bob.*{later.id}"):
        undo(store, decided.event_id, "me")
    undo(store, later.id, "me")
    undo(store, decided.event_id, "me")
    assert store.memories("me") == [DOG, REX]


def test_undoing_an_ingest_hides_its_memories_and_loses_nothing(store: DuckStore) -> None:
    fill(store, DOG, REX)
    undo(store, store.events(object_id="dog")[0].id, "me")
    assert store.memories("me") == []
    assert {m.id: m.state for m in store.memories("me", states=None)} == {"dog": "deleted", "rex": "deleted"}
    assert store.messages("a-s0")


def test_a_rejection_can_be_undone(store: DuckStore) -> None:
    fill(store, DOG, REX, UPDATE)
    rejected = reject(store, [UPDATE.id], "ann")
    undo(store, rejected.event_id, "ann")
    assert store.proposals("me") == [UPDATE]


def test_an_unknown_event_is_named(store: DuckStore) -> None:
    with pytest.raises(NotFoundError, match="evt_none"):
        undo(store, "evt_none", "me")


def test_words_that_are_known_need_no_encoder(store: DuckStore) -> None:
    """Loading it takes seconds, which nobody who merges what is said twice should wait for."""
    fill(store, DOG, REX, MERGE)
    EMBEDDER.embedded.clear()
    (outcome,) = approve(store, EMBEDDER, [MERGE.id], "me").outcomes
    assert EMBEDDER.embedded == []
    assert outcome.memory_id in dict(nearest(store, REX.text))


def test_whoever_comes_too_late_is_told_without_an_encoder(store: DuckStore) -> None:
    fill(store, DOG, replace(UPDATE, target_ids=("dog",), candidates=(), after="Ann keeps a parrot"))
    reject(store, [UPDATE.id], "first")
    EMBEDDER.embedded.clear()
    with pytest.raises(ConflictError, match="rejected already"):
        approve(store, EMBEDDER, [UPDATE.id], "second")
    assert EMBEDDER.embedded == []
