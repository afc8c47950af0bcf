"""Intervals of means, by cluster."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcore.evaluation.bootstrap import intervals

NAN = np.nan


def column(*values):
    return np.array(values, dtype=float)[:, None]


def test_one_cluster_has_no_interval():
    assert intervals(column(0.2, 0.8, 0.5), ["a", "a", "a"]) == [None]


def test_a_column_known_in_one_cluster_only_has_no_interval():
    values = np.array([[0.2, NAN], [0.4, NAN], [0.6, 1.0]])
    first, second = intervals(values, ["a", "b", "c"])
    assert first is not None and second is None


def test_clusters_that_agree_have_an_interval_of_no_width():
    assert intervals(column(1, 0, 1, 0), ["a", "a", "b", "b"]) == [(0.5, 0.5)]


def test_two_clusters_are_drawn_whole():
    """Draws are aa, ab, bb: 2.5 % and 97.5 % are the clusters' own means, not what questions would give."""
    (found,) = intervals(column(*[0.0] * 50, *[1.0] * 50), ["a"] * 50 + ["b"] * 50)
    assert found == (0, 1)


def test_a_large_cluster_weighs_as_many_questions_as_it_has():
    values = column(*[0.0] * 30, 1.0)
    (found,) = intervals(values, ["a"] * 30 + ["b"])
    assert found == (0, 1), "with b drawn twice the mean is 1"
    (low, high), *_ = intervals(column(0, 0, 0, 1), ["a", "a", "a", "b"], draws=1)
    assert low == high and low in (0, 0.25, 1)


def test_it_is_near_the_normal_approximation_where_that_holds():
    values = np.random.default_rng(1).normal(0.5, 0.2, size=(400, 1))
    ((low, high),) = intervals(values, [str(i) for i in range(400)])
    margin = 1.96 * values.std() / 20
    assert low == pytest.approx(values.mean() - margin, abs=0.004)
    assert high == pytest.approx(values.mean() + margin, abs=0.004)


def test_it_is_the_same_every_time():
    values, clusters = column(0.1, 0.7, 0.3, 0.9), ["a", "b", "c", "d"]
    assert intervals(values, clusters) == intervals(values, clusters)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1)), min_size=1, max_size=20))
def test_it_stays_within_the_values(rows):
    values = column(*(value for _, value in rows))
    (found,) = intervals(values, [name for name, _ in rows], draws=50)
    if found is not None:
        assert values.min() - 1e-9 <= found[0] <= found[1] <= values.max() + 1e-9
