"""A chosen model that is down, hangs, or is not there costs the answer, never the memories."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from memcore import open_memory
from memcore.cli import main
from memcore.domain.errors import LlmReplyError, UsageError
from memcore.domain.models import LogRead
from memcore.evaluation.building import with_its_model
from memcore.memory import Memory
from memcore.systems.registry import SYSTEMS
from tests.contract.ollama_double import Model, OllamaDouble, ScriptedAnswer
from tests.fakes import ScriptedLlm
from tests.pipeline import FakeBackends, log

DOWN = "http://127.0.0.1:9/v1"
TALK = log(["lives in New York.", "likes tea."], ["moved to San Francisco.", "likes jazz."])
WHERE = "Where does Ann live?"
PLANNING = [name for name, system in SYSTEMS.items() if system.search_uses_llm]
PATIENCE_S = 8.0
"""Far less than one answer may take (`llm_timeout_s`), let alone three."""


@pytest.fixture
def hanging() -> Iterator[str]:
    """A server that takes connections and says nothing."""
    with closing(socket.create_server(("127.0.0.1", 0))) as taking:
        yield f"http://127.0.0.1:{taking.getsockname()[1]}/v1"


def choose(memory: Memory, address: str, model: str = "gpt-99") -> None:
    chosen = {"llm": "openai", "openai_base_url": address, "openai_model": model}
    memory.backends.settings = replace(memory.backends.settings, **chosen)


@pytest.mark.parametrize("recipe", ["memscope", "lightmem", *PLANNING])
def test_a_server_that_is_down_costs_the_answer_and_not_a_memory(memory: Memory, recipe: str) -> None:
    memory.ingest(LogRead((TALK,)), recipe=recipe)
    without = memory.ask(WHERE, recipe=recipe)
    assert without.citations

    choose(memory, DOWN)
    answer = memory.ask(WHERE, recipe=recipe)

    assert answer.answer is None
    assert answer.answered_by == ""
    assert answer.failure is not None
    assert (answer.failure.cause, answer.failure.unavailable) == (f"No server answers at {DOWN}.", True)
    assert "Start it" in answer.failure.fix
    assert (answer.context, answer.citations) == (without.context, without.citations)


@pytest.mark.parametrize("recipe", PLANNING)
def test_a_search_that_would_ask_the_model_says_that_it_did_without(memory: Memory, recipe: str) -> None:
    memory.ingest(LogRead((TALK,)), recipe=recipe)
    without = memory.search(WHERE, recipe=recipe)
    choose(memory, DOWN)

    found = memory.search(WHERE, recipe=recipe)

    assert [hit.id for hit in found.hits] == [hit.id for hit in without.hits]
    assert found.trace.plan == without.trace.plan
    assert found.trace.failure is not None
    assert found.trace.notes[0] == (
        "The search did without the chosen language model: "
        f"No server answers at {DOWN}. Start it, or correct the base URL in Settings."
    )
    assert found.trace.notes[1:] == without.trace.notes
    (run,) = (run for run in memory.runs.all() if run.kind == "search")
    assert (run.state, run.recipe) == ("failed", recipe)


def test_a_search_that_asks_no_model_notices_nothing(memory: Memory) -> None:
    memory.ingest(LogRead((TALK,)))
    choose(memory, DOWN)
    assert memory.search(WHERE).trace.failure is None


def test_a_server_that_hangs_is_not_waited_for_as_long_as_for_an_answer(memory: Memory, hanging: str) -> None:
    memory.ingest(LogRead((TALK,)), recipe="simplemem")
    choose(memory, hanging)
    begun = time.monotonic()
    answer = memory.ask(WHERE, recipe="simplemem")
    assert time.monotonic() - begun < PATIENCE_S
    assert answer.citations
    assert answer.failure == answer.trace.failure


def test_a_model_that_the_server_lacks_is_named_with_what_to_do(memory: Memory) -> None:
    memory.ingest(LogRead((TALK,)))
    with OllamaDouble({"other:latest": Model()}) as double:
        choose(memory, f"{double.host}/v1")
        answer = memory.ask(WHERE)
    assert answer.failure is not None
    assert "does not list the model 'gpt-99'" in answer.failure.cause
    assert answer.failure.fix == "Choose one of its models in Settings."
    assert answer.citations


def test_a_server_that_lists_the_model_and_answers_404_is_told_of_too(memory: Memory) -> None:
    memory.ingest(LogRead((TALK,)))
    with OllamaDouble() as double:
        double.answer(ScriptedAnswer(status=404, error="model 'testdouble' not found"))
        choose(memory, f"{double.host}/v1", "testdouble:latest")
        answer = memory.ask(WHERE)
    assert answer.failure is not None
    assert "404" in answer.failure.cause
    assert answer.citations


def test_a_plan_that_cannot_be_used_costs_no_answer(memory: Memory) -> None:
    """The model is there: only what it planned is useless."""
    memory.ingest(LogRead((TALK,)), recipe="simplemem")
    useless = LlmReplyError("qwen3:8b's answer cannot be used.", "Choose another model.")
    memory.backends.ask_from_now_on(ScriptedLlm([useless, "In San Francisco [1]."]))

    answer = memory.ask(WHERE, recipe="simplemem")

    assert (answer.answer, answer.failure) == ("In San Francisco [1].", None)
    assert answer.trace.failure is not None
    assert answer.trace.plan.made_by == "rules"


def test_a_model_that_fails_in_the_middle_of_a_search_is_done_without_from_the_beginning(
    memory: Memory,
) -> None:
    memory.ingest(LogRead((TALK,)), recipe="simplemem")
    without = memory.search(WHERE, recipe="simplemem")
    plan = {
        "intent": "a place",
        "complexity": 0.0,
        "queries": [],
        "indexes": ["lexical"],
        "persons": ["Ann"],
        "entities": [],
        "time_from": None,
        "time_to": None,
    }
    gone = LlmReplyError("It stopped.", "Start it.")
    memory.backends.ask_from_now_on(ScriptedLlm([json.dumps(plan), gone]))
    found = memory.search(WHERE, recipe="simplemem")
    assert found.trace.failure is not None
    assert found.trace.plan == without.trace.plan


def test_a_question_that_is_off_is_still_an_error(memory: Memory) -> None:
    choose(memory, DOWN)
    with pytest.raises(UsageError):
        memory.ask("  ")


def test_a_measurement_does_without_no_model(memory: Memory) -> None:
    """What a search found by rule is no figure for a system that plans with its model."""
    memory.ingest(LogRead((TALK,)), recipe="simplemem")
    assert with_its_model(memory.search(WHERE, recipe="simplemem")).hits
    choose(memory, DOWN)
    with pytest.raises(LlmReplyError, match="No server answers"):
        with_its_model(memory.search(WHERE, recipe="simplemem"))


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> Callable[..., str]:
    """A command on a store that SimpleMem read, with a server that is down."""
    backends = partial(FakeBackends)
    with open_memory(tmp_path / "store", backends=backends) as memory:
        memory.ingest(LogRead((TALK,)), recipe="simplemem")
    monkeypatch.setenv("MEMSCOPE_LLM", "ollama")
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")

    def run(*arguments: str) -> str:
        assert main([*arguments, "--store", str(tmp_path / "store")], backends=backends) == 0
        return str(capsys.readouterr().out)

    return run


def test_the_commands_say_why_there_is_no_answer_and_show_what_is_remembered(cli: Callable[..., str]) -> None:
    asked = json.loads(cli("ask", WHERE, "--json"))
    assert asked["answer"] is None
    assert asked["failure"]["cause"] == "Ollama is not running at http://127.0.0.1:9."
    assert "ollama serve" in asked["failure"]["fix"]
    assert asked["citations"]
    (warning,) = asked["warnings"]
    assert warning.startswith("The search did without the chosen language model: Ollama is not running")
    assert json.loads(cli("search", WHERE, "--json"))["warnings"] == [warning]
