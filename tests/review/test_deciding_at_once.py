"""Several people decide the same proposals at the same moment: one of them does, the others are told."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from memcore.domain.errors import ConflictError
from memcore.domain.models import ProposalState
from memcore.review.decide import Decided, approve, reject, undo
from tests.pipeline import open_with
from tests.review.scenes import JAN, MAR, fill, proposal, said
from tests.store.samples import EMBEDDER

NUMBER = 5
OLD = [said(f"old{n}", f"Ann likes tea number {n}", JAN) for n in range(NUMBER)]
NEW = [said(f"new{n}", f"Ann likes hot tea number {n}", MAR, message="a-s0-m2") for n in range(NUMBER)]
PROPOSALS = [
    proposal("update", [f"old{n}"], [f"new{n}"], id=f"p{n}", after=f"Ann likes hot tea number {n}")
    for n in range(NUMBER)
]
WISHES = st.lists(
    st.tuples(
        st.sampled_from(["approve", "reject"]),
        st.lists(st.sampled_from([p.id for p in PROPOSALS]), min_size=1, unique=True),
    ),
    min_size=2,
    max_size=4,
)
STATES: dict[str, ProposalState] = {"approve": "applied", "reject": "rejected"}


@settings(max_examples=15)
@given(wishes=WISHES)
def test_no_decision_is_lost_and_whoever_came_later_is_told(wishes: list[tuple[str, list[str]]]) -> None:
    """Every proposal is decided once, by one of those who asked; each of the others is told its name."""
    with (
        TemporaryDirectory() as directory,
        open_with(EMBEDDER, Path(directory)) as store,
    ):
        fill(store, *OLD, *NEW, *PROPOSALS)
        together = threading.Barrier(len(wishes))

        def decide(person: int, verb: str, ids: list[str]) -> Decided | ConflictError:
            together.wait()
            try:
                if verb == "approve":
                    return approve(store, EMBEDDER, ids, f"person {person}")
                return reject(store, ids, f"person {person}")
            except ConflictError as told:
                return told

        with ThreadPoolExecutor(len(wishes)) as people:
            asked = [people.submit(decide, n, *wish) for n, wish in enumerate(wishes)]
            answers = [one.result() for one in asked]

        done: dict[str, tuple[str, str]] = {}
        for person, ((verb, ids), answer) in enumerate(zip(wishes, answers, strict=True)):
            if isinstance(answer, ConflictError):
                assert all(f"Proposal {key} is " in answer.cause for key in ids)
                continue
            assert [outcome.proposal.id for outcome in answer.outcomes] == ids
            for outcome in answer.outcomes:
                if outcome.conflict:
                    assert "already" in outcome.conflict
                else:
                    assert outcome.proposal.id not in done, "decided twice"
                    done[outcome.proposal.id] = (STATES[verb], f"person {person}")
        wanted = {key for _, ids in wishes for key in ids}
        stored = {p.id: p for p in store.proposals("me", states=None)}
        assert done.keys() == wanted
        assert {key: (stored[key].state, stored[key].decided_by) for key in wanted} == done
        assert {p.id for p in store.proposals("me")} == stored.keys() - wanted

        # every decision is an event, in one unbroken row, and each person's step goes back with one undo
        events = store.events()
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        for key, (state, person_) in done.items():
            last = store.last_event_of(key)
            assert last is not None
            assert (last.kind, last.actor) == (f"proposal.{state}", person_)
        for answer in answers:
            if isinstance(answer, Decided):
                undo(store, answer.event_id, "me")
        assert {p.id for p in store.proposals("me")} == stored.keys()
        assert {m.id for m in store.memories("me")} == {m.id for m in (*OLD, *NEW)}
