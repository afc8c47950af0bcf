"""What a statement can do without is left out of it; what is left is a statement, and never another one."""

from __future__ import annotations

import pytest

from memcore.nlp.language.leaving_out import MOST, LeavingOut


def left(text: str, *words: str) -> tuple[str, ...]:
    [found] = LeavingOut().shorter([(text, words)])
    return found


@pytest.mark.parametrize(
    ("text", "words", "shorter"),
    [
        ("Ann adopted a cat called Miso in May.", "Miso", "Ann adopted a cat in May."),
        ("Ann adopted a cat in the week of 1 May 2023.", "in the week of 1 May 2023", "Ann adopted a cat."),
        ("Yesterday, Ann baked rye bread.", "Yesterday", "Ann baked rye bread."),
        ("Ann has three dogs", "three", "Ann has dogs"),
        ("Ann has an orange cat", "orange", "Ann has a cat"),
        ("Ann likes tea, coffee and milk.", "coffee", "Ann likes tea and milk."),
        ("Ann and Ben visited Lisbon", "Ben", "Ann visited Lisbon"),
        ("Ann plays the violin and sings in a choir.", "choir", "Ann plays the violin."),
        ("Ann works at the inn, which Carla owns, on Fridays.", "Carla", "Ann works at the inn on Fridays."),
        ("Ann moved to Porto because the rent was low.", "rent low", "Ann moved to Porto."),
    ],
)  # fmt: skip
def test_a_part_without_support_is_left_out(text: str, words: str, shorter: str) -> None:
    assert shorter in left(text, words)


def test_the_longest_that_is_left_comes_first() -> None:
    assert left("Ann moved to Porto with her sister Bea because the rent was low.", "Bea") == (
        "Ann moved to Porto with her sister because the rent was low.",
        "Ann moved to Porto because the rent was low.",
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ann moved to Porto", "Porto"),
        ("Ann adopted a cat", "cat"),
        ("Ann adopted a cat", "Ann"),
        ("Ann did not go to Lisbon", "not"),
        ("Ann travels to Peru without Ben", "Ben"),
        ("Ann will visit Rome if Ben pays", "Ben"),
        ("Ann drinks tea or coffee", "coffee"),
        ("Ann and Ben are moving to Rome", "Ben"),
        ("Ann's cat is two years old", "two"),
        ("Ann hat einen Hund namens Rex und eine Katze", "Rex"),
        ("Ann has painted since the age of 19", "19"),
        ("Ann has a dog", "zebra"),
        ("", "dog"),
    ],
)
def test_what_a_sentence_cannot_do_without_stays(text: str, words: str) -> None:
    assert left(text, words) == ()


def test_what_is_quoted_is_left_out_whole() -> None:
    assert left("Ann joined a group called 'Connected Painters' in Rome", "Connected") == (
        "Ann joined a group",
    )


def test_several_are_read_at_once_and_none_gets_too_many() -> None:
    long = "Ann and Bea bought a red car, a blue van and a green bus in Rome on Monday with Carl for Dora."
    first, second, third = LeavingOut().shorter(
        [("Ann has three dogs", ["three"]), (long, long.split()), ("Ann has a dog", [])]
    )
    assert first == ("Ann has dogs",)
    assert 0 < len(second) <= MOST
    assert third == ()
