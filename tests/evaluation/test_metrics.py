"""Precision, recall, F1, Pk and WindowDiff against values by hand; the last two against nltk."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics import segmentation as nltk

from memcore.evaluation.metrics import (
    BoundaryScores,
    boundary_scores,
    mean_scores,
    pk,
    window_size,
    windowdiff,
)


@st.composite
def segmentations(draw, count=2):
    """A length and `count` segmentations of it."""
    turns = draw(st.integers(2, 40))
    positions = st.sets(st.integers(1, turns - 1)).map(sorted)
    return (turns, *(draw(positions) for _ in range(count)))


def test_figures_by_hand():
    # two streams: 3 found, 4 true, 2 of them hit
    scores = boundary_scores([12, 8], [[3, 6, 9], [4]], [[3, 7], [4]])
    assert scores.precision == pytest.approx(100 * 2 / 3)
    assert scores.recall == pytest.approx(100 * 2 / 4)
    assert scores.f1 == pytest.approx(100 * 4 / 7)
    # windows of 2 reach over 3, 6 and 9 from turns 1, 2, 4, 5, 7, 8; over 3 and 7 from 1, 2, 5, 6. They
    # differ in 4 of 10, and in none of the second stream
    assert scores.pk == scores.windowdiff == pytest.approx(100 * (4 / 10 + 0) / 2)


def test_pk_counts_pairs_half_a_segment_apart():
    # windows of 3 from turns 0 to 8; those from 3, 4 and 5 reach over the boundary at 6
    assert window_size(12, [6]) == 3
    assert pk(12, [6], []) == pytest.approx(3 / 9)
    assert pk(12, [6], [7]) == pytest.approx(2 / 9), "a near miss costs less than a miss"
    assert pk(12, [6], [1]) == pytest.approx(4 / 9), "and a far one more"


def test_windowdiff_counts_what_pk_overlooks():
    # beside the true boundary at 6, one at 7: Pk sees only the window from 6, which reaches 7 alone
    assert pk(12, [6], [6, 7]) == pytest.approx(1 / 9)
    # WindowDiff also those from 4 and 5, which hold both
    assert windowdiff(12, [6], [6, 7]) == pytest.approx(3 / 9)


def test_a_window_is_half_a_mean_segment_but_fits_the_stream():
    assert window_size(40, [10, 20, 30]) == 5
    assert window_size(10, [2, 4, 6, 8]) == 2, "never a single turn"
    assert window_size(2, [1]) == 1


def test_nothing_found_has_no_precision_unless_there_was_nothing_to_find():
    missed = boundary_scores([10], [[5]], [[]])
    assert (missed.precision, missed.recall, missed.f1) == (0, 0, 0)
    silent = boundary_scores([10], [[]], [[]])
    assert silent == BoundaryScores(100, 100, 100, 0, 0)
    invented = boundary_scores([10], [[]], [[5]])
    assert (invented.precision, invented.recall, invented.f1) == (0, 0, 0)


def test_a_stream_of_one_turn_has_no_gap_to_err_in():
    assert (pk(1, [], []), windowdiff(1, [], [])) == (0, 0)


def test_the_mean_is_of_each_figure():
    one, other = BoundaryScores(10, 20, 30, 40, 50), BoundaryScores(30, 40, 50, 60, 70)
    assert mean_scores([one, other]) == BoundaryScores(20, 30, 40, 50, 60)


@given(segmentations(count=1))
def test_the_reference_itself_is_perfect(drawn):
    turns, reference = drawn
    assert boundary_scores([turns], [reference], [reference]) == BoundaryScores(100, 100, 100, 0, 0)


@given(segmentations())
def test_figures_are_percentages_and_windowdiff_is_at_least_pk(drawn):
    turns, reference, found = drawn
    scores = boundary_scores([turns], [reference], [found])
    assert all(
        0 <= value <= 100 + 1e-9
        for value in (scores.precision, scores.recall, scores.f1, scores.pk, scores.windowdiff)
    )
    assert scores.windowdiff >= scores.pk - 1e-9


@given(segmentations())
def test_f1_lies_between_precision_and_recall_and_does_not_tell_them_apart(drawn):
    turns, reference, found = drawn
    scores = boundary_scores([turns], [reference], [found])
    swapped = boundary_scores([turns], [found], [reference])
    assert min(scores.precision, scores.recall) - 1e-9 <= scores.f1
    assert scores.f1 <= max(scores.precision, scores.recall) + 1e-9
    assert (scores.f1, scores.precision) == (swapped.f1, swapped.recall)


@given(segmentations())
def test_pk_and_windowdiff_are_those_of_nltk(drawn):
    turns, reference, found = drawn
    k = window_size(turns, reference)
    true, some = (
        "".join("1" if position in chosen else "0" for position in range(1, turns))
        for chosen in (reference, found)
    )
    assert pk(turns, reference, found) == pytest.approx(nltk.pk(true, some, k))
    assert windowdiff(turns, reference, found) == pytest.approx(nltk.windowdiff(true, some, k))
