"""What one switches to takes the place of what one did, used or had at hand."""

from __future__ import annotations

import pytest

from memcore.review.pairs import statement
from memcore.review.rules import examine
from memcore.review.values import values_of
from tests.review.scenes import JAN, MAR, said


def find(older: str, newer: str, kind: str = "state", newer_kind: str = "event") -> str:
    """ "rule → action" for two statements, the second said two months later."""
    a = said("a", older, JAN, kind=kind)
    b = said("b", newer, MAR, kind=newer_kind, message="a-s0-m2")
    finding = examine(statement(a), statement(b))
    return f"{finding.rule} → {finding.action}" if finding else "nothing"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann likes to drink oat milk in Ann's coffee.", "Ann has switched to almond milk in Ann's coffee."),
        (
            "Ann writes Ann's meals and errands on a whiteboard.",
            "Ann has moved Ann's meals and errands over to Notion.",
        ),
        (
            "Ann's current project is a wooden model of the Vasa.",
            "As of 1 March 2024, Ann has just wrapped up a model and switched to a Viking longship.",
        ),
        ("Ann is knitting a scarf.", "Ann finished the scarf and moved on to a cardigan."),
    ],
)
def test_what_one_switches_to_takes_its_place(older: str, newer: str) -> None:
    assert find(older, newer) == "switched → update"


def test_what_is_at_hand_is_compared_with_what_comes_next_however_little_they_share() -> None:
    older = said("a", "Ann's current project is a quilt.", JAN)
    newer = said("b", "Ann wrapped up the quilt and moved on to a lamp.", MAR)
    assert values_of(older) & values_of(newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # of something else, of somebody else
        ("Ann likes to drink oat milk in Ann's coffee.", "Ann has switched to green tea."),
        ("Ann likes to drink oat milk in Ann's coffee.", "Tom has switched to almond milk in Tom's coffee."),
        ("Ann's sister drinks oat milk in coffee.", "Ann has switched to almond milk in Ann's coffee."),
        ("Ann is knitting a scarf.", "Ann finished the canoe and moved on to a sledge."),
        # neither done nor said that it is
        (
            "Ann likes to drink oat milk in Ann's coffee.",
            "Ann has not switched to almond milk in Ann's coffee.",
        ),
        (
            "Ann likes to drink oat milk in Ann's coffee.",
            "Ann might have switched to almond milk in Ann's coffee.",
        ),
        ("Ann drank oat milk in Ann's coffee.", "Ann has switched to almond milk in Ann's coffee."),
        # a scarf that was knitted once is not at hand
        ("Ann knitted a scarf.", "Ann finished the scarf and moved on to a cardigan."),
    ],
)
def test_what_else_one_switches_to_ends_nothing(older: str, newer: str) -> None:
    assert find(older, newer) == "nothing"
