"""What every VectorIndex must do. The fixture `make_index` makes an empty one of a dimension."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from memcore.domain.protocols import VectorIndex

MakeVectorIndex = Callable[[int], VectorIndex]


def unit_vectors(count: int, dimension: int, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def names(count: int, prefix: str = "v") -> list[str]:
    return [f"{prefix}{number:05d}" for number in range(count)]


def test_an_empty_index_finds_nothing(make_index: MakeVectorIndex) -> None:
    index = make_index(4)
    assert len(index) == 0
    assert index.search(np.ones(4, np.float32), 5) == []
    index.remove(["unknown"])
    index.put([], np.zeros((0, 4), np.float32))
    assert index.search(np.ones(4, np.float32), 5) == []


def test_scores_are_cosines_best_first(make_index: MakeVectorIndex) -> None:
    index = make_index(3)
    index.put(["x", "y", "xy"], np.array([[1, 0, 0], [0, 1, 0], [0.6, 0.8, 0]], np.float32))
    found = index.search(np.array([5, 0, 0], np.float32), 3)
    assert [key for key, _ in found] == ["x", "xy", "y"]
    assert [score for _, score in found] == pytest.approx([1.0, 0.6, 0.0], abs=1e-5)


def test_it_gives_all_when_there_are_fewer_than_asked(make_index: MakeVectorIndex) -> None:
    index = make_index(8)
    index.put(names(7), unit_vectors(7, 8))
    assert len(index.search(unit_vectors(1, 8)[0], 100)) == 7
    assert index.search(unit_vectors(1, 8)[0], 0) == []


def test_the_nearest_are_those_an_exact_search_finds(make_index: MakeVectorIndex) -> None:
    vectors, queries = unit_vectors(3_000, 32), unit_vectors(40, 32, seed=1)
    index = make_index(32)
    index.put(names(3_000), vectors)
    hits = 0
    for query in queries:
        exact = {names(3_000)[row] for row in np.argsort(-(vectors @ query))[:20]}
        hits += len(exact & {key for key, _ in index.search(query, 20)})
    assert hits / (40 * 20) > 0.98


def test_what_is_added_later_is_found_like_what_was_there_first(make_index: MakeVectorIndex) -> None:
    vectors = unit_vectors(1_500, 16)
    index = make_index(16)
    for start in range(0, 1_500, 100):
        index.put(names(1_500)[start : start + 100], vectors[start : start + 100])
    for row in (0, 99, 100, 1_499):
        assert index.search(vectors[row], 1)[0][0] == names(1_500)[row]


def test_putting_an_id_again_gives_it_another_vector(make_index: MakeVectorIndex) -> None:
    index = make_index(3)
    index.put(["a", "b"], np.eye(3, dtype=np.float32)[:2])
    index.put(["a"], np.eye(3, dtype=np.float32)[2:])
    assert len(index) == 2
    assert index.search(np.eye(3, dtype=np.float32)[2], 1)[0] == ("a", pytest.approx(1.0))
    assert dict(index.search(np.eye(3, dtype=np.float32)[0], 2))["a"] == pytest.approx(0.0, abs=1e-6)


def test_a_vector_given_up_and_taken_again_is_found_again(make_index: MakeVectorIndex) -> None:
    first, second = np.eye(2, dtype=np.float32)
    index = make_index(2)
    for vector in (first, second, first):
        index.put(["a"], vector[None])
        assert index.search(vector, 5) == [("a", pytest.approx(1.0))]


def test_removed_ids_are_not_found_and_the_others_still_are(make_index: MakeVectorIndex) -> None:
    vectors = unit_vectors(400, 16)
    index = make_index(16)
    index.put(names(400), vectors)
    index.remove(names(390))
    assert len(index) == 10
    assert {key for key, _ in index.search(vectors[0], 10)} == set(names(400)[390:])


def test_a_thousand_equal_vectors_hide_no_other(make_index: MakeVectorIndex) -> None:
    vectors = unit_vectors(50, 16)
    index = make_index(16)
    index.put(names(1_000, "same"), np.repeat(vectors[:1], 1_000, axis=0))
    index.put(names(49, "other"), vectors[1:])
    assert index.search(vectors[7], 1)[0][0] == "other00006"
    assert len(index.search(vectors[0], 1_049)) == 1_049
    index.remove(["same00000"])
    assert index.search(vectors[0], 1)[0][0] == "same00001"


def test_equal_scores_come_in_the_order_of_ids(make_index: MakeVectorIndex) -> None:
    index = make_index(2)
    index.put(["c", "a", "b"], np.tile(np.array([[1, 0]], np.float32), (3, 1)))
    assert [key for key, _ in index.search(np.array([1, 0], np.float32), 2)] == ["a", "b"]
