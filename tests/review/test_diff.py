"""Differences lose nothing, and hide nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.review.diff import DiffPart, fold, show_hidden, word_diff

WORDS = st.lists(
    st.sampled_from(["a", "the", "dog", "7", ",", " ", "\n", "é", "\u200b", "x-y", "don't"]), max_size=30
)
TEXTS = st.one_of(st.text(max_size=60), WORDS.map("".join), WORDS.map(" ".join))


def joined(parts: tuple[DiffPart, ...], *ops: str) -> str:
    return "".join(part.text for part in parts if part.op in ops)


@given(TEXTS, TEXTS)
def test_parts_join_to_both_texts_folded_or_not(before: str, after: str) -> None:
    parts = word_diff(before, after)
    for shown in (parts, fold(parts, context=2, least=2)):
        assert joined(shown, "equal", "delete") == before
        assert joined(shown, "equal", "insert") == after
        assert all(part.text for part in shown)


def test_whole_words_change_and_a_replaced_run_is_one_deletion_and_one_insertion() -> None:
    parts = word_diff("Ann lives in New York now", "Ann lives in San Diego now")
    assert [(p.op, p.text) for p in parts] == [
        ("equal", "Ann lives in "),
        ("delete", "New York"),
        ("insert", "San Diego"),
        ("equal", " now"),
    ]


def test_equal_texts_have_no_change() -> None:
    assert word_diff("same", "same") == (DiffPart("equal", "same"),)
    assert word_diff("", "") == ()


def test_long_unchanged_runs_are_marked_foldable_beside_a_little_context() -> None:
    words = " ".join(f"w{i}" for i in range(40))
    folded = fold(word_diff(f"{words} old", f"{words} new"), context=3, least=5)
    assert [(p.op, p.folded) for p in folded] == [("equal", 37), ("equal", 0), ("delete", 0), ("insert", 0)]
    assert folded[1].text == "w37 w38 w39 "


def test_a_changed_hidden_character_is_a_change_one_can_see() -> None:
    parts = word_diff("pay Ann", "pay\u200b Ann")
    assert "⟨U+200B⟩" in "".join(show_hidden(p.text) for p in parts if p.op == "insert")


@pytest.mark.parametrize(
    "hidden",
    ["\u202e", "\u2066", "\u200b", "\u200d", "\ufeff", "\x00", "\x1b", "\r", "\u00ad", "\U000e0041", "\u3164",
     "\u2028", "\ue000", "\ufe00", "\U000e0101", "\ud800"],
)  # fmt: skip
def test_every_invisible_character_is_named(hidden: str) -> None:
    assert show_hidden(f"a{hidden}b") == f"a⟨U+{ord(hidden):04X}⟩b"


@pytest.mark.parametrize(
    "text", ["line\n\ttab", "日本語 العربية", "👩‍👩‍👧 ❤️ 👍🏽 1️⃣", "naïve — “quotes” …", "é"]
)
def test_what_can_be_seen_is_left_as_it_is(text: str) -> None:
    assert show_hidden(text) == text
