"""Topic segmentation: contiguous segments, named rules, and a trace that explains each boundary."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from memcore.domain.errors import UsageError
from memcore.domain.models import Message, RawRef
from memcore.stages.segmentation.scores import (
    METHODS,
    Scores,
    below,
    block_similarity,
    by_intersection,
    by_similarity,
    by_texttiling,
    by_topic_shift,
    depth_scores,
    local_maxima,
    score_gaps,
)
from memcore.stages.segmentation.segment import segment
from memcore.stages.segmentation.trace import SegmentationTrace
from memcore.stages.segmentation.turn_attention import MATRIX_TURNS, with_attention
from memcore.systems.lightmem.published_rule import by_lightmem

NAN = np.nan


def messages(count: int, first: int = 0) -> list[Message]:
    return [
        Message(f"m{i}", "s1", i, "Ada", "user", f"text {i}", None, "none", RawRef("f", f"line {i}"))
        for i in range(first, first + count)
    ]


def topics(*lengths: int) -> np.ndarray:
    """Unit vectors of messages about as many unrelated topics as there are lengths."""
    return np.repeat(np.eye(len(lengths), 8, dtype=np.float32), lengths, axis=0)


class EvenAttention:
    """Each turn attends evenly to all turns before it. Remembers what it was given."""

    def __init__(self):
        self.given = []

    def turn_attention(self, turns):
        self.given.append(list(turns))
        below_diagonal = np.tril(np.ones((len(turns), len(turns)), dtype=np.float32), -1)
        return below_diagonal / np.maximum(below_diagonal.sum(axis=1, keepdims=True), 1)


class PeakAttention:
    """Turns attend to the turn before by 0.2, one of them by 0.9, and to the first with the rest."""

    def __init__(self, peak):
        self.peak = peak

    def turn_attention(self, turns):
        matrix = np.zeros((len(turns), len(turns)), dtype=np.float32)
        for i in range(1, len(turns)):
            matrix[i, i - 1] = 0.9 if i == self.peak else 0.2
            matrix[i, 0] += 1 - matrix[i].sum()
        return matrix


def scores(similarity, attention=None, shift=()) -> Scores:
    values = np.array([NAN, *similarity])
    previous = None if attention is None else np.array([NAN, *attention])
    return Scores(
        attention=previous,
        similarity=values,
        block=values,
        depth=depth_scores(values),
        depth_threshold=0.2,
        shift=np.array([NAN, *shift]),
        shift_threshold=0.5,
        features=np.zeros((len(values), 0)),
        contributions=np.zeros((len(values), 0)),
    )


def test_the_default_method_finds_where_unrelated_topics_meet():
    segments, trace = segment(messages(20), topics(6, 7, 7))
    assert [s.message_ids[0] for s in segments] == ["m0", "m6", "m13"]
    assert trace.boundaries == (0, 6, 13)


@pytest.mark.parametrize("method", METHODS)
def test_one_message_is_one_segment_that_starts_with_the_session(method):
    segments, trace = segment(messages(1), topics(1), method=method, attention=EvenAttention())
    assert [s.message_ids for s in segments] == [("m0",)]
    assert segments[0].boundary == {"method": method, "reason": "session start"}
    assert trace.similarity == (None,)


@pytest.mark.parametrize("method", ["topic_shift", "similarity", "texttiling", "intersection", "lightmem"])
def test_identical_messages_are_one_topic(method):
    segments, _ = segment(messages(30), topics(30), method=method, attention=EvenAttention())
    assert len(segments) == 1


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.sampled_from(sorted(METHODS)))
def test_segments_hold_every_message_once_and_in_order(kinds, method):
    vectors = np.eye(6, dtype=np.float32)[kinds]
    segments, trace = segment(messages(len(kinds)), vectors, method=method, attention=EvenAttention())
    assert [i for s in segments for i in s.message_ids] == [f"m{i}" for i in range(len(kinds))]
    assert all(s.message_ids for s in segments)
    assert [int(s.message_ids[0][1:]) for s in segments] == list(trace.boundaries)


def test_five_thousand_messages_are_read_in_blocks_in_which_every_neighbour_meets():
    attention = EvenAttention()
    _, trace = segment(messages(5000), topics(*[1250] * 4), method="attention", attention=attention)
    assert max(map(len, attention.given)) < 600
    assert all(value is not None for value in trace.attention[1:])
    assert trace.matrix is None


def test_a_boundary_carries_its_method_scores_and_thresholds():
    segments, trace = segment(
        messages(20), topics(10, 10), method="intersection", attention=PeakAttention(10)
    )
    evidence = segments[1].boundary
    assert evidence["reason"] == "topic shift"
    assert evidence["similarity"] == 0.0 < evidence["similarity_threshold"]
    assert evidence["attention"] == trace.attention[10] == 0.9


def test_messages_that_continue_a_session_do_not_claim_to_start_it():
    segments, _ = segment(messages(3, first=7), topics(3))
    assert segments[0].boundary["reason"] == "first new message"


def test_segment_ids_are_stable_and_differ_by_method():
    first, _ = segment(messages(8), topics(4, 4))
    again, _ = segment(messages(8), topics(4, 4))
    other, _ = segment(messages(8), topics(4, 4), method="similarity")
    assert first == again
    assert {s.id for s in first}.isdisjoint(s.id for s in other)


def test_attention_is_read_from_the_compressed_turns():
    attention = EvenAttention()
    segment(messages(2), topics(2), method="attention", attention=attention, turns=["short", "shorter"])
    assert attention.given == [["short", "shorter"]]


@pytest.mark.parametrize("method", ["topic_shift", "similarity", "texttiling"])
def test_attention_is_not_read_for_a_method_that_cuts_without_it(method):
    attention = EvenAttention()
    _, trace = segment(messages(20), topics(10, 10), method=method, attention=attention)
    assert attention.given == []
    assert trace.attention == (None,) * 20
    assert (trace.matrix, trace.attention_maxima) == (None, ())


def test_attention_read_afterwards_is_what_a_method_that_needs_it_would_have_read():
    """The boundaries stay those that were found without it."""
    attention, turns = PeakAttention(10), ["short"] * 20
    _, without = segment(messages(20), topics(10, 10))
    _, needing = segment(
        messages(20), topics(10, 10), method="intersection", attention=attention, turns=turns
    )
    beside = with_attention(without, attention, turns)
    for read in ("attention", "attention_maxima", "matrix", "by_method"):
        assert getattr(beside, read) == getattr(needing, read), read
    assert (beside.method, beside.boundaries, beside.reasons) == (
        without.method,
        without.boundaries,
        without.reasons,
    )


def test_attention_can_be_read_beside_a_trace_of_before_the_trained_method():
    _, trace = segment(messages(20), topics(10, 10), method="similarity")
    old = replace(trace, by_method={}, shift=(), shift_threshold=None, reasons=())
    assert set(with_attention(old, PeakAttention(10), [""] * 20).by_method) == {
        "similarity",
        "attention",
        "intersection",
        "lightmem",
    }


def test_short_sessions_keep_the_attention_matrix_and_long_ones_do_not():
    short, long = (
        segment(messages(turns), topics(turns), method="attention", attention=EvenAttention())[1]
        for turns in (MATRIX_TURNS, MATRIX_TURNS + 1)
    )
    assert short.matrix[2][:3] == (0.5, 0.5, 0.0)
    assert long.matrix is None


def test_the_trace_survives_json():
    _, trace = segment(messages(6), topics(3, 3), method="attention", attention=EvenAttention())
    adapter = TypeAdapter(SegmentationTrace)
    assert adapter.validate_python(json.loads(adapter.dump_json(trace))) == trace


def test_traces_stored_before_the_trained_method_can_still_be_read():
    _, trace = segment(messages(6), topics(3, 3), method="texttiling")
    adapter = TypeAdapter(SegmentationTrace)
    stored = json.loads(adapter.dump_json(trace))
    for later in ("shift", "shift_threshold", "reasons", "by_method", "raised_threshold"):
        del stored[later]
    old = adapter.validate_python(stored)
    assert (old.boundaries, old.shift, old.by_method) == (trace.boundaries, (), {})


def test_the_trace_holds_what_every_method_would_have_found_from_the_scores_that_were_read():
    without = segment(messages(20), topics(10, 10))[1]
    assert set(without.by_method) == {"topic_shift", "similarity", "texttiling"}
    beside = segment(messages(20), topics(10, 10), method="intersection", attention=EvenAttention())[1]
    assert set(beside.by_method) == set(METHODS)
    for method in METHODS:
        alone = segment(messages(20), topics(10, 10), method=method, attention=EvenAttention())[1]
        assert (0, *beside.by_method[method]) == alone.boundaries


def test_a_boundary_of_the_trained_method_says_why_in_words():
    segments, trace = segment(messages(20), topics(10, 10))
    evidence = segments[1].boundary
    assert evidence["shift"] == trace.shift[10] > evidence["shift_threshold"] == trace.shift_threshold
    assert "little in common with the turns before" in evidence["because"]
    assert trace.reasons == ((), tuple(evidence["because"]))


@pytest.mark.parametrize("method", ["attention", "intersection", "lightmem"])
def test_methods_that_need_attention_say_so(method):
    with pytest.raises(UsageError, match="attention"):
        segment(messages(3), topics(3), method=method)


def test_an_unknown_method_is_answered_with_the_known_ones():
    with pytest.raises(UsageError, match="texttiling"):
        segment(messages(3), topics(3), method="magic")


# --------------------------------------------------------------------------- the rules


def test_local_maxima_exceed_both_neighbours_as_published():
    values = np.array([NAN, 0.9, 0.2, 0.6, 0.1, 0.5, 0.5, 0.3, 0.8])
    assert local_maxima(values) == (3,)


def test_below_never_counts_the_first_position():
    assert below(np.array([NAN, 0.1, 0.3, 0.15]), 0.2) == (1, 3)


def test_the_papers_rule_is_the_exact_intersection():
    low_at_3_and_5 = [0.9, 0.9, 0.1, 0.9, 0.1, 0.9]
    peak_at_3 = [0.2, 0.2, 0.9, 0.2, 0.3, 0.4]
    assert by_intersection(scores(low_at_3_and_5, peak_at_3)).at == (3,)


def test_the_published_code_accepts_a_peak_three_messages_away_but_not_four():
    low = [0.9] * 10
    low[1] = low[6] = 0.1
    peak = [0.2] * 10
    peak[4] = 0.9
    found = by_lightmem(scores(low, peak))
    assert (found.at, found.fallback) == ((2, 7), False)
    peak[4], peak[5] = 0.2, 0.9
    assert by_lightmem(scores(low, peak)).at == (7,)


def test_the_published_code_falls_back_to_similarity_and_says_so():
    far_peak = [0.9] + [0.1] * 7
    far_peak[6] = 0.9
    found = by_lightmem(scores([0.9, 0.1, *[0.9] * 6], far_peak))
    assert (found.at, found.fallback) == ((2,), True)


def test_the_published_code_keeps_one_topic_where_attention_has_no_peak():
    found = by_lightmem(scores([0.9, 0.1, 0.9], [0.5, 0.5, 0.5]))
    assert (found.at, found.fallback) == ((), False)


def test_the_published_code_raises_its_threshold_until_something_lies_below():
    peak = [0.1, 0.9, 0.1, 0.1]
    found = by_lightmem(scores([0.9, 0.42, 0.47, 0.9], peak))
    assert (found.at, found.similarity_threshold) == ((2,), 0.45)
    assert by_similarity(scores([0.9, 0.42, 0.47, 0.9])).at == ()
    alike = by_lightmem(scores([0.9, 0.6, 0.9, 0.9], peak))
    assert (alike.at, alike.similarity_threshold) == ((), None)


def test_the_raised_threshold_is_shown_as_the_one_that_fired():
    vectors = np.zeros((6, 8), dtype=np.float32)
    vectors[:3, 0], vectors[3:, 0], vectors[3:, 1] = 1.0, 0.4, np.sqrt(1 - 0.16)
    segments, trace = segment(
        messages(6), vectors, method="lightmem", attention=PeakAttention(3), turns=[""] * 6
    )
    assert trace.raised_threshold == segments[1].boundary["similarity_threshold"] == 0.45
    assert trace.similarity_threshold == 0.2


def test_b1_and_b2_name_the_turn_that_starts_the_topic_not_the_gap_before_it():
    """Turn 3 shifts: it is unlike turn 2, and it pays turn 2 more than its neighbours pay theirs."""
    matrix = PeakAttention(3).turn_attention([""] * 6)
    assert matrix[3, 2] > matrix[2, 1]
    assert matrix[3, 2] > matrix[4, 3]
    vectors = topics(3, 3)
    for method in ("attention", "similarity", "intersection", "lightmem"):
        _, trace = segment(messages(6), vectors, method=method, attention=PeakAttention(3))
        assert trace.boundaries == (0, 3), method


def test_the_trained_rule_takes_peaks_above_the_threshold():
    assert by_topic_shift(scores([0] * 6, shift=[0.2, 0.9, 0.7, 0.1, 0.49, 0.2])).at == (2,)


def test_of_two_equal_neighbours_the_earlier_starts_the_topic():
    assert by_topic_shift(scores([0] * 4, shift=[0.2, 0.8, 0.8, 0.1])).at == (2,)


def test_the_first_and_the_last_gap_can_be_peaks():
    assert by_topic_shift(scores([0] * 4, shift=[0.8, 0.1, 0.1, 0.8])).at == (1, 4)


def test_depth_is_the_climb_to_the_peaks_on_both_sides():
    depth = depth_scores(np.array([NAN, 0.8, 0.9, 0.2, 0.5, 0.4]))
    assert np.allclose(depth[1:], [0.1, 0.0, 1.0, 0.0, 0.1])


def test_texttiling_takes_valleys_deeper_than_the_threshold():
    assert by_texttiling(scores([0.9, 0.2, 0.9, 0.85, 0.9])).at == (2,)


def test_block_similarity_looks_past_one_odd_message():
    vectors = topics(5, 1, 5)
    vectors[6:] = vectors[0]
    adjacent = score_gaps([""] * 11, vectors).similarity
    assert adjacent[5] == adjacent[6] == 0
    assert block_similarity(vectors, spread=2.0)[5] > 0.3
