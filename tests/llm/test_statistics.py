"""The ledger in LightMem's layout: sums of what servers counted, and no zero where none did."""

from datetime import datetime
from typing import Any

from memcore.llm.statistics import token_statistics
from memcore.models import LlmCall

AT = datetime(2024, 1, 8)


def call(
    stage: str = "add_memory", prompt: int | None = 100, completion: int | None = 20, **changes: Any
) -> LlmCall:
    values = {"id": "c", "run_id": "r", "model": "m", "prompt": "", "completion": "", "milliseconds": 1.0}
    return LlmCall(
        **(values | {"outcome": "ok", "at": AT} | changes),
        stage=stage,
        prompt_tokens=prompt,
        completion_tokens=completion,
    )


def test_the_layout_is_the_published_one() -> None:
    statistics = token_statistics([call(), call(), call("update", 300, 5)], embedded=50)
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
    statistics = token_statistics([call("answer")], embedded=0)
    assert list(statistics["llm"]) == ["add_memory", "update", "answer"]
    assert statistics["llm"]["update"]["total_tokens"] == 0


def test_failed_attempts_are_calls_and_cost_tokens() -> None:
    statistics = token_statistics([call(outcome="invalid_json"), call(outcome="truncated"), call()], 0)
    assert statistics["llm"]["add_memory"]["calls"] == 3
    assert statistics["summary"]["total_llm_tokens"] == 360


def test_a_call_the_server_did_not_count_is_said_to_be_unreported() -> None:
    lost = call(prompt=None, completion=None, outcome="error")
    spent = token_statistics([call(), lost], 0)["llm"]["add_memory"]
    assert (spent["calls"], spent["total_tokens"], spent["unreported_calls"]) == (2, 120, 1)


def test_where_nothing_was_reported_the_tokens_are_unknown_and_not_zero() -> None:
    statistics = token_statistics([call("update", None, None)], 0)
    assert statistics["llm"]["update"]["total_tokens"] is None
    assert statistics["summary"]["total_llm_tokens"] is None
    assert statistics["llm"]["add_memory"]["total_tokens"] == 0


def test_half_a_report_counts_for_what_it_says() -> None:
    spent = token_statistics([call("update", 300, None)], 0)["llm"]["update"]
    assert (spent["prompt_tokens"], spent["completion_tokens"], spent["total_tokens"]) == (300, None, 300)
    assert spent["unreported_calls"] == 1
