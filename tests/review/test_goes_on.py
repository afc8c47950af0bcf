"""What goes on for longer and longer is no contradiction."""

from __future__ import annotations

import pytest

from memcore.review.decisions import UpdateQueue
from memcore.review.pairs import statement
from memcore.review.rules import decide_queue, examine
from tests.review.scenes import JAN, MAR, said


def find(older: str, newer: str) -> str:
    a = said("a", older, JAN, kind="state")
    b = said("b", newer, MAR, kind="state", message="a-s0-m2")
    finding = examine(statement(a), statement(b))
    return f"{finding.rule} → {finding.action}" if finding else "nothing"


def test_the_same_told_with_how_long_it_has_gone_on_and_more_takes_its_place() -> None:
    older = "Ann is sticking in the flat to Ann's daily tidying routine."
    newer = "Ann has been sticking to Ann's daily tidying routine in the flat for 4 weeks, and it shows."
    assert find(older, newer) == "goes on → update"


def test_a_duration_that_grew_is_no_new_value() -> None:
    older = "Ann has been tending the school garden for 3 weeks."
    newer = "Ann has been tending the school garden for 9 weeks now."
    assert find(older, newer) == "goes on → update"


def test_the_same_told_again_with_nothing_else_leaves_the_fuller_text() -> None:
    older = "Ann has been using Ann's Fitbit Charge 3 since around December 2022, and it keeps Ann moving."
    newer = "Ann just realized Ann has been using Ann's Fitbit Charge 3 since around December 2022."
    assert find(older, newer) == "goes on → merge"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "Ann has been sticking to Ann's tidying routine since around May 2023.",
            "Ann has been sticking to Ann's tidying routine since around 20 February 2024.",
        ),
        (
            "Ann enjoys the quiet of Ann's new studio in Harajuku. It's been since around December 2023.",
            "Ann has been living in Harajuku since around February 2024.",
        ),
        # told by how long it has gone on
        (
            "Ann has been tending the school garden for 9 weeks.",
            "Ann has been tending the school garden for 2 weeks.",
        ),
        (
            "Ann is proud of sticking to Ann's daily tidying routine. It's already been 3 weeks.",
            "Ann has been sticking to Ann's daily tidying routine for 4 weeks now, and it shows.",
        ),
    ],
)
def test_what_goes_on_only_since_after_the_older_was_said_has_begun_anew(older: str, newer: str) -> None:
    assert find(older, newer) == "begun anew → update"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "Ann is proud of sticking to Ann's daily tidying routine.",
            "Ann has been sticking to Ann's daily tidying routine for 4 weeks now, and it shows in the flat.",
        ),
        # another start is another matter, or a mistake of one of them
        ("Ann has had Luna since May 2023.", "Ann has had Ann's cat, Luna, since June 2023."),
        # begun at the same time, yet something else
        ("Ann has had Luna since May 2023.", "Ann has been learning the harp since May 2023."),
        ("Ann has had Luna since May 2023.", "Tom has had Ann's cat, Luna, since May 2023."),
        (
            "Ann is proud of sticking to Ann's diet.",
            "Ann has been sticking to Ann's tidying routine for a week.",
        ),
        # an end, or another dog
        ("Ann has had Luna since May 2023.", "Ann has not had Luna since May 2023."),
        ("Ann has had Luna since May 2023.", "Ann has had Ann's dog, Max, since February 2024."),
        ("Ann has been running since May 2023.", "Ann has been running the club since February 2024."),
    ],
)
def test_what_is_not_known_to_be_the_same_is_left_alone(older: str, newer: str) -> None:
    assert find(older, newer) == "nothing"


def test_the_same_start_told_again_keeps_what_else_each_tells() -> None:
    older = "Ann has had Luna since around February 2023, and Ann has been meaning to get her microchipped."
    newer = "Ann has had Ann's cat, Luna, since around February 2023, and Ann has set up a tree for her."
    a, b = said("a", older, JAN, kind="state"), said("b", newer, MAR, kind="state", message="a-s0-m2")
    finding = examine(statement(a), statement(b))
    assert finding is not None
    assert (finding.rule, finding.action) == ("goes on", "update")
    assert finding.text == f"{newer} Ann has been meaning to get her microchipped."


def test_a_start_reckoned_anew_takes_the_place_of_the_other() -> None:
    older = "Ann's parents have been staying with Ann since around October 2023."
    newer = "Ann's parents have been staying with Ann since around August 2023, and they cook."
    assert find(older, newer) == "told otherwise since when → update"
    exact = older.replace("around ", "")
    assert find(exact, newer) == "nothing"


def test_what_is_told_beside_a_start_that_is_over_stays_but_not_that_it_is_new() -> None:
    older = (
        "Ann likes the new flat in Leeds. It's been since around June 2023, and the walk to work is short. "
        "Ann's sister lives next door."
    )
    newer = "Ann has been living in Leeds since around February 2024."
    a, b = said("a", older, JAN, kind="state"), said("b", newer, MAR, kind="state", message="a-s0-m2")
    finding = examine(statement(a), statement(b))
    assert finding is not None
    assert finding.text == f"{newer} The walk to work is short. Ann's sister lives next door."


def test_what_is_told_again_is_merged_with_that_alone() -> None:
    told = "Ann has been using Ann's Fitbit Charge 3 since around December 2022"
    older = said("a", f"{told}, and it keeps Ann moving.", JAN, kind="state")
    again = said("b", f"Ann just realized {told}.", MAR, message="a-s0-m2")
    beside = said("c", "Ann keeps a yoga mat beside Ann's Fitbit Charge 3.", MAR, message="a-s0-m4")
    decision = decide_queue(UpdateQueue(older, ((again, 0.8), (beside, 0.7)), frozenset()))
    assert (decision.action, decision.against) == ("merge", (again.id,))
