"""hnswlib keeps the contract of a vector index."""

from pathlib import Path

import numpy as np
import pytest

from memcore.store import record_file, vector_index
from memcore.store.vector_index import GRAPH_DIMENSION, HnswIndex
from tests.contract.vector_index import *  # noqa: F403
from tests.contract.vector_index import MakeVectorIndex, names, unit_vectors


@pytest.fixture
def make_index() -> MakeVectorIndex:
    return HnswIndex


def test_the_same_additions_give_the_same_answers_every_time() -> None:
    vectors, query = unit_vectors(2_000, 24), unit_vectors(1, 24, seed=3)[0]
    answers = []
    for _ in range(2):
        index = HnswIndex(24)
        index.put(names(2_000), vectors)
        answers.append(index.search(query, 50))
    assert answers[0] == answers[1]


def test_nodes_out_of_reach_of_the_walk_are_still_found(monkeypatch: pytest.MonkeyPatch) -> None:
    index = HnswIndex(8)
    vectors = unit_vectors(300, 8)
    index.put(names(300), vectors)
    before = index.search(vectors[5], 300)

    class Walk:
        def __init__(self, graph: object) -> None:
            self.graph = graph

        def __getattr__(self, name: str) -> object:
            return getattr(self.graph, name)

        def knn_query(self, *_: object, **__: object) -> None:
            raise RuntimeError("Cannot return the results in a contiguous 2D array")

    monkeypatch.setattr(index, "_graph", Walk(index._graph))
    after = index.search(vectors[5], 300)
    assert [key for key, _ in after] == [key for key, _ in before]
    assert [s for _, s in after] == pytest.approx([s for _, s in before], abs=1e-5)


def test_a_saved_index_answers_as_before_and_grows_on(tmp_path: Path) -> None:
    files = {part: tmp_path / part for part in ("graph", "table", "vectors")}
    vectors = unit_vectors(1_200, 8)
    index = HnswIndex(8)
    index.put(names(1_000), vectors[:1_000])
    index.remove(names(100))
    loaded = HnswIndex.load(files, index.save(files.__getitem__), dimension=8)
    assert len(loaded) == 900
    assert loaded.search(vectors[500], 20) == index.search(vectors[500], 20)
    loaded.put(names(1_200)[1_000:], vectors[1_000:])
    loaded.put(names(1), vectors[:1])
    assert loaded.search(vectors[0], 1)[0][0] == "v00000"
    assert loaded.search(vectors[1_100], 1)[0][0] == "v01100"


def test_long_vectors_are_found_by_fewer_numbers_and_scored_by_all(tmp_path: Path) -> None:
    dimension = 2 * GRAPH_DIMENSION
    # components fall off, as a language model's do
    vectors = unit_vectors(2_000, dimension) / np.arange(1, dimension + 1, dtype=np.float32) ** 0.5
    queries = vectors[:40] + 0.3 * vectors[40:80]
    index = HnswIndex(dimension, GRAPH_DIMENSION)
    index.put(names(2_000), vectors)
    files = {part: tmp_path / part for part in ("graph", "table", "vectors")}
    loaded = HnswIndex.load(files, index.save(files.__getitem__), dimension=dimension)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    hits = 0
    for query in queries:
        cosines = unit @ (query / np.linalg.norm(query))
        found = loaded.search(query, 20)
        assert found == index.search(query, 20)
        assert [score for _, score in found] == pytest.approx(
            [cosines[int(key[1:])] for key, _ in found], abs=1e-6
        )
        hits += len({names(2_000)[row] for row in np.argsort(-cosines)[:20]} & {key for key, _ in found})
    assert hits / (40 * 20) > 0.99


def test_vectors_of_one_checksum_are_not_taken_for_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (vector_index, record_file):
        monkeypatch.setattr(module, "word_sums", lambda rows: np.full(len(rows), 7, np.uint32))
    vectors = unit_vectors(20, 8)
    index = HnswIndex(8)
    index.put(names(20), vectors)
    index.put(["again"], vectors[:1])
    assert [key for key, _ in index.search(vectors[0], 2)] == ["again", "v00000"]
    assert index.search(vectors[7], 1)[0][0] == "v00007"
