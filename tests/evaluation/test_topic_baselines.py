"""Boundaries that need no model."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from memcore.evaluation import topic_baselines
from memcore.evaluation.topic_datasets import Stream

TEA = (
    "The green tea leaves are steeping in the pot",
    "Steep the leaves three minutes, then pour the tea",
    "My pot of tea tastes bitter",
    "Bitter tea means the leaves steeped too long",
    "So fewer leaves in the pot, or pour sooner",
    "Yes, pour the tea sooner and it is less bitter",
)
GOALS = (
    "The striker scored two goals in the match",
    "Which match was that, and who kept goal?",
    "The final match; their keeper missed both goals",
    "A striker needs a keeper like that",
    "The referee counted both goals, the match was over",
    "Strikers and referees argue after every match",
)


@st.composite
def streams(draw):
    turns = draw(st.integers(1, 30))
    shifts = draw(st.sets(st.integers(1, turns - 1)).map(sorted)) if turns > 1 else []
    return Stream(tuple(f"turn {i}" for i in range(turns)), tuple(shifts))


def test_texttiling_finds_where_the_words_change():
    assert topic_baselines.texttiling([Stream(TEA + GOALS, ())]) == [(6,)]


def test_texttiling_finds_nothing_where_all_turns_are_alike():
    assert topic_baselines.texttiling([Stream(("the same words",) * 8, ())]) == [()]


def test_every_k_starts_counting_at_the_first_turn():
    (found,) = topic_baselines.every([Stream(("a",) * 10, ())], 3)
    assert found == (3, 6, 9)


def test_the_mean_segment_is_over_all_streams():
    assert topic_baselines.mean_segment([Stream(("a",) * 10, (4,)), Stream(("a",) * 5, ())]) == 5


@given(st.lists(streams(), min_size=1, max_size=4))
def test_every_baseline_gives_positions_within_each_stream(drawn):
    k = topic_baselines.mean_segment(drawn)
    for found in (
        topic_baselines.at_random(drawn, random.Random(1)),
        topic_baselines.every(drawn, k),
        topic_baselines.nowhere(drawn),
        topic_baselines.texttiling(drawn),
    ):
        assert len(found) == len(drawn)
        for stream, positions in zip(drawn, found, strict=True):
            assert list(positions) == sorted(set(positions))
            assert all(0 < position < len(stream.turns) for position in positions)


@given(st.lists(streams(), min_size=1, max_size=4), st.integers())
def test_random_boundaries_are_as_many_as_there_are_and_the_same_for_a_seed(drawn, seed):
    found = topic_baselines.at_random(drawn, random.Random(seed))
    assert [len(positions) for positions in found] == [len(stream.shifts) for stream in drawn]
    assert found == topic_baselines.at_random(drawn, random.Random(seed))
