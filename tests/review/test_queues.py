"""LightMem's update queues, as the paper defines them."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memcore.domain.models import MemoryEntry, Source
from memcore.domain.protocols import Vectors
from memcore.review.queues import TOP_VALUES, moments, update_queues
from memcore.store import HnswIndex
from tests.review.scenes import JAN, JUN, MAR, said


def alike(count: int) -> Vectors:
    return np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (count, 1))


def at_cosines(*cosines: float) -> Vectors:
    """Unit vectors at these cosines to the first axis."""
    return np.array([[c, np.sqrt(1 - c * c)] for c in cosines], dtype=np.float32)


def scattered(count: int, dimension: int, seed: int = 3) -> Vectors:
    vectors = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def memory(key: str, when: object, message: str = "") -> MemoryEntry:
    return said(key, f"text of {key}", when, message=message or f"m-{key}")  # type: ignore[arg-type]


def queued(
    memories: list[MemoryEntry], vectors: Vectors | None = None, **limits: object
) -> dict[str, list[str]]:
    vectors = alike(len(memories)) if vectors is None else vectors
    queues, _ = update_queues(memories, vectors, HnswIndex(vectors.shape[1]), **limits)  # type: ignore[arg-type]
    return {queue.target.id: [m.id for m, _ in queue.candidates] for queue in queues}


def test_the_newer_updates_the_older_and_never_the_reverse() -> None:
    """The published code's t_j <= t_i is the transpose: it would queue jan for mar and jun."""
    memories = [memory("jan", JAN), memory("jun", JUN), memory("mar", MAR)]
    assert queued(memories) == {"jan": ["jun", "mar"], "mar": ["jun"]}


def test_statements_of_the_same_moment_are_in_each_others_queues() -> None:
    assert queued([memory("a", JAN), memory("b", JAN), memory("c", JAN)]) == {
        "a": ["b", "c"],
        "b": ["a", "c"],
        "c": ["a", "b"],
    }


def test_without_a_date_a_memory_counts_as_said_just_after_the_one_before_it_in_the_log() -> None:
    memories = [memory("jun", JUN), memory("undated", None), memory("jan", JAN), memory("last", None)]
    assert queued(memories) == {
        "jan": ["jun", "last", "undated"],
        "last": ["jun", "undated"],
        "jun": ["undated"],
    }  # fmt: skip


def test_in_a_log_without_any_date_the_order_of_the_log_decides() -> None:
    memories = [memory("c", None), memory("b", None), memory("a", None)]
    assert queued(memories) == {"c": ["a", "b"], "b": ["a"]}


def test_only_what_reaches_the_threshold_is_queued_best_first() -> None:
    memories = [memory("t", JAN), memory("far", MAR), memory("near", MAR), memory("nearer", MAR)]
    vectors = at_cosines(1.0, 0.59, 0.601, 0.9)
    queues, _ = update_queues(memories, vectors, HnswIndex(2), threshold=0.6)
    target = queues[0]
    assert [(m.id, round(score, 2)) for m, score in target.candidates] == [("nearer", 0.9), ("near", 0.6)]


def test_what_another_processor_may_find_more_similar_is_in_the_order_of_ids() -> None:
    """1.8e-7 apart on one processor, the other way round on the next: one log asks a model one thing."""
    memories = [memory("t", JAN), memory("b", MAR), memory("a", MAR), memory("nearer", MAR)]
    for cosines in ((1.0, 0.7867505, 0.7867503, 0.79), (1.0, 0.7867503, 0.7867505, 0.79)):
        assert queued(memories, at_cosines(*cosines))["t"] == ["nearer", "a", "b"]


def test_of_the_k_most_similar_the_best_n_are_kept() -> None:
    memories = [memory("t", JAN), *(memory(f"c{i}", MAR) for i in range(30))]
    vectors = at_cosines(1.0, *(0.99 - i / 100 for i in range(30)))
    assert queued(memories, vectors)["t"] == [f"c{i}" for i in range(10)]
    assert queued(memories, vectors, k=5)["t"] == [f"c{i}" for i in range(5)]


def test_k_counts_only_eligible_memories_so_old_ones_crowd_nobody_out() -> None:
    old = [memory(f"old{i}", JAN) for i in range(25)]
    memories = [*old, memory("t", MAR), memory("newer", JUN)]
    vectors = at_cosines(*[1.0] * 25, 1.0, 0.7)
    assert queued(memories, vectors)["t"] == ["newer"]


