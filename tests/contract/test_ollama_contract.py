"""The wire protocol we rely on, through the unmodified `ollama` client and a real socket.

Every test runs against the in-repo double, and again, marked `ollama_live`, against the server that
OLLAMA_HOST names. What the double claims about Ollama is what the live run checks.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import ollama
import pytest
from pydantic import BaseModel

from memcore.llm.ollama import prompt_was_cut
from memcore.llm.probe import probe_ollama
from tests.contract.ollama_double import VERSION, Model, OllamaDouble
from tests.fakes import ListLedger
from tests.llm.live import ollama_llm


@dataclass(frozen=True)
class Server:
    host: str
    model: str
    live: bool

    @property
    def client(self) -> ollama.Client:
        return ollama.Client(self.host, timeout=300, trust_env=False)


@pytest.fixture(params=["double", pytest.param("live", marks=pytest.mark.ollama_live)])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    if request.param == "double":
        with OllamaDouble() as double:
            yield Server(double.host, "testdouble", live=False)
        return
    host = os.environ.get("OLLAMA_HOST")
    if not host:
        pytest.skip("OLLAMA_HOST is not set: no real Ollama server to run against")
    url = host if "://" in host else f"http://{host}"
    model = os.environ.get("MEMSCOPE_OLLAMA_MODEL")
    if not model:
        listed = ollama.Client(url).list().models
        if not listed:
            pytest.skip(f"the Ollama server at {url} has no model; set MEMSCOPE_OLLAMA_MODEL and pull it")
        model = str(listed[0].model)
    yield Server(url, model, live=True)


class Place(BaseModel):
    city: str
    population: int


QUESTION = [{"role": "user", "content": "Name a large city and its population. Answer in JSON."}]


def test_the_server_states_its_version_and_the_double_never_passes_for_a_real_one(server: Server) -> None:
    version = httpx.get(f"{server.host}/api/version").json()["version"]
    assert (version == VERSION) is not server.live


def test_installed_models_are_listed_with_their_tag(server: Server) -> None:
    names = [model.model for model in server.client.list().models]
    assert any(name in (server.model, f"{server.model}:latest") for name in names)


def test_show_tells_the_context_length_and_capabilities(server: Server) -> None:
    shown = server.client.show(server.model)
    lengths = [v for k, v in (shown.modelinfo or {}).items() if k.endswith(".context_length")]
    assert len(lengths) == 1
    assert lengths[0] >= 512
    assert "completion" in (shown.capabilities or [])


def test_an_unknown_model_is_a_404_in_ollamas_own_words(server: Server) -> None:
    with pytest.raises(ollama.ResponseError) as raised:
        server.client.chat("no-such-model-here", QUESTION)
    assert raised.value.status_code == 404
    assert raised.value.error == "model 'no-such-model-here' not found"


def test_format_makes_the_whole_answer_an_instance_of_the_schema(server: Server) -> None:
    reply = server.client.chat(
        server.model,
        QUESTION,
        format=Place.model_json_schema(),
        options={"temperature": 0, "num_predict": 200},
    )
    Place.model_validate_json(reply.message.content or "")
    assert reply.done
    assert reply.done_reason == "stop"


def test_a_stream_adds_up_to_an_answer_and_ends_with_the_counts(server: Server) -> None:
    parts = list(
        server.client.chat(
            server.model,
            QUESTION,
            stream=True,
            format=Place.model_json_schema(),
            options={"temperature": 0, "num_predict": 200},
        )
    )
    Place.model_validate_json("".join(part.message.content or "" for part in parts))
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]
    assert (parts[-1].prompt_eval_count or 0) > 0
    assert (parts[-1].eval_count or 0) > 0
    assert all(part.prompt_eval_count is None for part in parts[:-1])


def test_an_answer_longer_than_its_room_ends_with_reason_length(server: Server) -> None:
    reply = server.client.chat(
        server.model,
        [{"role": "user", "content": "Count from one to one hundred in words."}],
        options={"temperature": 0, "num_predict": 2},
    )
    assert reply.done_reason == "length"
    assert reply.eval_count == 2


def test_a_prompt_longer_than_num_ctx_is_cut_without_a_word_and_only_the_count_shows_it(
    server: Server,
) -> None:
    words = 6000
    text = " ".join(f"item{n}" for n in range(words))
    reply = server.client.chat(
        server.model, [{"role": "user", "content": text}], options={"num_ctx": 2048, "num_predict": 4}
    )
    assert reply.done, "the server answers as if nothing had happened"
    assert (reply.prompt_eval_count or 0) <= 2048
    assert prompt_was_cut(reply.prompt_eval_count, 2048, least=words, most=len(text))


def test_a_prompt_that_fits_is_not_taken_for_cut(server: Server) -> None:
    text = "Say yes. " * 50
    reply = server.client.chat(
        server.model, [{"role": "user", "content": text}], options={"num_ctx": 2048, "num_predict": 4}
    )
    assert not prompt_was_cut(reply.prompt_eval_count, 2048, least=100, most=len(text) + 256)


def test_the_loaded_model_is_listed_as_running_with_the_context_it_was_given(server: Server) -> None:
    server.client.chat(server.model, QUESTION, options={"num_ctx": 2048, "num_predict": 4})
    running = {model.model: model.context_length for model in server.client.ps().models}
    assert 2048 in running.values()


TOOL = {
    "type": "function",
    "function": {
        "name": "note_city",
        "description": "Write down a large city. Always call this.",
        "parameters": Place.model_json_schema(),
    },
}


def able_to_call_tools(server: Server) -> None:
    if "tools" not in (server.client.show(server.model).capabilities or []):
        pytest.skip(f"{server.model} cannot call tools")


def test_a_tool_call_arrives_within_the_stream_as_name_and_arguments(server: Server) -> None:
    able_to_call_tools(server)
    parts = list(server.client.chat(server.model, QUESTION, tools=[TOOL], stream=True))
    calls = [call.function for part in parts for call in part.message.tool_calls or ()]
    assert [call.name for call in calls] == ["note_city"]
    assert set(calls[0].arguments) == {"city", "population"}
    assert parts[-1].done
    assert (parts[-1].prompt_eval_count or 0) > 0


def test_our_backend_gets_a_checked_tool_call(server: Server) -> None:
    able_to_call_tools(server)
    llm = ollama_llm(server.model, server.host, ListLedger(), "run_1", timeout_s=300)
    reply = llm.call(
        stage="update",
        prompt_version="test/v1",
        system="You keep a list of cities. Always call the tool.",
        user="Note a large city and its population.",
        tools=(Place,),
    )
    assert isinstance(reply.data, Place)


def test_a_model_without_tools_is_refused_with_400_in_ollamas_own_words() -> None:
    with OllamaDouble({"plain:1b": Model(capabilities=("completion",))}) as double:
        client = ollama.Client(double.host, trust_env=False)
        with pytest.raises(ollama.ResponseError) as raised:
            client.chat("plain:1b", QUESTION, tools=[TOOL])
    assert raised.value.status_code == 400
    assert raised.value.error == "registry.ollama.ai/library/plain:1b does not support tools"


def test_embed_gives_one_unit_vector_a_text(server: Server) -> None:
    try:
        reply = server.client.embed(server.model, ["a dog", "a cat"])
    except ollama.ResponseError as error:
        if server.live and "embed" in error.error:
            pytest.skip(f"{server.model} gives no embeddings: {error.error}")
        raise
    assert len(reply.embeddings) == 2
    assert len({len(vector) for vector in reply.embeddings}) == 1
    for vector in reply.embeddings:
        assert sum(x * x for x in vector) == pytest.approx(1, abs=1e-3)


def test_our_backend_gets_a_checked_answer_and_records_the_servers_own_counts(server: Server) -> None:
    ledger = ListLedger()
    llm = ollama_llm(server.model, server.host, ledger, "run_1", timeout_s=300)
    reply = llm.ask(
        stage="add_memory",
        prompt_version="test/v1",
        system="Answer in JSON.",
        user="Name a large city and its population.",
        schema=Place,
    )
    assert isinstance(reply.data, Place)
    assert json.loads(reply.text) == reply.data.model_dump()
    (call,) = ledger.calls
    assert (call.outcome, call.model, call.run_id) == ("ok", server.model, "run_1")
    assert call.prompt_tokens == reply.prompt_tokens
    assert call.prompt_tokens
    assert call.completion_tokens == reply.completion_tokens
    assert call.completion_tokens


def test_the_probe_finds_the_server_and_the_model(server: Server) -> None:
    probe = probe_ollama(server.host, server.model)
    assert probe.usable
    assert probe.version
    assert probe.problem == ""
