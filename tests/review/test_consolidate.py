"""Consolidation proposes, remembers what it proposed, and changes nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from memcore.domain.errors import LlmUnavailableError
from memcore.domain.models import Entity, MemoryEntry, Proposal, Run, Source, now
from memcore.domain.protocols import Store
from memcore.review.compare import in_log_order
from memcore.review.consolidate import ConsolidationReport, consolidate
from memcore.review.decide import approve, reject, undo
from memcore.review.decisions import Action, Candidate, Decision, UpdateQueue
from memcore.review.proposals import ProposalQueue, to_proposal, was_rejected
from memcore.review.rules import RuleDecider
from memcore.store import DuckStore, HnswIndex
from tests import pipeline
from tests.pipeline import log, open_with, run_ingest
from tests.review.scenes import JAN, JUN, MAR, fill, proposal, said
from tests.store.samples import EMBEDDER, triple
from tests.store.samples import log as talk

DOG = said("dog", "Ann has a dog", JAN, kind="state")
REX = said("rex", "Ann has a dog named Rex", MAR, kind="state", message="a-s0-m2")
NY = said("ny", "Ann lives in New York City", JAN, kind="state")
BOSTON = said("boston", "Ann lives in Boston City", MAR, kind="state", message="a-s0-m2")


class Scripted:
    """A decider that answers by target id and remembers whom it was asked about."""

    name = "scripted"

    def __init__(self, **actions: tuple[Action, str | None, tuple[str, ...]]) -> None:
        self.actions = actions
        self.asked: list[str] = []
        self.error = ""

    def decide(self, queues: Sequence[UpdateQueue]) -> list[Decision]:
        self.asked += [queue.target.id for queue in queues]
        return [self._one(queue) for queue in queues]

    def _one(self, queue: UpdateQueue) -> Decision:
        action, text, against = self.actions.get(queue.target.id, ("ignore", None, ()))
        candidates = tuple(Candidate(memory.id, score) for memory, score in queue.candidates)
        if self.error:
            action, text, against = "ignore", None, ()
        return Decision(queue.target, candidates, action, text, "so", self.name, "low", against, self.error)


def run(
    store: DuckStore, decider: object = None, run_id: str = "run_c", **options: object
) -> ConsolidationReport:
    started = Run(run_id, "consolidate", "me", "", "running", now())
    options.setdefault("queue_threshold", 0.3)
    return consolidate(
        store, run=started, decider=decider or RuleDecider(), embedder=EMBEDDER, make_index=HnswIndex,
        **options  # type: ignore[arg-type]
    )  # fmt: skip


def pending(store: DuckStore) -> list[Proposal]:
    return store.proposals("me")


def test_rules_propose_and_no_memory_changes(store: DuckStore) -> None:
    fill(store, DOG, REX, NY, BOSTON)
    before = store.memories("me", states=None)
    report = run(store)
    assert report.by_operation == {"invalidate": 1, "update": 1}
    assert {p.operation: p.target_ids for p in pending(store)} == {
        "invalidate": ("ny",),
        "update": ("dog", "rex"),
    }
    assert store.memories("me", states=None) == before
    kinds = {e.object_type for e in store.events(run_id="run_c")}
    assert kinds == {"proposal"}


def test_a_proposal_shows_what_it_rests_on_and_who_made_it(store: DuckStore) -> None:
    fill(store, NY, BOSTON)
    run(store)
    (made,) = pending(store)
    assert (made.before, made.after, made.risk, made.run_id) == (NY.text, None, "high", "run_c")
    assert made.made_by == "rule: one value at a time"
    assert [c.memory_id for c in made.candidates] == ["boston"]
    assert "Boston City" in made.reason
    assert "5 January 2024" in made.reason


def test_running_again_proposes_nothing_twice_and_asks_nothing_twice(store: DuckStore) -> None:
    fill(store, DOG, REX)
    decider = Scripted(dog=("update", "Ann has a dog named Rex", ("rex",)))
    assert run(store, decider).proposals == 1
    again = run(store, decider, "run_d")
    assert (again.proposals, again.queues, again.decided_before) == (0, 1, 1)
    assert decider.asked == ["dog"]
    assert len(pending(store)) == 1


def test_another_decider_is_asked_even_so(store: DuckStore) -> None:
    fill(store, DOG, REX)
    run(store, Scripted())
    assert run(store, RuleDecider(), "run_d").proposals == 1


def test_what_was_rejected_is_not_proposed_again_by_anyone_who_says_the_same(store: DuckStore) -> None:
    fill(store, DOG, REX)
    run(store)
    reject(store, [pending(store)[0].id], "ann")
    other = Scripted(dog=("update", REX.text, ("rex",)))
    assert run(store, other, "run_d").proposals == 0
    assert pending(store) == []


def test_however_much_is_proposed_what_was_rejected_is_read_once(
    store: DuckStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, DOG, REX, NY, BOSTON)
    reads = []
    proposals = DuckStore.proposals

    def counted(
        self: DuckStore, owner: str, *, states: Sequence[str] | None = ("pending",)
    ) -> list[Proposal]:
        reads.append(states)
        return proposals(self, owner, states=states)

    monkeypatch.setattr(DuckStore, "proposals", counted)
    assert run(store).proposals == 2
    assert reads.count(("rejected",)) == 1


def test_a_changed_candidate_is_a_new_question(store: DuckStore) -> None:
    fill(store, DOG, REX)
    run(store)
    reject(store, [pending(store)[0].id], "ann")
    with store.write(actor="ingest") as writer:
        newer = said("rex2", "Ann has a brown dog named Rex", JUN, kind="state", message="a-s0-m4")
        writer.put_memories([newer])
    assert run(store, run_id="run_d").proposals >= 1


def test_a_decision_that_could_not_be_had_is_reported_and_tried_again(store: DuckStore) -> None:
    fill(store, DOG, REX)
    decider = Scripted(dog=("update", REX.text, ("rex",)))
    decider.error = "no usable answer"
    report = run(store, decider)
    assert (report.proposals, report.errors) == (0, ("dog: no usable answer",))
    decider.error = ""
    assert run(store, decider, "run_d").proposals == 1


def test_a_server_that_goes_down_fails_the_run_and_keeps_finished_chunks(
    store: DuckStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, DOG, REX, NY, BOSTON)
    monkeypatch.setattr("memcore.review.consolidate.CHUNK", 1)

    class Dying(Scripted):
        def decide(self, queues: Sequence[UpdateQueue]) -> list[Decision]:
            if self.asked:
                raise LlmUnavailableError("The server is down.", "Start it.")
            return super().decide(queues)

    dying = Dying(dog=("update", REX.text, ("rex",)))
    with pytest.raises(LlmUnavailableError):
        run(store, dying)
    stored = store.run("run_c")
    assert stored is not None
    assert (stored.state, stored.error) == ("failed", "The server is down. Start it.")
    revived = Scripted(dog=("update", REX.text, ("rex",)), ny=("delete", None, ("boston",)))
    run(store, revived, "run_d")
    assert set(dying.asked) | set(revived.asked) == {"dog", "ny"}
    assert not set(dying.asked) & set(revived.asked)
    assert len(pending(store)) == 2


def test_whatever_breaks_is_raised_and_leaves_no_run_unfinished(store: DuckStore) -> None:
    class Broken(Scripted):
        def decide(self, queues: Sequence[UpdateQueue]) -> list[Decision]:
            raise ValueError("out of range")

    fill(store, DOG, REX)
    with pytest.raises(ValueError, match="out of range"):
        run(store, Broken())
    stored = store.run("run_c")
    assert stored is not None
    assert (stored.state, stored.error) == ("failed", "out of range")


def test_a_system_with_a_decider_of_its_own_has_its_queues_decided_by_it_and_by_no_other(
    store: DuckStore,
) -> None:
    theirs = [replace(one, id=f"their_{one.id}", recipe="lightmem") for one in (DOG, REX)]
    fill(store, DOG, REX, *theirs)
    common, own = Scripted(), Scripted(their_dog=("delete", None, ("their_rex",)))
    own.name = "their own"
    report = run(store, common, own_deciders={"lightmem": own})

    assert (common.asked, own.asked) == (["dog"], ["their_dog"])
    assert report.by_operation == {"delete": 1}
    (made,) = store.proposals("me")
    assert (made.target_ids, made.recipe, made.made_by) == (("their_dog",), "lightmem", "their own")
    traces = store.traces(run_id="run_c", stage="decide")
    told = {trace.payload["decider"]: [d["target"] for d in trace.payload["decisions"]] for trace in traces}
    assert told == {"scripted": ["dog"], "their own": ["their_dog"]}

    again = run(store, common, "run_d", own_deciders={"lightmem": own})
    assert (again.queues, again.decided_before, again.proposals) == (2, 2, 0)
    run(store, common, "run_e")
    assert common.asked == ["dog", "their_dog"], "without one of its own, the common one is asked"


def test_cancelling_keeps_what_is_decided_and_the_next_run_goes_on(
    store: DuckStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, DOG, REX, NY, BOSTON)
    monkeypatch.setattr("memcore.review.consolidate.CHUNK", 1)
    decider = Scripted()
    assert run(store, decider, cancelled=lambda: len(decider.asked) == 1).state == "cancelled"
    assert run(store, decider, "run_d").decided_before == 1
    assert sorted(decider.asked) == ["dog", "ny"]


def test_progress_is_told_to_the_end(store: DuckStore) -> None:
    fill(store, DOG, REX)
    told: list[tuple[str, int, int]] = []
    run(store, progress=lambda *step: told.append(step))
    assert told == [("compare", 0, 2), ("compare", 2, 2), ("decide", 0, 1), ("decide", 1, 1)]


def test_every_decision_leaves_a_trace_also_the_ones_to_ignore(store: DuckStore) -> None:
    fill(store, DOG, REX)
    run(store, Scripted())
    (trace,) = store.traces(run_id="run_c", stage="decide")
    (row,) = trace.payload["decisions"]
    assert (row["target"], row["action"], row["decided"]) == ("dog", "ignore", True)
    (compared,) = store.traces(run_id="run_c", stage="update_queues")
    assert compared.payload["queues"] == 1


def test_a_memory_changed_while_it_was_decided_is_not_proposed_about_and_asked_again(
    store: DuckStore,
) -> None:
    fill(store, DOG, REX)

    class Slow(Scripted):
        def decide(self, queues: Sequence[UpdateQueue]) -> list[Decision]:
            if not self.asked:
                with store.write(actor="ann") as writer:
                    writer.put_memories([replace(REX, text="Ann has a dog named Max")], kind="memory.changed")
            return super().decide(queues)

    slow = Slow(dog=("update", REX.text, ("rex",)))
    assert run(store, slow).proposals == 0
    assert run(store, slow, "run_d").decided_before == 0


def test_a_missing_embedding_is_made_and_kept(store: DuckStore) -> None:
    fill(store, DOG)
    with store.write(actor="import") as writer:
        writer.put_memories([REX])
    run(store)
    assert REX.text in store.embeddings(EMBEDDER.model_id, [REX.text])
    assert len(pending(store)) == 1


@pytest.mark.parametrize(("speaks", "proposed"), [("assistant", set()), ("user", {("ny",)})])
def test_what_an_assistant_said_is_no_news_although_it_cites_what_was_asked(
    store: DuckStore, speaks: str, proposed: set[tuple[str, ...]]
) -> None:
    asked = talk("Where do I live?", "Ann lives in New York City", "And now?", "Ann lives in Boston City")
    messages = [replace(m, role=("user", speaks)[m.position % 2]) for m in asked.messages]
    own_and_request = {
        NY: (Source("a-s0-m1", 0, 26), Source("a-s0-m0", 0, 16)),
        BOSTON: (Source("a-s0-m3", 0, 24), Source("a-s0-m2", 0, 8)),
    }
    with store.write(actor="ingest") as writer:
        writer.add_log(replace(asked, messages=tuple(messages)))
        writer.put_memories([replace(told, sources=cited) for told, cited in own_and_request.items()])
    assert run(store, RuleDecider()).queues == 1
    assert {one.target_ids for one in pending(store)} == proposed


def test_an_empty_store_has_nothing_to_propose(store: DuckStore) -> None:
    assert run(store).proposals == 0


# --------------------------------------------------------------------------- which proposals wait together


def test_memories_that_would_each_delete_the_other_make_one_proposal_that_mentions_the_other(
    store: DuckStore,
) -> None:
    a, b = (
        said("a", "Ann lives in Boston City", JAN),
        said("b", "Ann lives in Rome City", JAN, message="a-s0-m2"),
    )
    fill(store, a, b)
    run(store, Scripted(a=("delete", None, ("b",)), b=("update", "Ann lives in both", ("a",))))
    (waiting,) = pending(store)
    assert waiting.target_ids == ("a",)
    assert "Not proposed beside this: update “Ann lives in Rome City”." in waiting.reason


def test_what_is_deferred_is_noted_once_while_that_waits_however_often_it_is_decided() -> None:
    deferred = proposal("update", ["a", "b"], [], before="this and that")
    proposal_queue = ProposalQueue([proposal("delete", ["b"], [])])
    noted = proposal_queue.admit(deferred).waiting
    assert noted.reason.count("update “this and that”") == 1
    of_a = proposal_queue.admit(proposal("delete", ["a"], [])).waiting
    assert proposal_queue.admit(deferred).waiting == of_a
    assert ProposalQueue([of_a, noted]).admit(deferred).waiting == of_a, "as another run reads them"
    assert "this and that" in ProposalQueue([of_a]).admit(deferred).waiting.reason, "the other was decided"


def test_a_circle_of_three_is_broken() -> None:
    proposal_queue = ProposalQueue([])
    steps = [proposal("delete", [x], [y], before=x) for x, y in ("ab", "bc", "ca")]
    assert [proposal_queue.admit(step).admitted for step in steps] == [True, True, False]


def test_a_chain_is_no_circle() -> None:
    proposal_queue = ProposalQueue([])
    steps = [proposal("delete", [x], [y], before=x) for x, y in ("ab", "bc", "cd")]
    assert all(proposal_queue.admit(step).admitted for step in steps)


def test_one_memory_has_one_pending_change_and_the_next_is_asked_about_after_it(store: DuckStore) -> None:
    third = said("third", "Ann has a dog and a cat", JUN, kind="state", message="a-s0-m4")
    fill(store, DOG, REX, third)
    decider = Scripted(dog=("merge", REX.text, ("rex",)), rex=("delete", None, ("third",)))
    run(store, decider)
    (merge,) = pending(store)
    reject(store, [merge.id], "ann")
    run(store, decider, "run_d")
    assert decider.asked.count("rex") == 2
    assert [p.operation for p in pending(store)] == ["delete"]


def test_a_rejected_merge_of_three_also_answers_for_two_of_them() -> None:
    rejected = proposal("merge", ["a", "b", "c"], ["b", "c"], state="rejected")
    assert was_rejected(proposal("merge", ["b", "c"], ["c"]), [rejected])
    assert not was_rejected(proposal("merge", ["c", "d"], ["d"]), [rejected])
    assert not was_rejected(proposal("delete", ["b"], ["c"]), [rejected])


def test_a_proposal_is_retired_when_its_memory_goes_and_reopened_when_it_comes_back(store: DuckStore) -> None:
    fill(store, NY, BOSTON)
    run(store)
    with store.write(actor="ann") as writer:
        writer.put_memories([replace(BOSTON, state="invalidated")], kind="memory.invalidated")
    assert run(store, run_id="run_d").retired == 1
    assert pending(store) == []
    undo(store, store.events(object_id="boston")[-1].id, "ann")
    assert run(store, run_id="run_e").reopened == 1
    (again,) = pending(store)
    assert approve(store, EMBEDDER, [again.id], "ann").outcomes[0].proposal.state == "applied"


# --------------------------------------------------------------------------- from decision to proposal


def decision(action: Action, text: str | None, target: MemoryEntry = DOG, *against: MemoryEntry) -> Proposal:
    candidates = tuple(Candidate(m.id, 0.8) for m in against)
    made = Decision(target, candidates, action, text, "so", "me", "low", tuple(m.id for m in against))
    return to_proposal(made, {m.id: m for m in (target, *against)}, run_id="r", at=now())


def test_an_update_replaces_a_candidate_only_when_its_text_contains_it() -> None:
    whole = decision("update", "Ann has a dog named Rex", DOG, REX)
    assert whole.target_ids == ("dog", "rex")
    part = decision("update", "Ann has a dog", DOG, REX)
    assert part.target_ids == ("dog",)
    assert [c.memory_id for c in part.candidates] == ["rex"]


def test_the_same_change_is_the_same_proposal_and_another_is_not() -> None:
    assert decision("merge", "x", DOG, REX).id == decision("merge", "x", REX, DOG).id
    assert decision("delete", None, NY, BOSTON).id != decision("delete", None, BOSTON, NY).id
    assert decision("update", "x", DOG, REX).id != decision("update", "y", DOG, REX).id


# --------------------------------------------------------------------------- entities, order


def test_names_that_are_one_are_proposed_to_be_merged(store: DuckStore) -> None:
    with store.write(actor="ingest") as writer:
        writer.put_entities(
            [Entity("e1", "me", "support group", "ORG"), Entity("e2", "me", "Support-Groups", "ORG")]
        )
        writer.put_entities([Entity("e3", "me", "Ann", "PERSON")])
        writer.put_triples([triple("t", "e3", "go_to", "e2")])
    assert run(store).by_operation == {"merge_entities": 1}
    (merge,) = pending(store)
    assert merge.target_ids == ("e2", "e1")
    approve(store, EMBEDDER, [merge.id], "ann")
    assert run(store, run_id="run_d").proposals == 0


def test_memories_are_taken_in_the_order_of_the_log(store: DuckStore) -> None:
    late = said("a", "first by id, last in the log", None, message="a-s0-m4")
    early = said("z", "last by id, first in the log", None, message="a-s0-m0")
    second = said("b", "later in the same message", None, sources=(Source("a-s0-m0", 6, 9),))
    loose = said("c", "without a source", None, sources=())
    fill(store, late, early, second, loose)
    assert [m.id for m in in_log_order(store, "me")] == ["z", "b", "a", "c"]


class ImportedMeanwhile:
    """The store, in which another import ends after the first thing that was read."""

    def __init__(self, store: DuckStore) -> None:
        self._store = store
        self._imported = False

    def __getattr__(self, name: str) -> Any:
        return self._and_import(getattr(self._store, name))

    def _and_import(self, read: Callable[..., Any]) -> Callable[..., Any]:
        def reading(*args: Any, **options: Any) -> Any:
            found = read(*args, **options)
            if not self._imported:
                self._imported = True
                run_ingest(self._store, log(["likes tea."], name="meanwhile"))
            return found

        return reading


def test_an_import_that_runs_meanwhile_does_not_disturb_the_order(tmp_path: Path) -> None:
    with open_with(pipeline.EMBEDDER, tmp_path / "busy") as store:
        run_ingest(store, log(["likes rain."]))
        seen = in_log_order(cast(Store, ImportedMeanwhile(store)), "me")
        assert [memory.text for memory in seen] == ["Ann likes rain"]
        assert len(in_log_order(store, "me")) == 2


def test_what_is_proposed_about_a_memory_added_meanwhile_waits_on(store: DuckStore) -> None:
    """A person cuts a session anew while its owner's memories are being compared."""
    new = said("new", "Ann has a cat", MAR, message="a-s0-m2")
    of_the_cut = proposal("delete", ("dog",), ("new",))

    def meanwhile(stage: str, done: int, total: int) -> None:
        if (stage, done) == ("compare", total):
            fill(store, new, of_the_cut)

    fill(store, DOG)
    run(store, progress=meanwhile)
    assert pending(store) == [of_the_cut]