def test_two_facts_of_one_sentence_are_never_compared() -> None:
    a, b, c = (said(key, key, JAN, sources=(Source("m", *span),)) for key, span in
               (("a", (0, 20)), ("b", (10, 40)), ("c", (40, 60))))  # fmt: skip
    assert queued([a, b, c]) == {"a": ["c"], "b": ["c"], "c": ["a", "b"]}
    assert update_queues([a, b], alike(2), HnswIndex(2))[1].same_words == 2


def test_however_many_facts_one_sentence_has_they_crowd_nobody_out() -> None:
    one_sentence = [said(f"s{i:02}", "s", JAN, sources=(Source("m", 0, 20),)) for i in range(30)]
    memories = [*one_sentence, memory("other", MAR)]
    vectors = at_cosines(*[1.0] * 30, 0.7)
    assert queued(memories, vectors) == {f"s{i:02}": ["other"] for i in range(30)}


TIMES = st.lists(st.none() | st.integers(0, 4), min_size=2, max_size=40)


@given(days=TIMES, k=st.integers(1, 6), seed=st.integers(0, 99))
@settings(max_examples=60)
def test_the_one_pass_finds_what_comparing_all_pairs_finds(days: list[int | None], k: int, seed: int) -> None:
    memories = [
        memory(f"m{i:02}", None if day is None else JAN + timedelta(days=day)) for i, day in enumerate(days)
    ]
    vectors = scattered(len(days), 4, seed)
    when = moments(memories)
    wanted = {}
    for i, target in enumerate(memories):
        eligible = [j for j in range(len(memories)) if j != i and when[j] >= when[i]]
        nearest = sorted(eligible, key=lambda j: -float(vectors[i] @ vectors[j]))[:k]
        chosen = [memories[j].id for j in nearest if vectors[i] @ vectors[j] >= 0.2][:3]
        if chosen:
            wanted[target.id] = chosen
    assert queued(memories, vectors, k=k, n=3, threshold=0.2) == wanted


def test_the_queues_come_in_the_order_of_their_targets_in_the_log() -> None:
    memories = [memory(f"m{i}", datetime(2024, 1, 20 - i)) for i in range(5)]
    assert list(queued(memories)) == ["m1", "m2", "m3", "m4"]


def test_the_trace_counts_what_was_compared() -> None:
    memories = [memory("a", JAN), memory("b", MAR), memory("c", None)]
    _, trace = update_queues(memories, at_cosines(1.0, 0.62, 0.2), HnswIndex(2))
    assert (trace.memories, trace.undated, trace.queues, trace.candidates) == (3, 1, 2, 2)
    assert sum(trace.histogram) == 2  # c has nobody after it


def test_no_memories_no_queues() -> None:
    queues, trace = update_queues([], np.zeros((0, 4), dtype=np.float32), HnswIndex(4))
    assert (queues, trace.queues) == ([], 0)


def test_what_gives_a_value_to_the_same_thing_is_compared_however_unlike() -> None:
    memories = [memory("leeds", JAN), memory("tea", MAR), memory("oslo", JUN)]
    home, drink = frozenset({("ann", "residence")}), frozenset({("ann", "drink")})
    vectors = at_cosines(1.0, 0.3, 0.2)
    queues, trace = update_queues(memories, vectors, HnswIndex(2), values=[home, drink, home])
    found = {queue.target.id: [(m.id, round(score, 1)) for m, score in queue.candidates] for queue in queues}
    assert found == {"leeds": [("oslo", 0.2)], "tea": [("oslo", 1.0)]}
    assert trace.by_value == 1


def test_of_many_that_give_a_value_to_one_thing_the_most_similar_are_compared() -> None:
    others = [memory(f"m{n}", JUN) for n in range(TOP_VALUES + 3)]
    cosines = [n / 100 for n in range(len(others))]
    same = [frozenset({"same"})] * (len(others) + 1)
    vectors = at_cosines(1.0, *cosines)
    queues, _ = update_queues([memory("a", JAN), *others], vectors, HnswIndex(2), k=1, values=same)
    (first,) = [queue for queue in queues if queue.target.id == "a"]
    best = [f"m{n}" for n in reversed(range(len(others)))][:TOP_VALUES]
    assert [m.id for m, _ in first.candidates] == best


def test_two_values_in_the_same_words_are_not_compared() -> None:
    a, b = memory("a", JAN, "m"), memory("b", JAN, "m")
    queues, _ = update_queues([a, b], at_cosines(1.0, 0.1), HnswIndex(2), values=[frozenset({1})] * 2)
    assert queues == []
