"""SimpleMem end to end through the unmodified Ollama client, over a real socket: windows, synthesis, plan,
reflection, and the ledger."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from memcore.domain.errors import LlmUnavailableError
from memcore.domain.models import LogRead
from memcore.memory import Memory
from memcore.systems.simplemem.prompts import (
    SIMPLEMEM_PLAN,
    SIMPLEMEM_REFLECT,
    SIMPLEMEM_SYNTHESIS,
    SIMPLEMEM_WINDOW,
)
from tests.contract.ollama_double import OllamaDouble, ScriptedAnswer
from tests.pipeline import log
from tests.systems.simplemem.test_pipeline import COFFEE, SAID, TOGETHER, merge, merges, numbered, read, unit
from tests.systems.simplemem.test_search import planned, reflected

pytestmark = pytest.mark.usefixtures("encoder_fakes")

TALK = log(SAID, numbered(50), begin=datetime(2024, 1, 8, 9, 0))
ANSWERS = (
    read(*COFFEE),
    read(unit("Ann counts to 39.", 38)),
    read(unit("Ben counts to 49.", 9)),
    merges(merge(TOGETHER, 1, 2)),
)
"""Three windows, then the synthesis of the one session that has related units."""


def ingest(memory: Memory) -> Any:
    return memory.ingest(LogRead((TALK,)), recipe="simplemem")


def prompts(double: OllamaDouble) -> list[str]:
    return [body["messages"][0]["content"] for body in double.sent()]


def texts(memory: Memory) -> list[str]:
    return sorted(m.text for m in memory.memories.find())


def test_three_windows_and_one_synthesis_are_four_calls(memory: Memory, double: OllamaDouble) -> None:
    double.answer(*ANSWERS)
    report = ingest(memory)
    assert prompts(double) == [SIMPLEMEM_WINDOW.text] * 3 + [SIMPLEMEM_SYNTHESIS.text]
    assert (report.errors, memory.runs.pending(recipe="simplemem")) == ((), 0)
    assert texts(memory) == [
        "Ann counts to 39.",
        TOGETHER,
        "Ben counts to 49.",
        "Ben owns 3 green boats.",
    ]
    costs = memory.runs.token_statistics(run_id=report.run_id)["llm"]
    assert {stage: cost["calls"] for stage, cost in costs.items() if cost["calls"]} == {
        "add_memory": 3,
        "synthesis": 1,
    }


def test_a_question_is_planned_and_reflected_on_and_its_calls_are_in_the_ledger(
    memory: Memory, double: OllamaDouble
) -> None:
    double.answer(*ANSWERS)
    ingest(memory)
    double.answer(planned(persons=["Ann"], queries=["Ann's coffee"]), reflected("milk"))
    double.answer(reflected(sufficient=True, missing=""))
    report = memory.search("How does Ann take coffee?", recipe="simplemem")
    assert prompts(double)[4:] == [SIMPLEMEM_PLAN.text, SIMPLEMEM_REFLECT.text, SIMPLEMEM_REFLECT.text]
    assert report.hits[0].text == TOGETHER
    assert report.trace.plan.queries == ("How does Ann take coffee?", "Ann's coffee")
    assert memory.runs.all()[0].kind == "search"
    costs = memory.runs.token_statistics(run_id=memory.runs.all()[0].id)["llm"]
    assert {stage: cost["calls"] for stage, cost in costs.items() if cost["calls"]} == {
        "plan": 1,
        "reflect": 2,
    }


def test_an_answer_that_is_no_json_is_asked_for_again(memory: Memory, double: OllamaDouble) -> None:
    double.answer("nonsense", *ANSWERS)
    assert ingest(memory).errors == ()
    assert "Invalid JSON" in double.sent()[1]["messages"][1]["content"]


def test_a_session_whose_synthesis_stays_invalid_waits_and_is_read_again(
    memory: Memory, double: OllamaDouble
) -> None:
    double.answer(*ANSWERS[:3], *["nonsense"] * 3)
    report = ingest(memory)
    assert len(report.errors) == 1
    assert texts(memory) == ["Ann counts to 39.", "Ben counts to 49."]
    double.answer(ANSWERS[0], ANSWERS[3])
    assert memory.resume(recipe="simplemem").errors == ()
    assert TOGETHER in texts(memory)
    assert memory.runs.pending(recipe="simplemem") == 0


def test_a_server_that_dies_before_synthesis_fails_the_run_and_nothing_of_the_step_is_stored(
    memory: Memory, double: OllamaDouble
) -> None:
    double.answer(*ANSWERS[:3], *[ScriptedAnswer(drop="before")] * 3)
    with pytest.raises(LlmUnavailableError):
        ingest(memory)
    assert (texts(memory), memory.runs.pending(recipe="simplemem")) == ([], 53)
