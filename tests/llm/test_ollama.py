"""Our Ollama backend against a server that is down, slow, short of memory or talking nonsense."""

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, Field

from memcore.domain.errors import LlmReplyError, LlmUnavailableError
from memcore.domain.protocols import LlmReply
from memcore.llm.conversation import CheckedLlm
from memcore.llm.ollama import LEAST_CONTEXT
from tests.contract.ollama_double import Model, OllamaDouble, ScriptedAnswer
from tests.fakes import ListLedger
from tests.llm.live import ollama_llm


class Pet(BaseModel):
    name: str
    legs: int


GOOD = '{"name": "Oscar", "legs": 4}'


@pytest.fixture
def double() -> Iterator[OllamaDouble]:
    with OllamaDouble(
        {"small:1b": Model(), "thinker:8b": Model(capabilities=("completion", "thinking"))}
    ) as it:
        yield it


@pytest.fixture
def ledger() -> ListLedger:
    return ListLedger()


def llm_at(
    double: OllamaDouble, ledger: ListLedger, model: str = "small:1b", timeout_s: float = 30
) -> CheckedLlm:
    return ollama_llm(model, double.host, ledger, "run_1", timeout_s=timeout_s, pause_s=0)


def ask(llm: CheckedLlm, user: str = "Which pet?") -> Pet:
    return llm.ask(stage="add_memory", prompt_version="t/v1", system="Answer.", user=user, schema=Pet).data


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


# --------------------------------------------------------------------------- a good answer