# --------------------------------------------------------------------------- recipes


def test_memories_of_one_recipe_are_never_compared_with_another_s(store: DuckStore) -> None:
    """Two recipes read the same log; what both say is no news."""
    again = [replace(m, id=f"{m.id}_lm", recipe="lightmem") for m in (DOG, REX)]
    fill(store, DOG, REX, *again)
    seen: list[tuple[str, ...]] = []

    class Looking(Scripted):
        def decide(self, queues: Sequence[UpdateQueue]) -> list[Decision]:
            seen.extend((q.target.id, *(m.id for m, _ in q.candidates)) for q in queues)
            return super().decide(queues)

    report = run(store, Looking(), queue_threshold=0.0)
    assert sorted(seen) == [("dog", "rex"), ("dog_lm", "rex_lm")]
    assert report.memories == 4
    traces = store.traces(run_id="run_c", stage="update_queues")
    assert [(t.unit, t.payload["memories"]) for t in traces] == [("lightmem", 2), ("memscope", 2)]


def test_a_run_for_one_recipe_leaves_the_others_alone(store: DuckStore) -> None:
    fill(store, DOG, REX, *(replace(m, id=f"{m.id}_lm", recipe="lightmem") for m in (NY, BOSTON)))
    started = Run("run_l", "consolidate", "me", "lightmem", "running", now())
    consolidate(store, run=started, decider=RuleDecider(), embedder=EMBEDDER, make_index=HnswIndex,
                queue_threshold=0.3)  # fmt: skip
    assert [p.target_ids for p in pending(store)] == [("ny_lm",)]


def test_the_trace_tells_what_became_of_each_decision(store: DuckStore) -> None:
    fill(store, DOG, REX, NY, BOSTON)
    decider = Scripted(dog=("update", REX.text, ("rex",)), rex=("delete", None, ("dog",)))
    with store.write(actor="test") as writer:  # said at one moment, so that each is in the other's queue
        writer.put_memories([replace(REX, mentioned_at=JAN)], kind="memory.changed")
    run(store, decider)
    (trace,) = store.traces(run_id="run_c", stage="decide")
    rows = {row["target"]: row for row in trace.payload["decisions"]}
    (waiting,) = pending(store)
    assert (rows["dog"]["outcome"], rows["dog"]["proposal"]) == ("proposed", waiting.id)
    assert (rows["rex"]["outcome"], rows["rex"]["proposal"]) == ("deferred", waiting.id)
    assert (rows["rex"]["decided"], rows["rex"]["against"]) == (False, ["dog"])
    assert (rows["ny"]["outcome"], rows["ny"]["proposal"]) == ("ignored", "")
