"""Servers that speak OpenAI's API, on the double's /v1 endpoints (which Ollama really has)."""

import json
import socket
from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from memcore.domain.errors import LlmReplyError, LlmUnavailableError
from memcore.llm.conversation import CheckedLlm
from memcore.llm.probe import probe_ollama, probe_openai
from tests.contract.ollama_double import Model, OllamaDouble, ScriptedAnswer
from tests.fakes import ListLedger
from tests.llm.live import openai_llm

PATH = "/v1/chat/completions"
GOOD = '{"name": "Oscar", "legs": 4}'


class Pet(BaseModel):
    name: str
    legs: int


@pytest.fixture
def double() -> Iterator[OllamaDouble]:
    with OllamaDouble() as it:
        yield it


@pytest.fixture
def ledger() -> ListLedger:
    return ListLedger()


def llm_at(
    double: OllamaDouble, ledger: ListLedger, key: str = "sk-secret", timeout_s: float = 30
) -> CheckedLlm:
    base = f"{double.host}/v1/"
    return openai_llm("testdouble", base, key, ledger, "run_1", timeout_s=timeout_s, pause_s=0)


def ask(llm: CheckedLlm) -> Pet:
    return llm.ask(
        stage="add_memory", prompt_version="t/v1", system="Answer.", user="Which?", schema=Pet
    ).data