def test_a_question_is_asked_by_schema_at_temperature_0_and_comes_back_typed(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    double.answer(GOOD)
    assert ask(llm_at(double, ledger)) == Pet(name="Oscar", legs=4)
    (body,) = double.sent()
    assert body["format"] == Pet.model_json_schema()
    assert body["options"]["temperature"] == 0
    assert body["stream"] is True


def test_free_text_is_asked_without_a_schema(double: OllamaDouble, ledger: ListLedger) -> None:
    double.answer("  Oscar is a dog [1].\n")
    text = llm_at(double, ledger).write(stage="answer", prompt_version="t/v1", system="s", user="u")
    assert text == "Oscar is a dog [1]."
    assert "format" not in double.sent()[0]


def test_every_attempt_is_in_the_ledger_with_the_servers_counts(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    double.answer("not json", GOOD)
    ask(llm_at(double, ledger))
    assert [call.outcome for call in ledger.calls] == ["invalid_json", "ok"]
    assert [call.completion for call in ledger.calls] == ["not json", GOOD]
    assert all(call.prompt_tokens and call.completion_tokens for call in ledger.calls)
    assert all(call.prompt_version == "t/v1" and call.stage == "add_memory" for call in ledger.calls)
    assert "Which pet?" in ledger.calls[0].prompt
    assert "cannot be used" in ledger.calls[0].error


def test_thinking_is_switched_off_where_a_model_has_it_and_not_mentioned_elsewhere(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    double.answer(GOOD, GOOD)
    ask(llm_at(double, ledger, "thinker:8b"))
    ask(llm_at(double, ledger, "small:1b"))
    thinking, plain = double.sent()
    assert thinking["think"] is False
    assert "think" not in plain


# --------------------------------------------------------------------------- tool calls


class Adopt(BaseModel):
    """Take a pet in."""

    name: str
    legs: int = Field(description="how many it stands on")


class Leave(BaseModel):
    """Take no pet in."""


OSCAR = {"name": "Oscar", "legs": 4}


def call(llm: CheckedLlm, user: str = "Which pet?") -> LlmReply[BaseModel]:
    return llm.call(stage="update", prompt_version="t/v1", system="Choose.", user=user, tools=(Adopt, Leave))


def calling(*calls: tuple[str, dict[str, Any]], text: str = "") -> ScriptedAnswer:
    return ScriptedAnswer(text, calls=calls)


def test_tools_are_told_by_name_docstring_and_fields_without_the_names_python_gives_them(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    double.answer(calling(("Adopt", OSCAR)))
    assert call(llm_at(double, ledger)).data == Adopt(name="Oscar", legs=4)
    (body,) = double.sent()
    adopt, leave = (tool["function"] for tool in body["tools"])
    assert (adopt["name"], adopt["description"]) == ("Adopt", "Take a pet in.")
    assert adopt["parameters"] == {
        "type": "object",
        "required": ["name", "legs"],
        "properties": {
            "name": {"type": "string"},
            "legs": {"type": "integer", "description": "how many it stands on"},
        },
    }
    assert (leave["description"], leave["parameters"]["properties"]) == ("Take no pet in.", {})
    assert "format" not in body


def test_a_call_is_in_the_ledger_by_name_and_arguments(double: OllamaDouble, ledger: ListLedger) -> None:
    double.answer(calling(("Adopt", {"name": "Zoë", "legs": 2}), text="I choose Zoë."))
    reply = call(llm_at(double, ledger))
    (entry,) = ledger.calls
    assert entry.completion == reply.text == '{"name": "Adopt", "arguments": {"name": "Zoë", "legs": 2}}'
    assert (entry.stage, entry.prompt_version, entry.outcome) == ("update", "t/v1", "ok")
    assert entry.prompt.endswith("[user]\nWhich pet?\n\n[tools]\nAdopt, Leave")
    assert entry.prompt_tokens == reply.prompt_tokens
    assert entry.prompt_tokens
    assert entry.completion_tokens


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (ScriptedAnswer("I would take Oscar."), "it called none of the tools Adopt, Leave"),
        (ScriptedAnswer(""), "it called none of the tools Adopt, Leave"),
        (calling(("Buy", OSCAR)), "it called 'Buy', but the tools are Adopt, Leave"),
        (calling(("Adopt", {"name": "Oscar"})), "legs: Field required"),
        (calling(("Adopt", OSCAR | {"legs": "many"})), "legs: Input should be a valid integer"),
        (calling(("Adopt", OSCAR), ("Leave", {})), "it called 2 tools (Adopt, Leave) at once"),
    ],
    ids=["text", "nothing", "no such tool", "missing", "of another type", "two"],
)
def test_anything_but_one_right_call_is_asked_again_with_what_was_wrong(
    double: OllamaDouble, ledger: ListLedger, bad: ScriptedAnswer, told: str
) -> None:
    double.answer(bad, calling(("Leave", {})))
    assert call(llm_at(double, ledger)).data == Leave()
    first, second = (body["messages"][-1]["content"] for body in double.sent())
    assert second.startswith(first)
    assert told in second
    assert "Call exactly one tool" in second
    assert [entry.outcome for entry in ledger.calls] == ["invalid_json", "ok"]
    assert told in ledger.calls[0].error


def test_no_right_call_in_three_is_an_error_with_its_fix(double: OllamaDouble, ledger: ListLedger) -> None:
    double.answer(*[calling(("Buy", {}))] * 3, calling(("Leave", {})))
    with pytest.raises(LlmReplyError, match="called 'Buy'") as raised:
        call(llm_at(double, ledger))
    assert "a model that calls tools" in raised.value.fix
    assert [entry.completion for entry in ledger.calls] == ['{"name": "Buy", "arguments": {}}'] * 3


def test_a_model_without_tool_support_is_named_with_the_fix_and_asked_once(ledger: ListLedger) -> None:
    with OllamaDouble({"plain:1b": Model(capabilities=("completion",))}) as double:
        with pytest.raises(LlmReplyError) as raised:
            call(llm_at(double, ledger, "plain:1b"))
        assert len(double.sent()) == 1
    assert "plain:1b cannot call tools" in raised.value.cause
    assert "capability tools" in raised.value.fix
    assert [entry.outcome for entry in ledger.calls] == ["error"]


def test_the_context_holds_the_tools_too(double: OllamaDouble, ledger: ListLedger) -> None:
    wordy = type("Wordy", (BaseModel,), {"__doc__": "word " * 9000})
    double.answer(calling(("Wordy", {})))
    llm_at(double, ledger).call(stage="update", prompt_version="t/v1", system="s", user="u", tools=(wordy,))
    assert double.sent()[0]["options"]["num_ctx"] > 9000


@pytest.mark.parametrize("cuts", ["half", "full"])
def test_a_question_with_tools_that_was_read_in_part_is_an_error(ledger: ListLedger, cuts: str) -> None:
    with OllamaDouble({"short:1b": Model(context_length=3000)}, cuts=cuts) as double:  # type: ignore[arg-type]
        double.answer(calling(("Adopt", OSCAR)))
        with pytest.raises(LlmReplyError, match="read only part of the prompt"):
            call(llm_at(double, ledger, "short:1b"), "word " * 4000)
    assert [entry.outcome for entry in ledger.calls] == ["truncated"]


def test_a_call_lost_on_the_way_is_asked_for_again(double: OllamaDouble, ledger: ListLedger) -> None:
    double.answer(ScriptedAnswer(drop="before"), calling(("Adopt", OSCAR)))
    assert call(llm_at(double, ledger)).data == Adopt(name="Oscar", legs=4)
    assert [entry.outcome for entry in ledger.calls] == ["error", "ok"]


# --------------------------------------------------------------------------- no server, no model


def test_offline_is_a_clear_error_and_never_an_empty_answer(ledger: ListLedger) -> None:
    """LightMem's Ollama backend silently does nothing when the server is down."""
    llm = ollama_llm("small:1b", f"http://127.0.0.1:{free_port()}", ledger, "run_1", pause_s=0)
    with pytest.raises(LlmUnavailableError) as raised:
        ask(llm)
    assert "not running" in raised.value.cause
    assert "`ollama serve`" in raised.value.fix
    assert [call.outcome for call in ledger.calls] == ["error"]


def test_a_missing_model_names_the_command_that_fetches_it(double: OllamaDouble, ledger: ListLedger) -> None:
    with pytest.raises(LlmUnavailableError) as raised:
        ask(llm_at(double, ledger, "llama9:70b"))
    assert "model 'llama9:70b' not found" in raised.value.cause
    assert "`ollama pull llama9:70b`" in raised.value.fix
    assert [call.outcome for call in ledger.calls] == ["error"]


def test_a_server_that_is_not_ollama_is_told_from_a_missing_model(ledger: ListLedger) -> None:
    with OllamaDouble() as double:
        llm = ollama_llm("small:1b", f"{double.host}/elsewhere", ledger, "run_1", pause_s=0)
        with pytest.raises(LlmUnavailableError) as raised:
            ask(llm)
    assert "another kind of server" in raised.value.fix


@pytest.mark.parametrize("host", ["http://127.0.0.1:port", "http://[half"])
def test_a_host_that_is_no_address_is_said_before_anything_is_sent(host: str, ledger: ListLedger) -> None:
    with pytest.raises(LlmUnavailableError) as raised:
        ollama_llm("small:1b", host, ledger, "run_1")
    assert "not the address of a server" in raised.value.cause


# --------------------------------------------------------------------------- answers that cannot be used


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("I think it is Oscar.", "Invalid JSON"),
        ('{"name": "Oscar", "le', "Invalid JSON"),
        ('{"name": "Oscar"}', "legs: Field required"),
        ('{"name": "Oscar", "legs": "many"}', "legs: Input should be a valid integer"),
        ("", "empty"),
        ("  \n", "empty"),
    ],
)
def test_an_unusable_answer_is_asked_again_with_what_was_wrong(
    double: OllamaDouble, ledger: ListLedger, bad: str, told: str
) -> None:
    double.answer(bad, GOOD)
    assert ask(llm_at(double, ledger)).name == "Oscar"
    first, second = (body["messages"][-1]["content"] for body in double.sent())
    assert told not in first
    assert told in second
    assert second.startswith(first)


