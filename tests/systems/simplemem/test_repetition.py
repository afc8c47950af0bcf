"""What says nothing new, by rule, and what speaks against a merged text."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from memcore.domain.models import MemoryEntry
from memcore.systems.simplemem.repetition import RuleSynthesizer, merge_problems, repeats

SAID = datetime(2024, 5, 8, 13, 0)


def memory(text: str, **fields: Any) -> MemoryEntry:
    values: dict[str, Any] = {"kind": "fact", "mentioned_at": SAID} | fields
    kind = values.pop("kind")
    return MemoryEntry(text, "me", text, kind, "simplemem", "run", (), **values)


@pytest.mark.parametrize(
    ("known", "new", "says_nothing_new"),
    [
        ("Melanie owns a brown dog.", "Melanie owns a brown dog!", True),
        ("Melanie owns a brown dog.", "Melanie owns a dog.", True),
        ("Melanie owns a dog.", "Melanie owns a brown dog.", False),
        ("Melanie owns a dog.", "Ben owns a dog.", False),
        ("Melanie owns a dog.", "Melanie does not own a dog.", False),
        ("Melanie owns 2 dogs.", "Melanie owns 3 dogs.", False),
    ],
)
def test_what_a_known_memory_says_completely_is_a_repetition(
    known: str, new: str, says_nothing_new: bool
) -> None:
    assert repeats(memory(known), memory(new)) is says_nothing_new


def test_what_happened_again_another_day_is_no_repetition() -> None:
    one, other = (
        memory("Melanie ran a marathon.", kind="event", event_at=day, event_end=day + timedelta(days=1))
        for day in (datetime(2024, 5, 4), datetime(2024, 5, 5))
    )
    assert not repeats(one, other)


def test_all_that_say_the_same_join_the_fullest_and_others_are_left_alone() -> None:
    group = tuple(
        memory(text)
        for text in (
            "Melanie owns a dog.",
            "Melanie paints birds.",
            "Melanie owns a brown dog.",
            "Melanie owns a big brown dog.",
        )
    )
    (merge,), notes = RuleSynthesizer().merges([group])
    assert merge.units == (group[0].id, group[2].id, group[3].id)
    assert (merge.text, notes) == ("Melanie owns a big brown dog.", [])


@pytest.mark.parametrize(
    ("text", "against"),
    [
        ("User prefers hot coffee with oat milk.", []),
        ("User prefers 2 hot coffees with oat milk.", ["no source says 2"]),
        ("Somebody prefers hot coffee.", ["the new text does not mention user"]),
    ],
)
def test_a_merged_text_must_say_who_and_no_more_than_its_parts(text: str, against: list[str]) -> None:
    parts = [memory("User wants coffee"), memory("User prefers oat milk"), memory("User likes it hot")]
    assert merge_problems(parts, text) == against


def test_persons_named_within_a_part_must_stay() -> None:
    parts = [memory("The trip with nora was long.", persons=("nora",)), memory("The trip was long.")]
    assert merge_problems(parts, "The trip was long.") == ["the new text does not mention nora"]


def test_parts_of_different_times_do_not_become_one() -> None:
    parts = [
        memory("Ann ran.", event_at=datetime(2024, 5, day), event_end=datetime(2024, 5, day + 1))
        for day in (4, 5)
    ]
    assert merge_problems(parts, "Ann ran.") == ["they tell of different times"]


def test_a_name_in_a_script_without_spaces_is_found_inside_the_text() -> None:
    parts = [memory(text, persons=("小明",)) for text in ("小明喜欢咖啡", "小明喜欢燕麦奶")]
    assert merge_problems(parts, "小明喜欢咖啡和燕麦奶") == []
    assert merge_problems(parts, "他喜欢咖啡和燕麦奶") == ["the new text does not mention 小明"]
