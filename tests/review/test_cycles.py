"""Decisions that depend on each other in a cycle: found, shown, and never the end of what was said."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memcore.domain.errors import ConflictError
from memcore.domain.models import Candidate, Run, now
from memcore.review.consolidate import consolidate
from memcore.review.cycles import Cycle, Replacement, find_cycles
from memcore.review.decide import approve, reject
from memcore.review.decisions import Decision, UpdateQueue
from memcore.store import DuckStore, HnswIndex
from tests.pipeline import open_with
from tests.review.scenes import JAN, fill, said
from tests.store.samples import EMBEDDER


def replaced(*pairs: str) -> list[Replacement]:
    """ "ab" : a is deleted because of b."""
    return [Replacement(pair[0], "delete", tuple(pair[1:])) for pair in pairs]


def members(cycles: Sequence[Cycle]) -> list[str]:
    return ["".join(cycle.memory_ids) for cycle in cycles]


def test_two_that_delete_each_other_are_a_mutual_pair() -> None:
    (pair,) = find_cycles(replaced("ab", "ba"))
    assert pair.memory_ids == ("a", "b")
    assert pair.is_mutual
    assert [(s.target, s.operation, s.to) for s in pair.steps] == [
        ("a", "delete", ("b",)),
        ("b", "delete", ("a",)),
    ]


def test_a_longer_circle_is_one_cycle() -> None:
    (cycle,) = find_cycles(replaced("ab", "bc", "ca"))
    assert (cycle.memory_ids, cycle.is_mutual) == (("a", "b", "c"), False)


def test_chains_and_meeting_points_are_no_circles() -> None:
    assert find_cycles(replaced("ab", "bc", "db", "dc")) == ()
    assert find_cycles([]) == ()


def test_what_leans_on_a_circle_from_outside_is_not_part_of_it() -> None:
    (cycle,) = find_cycles(replaced("xa", "abz", "ba"))
    assert cycle.memory_ids == ("a", "b")
    assert cycle.steps[0].to == ("b",)


def test_separate_circles_are_told_apart_in_the_order_of_the_decisions() -> None:
    assert members(find_cycles(replaced("cd", "ab", "dc", "ba"))) == ["cd", "ab"]


# --------------------------------------------------------------------------- in a run

TEXTS = [f"Ann likes thing {name}" for name in "abcde"]
MEMORIES = [said(text[-1], text, JAN, message=f"a-s0-m{i}") for i, text in enumerate(TEXTS)]
KEYS = [memory.id for memory in MEMORIES]


class Deciding:
    """A decider that answers by target id: (action, against)."""

    name = "scripted"

    def __init__(self, actions: dict[str, tuple[str, tuple[str, ...]]]) -> None:
        self.actions = actions

    def decide(self, queues: Sequence[UpdateQueue]) -> list[Decision]:
        return [self._one(queue) for queue in queues]

    def _one(self, queue: UpdateQueue) -> Decision:
        candidates = tuple(Candidate(memory.id, score) for memory, score in queue.candidates)
        action, against = self.actions.get(queue.target.id, ("ignore", ()))
        text = None
        if action in ("update", "merge"):
            text = f"Ann likes thing {' and thing '.join(sorted({queue.target.id, *against}))}"
        return Decision(queue.target, candidates, action, text, "so", self.name, "low", against)  # type: ignore[arg-type]


def run(
    store: DuckStore, actions: dict[str, tuple[str, tuple[str, ...]]], run_id: str = "r"
) -> tuple[Cycle, ...]:
    started = Run(run_id, "consolidate", "me", "", "running", now())
    report = consolidate(
        store, run=started, decider=Deciding(actions), embedder=EMBEDDER, make_index=HnswIndex,
        queue_threshold=0.0,
    )  # fmt: skip
    return report.cycles


def test_a_run_reports_its_circles_and_which_of_their_proposals_waits(store: DuckStore) -> None:
    fill(store, *MEMORIES)
    (pair,) = run(store, {"a": ("delete", ("b",)), "b": ("delete", ("a",))})
    (waiting,) = store.proposals("me")
    assert [(step.target, step.proposal) for step in pair.steps] == [("a", waiting.id), ("b", "")]
    (trace,) = store.traces(run_id="r", stage="cycles")
    assert trace.payload["cycles"][0]["memory_ids"] == ["a", "b"]


def test_a_circle_is_found_too_when_half_of_it_waited_from_an_earlier_run(store: DuckStore) -> None:
    fill(store, *MEMORIES[:1])
    fill(store, *MEMORIES[1:2])
    run(store, {"a": ("delete", ("b",))})
    fill(store, *MEMORIES[2:3])  # the queues are new
    (pair,) = run(store, {"b": ("delete", ("a",))}, "r2")
    assert set(pair.memory_ids) == {"a", "b"}


def test_a_circle_a_person_has_broken_is_not_told_again(store: DuckStore) -> None:
    fill(store, *MEMORIES)
    actions = {"a": ("delete", ("b",)), "b": ("delete", ("a",))}
    run(store, actions)
    (waiting,) = store.proposals("me")
    reject(store, [waiting.id], "ann")
    assert run(store, actions, "r2") == ()
    assert [p.target_ids for p in store.proposals("me")] == [("b",)]


def test_two_that_are_merged_with_each_other_are_no_circle(store: DuckStore) -> None:
    """Both queues of one moment ask for the same merge, which is one proposal and loses nothing."""
    fill(store, *MEMORIES)
    assert run(store, {"a": ("merge", ("b",)), "b": ("merge", ("a",))}) == ()
    (waiting,) = store.proposals("me")
    assert set(waiting.target_ids) == {"a", "b"}


AGAINST = st.lists(st.sampled_from(KEYS), min_size=1, max_size=3, unique=True).map(tuple)
ACTIONS = st.dictionaries(
    st.sampled_from(KEYS),
    st.tuples(st.sampled_from(["delete", "invalidate", "update", "merge"]), AGAINST),
    min_size=2,
)


@given(actions=ACTIONS, chance=st.randoms(use_true_random=False), at_once=st.booleans())
@settings(max_examples=20)
def test_whatever_is_decided_approving_everything_loses_no_circle(
    actions: dict[str, tuple[str, tuple[str, ...]]], chance: object, at_once: bool
) -> None:
    """Every memory of a circle is replaced by something that is still there, and of each cycle a
    memory, or what it was taken up in, is active."""
    actions = {
        key: (action, others)
        for key, (action, against) in actions.items()
        if (others := tuple(other for other in against if other != key))
    }
    with (
        tempfile.TemporaryDirectory() as folder,
        open_with(EMBEDDER, Path(folder)) as store,
    ):
        fill(store, *MEMORIES)
        cycles = run(store, actions)
        ids = [proposal.id for proposal in store.proposals("me")]
        chance.shuffle(ids)  # type: ignore[attr-defined]
        for batch in [ids] if at_once and ids else [[proposal_id] for proposal_id in ids]:
            try:
                approve(store, EMBEDDER, batch, "ann")
            except ConflictError:
                continue  # what it rested on was replaced in an earlier one
        everything = {memory.id: memory for memory in store.memories("me", states=None)}

        def stands(memory_id: str, passed: frozenset[str] = frozenset()) -> bool:
            memory = everything[memory_id]
            if memory.state == "active":
                return True
            assert memory_id not in passed, "replaced by each other"
            return memory.superseded_by is not None and stands(memory.superseded_by, passed | {memory_id})

        assert all(stands(key) for key in KEYS)
        for cycle in cycles:
            taken_up = {
                everything[i].superseded_by for i in cycle.memory_ids if everything[i].state == "superseded"
            }
            assert any(everything[i].state == "active" for i in cycle.memory_ids) or any(
                made is not None and stands(made) for made in taken_up
            )