def test_nonsense_three_times_is_an_error_that_says_what_was_wrong(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    double.answer("one", "two", "three", GOOD)
    with pytest.raises(LlmReplyError) as raised:
        ask(llm_at(double, ledger))
    assert "Invalid JSON" in raised.value.cause
    assert [call.completion for call in ledger.calls] == ["one", "two", "three"]


def test_an_answer_cut_off_at_its_room_is_asked_again_with_more(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    long_name = "la " * 1500
    double.answer(*[f'{{"name": "{long_name}", "legs": 4}}'] * 2)
    assert ask(llm_at(double, ledger)).name == long_name
    first, second = (body["options"]["num_predict"] for body in double.sent())
    assert second == 2 * first
    assert [call.outcome for call in ledger.calls] == ["truncated", "ok"]


def test_an_answer_that_never_ends_is_an_error_not_a_part_of_it(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    double.answer(*["la " * 20_000] * 4)
    with pytest.raises(LlmReplyError, match="cut off before its end"):
        llm_at(double, ledger).write(stage="answer", prompt_version="t/v1", system="s", user="u")
    assert {call.outcome for call in ledger.calls} == {"truncated"}


# --------------------------------------------------------------------------- the context


def test_num_ctx_holds_the_prompt_and_the_answer_and_never_shrinks(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    double.answer(GOOD, GOOD, GOOD)
    llm = llm_at(double, ledger)
    ask(llm)
    ask(llm, "word " * 6000)
    ask(llm)
    first, second, third = (body["options"]["num_ctx"] for body in double.sent())
    assert first == LEAST_CONTEXT
    assert second > 6000 + 1024
    assert third == second, "another num_ctx would make Ollama load the model again"


def test_num_ctx_is_bounded_by_the_models_own_length(ledger: ListLedger) -> None:
    with OllamaDouble({"short:1b": Model(context_length=3000)}) as double:
        double.answer(GOOD)
        ask(llm_at(double, ledger, "short:1b"))
        assert double.sent()[0]["options"]["num_ctx"] == 3000


@pytest.mark.parametrize("cuts", ["half", "full"])
@pytest.mark.parametrize("words", [3100, 4000, 9000])
def test_a_prompt_the_model_cannot_hold_is_an_error_although_the_server_answers(
    ledger: ListLedger, cuts: str, words: int
) -> None:
    with OllamaDouble({"short:1b": Model(context_length=3000)}, cuts=cuts) as double:  # type: ignore[arg-type]
        double.answer(GOOD)
        with pytest.raises(LlmReplyError) as raised:
            ask(llm_at(double, ledger, "short:1b"), "word " * words)
    assert "read only part of the prompt" in raised.value.cause
    assert "3000" in raised.value.cause
    assert "buffer_tokens" in raised.value.fix
    assert [call.outcome for call in ledger.calls] == ["truncated"]
    assert ledger.calls[0].prompt_tokens


@pytest.mark.parametrize("cuts", ["half", "full"])
def test_a_server_that_grants_less_context_than_asked_is_found_out(ledger: ListLedger, cuts: str) -> None:
    models = {"small:1b": Model()}
    with OllamaDouble(models, memory_limit=4096, cuts=cuts) as double:  # type: ignore[arg-type]
        double.answer(GOOD)
        with pytest.raises(LlmReplyError, match="context of 4096 tokens"):
            ask(llm_at(double, ledger), "word: " * 2500)
        assert double.sent()[0]["options"]["num_ctx"] > 4096


# --------------------------------------------------------------------------- a bad connection


@pytest.mark.parametrize(
    "trouble",
    [
        ScriptedAnswer(drop="before"),
        ScriptedAnswer(GOOD, drop="within"),
        ScriptedAnswer(GOOD, stop_early=True),
        ScriptedAnswer(garbage=True),
        ScriptedAnswer(GOOD, error="llama runner process has terminated"),
        ScriptedAnswer(status=500, error="model requires more system memory"),
        ScriptedAnswer(status=503, error="server busy, please try again.  maximum pending requests exceeded"),
    ],
    ids=["dropped", "dropped within", "ended early", "garbage", "error within", "500", "503"],
)
class TestTrouble:
    def test_is_asked_again(self, double: OllamaDouble, ledger: ListLedger, trouble: ScriptedAnswer) -> None:
        double.answer(trouble, GOOD)
        assert ask(llm_at(double, ledger)).name == "Oscar"
        assert [call.outcome for call in ledger.calls] == ["error", "ok"]
        assert ledger.calls[0].error

    def test_that_lasts_is_an_error(
        self, double: OllamaDouble, ledger: ListLedger, trouble: ScriptedAnswer
    ) -> None:
        double.answer(*[trouble] * 3, GOOD)
        with pytest.raises(LlmUnavailableError) as raised:
            ask(llm_at(double, ledger))
        assert double.host in raised.value.cause
        assert (trouble.error or "answer") in raised.value.cause or "broke off" in raised.value.cause
        assert [call.outcome for call in ledger.calls] == ["error"] * 3


def test_silence_longer_than_the_timeout_is_an_error_naming_the_setting(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    released = threading.Event()
    double.answer(*[ScriptedAnswer(GOOD, silent_until=released)] * 3)
    try:
        with pytest.raises(LlmUnavailableError) as raised:
            ask(llm_at(double, ledger, timeout_s=0.2))
    finally:
        released.set()
    assert "silent for 0.2 seconds" in raised.value.cause
    assert "llm_timeout_s" in raised.value.fix


def test_a_request_the_server_rejects_is_not_repeated(double: OllamaDouble, ledger: ListLedger) -> None:
    double.answer(ScriptedAnswer(status=400, error='"small:1b" does not support chat'), GOOD)
    with pytest.raises(LlmReplyError, match="does not support chat"):
        ask(llm_at(double, ledger))
    assert len(double.sent()) == 1


def test_threads_share_one_backend(double: OllamaDouble, ledger: ListLedger) -> None:
    double.answer(*[GOOD] * 8)
    llm = llm_at(double, ledger)
    answers: list[Pet] = []
    threads = [threading.Thread(target=lambda: answers.append(ask(llm))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == len(ledger.calls) == 8
    assert len({call.id for call in ledger.calls}) == 8
    assert len(double.sent("/api/show")) == 1
