"""Histories a person can read."""

from __future__ import annotations

from dataclasses import replace

from memcore.review.audit import Change, audit
from memcore.review.decide import approve, undo
from memcore.store import DuckStore
from tests.review.scenes import JAN, MAR, fill, proposal, said
from tests.store.samples import EMBEDDER

DOG = said("dog", "Ann has a dog", JAN)
CAT = said("cat", "Ann has no dog", MAR)
END = proposal("delete", ["dog"], ["cat"], before=DOG.text)


def test_an_entry_says_who_did_what_to_which_text_and_what_changed(store: DuckStore) -> None:
    fill(store, DOG, CAT, END)
    approve(store, EMBEDDER, [END.id], "ann")
    added, ended = audit(store.events(object_id="dog"))
    assert (added.kind, added.changes) == ("memory.added", ())
    assert (ended.kind, ended.actor, ended.what) == ("memory.invalidated", "ann", "Ann has a dog")
    assert set(ended.changes) == {
        Change("state", "active", "invalidated"),
        Change("superseded_by", None, "cat"),
        Change("valid_to", None, "2024-03-01T00:00:00"),
    }
    assert "· ann · memory.invalidated · “Ann has a dog” · valid_to: — → 2024-03-01T00:00:00" in ended.line


def test_an_undo_is_linked_both_ways_until_it_is_itself_undone(store: DuckStore) -> None:
    fill(store, DOG, CAT, END)
    decided = approve(store, EMBEDDER, [END.id], "ann")
    undone = undo(store, decided.event_id, "bob")
    _, ended, restored = audit(store.events(object_id="dog"))
    assert (restored.undoes, ended.undone_by) == (ended.event_id, restored.event_id)
    assert f"undone by {restored.event_id}" in ended.line
    undo(store, undone.event_id, "bob")
    assert audit(store.events(object_id="dog"))[1].undone_by == ""


def test_a_line_is_one_line_and_hides_nothing(store: DuckStore) -> None:
    fill(store, replace(DOG, text="Ann\nhas \u202ea dog"), CAT)
    (entry,) = audit(store.events(object_id="dog"))
    assert "“Ann has ⟨U+202E⟩a dog”" in entry.line
    assert "\n" not in entry.line


def test_newest_first_tells_the_same_entries(store: DuckStore) -> None:
    fill(store, DOG, CAT, END)
    undo(store, approve(store, EMBEDDER, [END.id], "ann").event_id, "bob")
    events = store.events()
    assert audit(events[::-1]) == audit(events)[::-1]
