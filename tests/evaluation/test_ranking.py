"""Figures of rankings, computed by hand."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.evaluation.ranking import (
    Delivered,
    Yardstick,
    ndcg,
    recall,
    scores_of,
    session_ranking,
    turn_ranking,
)
from tests.evaluation.annotated import hit, message, question, said

A, B, C = message("a", "s1"), message("b", "s2"), message("c", "s1")


def test_turns_rank_in_the_order_in_which_hits_quote_them_each_once():
    assert turn_ranking([hit(B, A), hit(A, C), said("b")]) == (B, A, C)
    assert turn_ranking([]) == ()


def test_sessions_rank_by_their_first_turn():
    assert session_ranking([B, A, C]) == ("s2", "s1")


def test_recall_is_of_all_the_evidence_whatever_k_is():
    assert recall(["a", "x", "b"], ("a", "b"), 1) == 0.5
    assert recall(["a", "x", "b"], ("a", "b"), 3) == 1
    assert recall([], ("a",), 5) == 0


def test_ndcg_discounts_by_rank_and_divides_by_the_best_possible():
    assert ndcg(["x", "a", "y", "b"], ("a", "b")) == pytest.approx(
        (1 / log2(3) + 1 / log2(5)) / (1 / log2(2) + 1 / log2(3))
    )
    assert ndcg(["x"] * 10 + ["a"], ("a",)) == 0, "the eleventh place counts nothing"
    many = [f"a{i}" for i in range(12)]
    assert ndcg(many, many) == pytest.approx(1), "twelve cannot all be among ten"


DELIVERED = {500: Delivered(frozenset("a"), frozenset({"s1"}), 480)}


def test_every_figure_of_a_locomo_question():
    ranked = turn_ranking([said("x", "s3"), said("a", "s1"), said("b", "s2")])
    scores = scores_of(
        question("a", "b", sessions=("s1", "s2")), ranked, DELIVERED, Yardstick(ks=(1, 2, 3), budgets=(500,))
    )
    assert scores == {
        "turn_recall@1": 0,
        "session_any@1": 0,
        "session_all@1": 0,
        "turn_recall@2": 0.5,
        "session_any@2": 1,
        "session_all@2": 0,
        "turn_recall@3": 1,
        "session_any@3": 1,
        "session_all@3": 1,
        "ndcg@10": pytest.approx((1 / log2(3) + 1 / log2(4)) / (1 + 1 / log2(3))),
        "recall_at_tokens 500": 0.5,
    }


def test_where_only_sessions_are_known_there_is_no_turn_recall_and_contexts_are_judged_by_session():
    ranked = turn_ranking([said("x", "s3"), said("b", "s2")])
    yardstick = Yardstick(ks=(5,), budgets=(500,), ndcg_over="sessions", tokens_over="sessions")
    scores = scores_of(question(sessions=("s1", "s2")), ranked, DELIVERED, yardstick)
    assert scores == {
        "session_any@5": 1,
        "session_all@5": 0,
        "ndcg@10": pytest.approx((1 / log2(3)) / (1 + 1 / log2(3))),
        "recall_at_tokens 500": 0.5,
    }


def test_a_question_without_known_turns_lacks_turn_figures_in_a_dataset_that_has_them():
    yardstick = Yardstick(ks=(5,), budgets=(500,), ndcg_over="sessions", tokens_over="turns")
    scores = scores_of(question(), turn_ranking([said("a")]), DELIVERED, yardstick)
    assert {*scores} == {"session_any@5", "session_all@5", "ndcg@10"}


IDS = [f"m{i}" for i in range(12)]


@given(st.permutations(IDS), st.sets(st.sampled_from(IDS), min_size=1))
def test_recall_never_falls_as_k_grows_and_ends_at_one(ranked, evidence):
    found = [recall(ranked, evidence, k) for k in range(len(IDS) + 1)]
    assert found == sorted(found) and found[0] == 0 and found[-1] == 1


@given(st.permutations(IDS), st.sets(st.sampled_from(IDS), min_size=1))
def test_no_ranking_has_a_higher_ndcg_than_the_evidence_first(ranked, evidence):
    best = [*sorted(evidence), *(i for i in IDS if i not in evidence)]
    assert 0 <= ndcg(ranked, evidence) <= ndcg(best, evidence) + 1e-12
    assert ndcg(best, evidence) == pytest.approx(1)