def test_a_question_is_asked_by_schema_with_the_key_and_the_tokens_are_recorded(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    double.answer(GOOD)
    assert ask(llm_at(double, ledger)) == Pet(name="Oscar", legs=4)
    (body,) = double.sent(PATH)
    assert body["response_format"]["json_schema"]["schema"] == Pet.model_json_schema()
    assert body["temperature"] == 0
    assert double.requests[0].headers["Authorization"] == "Bearer sk-secret"
    (call,) = ledger.calls
    assert (call.outcome, call.model) == ("ok", "testdouble")
    assert call.prompt_tokens
    assert call.completion_tokens


def test_the_key_is_never_recorded(double: OllamaDouble, ledger: ListLedger) -> None:
    double.answer(ScriptedAnswer(status=401, error="Incorrect API key provided"))
    with pytest.raises(LlmUnavailableError) as raised:
        ask(llm_at(double, ledger))
    assert "OPENAI_API_KEY" in raised.value.fix
    assert "sk-secret" not in repr(ledger.calls) + str(raised.value)


def test_no_key_sends_no_authorization(double: OllamaDouble, ledger: ListLedger) -> None:
    double.answer(GOOD)
    ask(llm_at(double, ledger, key=""))
    assert "Authorization" not in double.requests[0].headers


def test_a_server_without_json_schema_is_asked_a_weaker_way_and_the_ledger_names_it(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    double.answer(
        ScriptedAnswer(status=400, error="This response_format type is unavailable now"), GOOD, GOOD
    )
    llm = llm_at(double, ledger)
    ask(llm)
    ask(llm)
    formats = [body["response_format"]["type"] for body in double.sent(PATH)]
    assert formats == ["json_schema", "json_object", "json_object"]
    assert "obeys this JSON schema" in double.sent(PATH)[1]["messages"][0]["content"]
    assert json.dumps(Pet.model_json_schema()) in double.sent(PATH)[1]["messages"][0]["content"]
    refused, *good = ledger.calls
    assert refused.outcome == "error"
    assert "does not support response_format json_schema" in refused.error
    assert [call.model for call in good] == ["testdouble (json_object)"] * 2


def test_the_weakest_way_is_plain_text_still_checked_against_the_schema(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    unsupported = ScriptedAnswer(status=400, error="'response_format.type' must be 'text'")
    double.answer(unsupported, unsupported, "Oscar!", GOOD)
    assert ask(llm_at(double, ledger)).name == "Oscar"
    assert "response_format" not in double.sent(PATH)[-1]
    assert [call.outcome for call in ledger.calls] == ["error", "error", "invalid_json", "ok"]
    assert ledger.calls[-1].model == "testdouble (text)"


def test_a_weaker_way_is_never_tried_unless_the_server_says_so(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    double.answer(ScriptedAnswer(status=400, error="context length exceeded"), GOOD)
    with pytest.raises(LlmReplyError, match="context length exceeded"):
        ask(llm_at(double, ledger))
    assert len(double.sent(PATH)) == 1


def test_a_model_that_refuses_a_temperature_is_asked_without(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    double.answer(
        ScriptedAnswer(status=400, error="Unsupported value: 'temperature' does not support 0"), GOOD
    )
    ask(llm_at(double, ledger))
    assert "temperature" not in double.sent(PATH)[1]
    assert "does not let temperature be set" in ledger.calls[0].error


# --------------------------------------------------------------------------- pieces


@pytest.mark.parametrize("answer", [GOOD, '{"name": "Zoë\u2028Ана", "legs": 4}'], ids=["ascii", "any"])
def test_an_answer_in_pieces_is_recorded_as_the_same_answer_at_once(
    double: OllamaDouble, ledger: ListLedger, answer: str
) -> None:
    double.answer(answer, ScriptedAnswer(answer, whole=True))
    llm = llm_at(double, ledger)
    assert ask(llm) == ask(llm)
    assert [body["stream"] for body in double.sent(PATH)] == [True, True]
    streamed, whole = (
        (call.completion, call.prompt_tokens, call.completion_tokens, call.model) for call in ledger.calls
    )
    assert streamed == whole
    assert streamed[0] == answer
    assert streamed[1]


def test_a_server_that_does_not_stream_or_count_is_asked_for_whole_answers(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    double.answer(ScriptedAnswer(status=400, error="Unknown parameter: 'stream_options'"), GOOD, GOOD)
    llm = llm_at(double, ledger)
    ask(llm)
    ask(llm)
    assert [body["stream"] for body in double.sent(PATH)] == [True, False, False]
    assert "stream_options" not in double.sent(PATH)[1]
    refused, *good = ledger.calls
    assert "asking for whole answers" in refused.error
    assert all(call.prompt_tokens for call in good)


def test_an_upstream_error_is_no_refusal_to_stream(double: OllamaDouble, ledger: ListLedger) -> None:
    double.answer(ScriptedAnswer(status=400, error="upstream says no"))
    with pytest.raises(LlmReplyError, match="upstream says no"):
        ask(llm_at(double, ledger))


def test_an_answer_that_trickles_in_is_given_up_when_its_time_is_over(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    double.answer(*[ScriptedAnswer("la ", endless=True)] * 3)
    with pytest.raises(LlmUnavailableError, match=r"did not answer within 0\.3 seconds"):
        ask(llm_at(double, ledger, timeout_s=0.3))
    assert double.hung_up.wait(3)


def test_an_error_amid_the_pieces_is_told_as_one_before_them(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    double.answer(*[ScriptedAnswer(GOOD, error="out of memory")] * 3)
    with pytest.raises(LlmUnavailableError, match="answered 500: out of memory"):
        ask(llm_at(double, ledger))


# --------------------------------------------------------------------------- tool calls


class Adopt(BaseModel):
    """Take a pet in."""

    name: str
    legs: int


class Leave(BaseModel):
    """Take no pet in."""


ADOPTED = ScriptedAnswer(calls=(("Adopt", {"name": "Oscar", "legs": 4}),))


def call(llm: CheckedLlm) -> BaseModel:
    return llm.call(
        stage="update", prompt_version="t/v1", system="Choose.", user="Which?", tools=(Adopt, Leave)
    ).data


def test_a_tool_call_is_required_and_comes_back_as_the_tool(double: OllamaDouble, ledger: ListLedger) -> None:
    double.answer(ADOPTED)
    assert call(llm_at(double, ledger)) == Adopt(name="Oscar", legs=4)
    (body,) = double.sent(PATH)
    assert body["tool_choice"] == "required"
    assert [(tool["type"], tool["function"]["name"]) for tool in body["tools"]] == [
        ("function", "Adopt"),
        ("function", "Leave"),
    ]
    assert "response_format" not in body
    (entry,) = ledger.calls
    assert entry.completion == '{"name": "Adopt", "arguments": {"name": "Oscar", "legs": 4}}'
    assert (entry.outcome, entry.model) == ("ok", "testdouble")


def test_a_wrong_call_is_asked_again(double: OllamaDouble, ledger: ListLedger) -> None:
    double.answer(ScriptedAnswer(calls=(("Adopt", {"name": "Oscar"}),)), "Adopt Oscar!", ADOPTED)
    assert call(llm_at(double, ledger)) == Adopt(name="Oscar", legs=4)
    second, third = (body["messages"][-1]["content"] for body in double.sent(PATH)[1:])
    assert "legs: Field required" in second
    assert "it called none of the tools" in third
    assert [entry.outcome for entry in ledger.calls] == ["invalid_json", "invalid_json", "ok"]


def test_a_server_that_cannot_require_a_call_leaves_the_choice_and_the_ledger_says_so(
    double: OllamaDouble, ledger: ListLedger
) -> None:
    refused = ScriptedAnswer(status=400, error="tool_choice 'required' is not supported in thinking mode")
    double.answer(refused, ADOPTED, ADOPTED)
    llm = llm_at(double, ledger)
    call(llm)
    call(llm)
    assert [body["tool_choice"] for body in double.sent(PATH)] == ["required", "auto", "auto"]
    assert "leaving the choice to the model" in ledger.calls[0].error
    assert [entry.model for entry in ledger.calls[1:]] == ["testdouble (tool_choice auto)"] * 2


def test_a_server_without_tools_is_an_error_and_not_asked_another_way(ledger: ListLedger) -> None:
    with OllamaDouble({"testdouble:latest": Model(capabilities=("completion",))}) as double:
        with pytest.raises(LlmReplyError, match="does not support tools"):
            call(llm_at(double, ledger))
        assert len(double.sent(PATH)) == 1


# --------------------------------------------------------------------------- trouble


@pytest.mark.parametrize(
    "trouble",
    [
        ScriptedAnswer(drop="before"),
        ScriptedAnswer(GOOD, drop="within"),
        ScriptedAnswer(GOOD, stop_early=True),
        ScriptedAnswer(garbage=True),
        ScriptedAnswer(status=429, error="Rate limit reached"),
        ScriptedAnswer(status=502, error="Bad gateway"),
    ],
    ids=["dropped", "dropped within", "ended early", "garbage", "429", "502"],
)
def test_passing_trouble_is_asked_again(
    double: OllamaDouble, ledger: ListLedger, trouble: ScriptedAnswer
) -> None:
    double.answer(trouble, trouble, GOOD)
    assert ask(llm_at(double, ledger)).name == "Oscar"
    assert [call.outcome for call in ledger.calls] == ["error", "error", "ok"]


def test_lasting_trouble_is_an_error(double: OllamaDouble, ledger: ListLedger) -> None:
    double.answer(*[ScriptedAnswer(status=502, error="Bad gateway")] * 3)
    with pytest.raises(LlmUnavailableError, match="Bad gateway"):
        ask(llm_at(double, ledger))


def test_an_answer_the_server_cut_off_is_an_error(double: OllamaDouble, ledger: ListLedger) -> None:
    double.answer("la " * 8000)
    with pytest.raises(LlmReplyError, match=r"cut off after [0-9,]+ tokens, before its end") as cut:
        ask(llm_at(double, ledger))
    assert "room" not in cut.value.cause, "this server was given none"
    assert [call.outcome for call in ledger.calls] == ["truncated"]


@pytest.mark.parametrize(
    "said",
    [
        "exceed_context_size_error: request (9031 tokens) exceeds the available context size",
        "This model's maximum context length is 4096 tokens.",
    ],
)
def test_a_request_that_does_not_fit_the_context_says_what_to_do(
    double: OllamaDouble, ledger: ListLedger, said: str
) -> None:
    double.answer(ScriptedAnswer(status=400, error=said))
    with pytest.raises(LlmReplyError, match="context") as refused:
        ask(llm_at(double, ledger))
    assert "lower buffer_tokens" in refused.value.fix
    assert len(ledger.calls) == 1, "asking again would not help"


def test_an_unknown_model_names_the_setting(double: OllamaDouble, ledger: ListLedger) -> None:
    llm = openai_llm("gpt-99", f"{double.host}/v1", "", ledger, "run_1", pause_s=0)
    with pytest.raises(LlmUnavailableError, match="gpt-99"):
        ask(llm)


def test_a_server_that_is_down_is_a_clear_error(ledger: ListLedger) -> None:
    llm = openai_llm("gpt-4o-mini", f"{nobody()}/v1", "", ledger, "run_1", pause_s=0)
    with pytest.raises(LlmUnavailableError, match="No server answers"):
        ask(llm)
    assert [call.outcome for call in ledger.calls] == ["error"]


# --------------------------------------------------------------------------- probing


def nobody() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def test_the_probe_says_how_to_start_ollama() -> None:
    probe = probe_ollama(nobody(), "qwen3:8b")
    assert (probe.usable, probe.reachable) == (False, False)
    assert "`ollama serve`" in probe.fix


def test_the_probe_says_which_model_to_pull_and_what_is_there(double: OllamaDouble) -> None:
    probe = probe_ollama(double.host, "qwen3:8b")
    assert (probe.usable, probe.reachable, probe.version) == (False, True, "0.0.0-testdouble")
    assert probe.models == ("testdouble:latest",)
    assert "`ollama pull qwen3:8b`" in probe.fix


def test_the_probe_knows_that_a_name_without_a_tag_means_latest(double: OllamaDouble) -> None:
    assert probe_ollama(double.host, "testdouble").usable


def test_the_probe_tells_another_server_from_ollama(double: OllamaDouble) -> None:
    probe = probe_ollama(f"{double.host}/elsewhere", "qwen3:8b")
    assert not probe.reachable
    assert "does not answer like an Ollama server" in probe.problem


def test_the_probe_of_an_openai_compatible_server_finds_the_model_or_says_what_is_wrong(
    double: OllamaDouble,
) -> None:
    assert probe_openai(f"{double.host}/v1", "", "testdouble:latest").usable
    assert "gpt-99" in probe_openai(f"{double.host}/v1", "", "gpt-99").problem
    assert "/v1" in probe_openai(double.host, "", "gpt-99").fix
    assert not probe_openai(f"{nobody()}/v1", "", "gpt-99").reachable
