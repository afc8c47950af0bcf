"""Automatic rules: off until a person switches them on, never for what ends a memory, always with a name."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.errors import UsageError
from memcore.domain.models import Entity, Operation, Proposal
from memcore.review import automatic
from memcore.review.automatic import RULES, Decidable, decide_automatically, rule_states, switch
from memcore.review.decide import approve, edit, reject, undo
from memcore.store import DuckStore
from tests.review.scenes import JAN, MAR, fill, proposal, said
from tests.store.samples import EMBEDDER

DUPLICATES, SAME_NAME = "exact duplicates", "same name"
TEA = said("tea", "Ann drinks tea.", JAN, speaker="Ann")
AGAIN = said("again", "Ann drinks tea", MAR, speaker="Ann", message="a-s0-m2")
TWICE = proposal("merge", ["tea", "again"], ["again"], before=TEA.text, after=TEA.text)


def fitting(store: DuckStore, rule: str = DUPLICATES) -> tuple[str, ...]:
    return next(state.fitting for state in rule_states(store, "me") if state.rule.name == rule)


def decided(store: DuckStore) -> list[str]:
    """The ids of what the rules decide now."""
    return [o.proposal.id for one in decide_automatically(store, EMBEDDER, "me") for o in one.outcomes]


def test_every_rule_is_off_until_a_person_switches_it_on(store: DuckStore) -> None:
    fill(store, TEA, AGAIN, TWICE)
    assert [state.on for state in rule_states(store, "me")] == [False] * len(RULES)
    assert fitting(store) == (TWICE.id,)
    assert decided(store) == []
    assert store.proposals("me") == [TWICE]


def test_a_rule_that_is_on_decides_and_signs_what_fits_it(store: DuckStore) -> None:
    fill(store, TEA, AGAIN, TWICE)
    switch(store, "me", DUPLICATES, True, "person")
    assert decided(store) == [TWICE.id]
    made = store.proposal(TWICE.id)
    assert made is not None
    assert (made.state, made.decided_by) == ("applied", "rule: exact duplicates")
    assert {e.actor for e in store.events(object_id=TWICE.id)} == {"rules", "rule: exact duplicates"}
    assert [m.text for m in store.memories("me")] == [TEA.text]


def test_one_undo_takes_back_all_that_a_rule_decided_in_one_go_and_it_stays_taken_back(
    store: DuckStore,
) -> None:
    hot = said("hot", "Ann likes it hot", JAN, speaker="Ann")
    more = proposal("merge", ["hot", "hot2"], ["hot2"], after=hot.text)
    fill(store, TEA, AGAIN, hot, replace(hot, id="hot2"), TWICE, more)
    switch(store, "me", DUPLICATES, True, "person")
    (one,) = decide_automatically(store, EMBEDDER, "me")
    assert len(one.outcomes) == 2

    undo(store, one.event_id, "person")
    assert {p.state for p in store.proposals("me", states=None)} == {"pending"}
    assert len(store.memories("me")) == 4
    assert decided(store) == []  # a person took it back: it is theirs now
    assert fitting(store) == ()


def test_switching_is_an_event_that_can_be_undone(store: DuckStore) -> None:
    fill(store, TEA, AGAIN, TWICE)
    switched = switch(store, "me", DUPLICATES, True, "lee")
    (event,) = store.events(object_type="rule_switch")
    assert (event.actor, event.kind, event.object_id) == ("lee", "rule.switched", switched.id)
    undo(store, event.id, "lee")
    assert not any(state.on for state in rule_states(store, "me"))
    assert decided(store) == []
    switch(store, "me", DUPLICATES, True, "lee")
    switch(store, "me", DUPLICATES, False, "lee")
    assert decided(store) == []


def test_a_rule_is_switched_on_for_one_owner_only(store: DuckStore) -> None:
    fill(store, TEA, AGAIN, TWICE)
    switch(store, "somebody", DUPLICATES, True, "person")
    assert decided(store) == []


@pytest.mark.parametrize(
    "other",
    [
        replace(AGAIN, speaker="Ben"),
        replace(AGAIN, text="Ann drinks much tea"),
        replace(AGAIN, event_at=MAR),
        replace(AGAIN, kind="plan"),
        replace(AGAIN, state="deleted"),
    ],
    ids=["another speaker", "other words", "another time", "another kind", "no longer active"],
)
def test_what_leaves_something_to_judge_waits_for_a_person(store: DuckStore, other: object) -> None:
    fill(store, TEA, other, TWICE)  # type: ignore[arg-type]
    switch(store, "me", DUPLICATES, True, "person")
    assert decided(store) == []
    assert store.proposals("me") == [TWICE]


def test_nobody_is_taken_for_nobody_else(store: DuckStore) -> None:
    fill(store, replace(TEA, speaker=""), replace(AGAIN, speaker=""), TWICE)
    assert fitting(store) == ()


def test_what_a_person_edited_is_left_to_people(store: DuckStore) -> None:
    fill(store, TEA, AGAIN, TWICE)
    switch(store, "me", DUPLICATES, True, "person")
    edit(store, TWICE.id, "Ann drinks green tea", "person")
    assert decided(store) == []


@pytest.mark.parametrize(("other", "fits"), [("the cat miso!", True), ("Misos cat", False)])
def test_entities_with_one_name_are_merged_by_their_rule(store: DuckStore, other: str, fits: bool) -> None:
    with store.write(actor="ingest") as writer:
        writer.put_entities([Entity("e1", "me", "Cat Miso", "THING"), Entity("e2", "me", other, "THING")])
        writer.put_proposals([proposal("merge_entities", ["e1", "e2"], ["e2"], id="p", after="Cat Miso")])
    switch(store, "me", SAME_NAME, True, "person")
    assert decided(store) == (["p"] if fits else [])


def test_no_rule_can_name_what_ends_a_memory() -> None:
    assert set(get_args(Decidable)) <= set(get_args(Operation)) - {"delete", "invalidate"}
    assert {rule.operation for rule in RULES} <= set(get_args(Decidable))


OPERATIONS = st.sampled_from([o for o in get_args(Operation) if o != "add"])


@given(
    operation=OPERATIONS, speaker=st.sampled_from(["Ann", "Ben", ""]), text=st.sampled_from(["a b", "A b."])
)
def test_no_rule_ever_fits_a_deletion_or_an_end(operation: Operation, speaker: str, text: str) -> None:
    """Even with every word alike."""
    memories = {m.id: m for m in (replace(TEA, text="a b"), replace(AGAIN, text=text, speaker=speaker))}
    waiting = replace(TWICE, operation=operation, after="a b")
    chosen = {r.name for r in RULES if automatic._fitting(_Shelf(memories), r, [waiting])}  # type: ignore[arg-type]
    assert chosen <= ({DUPLICATES} if operation == "merge" and speaker == "Ann" else set())


class _Shelf:
    """As much of a store as fitting a rule takes."""

    def __init__(self, memories: dict[str, object]) -> None:
        self._memories = memories

    def memories_by_id(self, ids: list[str]) -> dict[str, object]:
        return {key: self._memories[key] for key in ids}

    def entities_by_id(self, ids: list[str]) -> dict[str, object]:
        return {}

    def events(self, **_: object) -> list[object]:
        return []

    def curations(self, owner: str) -> list[object]:
        return []


def test_an_unknown_rule_cannot_be_switched(store: DuckStore) -> None:
    with pytest.raises(UsageError, match="exact duplicates"):
        switch(store, "me", "everything", True, "person")


def test_what_was_decided_meanwhile_is_no_fault_of_a_rule(
    store: DuckStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, TEA, AGAIN, TWICE)
    switch(store, "me", DUPLICATES, True, "person")

    def overtaken(*arguments: object, **options: object) -> object:
        reject(store, [TWICE.id], "person")
        return approve(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(automatic, "approve", overtaken)
    assert decided(store) == []
    kept: Proposal | None = store.proposal(TWICE.id)
    assert kept is not None
    assert (kept.state, kept.decided_by) == ("rejected", "person")
