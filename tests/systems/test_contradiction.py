"""One contradiction through every system, with no language model: Iris lives in New York in January and
has moved to San Francisco in March (sample_data/new_city.txt).

What each system proposes of its own accord, what the store holds before and after a person approves,
and what is answered for February and for April.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from memcore.domain.models import Proposal
from memcore.logs import read_log
from memcore.memory import Memory, open_memory
from memcore.systems.registry import SYSTEMS

pytestmark = pytest.mark.models

LOG = Path(__file__).parents[2] / "sample_data" / "new_city.txt"
QUESTION = "Where does Iris live?"
FEBRUARY, APRIL = datetime(2024, 2, 15), datetime(2024, 4, 15)
MOVED = datetime(2024, 3, 16, 10, 2)

AT_ONCE, IN_CONSOLIDATION, NOT_AT_ALL = "while it reads", "during consolidation", "not at all"
WHEN = {
    "memscope": IN_CONSOLIDATION,
    "lightmem": IN_CONSOLIDATION,
    "mem0": AT_ONCE,
    "mem0_graph": AT_ONCE,
    "simplemem": NOT_AT_ALL,
    "licomemory": NOT_AT_ALL,
    "fulltext": NOT_AT_ALL,
    "naive_rag": NOT_AT_ALL,
}
"""When a system sees that the one statement ends the other."""
PROPOSING = [recipe for recipe, when in WHEN.items() if when != NOT_AT_ALL]


@pytest.fixture(scope="module", params=WHEN)
def memory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with open_memory(tmp_path_factory.mktemp(request.param)) as opened:
        opened.ingest(read_log(LOG), recipe=request.param)
        yield opened


def ending(memory: Memory) -> list[Proposal]:
    """What waits that would end the old home."""
    return [p for p in memory.review.proposals() if "New York" in p.before]


def answer(memory: Memory, moment: datetime | None = None) -> list[str]:
    """The cities in what is found for the question, best first."""
    texts = [hit.text for hit in memory.search(QUESTION, as_of=moment).hits if hit.kind != "summary"]
    cities = [city for text in texts for city in ("New York", "San Francisco") if city in text]
    return list(dict.fromkeys(cities))


def test_every_system_is_here() -> None:
    assert set(WHEN) == set(SYSTEMS)


def test_a_contradiction_is_proposed_decided_and_answered_by_date(memory: Memory) -> None:
    (recipe,) = memory.runs.systems()
    at_once = ending(memory)
    memory.consolidate()
    proposed = ending(memory)
    assert bool(at_once) == (WHEN[recipe] == AT_ONCE)
    assert bool(proposed) == (WHEN[recipe] != NOT_AT_ALL)

    # Nothing is decided: both statements are there, and each is answered from when it was said.
    assert {m.state for m in memory.memories.find(states=None)} == {"active"}
    assert answer(memory, FEBRUARY) == ["New York"]
    assert set(answer(memory, APRIL)) == {"New York", "San Francisco"}
    if not proposed:
        return

    (proposal,) = proposed
    assert proposal.operation in ("invalidate", "delete")
    assert proposal.recipe == recipe
    decided = memory.approve([proposal.id])
    (old,) = [m for m in memory.memories.find(states=None) if m.id == proposal.target_ids[0]]
    assert (old.state, old.valid_to) == ("invalidated", MOVED)
    assert "San Francisco" in memory.memories.view(str(old.superseded_by)).memory.text
    assert answer(memory, FEBRUARY) == ["New York"]
    assert answer(memory, APRIL) == answer(memory) == ["San Francisco"]

    memory.undo(decided.event_id)
    assert {m.state for m in memory.memories.find(states=None)} == {"active"}
    assert set(answer(memory, APRIL)) == {"New York", "San Francisco"}


@pytest.mark.parametrize("recipe", ["memscope", "mem0_graph"])
def test_an_approved_contradiction_ends_the_triple_and_keeps_it(recipe: str, tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        memory.ingest(read_log(LOG), recipe=recipe)
        memory.consolidate()
        names = {entity.id: entity.name for entity in memory.graph.entities()}
        before = memory.graph.part(recipe=recipe).triples
        memory.approve([ending(memory)[0].id])
        after = memory.graph.part(recipe=recipe).triples
        assert {t.id for t in before} == {t.id for t in after}, "nothing is removed"
        assert [t.invalidated_at for t in before] == [None] * len(before)
        ended = [t for t in after if t.invalidated_at]
        assert [(names[t.subject_id], names[t.object_id]) for t in ended] == [("Iris", "New York")]
        assert ended[0].invalidated_at == MOVED
