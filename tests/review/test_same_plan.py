"""One intention told twice is one memory; two intentions, however alike, are two."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memcore.review.pairs import statement
from memcore.review.rules import examine
from tests.review.scenes import JAN, said


def find(older: str, newer: str, days: int = 0) -> str:
    a = said("a", older, JAN, kind="plan")
    b = said("b", newer, JAN + timedelta(days=days), kind="plan", message="a-s0-m2")
    finding = examine(statement(a), statement(b))
    return f"{finding.rule} → {finding.action}" if finding else "nothing"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "Ann is considering setting up a small art studio in Ann's spare bedroom.",
            "Ann is thinking of setting up a small studio in Ann's spare bedroom.",
        ),
        (
            "Ann would like to explore the potential applications of AI in online learning.",
            "Ann is interested in exploring the potential of AI in online learning.",
        ),
    ],
)
def test_the_same_deed_intended_in_other_words_is_one_plan(older: str, newer: str) -> None:
    assert find(older, newer) == "same plan → merge"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # another object, name or number
        (
            "Ann would like to add more details to the toy car, like seatbelts and a dashboard.",
            "Ann would like to add more details to the toy car, like a realistic engine.",
        ),
        (
            "Ann wants to bake banana bread with almond flour.",
            "Ann wants to bake walnut bread with almond flour.",
        ),
        ("Ann plans to book the blue hotel in Rome.", "Ann plans to book the blue hotel in Oslo."),
        ("Ann plans to run 10 miles on the river path.", "Ann plans to run 15 miles on the river path."),
        (
            "Ann is thinking of working on a 1/72 scale B-29 bomber next.",
            "Ann is thinking of trying out enamel washes on Ann's next project, a 1/72 scale B-29 bomber.",
        ),
        # too little to tell
        ("Ann wants to buy milk.", "Ann hopes to buy milk."),
        # expressly another one, or expressly not
        ("Ann is considering visiting the old castle.", "Ann is considering visiting another old castle."),
        ("Ann plans to sell the old piano in spring.", "Ann does not plan to sell the old piano in spring."),
        # somebody else's
        ("Ann plans to paint the garden shed green.", "Tom hopes to paint the garden shed green."),
    ],
)
def test_another_deed_is_another_plan(older: str, newer: str) -> None:
    assert find(older, newer) == "nothing"


def test_the_same_intention_half_a_year_later_may_be_another() -> None:
    older, newer = "Ann hopes to hike the long coast path.", "Ann would like to hike the long coast path."
    assert find(older, newer, days=60) == "same plan → merge"
    assert find(older, newer, days=200) == "nothing"


def test_what_only_one_of_two_texts_says_is_not_merged_away() -> None:
    older = "Ann is considering setting up a small studio in the attic, but the roof leaks after every storm."
    newer = "Ann wants to set up a small studio in the attic, and Tom will lend Ann an easel and a lamp."
    assert find(older, newer) == "nothing"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann plans to stay at the Ritz for the fair.", "Ann decided to stay with Tom for the fair instead."),
        ("Ann plans to study law.", "Ann has decided to study music instead."),
        ("Ann is planning a birthday trip to Oslo.", "Ann decided to go to Rome for Ann's birthday trip."),
    ],
)  # fmt: skip
def test_what_is_intended_in_its_stead_takes_its_place(older: str, newer: str) -> None:
    assert find(older, newer, days=20) == "plan changed → update"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann is planning a birthday trip to Oslo.", "Ann has decided to go to Rome in the fall."),
        ("Ann is planning a trip to Oslo.", "Ann is planning a trip to Rome."),
        ("Ann is planning a trip to Oslo in May 2024.", "Ann is planning a trip to Rome in May 2024."),
        ("Ann plans to get a desk.", "Ann has decided to get a dog instead."),
    ],
)
def test_what_may_be_intended_beside_it_is_left_alone(older: str, newer: str) -> None:
    assert find(older, newer, days=20) == "nothing"
