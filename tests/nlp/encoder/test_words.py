"""What a word is, and which words compression may never drop."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.nlp.encoder.words import protected_words, word_spans


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in word_spans(text)]


def protected(text: str) -> list[str]:
    spans = word_spans(text)
    return [text[a:b] for (a, b), must in zip(spans, protected_words(text, spans), strict=True) if must]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't know.", ["I", "don't", "know", "."]),
        ("It isn’t", ["It", "isn’t"]),
        ("paid $3.50, 20% off", ["paid", "$3.50", ",", "20%", "off"]),
        ("at 10:30 on 2023-05-08", ["at", "10:30", "on", "2023-05-08"]),
        ("a twelve-hour shift", ["a", "twelve-hour", "shift"]),
        ("**Music:** jazz", ["**", "Music", ":**", "jazz"]),
        ("wait...what—no--yes", ["wait", "...", "what", "—", "no", "--", "yes"]),
        ("see #travel @nora", ["see", "#travel", "@nora"]),
        ("😀😀 हिन्दी", ["😀😀", "हिन्दी"]),
        ("東京に住んでいます、はい。", ["東京に住んでいます", "、", "はい", "。"]),
    ],
)
def test_a_word_keeps_what_belongs_to_it_and_marks_stand_alone(text, expected):
    assert words(text) == expected


@given(st.text())
def test_words_are_all_characters_but_white_space_in_order(text):
    spans = word_spans(text)
    assert "".join(words(text)) == re.sub(r"\s", "", text)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert all(start < end for start, end in spans)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We have 3 cats and two dogs", ["3", "two"]),
        ("twenty-five of them", ["twenty-five"]),
        ("it's a no-brainer, not-so-big, yes/no", ["no-brainer", "not-so-big", "yes/no"]),
        ("I can't, won’t and never did, no", ["can't", "won’t", "never", "no"]),
        ("we went last week, three years ago", ["last", "week", "three", "years", "ago"]),
        ("the last thing he did", []),
        ("my friend Caroline lives in New York", ["Caroline", "New", "York"]),
        ("Caroline's home", ["Caroline's"]),
        ("I think I'm fine", []),
        ("Yep! Painting helps. The dog slept.", []),
        ("he saw Mr. Patel", ["Mr", "Patel"]),
    ],
)
def test_numbers_negations_times_and_names_are_protected_and_little_else(text, expected):
    assert protected(text) == expected
