"""Finding the highest scores in groups finds what sorting all of them finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.store.highest import highest


@given(
    count=st.integers(1, 3_000),
    k=st.integers(1, 60),
    kinds=st.sampled_from([2, 5, 1_000_000]),
    seed=st.integers(0, 99),
)
def test_the_highest_are_those_of_sorting_everything_with_all_that_equal_the_last(
    count: int, k: int, kinds: int, seed: int
) -> None:
    scores = np.random.default_rng(seed).integers(0, kinds, count).astype(np.float64)
    last = np.sort(scores)[::-1][min(k, count) - 1]
    assert highest(scores, k).tolist() == np.flatnonzero(scores >= last).tolist()


@pytest.mark.parametrize("count", [1, 64, 65, 10_000])
def test_when_all_are_equal_all_are_given(count: int) -> None:
    assert len(highest(np.zeros(count), 1)) == count
