"""The ledger in LightMem's layout: sums of what servers counted, and no zero where none did."""

from memcore.domain.models import LlmCost
from memcore.llm.statistics import token_statistics


def test_the_layout_is_the_published_one() -> None:
    costs = [LlmCost("add_memory", 2, 200, 40, 0), LlmCost("update", 1, 300, 5, 0)]
    statistics = token_statistics(costs, embedded=50)
    assert statistics["summary"] == {
        "total_llm_calls": 3,
        "total_llm_tokens": 545,
        "total_embedding_calls": 50,
        "total_embedding_tokens": None,
        "unreported_calls": 0,
    }
    assert statistics["llm"] == {
        "add_memory": {
            "calls": 2,
            "prompt_tokens": 200,
            "completion_tokens": 40,
            "total_tokens": 240,
            "unreported_calls": 0,
        },
        "update": {
            "calls": 1,
            "prompt_tokens": 300,
            "completion_tokens": 5,
            "total_tokens": 305,
            "unreported_calls": 0,
        },
    }
    assert statistics["embedding"] == {"total_calls": 50, "total_tokens": None}


def test_the_published_stages_are_there_without_calls_and_other_stages_follow_them() -> None:
    statistics = token_statistics([LlmCost("answer", 1, 100, 20, 0)], embedded=0)
    assert list(statistics["llm"]) == ["add_memory", "update", "answer"]
    assert statistics["llm"]["update"]["total_tokens"] == 0
    assert token_statistics([], embedded=0)["summary"]["total_llm_tokens"] == 0


def test_calls_that_servers_did_not_count_are_said_to_be_unreported() -> None:
    statistics = token_statistics([LlmCost("add_memory", 2, 100, 20, 1)], 0)
    spent = statistics["llm"]["add_memory"]
    assert (spent["calls"], spent["total_tokens"], spent["unreported_calls"]) == (2, 120, 1)
    assert statistics["summary"]["unreported_calls"] == 1


def test_where_nothing_was_reported_the_tokens_are_unknown_and_not_zero() -> None:
    statistics = token_statistics([LlmCost("update", 1, None, None, 1)], 0)
    assert statistics["llm"]["update"]["total_tokens"] is None
    assert statistics["summary"]["total_llm_tokens"] is None
    assert statistics["llm"]["add_memory"]["total_tokens"] == 0


def test_half_a_report_counts_for_what_it_says() -> None:
    spent = token_statistics([LlmCost("update", 1, 300, None, 1)], 0)["llm"]["update"]
    assert (spent["prompt_tokens"], spent["completion_tokens"], spent["total_tokens"]) == (300, None, 300)
    assert spent["unreported_calls"] == 1
