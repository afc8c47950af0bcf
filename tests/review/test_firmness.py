"""One text stands for another only if it is told as firmly and loses nothing of it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memcore.review.firmness import DONE, firmness
from memcore.review.pairs import Finding, statement
from memcore.review.rules import decide_queue, examine
from tests.review.scenes import JAN, said
from tests.review.test_rules import queue

DAYS = timedelta(days=1)


def finding(older: str, newer: str, days: int = 0, kind: str = "plan") -> Finding | None:
    a = said("a", older, JAN, kind=kind)
    b = said("b", newer, JAN + days * DAYS, kind=kind, message="a-s0-m2")
    return examine(statement(a), statement(b))


def action(older: str, newer: str, days: int = 0, kind: str = "plan") -> str:
    found = finding(older, newer, days, kind)
    return found.action if found else "nothing"


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("Ann is really interested in the blue lamp.", 0),
        ("Ann likes the idea of the blue lamp.", 0),
        ("Ann can't wait to buy the blue lamp.", 0),
        ("Ann is excited to buy the blue lamp.", 0),
        ("Ann thinks Ann might buy the blue lamp.", 1),
        ("Ann may buy the blue lamp.", 1),
        ("Ann is actually thinking of buying the blue lamp.", 2),
        ("Ann has been considering the blue lamp.", 2),
        ("Ann is also planning to buy the blue lamp.", 3),
        ("Ann is going to buy the blue lamp.", 3),
        ("Ann thinks Ann will buy the blue lamp.", 4),
        ("Ann decided on the blue lamp.", 4),
        ("Ann bought the blue lamp.", DONE),
        ("Ann has been looking at the blue lamp.", DONE),
    ],
)
def test_a_text_is_as_firm_as_its_first_verb(text: str, rank: int) -> None:
    assert firmness(statement(said("a", text))) == rank


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "Ann likes the idea of the Citrine and Silver Filigree Ring.",
            "Ann thinks Ann will go with the Citrine and Silver Filigree Ring.",
        ),
        ("Ann is interested in the puck lights option.", "Ann will go with the puck lights option."),
        (
            "Ann might try the Malabar cuisine at Salkara.",
            "Ann is excited to try the Malabar cuisine at Salkara.",
        ),
        (
            "Ann is keen on counseling or working in mental health.",
            "Ann has been looking into counseling or mental health work more.",
        ),
        (
            "Ann is planning to take an inventory of the old jewelry.",
            "Ann is thinking of taking an inventory of the old jewelry.",
        ),
    ],
)
def test_what_is_told_more_or_less_firmly_in_one_talk_is_not_merged(older: str, newer: str) -> None:
    assert action(older, newer) != "merge"
    assert action(newer, older) != "merge"


def test_what_is_planned_on_another_day_takes_the_place_of_what_was_considered() -> None:
    older = "Ann is thinking of getting some schooling fish to add to the big tank, like lemon tetras."
    newer = "Ann is planning to add some schooling fish to the big tank, like lemon tetras."
    found = finding(older, newer, days=5)
    assert found is not None
    assert (found.rule, found.action, found.text) == ("firmer plan", "update", newer)


def test_what_is_considered_after_it_was_planned_leaves_both() -> None:
    older = "Ann is planning to get some schooling fish for the big tank, like lemon tetras."
    newer = "Ann is thinking of getting some schooling fish for the big tank, like lemon tetras."
    assert action(older, newer, days=5) == "nothing"


def test_what_is_considered_and_what_was_once_considered_are_two() -> None:
    older = "Ann is considering setting up a small studio in Ann's spare bedroom."
    newer = "Ann was thinking of setting up a small studio in Ann's spare bedroom."
    assert action(older, newer, days=54) == "nothing"
    assert action(older, newer.replace("was", "is"), days=54) == "merge"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # feelings
        (
            "Ann is really enjoying the new metal coffee cup from the corner shop.",
            "Ann just got a new metal coffee cup from the corner shop, and Ann has been using it every day.",
        ),
        (
            "Ann wants to add some extra details to Ann's B-29 bomber, like antennas.",
            "Ann is looking forward to adding some extra details to Ann's B-29 bomber.",
        ),
        # certainty
        (
            "Ann is thinking of going to a concert at the Bowl, maybe with the Philharmonic.",
            "Ann is thinking of going to a concert at the Bowl with the Philharmonic.",
        ),
        # next, more
        (
            "Ann is thinking of a concert at the Hollywood Bowl with Bob next.",
            "Ann is thinking of a concert at the Hollywood Bowl with Bob.",
        ),
        (
            "Ann will add a few more books to Ann's shelf.",
            'Ann will add a few books to Ann\'s "Currently Reading" shelf.',
        ),
        # names
        (
            "Ann is planning to stock up on household essentials with Bob.",
            "Ann is planning to stock up on household essentials and some toiletries.",
        ),
    ],
)
def test_no_text_goes_that_the_one_that_stays_does_not_tell_all_of(older: str, newer: str) -> None:
    assert action(older, newer) == "nothing"


def test_the_fuller_text_stays_with_its_feeling_and_its_certainty() -> None:
    plain = "Ann is interested in trying the Butter Chicken recipe."
    keen = "Ann is excited to try the Butter Chicken recipe."
    found = finding(plain, keen)
    assert found is not None
    assert (found.action, found.text) == ("merge", keen)
    found = finding(
        "Ann is interested in the art workshops.", "Ann is definitely interested in the art workshops."
    )
    assert found is not None
    assert found.text == "Ann is definitely interested in the art workshops."


def test_repetitions_are_merged_only_with_a_text_that_tells_all_of_them() -> None:
    target = said("a", "Ann plans to paint the garden shed green.", kind="plan")
    fuller = said("b", "Ann plans to paint the garden shed green in the spring holidays.", kind="plan")
    other = said("c", "Ann plans to paint the garden shed green with Bob.", kind="plan")
    decision = decide_queue(queue(target, fuller, other))
    assert decision.action in ("merge", "update")
    assert decision.new_text == fuller.text
    assert decision.against == ("b",)


def test_how_long_something_has_gone_on_is_not_merged_with_another_days() -> None:
    older = "Ann is sticking in the flat to Ann's daily tidying routine."
    newer = "Ann has been sticking to Ann's daily tidying routine in the flat for 4 weeks, and it shows."
    assert action(older, newer, days=60, kind="state") == "update"


@pytest.mark.parametrize("word", ["just", "recently", "currently"])
def test_what_is_told_of_its_moment_is_not_merged_with_another_days(word: str) -> None:
    text = f"Ann is {word} reading a long novel about the sea."
    assert action(text, text, kind="state") == "merge"
    assert action(text, text, days=40, kind="state") == "nothing"
    lasting = text.replace(f"{word} ", "")
    assert action(lasting, lasting, days=40, kind="state") == "merge"


def test_what_one_did_does_not_end_as_one_thinks_of_it() -> None:
    older = "Ann has actually been getting back into collecting vinyl records."
    newer = "Ann has been thinking, since Ann has been getting back into collecting vinyl records, of a fair."
    assert action(older, newer, kind="state") == "nothing"


def test_what_is_told_again_with_more_beside_it_is_still_refined() -> None:
    older = "Ann is thinking of adding decorations to the tank to create hiding places."
    newer = "Ann is thinking of adding decorations to the tank to create hiding places for the neon tetras."
    assert action(older, newer) == "update"


def test_who_likes_a_part_of_something_need_not_like_all_of_it() -> None:
    whole = "Ann is interested in God of War."
    part = "Ann is interested in the story and the places of God of War."
    assert action(whole, part) == action(part, whole) == "nothing"
    assert action(whole, "Ann is interested in God of War and its places.") == "update"


def test_a_narrower_interest_takes_no_place_of_the_wider_one() -> None:
    wide = "Ann is interested in learning more about felt rugs, since Tom sells them."
    narrow = "Ann is interested in learning more about how to dye wool for felt rugs, since Tom sells them."
    assert action(wide, narrow) == "nothing"
    more = "Ann is interested in learning more about felt rugs, since Tom sells them at the market."
    assert action(wide, more) == "update"


def test_the_day_before_which_it_was_done_stays() -> None:
    older = "Shortly before 5 January 2024, Ann bought a good pair that cost Ann $90."
    newer = "Ann bought a good pair of hiking poles that cost Ann $90, and Ann uses them a lot."
    found = finding(older, newer, kind="event")
    assert found is not None
    assert found.text == f"Shortly before 5 January 2024, {newer}"
    again = f"Shortly before 5 January 2024, {newer}"
    told_there = finding(older, again, kind="event")
    assert told_there is not None
    assert told_there.text == again
