"""Who cancels waits for no model: not for its answer, not for another try."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memcore import open_memory
from memcore.domain.errors import CancelledError
from memcore.domain.models import LogRead
from memcore.llm.chat import ChatCompletion, ChatRequest, ChatServer, ConnectionLostError
from memcore.llm.conversation import CheckedLlm
from memcore.llm.ollama import OllamaServer
from memcore.llm.openai_compatible import OpenAiServer
from tests.contract.ollama_double import OllamaDouble, ScriptedAnswer
from tests.fakes import ListLedger
from tests.pipeline import FakeBackends, log

AT_ONCE_S = 3.0
"""Far less than an answer may take."""
TALK = log(["lives in New York.", "likes tea."], ["moved to San Francisco.", "likes jazz."])


class NeverAnswers:
    model_id = "slow-1"

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.never = threading.Event()

    def send(self, request: ChatRequest) -> ChatCompletion:
        self.asked.set()
        self.never.wait(30)
        raise ConnectionLostError("It took too long.", "Wait.")


def test_a_question_is_left_unanswered_and_the_ledger_says_so() -> None:
    server, ledger, cancelled = NeverAnswers(), ListLedger(), threading.Event()
    model = CheckedLlm(server, ledger, "run", cancelled=cancelled.is_set)
    threading.Timer(0.3, cancelled.set).start()
    begun = time.monotonic()
    with pytest.raises(CancelledError, match="while slow-1 was answering"):
        model.write(stage="answer", prompt_version="v1", system="", user="Who?")
    assert time.monotonic() - begun < AT_ONCE_S
    server.never.set()
    assert [call.outcome for call in ledger.calls] == ["error"]


@pytest.mark.parametrize(
    "server_at",
    [
        lambda host: OllamaServer("testdouble", host),
        lambda host: OpenAiServer("testdouble", f"{host}/v1"),
    ],
    ids=["ollama", "openai"],
)
def test_a_server_that_is_writing_is_left_and_writes_no_further(
    server_at: Callable[[str], ChatServer],
) -> None:
    ledger = ListLedger()
    with OllamaDouble() as double:
        double.answer(ScriptedAnswer("la ", endless=True))
        model = CheckedLlm(server_at(double.host), ledger, "run", cancelled=double.writing.is_set)
        with pytest.raises(CancelledError):
            model.write(stage="answer", prompt_version="v1", system="", user="Sing.")
        assert double.hung_up.wait(AT_ONCE_S)
    assert [(call.outcome, call.completion) for call in ledger.calls] == [("error", "")]


@pytest.fixture
def silent() -> Iterator[OllamaDouble]:
    """A server that takes questions and answers none of them before the test ends."""
    never = threading.Event()
    with OllamaDouble() as double:
        double.answer(*[ScriptedAnswer(silent_until=never)] * 20)
        yield double
        never.set()


@pytest.mark.parametrize("recipe", ["memscope", "lightmem", "simplemem", "mem0", "mem0_graph", "licomemory"])
def test_an_ingest_that_waits_for_the_model_stops_at_once_and_goes_on_later(
    recipe: str, silent: OllamaDouble, tmp_path: Path
) -> None:
    chosen = {"llm": "openai", "openai_base_url": f"{silent.host}/v1", "openai_model": "testdouble:latest"}
    asked: list[float] = []

    def cancelled() -> bool:
        """As soon as the model is asked, and once the request has gone out."""
        if not asked and silent.sent("/v1/chat/completions"):
            asked.append(time.monotonic())
        return bool(asked)

    with open_memory(tmp_path / "store", backends=FakeBackends, **chosen) as memory:
        report = memory.ingest(LogRead((TALK,)), recipe=recipe, cancelled=cancelled)
        assert time.monotonic() - asked[0] < AT_ONCE_S
        assert (report.state, report.errors, report.memories) == ("cancelled", (), 0)
        assert memory.runs.pending(recipe=recipe) == 4
        (run,) = memory.runs.all()
        assert run.state == "cancelled"
    with open_memory(tmp_path / "store", backends=FakeBackends, llm="none") as memory:
        assert memory.resume(recipe=recipe).state == "finished"
        assert memory.runs.pending(recipe=recipe) == 0
