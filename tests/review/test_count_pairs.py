"""What is counted again in other words, by trained weights, and what is counted of something else."""

from __future__ import annotations

from typing import Any

import pytest

from memcore.review.count_pairs import count_model, count_pairs, counted_anew
from memcore.review.decisions import UpdateQueue
from memcore.review.pairs import statement
from memcore.review.rules import RuleDecider, examine
from tests.review.scenes import JAN, MAR, said


def find(older: str, newer: str, cosine: float = 0.8, **newer_is: Any) -> str:
    """What the weights make of two statements, the second said two months later."""
    a = said("a", older, JAN, kind="fact")
    b = said("b", newer, MAR, **({"kind": "fact", "message": "a-s0-m2"} | newer_is))
    finding = counted_anew(statement(a), statement(b), cosine)
    return finding.action if finding else "nothing"


STORIES = ("Ann has carved three wooden spoons this year.", "Ann has finished five wooden spoons this year.")


def test_a_count_told_anew_in_other_words_is_a_new_value() -> None:
    older, newer = said("a", STORIES[0], JAN, kind="fact"), said("b", STORIES[1], MAR, kind="fact")
    assert examine(statement(older), statement(newer)) is None
    assert find(*STORIES) == "update"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # of another thing, another person, another occasion
        ("Ann has carved three wooden spoons this year.", "Ann has bought five hats this year."),
        ("Ann has carved three wooden spoons this year.", "Tom has carved five wooden spoons this year."),
        ("Ann rode 20 km with Tom on Sunday.", "Ann rode 45 km along the coast on 3 February 2024."),
        ("Ann spent $200 on a coat.", "Ann spent $60 on a scarf."),
        # wished for, denied, or the same
        ("Ann wants to carve ten wooden spoons this year.", "Ann has carved five wooden spoons this year."),
        ("Ann has not carved three wooden spoons.", "Ann has carved five wooden spoons."),
        STORIES[:1] * 2,
    ],
)
def test_what_is_counted_of_something_else_is_left_alone(older: str, newer: str) -> None:
    assert find(older, newer) == "nothing"


def test_the_more_alike_the_memories_the_likelier_it_is_the_same() -> None:
    older, newer = said("a", STORIES[0], JAN, kind="fact"), said("b", STORIES[1], MAR, kind="fact")
    chances = [
        count_model().probability(pair.features)
        for cosine in (0.2, 0.9)
        for pair in count_pairs(statement(older), statement(newer), cosine)
    ]
    assert chances[0] < chances[1]


def test_only_what_is_later_and_no_quotation_is_news() -> None:
    assert find(*STORIES, mentioned_at=JAN) == "nothing"
    assert find(*STORIES, kind="statement") == "nothing"
    assert find(*STORIES, kind="plan") == "nothing"


def test_a_decision_says_both_numbers_and_how_sure_it_is() -> None:
    older, newer = said("a", STORIES[0], JAN, kind="fact"), said("b", STORIES[1], MAR, kind="fact")
    (decision,) = RuleDecider().decide([UpdateQueue(older, ((newer, 0.8),))])
    assert (decision.action, decision.made_by, decision.risk) == ("update", "rule: counted anew", "high")
    assert "3, then 5" in decision.reason
    assert "%" in decision.reason


def test_an_assistants_numbers_are_no_news() -> None:
    older, newer = said("a", STORIES[0], JAN, kind="fact"), said("b", STORIES[1], MAR, kind="fact")
    (decision,) = RuleDecider().decide([UpdateQueue(older, ((newer, 0.8),), frozenset({"b"}))])
    assert decision.action == "ignore"


def test_every_feature_has_a_weight() -> None:
    older, newer = said("a", STORIES[0], JAN, kind="fact"), said("b", STORIES[1], MAR, kind="fact")
    (pair,) = count_pairs(statement(older), statement(newer), 0.8)
    assert pair.features.keys() == count_model().weights.keys()
