"""What a gap looks like: hand-made turns with known cosines and words."""

import numpy as np
import pytest

from memcore.stages.segmentation.cues import turn_cues
from memcore.stages.segmentation.features import gap_features

TOPICS = np.repeat(np.eye(2, 4, dtype=np.float32), 4, axis=0)
"""Turns 0 to 3 about one thing, 4 to 7 about another."""


def features(texts, vectors):
    return gap_features([turn_cues(text) for text in texts], np.asarray(vectors, dtype=np.float32))


@pytest.mark.parametrize("count", [0, 1, 2])
def test_logs_too_short_for_a_feature_lack_it(count):
    found = features(["text"] * count, TOPICS[:count])
    assert {len(values) for values in found.values()} == {count}
    assert all(np.isnan(values[:1]).all() for values in found.values())
    if count == 2:
        assert found["previous"][1] == 1.0
        assert np.isnan(found["next_pair"][1])


def test_every_likeness_is_none_between_unrelated_topics_and_nearly_full_within_one():
    found = features([""] * 8, TOPICS)
    for name in ("previous", "across", "nearest", "nearest_to_turn", "narrow", "wide"):
        assert found[name][4] == 0.0, name
        assert found[name][1] > 0.95, name
    assert found["next_pair"][4] == 1.0


def test_the_gap_between_topics_lies_below_its_neighbours():
    found = features([""] * 8, TOPICS)
    for name in ("wide_margin", "wide_depth", "narrow_margin"):
        assert np.nanargmax(found[name]) == 4, name
    assert found["wide_depth"][4] > 1.0
    assert found["narrow_margin"][4] > 0 > found["narrow_margin"][5]


def test_a_turn_that_returns_to_an_earlier_one_is_near_to_it():
    vectors = np.eye(4, dtype=np.float32)[[0, 1, 0, 2]]
    found = features([""] * 4, vectors)
    assert (found["previous"][2], found["nearest_to_turn"][2]) == (0.0, 1.0)


def test_shared_words_are_counted_by_stem_and_without_function_words():
    found = features(["I love roses.", "My rose garden!", "Do you love trains?"], TOPICS[:3])
    assert found["shared_turn"][1] == pytest.approx(1 / 2)
    assert found["new_words"][1] == pytest.approx(1 / 2)
    assert found["new_words"][2] == pytest.approx(1 / 2)


def test_cues_stand_by_their_place_around_the_gap():
    found = features(["Do you sail?", "Yes.", "What about you?", "Hello."], TOPICS[:4])
    assert list(found["asks_before"][1:]) == [1.0, 0.0, 1.0]
    assert list(found["asks_here"][1:]) == [0.0, 1.0, 0.0]
    assert list(found["greets_here"][1:]) == [0.0, 0.0, 1.0]
    assert list(found["last_turn"][1:]) == [0.0, 0.0, 1.0]
