"""What an overview says is stored, waits, changed and failed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memcore.domain.models import Curation
from memcore.inspection.overview import LISTED, Overview, overview
from memcore.review.decide import approve, undo
from memcore.store import DuckStore
from tests.store.samples import EMBEDDER, MAY_8, log, memory, proposal, run


def look(store: DuckStore, *systems: str, **given: object) -> Overview:
    return overview(
        store,
        "me",
        systems or ("memscope",),
        failed_messages=given.get("failed_messages", lambda run_id: 0),  # type: ignore[arg-type]
    )


def put(store: DuckStore, kind: str, hour: int, *, ends: bool = True, **changes: object) -> None:
    began = MAY_8 + timedelta(hours=hour)
    values = {
        "recipe": "memscope",
        "kind": kind,
        "started_at": began,
        "finished_at": began + timedelta(minutes=1) if ends else None,
    } | changes
    with store.write(actor="test") as writer:
        writer.put_run(run(f"{kind} {hour}", **values))


@pytest.fixture
def said(store: DuckStore) -> DuckStore:
    """A log of two messages, of which Memscope's own has read one."""
    with store.write(actor="test", run_id="ingest 1") as writer:
        writer.add_log(log("I have a dog.", "And I a cat."))
        writer.add_log(log("Not for you.", name="b", owner="you"))
        writer.put_memories([memory("a"), memory("b", state="deleted"), memory("c", recipe="other")])
        writer.mark_processed("memscope", ["a-s0-m0"], "ingest 1")
    return store


def test_it_counts_what_is_stored_by_system_and_only_the_owners(said: DuckStore) -> None:
    found = look(said)
    assert (found.logs, found.sessions, found.messages) == (1, 1, 2)
    (system,) = found.systems
    assert (system.recipe, system.memories, system.past, system.unread) == ("memscope", 1, 1, 1)


def test_proposals_wait_by_operation(said: DuckStore) -> None:
    changes: tuple[dict[str, str], ...] = ({}, {"operation": "merge"}, {"state": "rejected"})
    with said.write(actor="test", run_id="ingest 1") as writer:
        writer.put_proposals([proposal(f"p{n}", "a", **change) for n, change in enumerate(changes)])
    assert look(said).proposals == {"update": 1, "merge": 1}


def test_a_run_that_ended_badly_waits_until_one_of_its_kind_ends_well(said: DuckStore) -> None:
    put(said, "consolidate", 1, state="failed", error="no server")
    assert [one.id for one in look(said).open_runs] == ["consolidate 1"]
    put(said, "consolidate", 2, state="finished")
    assert look(said).open_runs == ()


def test_an_import_that_was_cut_off_waits_only_while_messages_do(said: DuckStore) -> None:
    put(said, "ingest", 1, ends=False, state="running")
    assert [one.id for one in look(said).open_runs] == ["ingest 1"]
    with said.write(actor="test") as writer:
        writer.mark_processed("memscope", ["a-s0-m1"], "ingest 1")
    assert look(said).open_runs == ()


def test_what_was_remembered_since_the_last_comparison_waits_for_one(said: DuckStore) -> None:
    assert not look(said).consolidate
    put(said, "ingest", 1, state="finished", totals={"memories": 3})
    assert look(said).consolidate
    put(said, "consolidate", 2, state="finished")
    assert not look(said).consolidate
    put(said, "ingest", 3, state="finished", totals={"memories": 0})
    assert not look(said).consolidate


def test_failed_parts_look_wrong(said: DuckStore) -> None:
    put(said, "ingest", 1, state="finished")
    found = look(said, failed_messages=lambda run_id: 4)
    assert [(part.run.id, part.messages) for part in found.failed] == [("ingest 1", 4)]


def test_what_people_found_wrong_is_counted_by_stage(said: DuckStore) -> None:
    with said.write(actor="person") as writer:
        writer.put_curations(
            [
                Curation(f"cur {n}", "me", "memory", key, "wrong", "person", MAY_8, stage)
                for n, (key, stage) in enumerate((("a", "time"), ("b", "time"), ("c", "extraction")))
            ]
        )
    assert look(said).marked_wrong == {"time": 2, "extraction": 1}


def test_runs_and_what_people_decided_are_the_changes_newest_first(said: DuckStore) -> None:
    put(said, "ingest", 1, state="finished")
    put(said, "search", 2, state="finished")
    with said.write(actor="person") as writer:
        writer.put_memories([memory("a", "Ann has two dogs")], kind="memory.updated")
        writer.put_memories([memory("d", owner="you")])
    decided, worked = look(said).changes
    assert decided.event is not None
    told = (decided.event.kind, decided.event.object_id, decided.event.actor, decided.events)
    assert told == ("memory.updated", "a", "person", 1)
    assert worked.run is not None
    assert worked.run.id == "ingest 1"
    for hour in range(3, 20):
        put(said, "consolidate", hour, state="finished")
    assert len(look(said).changes) == LISTED


def test_a_step_is_told_by_its_proposal_and_an_undo_by_what_it_took_back(said: DuckStore) -> None:
    with said.write(actor="test", run_id="ingest 1") as writer:
        writer.put_proposals([proposal("p1", "a", operation="delete", after=None)])
    decided = approve(said, EMBEDDER, ["p1"], "person")
    undone = undo(said, decided.event_id, "person")
    undo(said, undone.event_id, "person")
    redid, undid, did = look(said).changes
    assert did.event is not None and did.events == 2
    assert (did.event.kind, did.undone) == ("proposal.applied", ())
    assert [e.kind for e in undid.undone] == ["proposal.applied"]
    assert [e.kind for e in redid.undone] == ["proposal.restored", "proposal.applied"]
    assert {one.event.object_id for one in (redid, undid, did) if one.event} == {"p1"}
