"""The exact index keeps the contract of a vector index, and is exact."""

import numpy as np
import pytest

from memcore.store import ExactIndex
from tests.contract.vector_index import *  # noqa: F403
from tests.contract.vector_index import MakeVectorIndex, names, unit_vectors


@pytest.fixture
def make_index() -> MakeVectorIndex:
    return ExactIndex


def test_after_any_removal_it_finds_exactly_the_nearest_of_what_is_left() -> None:
    vectors, query = unit_vectors(600, 16), unit_vectors(1, 16, seed=3)[0]
    index = ExactIndex(16)
    index.put(names(600), vectors)
    gone = np.random.default_rng(5).choice(600, 400, replace=False)
    index.remove([names(600)[row] for row in gone])
    left = [row for row in range(600) if row not in set(gone.tolist())]
    nearest = sorted(left, key=lambda row: -float(vectors[row] @ query))[:25]
    assert [key for key, _ in index.search(query, 25)] == [names(600)[row] for row in nearest]
    assert len(index) == 200
