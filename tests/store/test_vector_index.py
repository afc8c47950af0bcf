"""hnswlib keeps the contract of a vector index."""

from pathlib import Path

import pytest

from memcore.store.vector_index import HnswIndex
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
    path = tmp_path / "graph.hnsw"
    vectors = unit_vectors(1_200, 8)
    index = HnswIndex(8)
    index.put(names(1_000), vectors[:1_000])
    index.remove(names(100))
    loaded = HnswIndex.load(path, index.save(path), dimension=8)
    assert len(loaded) == 900
    assert loaded.search(vectors[500], 20) == index.search(vectors[500], 20)
    loaded.put(names(1_200)[1_000:], vectors[1_000:])
    loaded.put(names(1), vectors[:1])
    assert loaded.search(vectors[0], 1)[0][0] == "v00000"
    assert loaded.search(vectors[1_100], 1)[0][0] == "v01100"
