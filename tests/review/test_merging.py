"""Proposing to merge entities of one name, on its own: what waits for a person, and nothing merged."""

from __future__ import annotations

from memcore.domain.models import Run, now
from memcore.domain.protocols import Store
from memcore.review.decide import reject
from memcore.review.merging import propose_entity_merges
from tests.store.samples import entity, triple


def looked(store: Store, recipe: str = "") -> list[tuple[str, ...]]:
    """The entities of each new proposal."""
    run = Run("run", "names", "me", recipe, "running", now())
    return [proposal.target_ids for proposal in propose_entity_merges(store, run, actor="test")]


def fill(store: Store, recipe: str = "memscope", prefix: str = "") -> None:
    names = (("dogs", "dogs"), ("dog", "Dog"), ("cat", "cat"))
    with store.write(actor="test") as writer:
        writer.put_entities([entity(prefix + i, name, type="THING", recipe=recipe) for i, name in names])
        writer.put_triples([triple(f"{prefix}t", f"{prefix}dog", "chase", f"{prefix}cat", recipe=recipe)])


def test_one_name_in_two_spellings_is_proposed_and_not_merged(store: Store) -> None:
    fill(store)
    assert looked(store) == [("dog", "dogs")]
    assert [p.state for p in store.proposals("me")] == ["pending"]
    assert {entity.merged_into for entity in store.entities("me")} == {None}


def test_the_same_is_proposed_once_even_if_turned_down(store: Store) -> None:
    fill(store)
    looked(store)
    assert looked(store) == []
    reject(store, [p.id for p in store.proposals("me")], "person")
    assert looked(store) == []


def test_graphs_of_two_systems_are_compared_each_within_itself(store: Store) -> None:
    fill(store)
    fill(store, "mem0_graph", "m_")
    assert looked(store, "mem0_graph") == [("m_dog", "m_dogs")]
    assert looked(store) == [("dog", "dogs")]
