"""The sample in a directory and in a PostgreSQL database: the same memory, found and changed alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memcore import open_memory
from memcore.logs import read_log
from memcore.memory import Memory, move_store
from memcore.runtime.config import load_settings
from tests.postgres import new_database

SAMPLE = Path(__file__).parent.parent / "sample_data" / "two_friends.json"
OWNER = "me"
QUESTIONS = ("Where does Nora work?", "What did they do last summer?", "Who has a dog?", "When is the party?")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, Memory]]:
    """The sample, read into a directory and into a database."""
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.delenv("MEMSCOPE_LLM", raising=False)
        patch.setenv("MEMSCOPE_DATA", str(tmp_path_factory.mktemp("data")))
        address = stack.enter_context(new_database())
        places = (tmp_path_factory.mktemp("embedded") / "store", str(address))
        embedded, served = (stack.enter_context(open_memory(place)) for place in places)
        for memory in (embedded, served):
            memory.ingest(read_log(SAMPLE), owner=OWNER)
        yield embedded, served


def told(memory: Memory) -> dict[str, list[Any]]:
    """What is remembered, without the ids of runs."""
    store = memory.store
    return {
        "messages": [m for c in store.conversations() for m in store.messages_of(c.id)],
        "memories": [replace(m, run_id="") for m in store.memories(OWNER, states=None)],
        "entities": store.entities(OWNER),
        "triples": store.triples(OWNER),
        "summaries": store.summaries(OWNER),
        "verdicts": [store.verdicts(OWNER, recipe="memscope")],
    }


def found(memory: Memory, question: str) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in memory.search(question, owner=OWNER, k=10).hits]


def require_the_same_results(one: Memory, other: Memory) -> None:
    for question in QUESTIONS:
        here, there = found(one, question), found(other, question)
        assert here
        assert [key for key, _ in here] == [key for key, _ in there]
        assert [score for _, score in there] == pytest.approx([score for _, score in here], abs=1e-4)


def test_the_sample_is_remembered_and_found_in_the_same_way(both: tuple[Memory, Memory]) -> None:
    embedded, served = both
    assert told(embedded)["memories"]
    assert told(embedded) == told(served)
    require_the_same_results(embedded, served)


def test_consolidation_proposes_and_approves_the_same_and_the_store_stays_sound(
    both: tuple[Memory, Memory],
) -> None:
    embedded, served = both
    before = [
        (p.operation, p.target_ids, p.before, p.after, p.reason)
        for p in embedded.store.proposals(OWNER, states=None)
    ]
    outcomes = []
    for memory in (embedded, served):
        memory.consolidate(owner=OWNER)
        waiting = memory.store.proposals(OWNER)
        outcomes.append([(p.operation, p.target_ids, p.before, p.after, p.reason) for p in waiting])
        for proposal in waiting:
            if proposal.id in {one.id for one in memory.store.proposals(OWNER)}:  # none superseded it
                memory.approve([proposal.id], owner=OWNER, actor="ann")
    assert len(outcomes[0]) > len(before)
    assert outcomes[0] == outcomes[1]
    assert told(embedded) == told(served)
    require_the_same_results(embedded, served)
    assert [finding.name for finding in served.store.check() if not finding.sound] == []


def test_a_store_is_moved_to_a_database_and_back_without_loss(
    both: tuple[Memory, Memory], tmp_path: Path
) -> None:
    embedded, _ = both
    with new_database() as address:
        of, over, back = map(load_settings, (embedded.store.name, str(address), tmp_path / "back"))
        rows = move_store(of, over)
        assert move_store(over, back) == rows
    with open_memory(tmp_path / "back") as returned:
        assert told(returned) == told(embedded)
        assert returned.store.events() == embedded.store.events()
        assert [finding.name for finding in returned.store.check() if not finding.sound] == []
