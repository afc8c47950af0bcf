"""Late interaction by itself: what a word of a question counts, and how near a text comes to it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcore.domain.protocols import EncodedQuestion, sign_codes
from memcore.systems.memscope.late_interaction import (
    BY_LENGTH,
    OF_NO_ADVANTAGE,
    beyond_length,
    in_context,
    nearest,
    piece_weights,
)


def directions(seed: int, count: int, dimension: int = 384) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def reading(*spans: tuple[int, int]) -> EncodedQuestion:
    return EncodedQuestion(np.zeros(8, np.float32), np.zeros((len(spans), 8), np.float32), spans)


def test_a_piece_counts_what_its_word_is_rare_and_a_mark_counts_nothing() -> None:
    text = "Rex barks?"  # read as Rex, bar, ##ks, ?
    rare = {"Rex": 3.0, "barks": 1.0}
    weights = piece_weights(
        text, reading((0, 3), (4, 7), (7, 9), (9, 10)), lambda words: [rare[word] for word in words]
    )
    assert weights.tolist() == pytest.approx([3 / 5, 1 / 5, 1 / 5, 0.0])


def test_of_a_question_without_telling_words_every_piece_counts_the_same() -> None:
    assert piece_weights("?!", reading((0, 1), (1, 2)), lambda words: []).tolist() == [0.5, 0.5]
    everywhere = piece_weights("the the", reading((0, 3), (4, 7)), lambda words: [0.0] * len(words))
    assert everywhere.tolist() == [0.5, 0.5]


def test_each_piece_finds_the_nearest_piece_of_each_text() -> None:
    one, two, three, four = directions(1, 4)
    found = nearest(np.stack([one, two]), [sign_codes(np.stack([one, three])), sign_codes(np.stack([four]))])
    assert found.shape == (2, 2)
    assert found[0, 0] == pytest.approx(1.0, abs=0.1), "a piece finds itself"
    assert found[1].tolist() == pytest.approx([float(one @ four), float(two @ four)], abs=0.15)


@given(st.integers(0, 2**32), st.integers(1, 6), st.lists(st.integers(0, 40), min_size=1, max_size=6))
def test_signs_tell_a_cosine_within_their_error(seed: int, asked: int, lengths: list[int]) -> None:
    pieces = directions(seed, asked)
    texts = [directions(seed + 1 + n, length) for n, length in enumerate(lengths)]
    found = nearest(pieces, [sign_codes(text) for text in texts])
    for row, text in zip(found, texts, strict=True):
        signs = np.where(text > 0, 1.0, -1.0) / np.sqrt(384)
        exact = (signs @ pieces.T).max(axis=0) * np.sqrt(np.pi / 2) if len(text) else np.zeros(asked)
        assert row == pytest.approx(exact, abs=1e-4)


def test_what_a_text_finds_by_its_length_alone_is_taken_back() -> None:
    lengths = (10, OF_NO_ADVANTAGE, 30 * 10)
    texts = [sign_codes(directions(seed, length)) for seed, length in enumerate(lengths)]
    found = np.full((3, 2), 0.5, dtype=np.float32)
    short, usual, long = beyond_length(found, texts)[:, 0].tolist()
    assert usual == pytest.approx(0.5)
    assert long == pytest.approx(0.5 - BY_LENGTH * np.log(10))
    assert short == pytest.approx(0.5 + BY_LENGTH * np.log(3))


def test_a_text_without_pieces_is_given_nothing() -> None:
    nothing = sign_codes(directions(1, 0))
    assert beyond_length(nearest(directions(2, 3), [nothing]), [nothing]).tolist() == [[0.0, 0.0, 0.0]]


def test_however_many_pieces_are_compared_each_text_keeps_its_own() -> None:
    """More pieces than are compared at once."""
    words = directions(3, 1500)
    found = nearest(words[[0, 700, 1499]], [sign_codes(words[:700]), sign_codes(words[700:])])
    best = found.argmax(axis=0).tolist()
    assert best == [0, 1, 1]


def test_a_dimension_that_fills_no_whole_byte_is_compared_as_it_is() -> None:
    words = directions(4, 3, dimension=13)
    found = nearest(words, [sign_codes(words[:1]), sign_codes(words[1:])])
    assert found[:, 0].argmax() == 0 and found[:, 1].argmax() == 1


def test_nothing_asked_or_nothing_there_is_no_error() -> None:
    assert nearest(np.zeros((0, 384), np.float32), [sign_codes(directions(5, 2))]).shape == (1, 0)
    assert nearest(directions(6, 2), []).shape == (0, 2)
    assert nearest(directions(6, 2), [sign_codes(np.zeros((0, 384), np.float32))]).tolist() == [[0.0, 0.0]]


def test_a_word_found_in_the_turn_before_counts_less_than_one_found_here() -> None:
    own, before, after = (np.array([row], np.float32) for row in ([0.5, 0.1], [1.0, 0.0], [0.0, 0.5]))
    assert in_context(own, before, after, of_before=0.8, of_after=0.6).tolist() == [pytest.approx([0.8, 0.3])]


@given(st.integers(0, 2**32), st.integers(1, 30), st.integers(1, 3_000))
@settings(max_examples=20, deadline=None)
def test_a_long_text_finds_what_its_parts_find(seed: int, asked: int, length: int) -> None:
    codes = np.random.default_rng(seed).integers(0, 256, (length, 48), dtype=np.uint8)
    pieces = directions(seed, asked)
    parts = nearest(pieces, [codes[begin : begin + 7] for begin in range(0, length, 7)])
    assert nearest(pieces, [codes])[0] == pytest.approx(parts.max(axis=0), abs=1e-6)
