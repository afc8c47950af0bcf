"""`python -m memcore mcp` as assistants start it: a process, its stdin and stdout; and a store that others
want, too."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from memcore import open_memory
from memcore.domain.models import LogRead
from memcore.server.mcp_store import LentStore
from tests import pipeline
from tests.pipeline import FakeBackends, log
from tests.server.talking import talking

ROOT = Path(__file__).parents[2]
WITH_FAKES = """
import sys
from memcore.cli import main
from tests.pipeline import FakeBackends

sys.exit(main(sys.argv[1:], FakeBackends))
"""
"""The command line, working with fakes instead of models."""
HOLD = (
    "import sys, pathlib; from memcore.store import open_store;"
    f"store = open_store(pathlib.Path(sys.argv[1]), embedding_model={pipeline.EMBEDDER.model_id!r},"
    f" dimension={pipeline.EMBEDDER.dimension}); print('open', flush=True); sys.stdin.read()"
)
"""Opens the store and holds it until stdin ends."""
MOVES = log(["lives in New York.", "likes tea."])


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("MEMSCOPE_LLM", "MEMSCOPE_STORE", "OLLAMA_HOST"):
        monkeypatch.delenv(variable, raising=False)
    with open_memory(tmp_path / "store", backends=FakeBackends) as memory:
        memory.ingest(LogRead((MOVES,)))
    return tmp_path / "store"


@contextmanager
def held_by_another_process(directory: Path) -> Iterator[int]:
    """Its process id."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        yield holder.pid
    finally:
        holder.communicate("")


def talk(
    directory: Path, script: Callable[[Client], Any], *, run: tuple[str, ...] = ("-c", WITH_FAKES)
) -> Any:
    """What `script` makes of a connection to the server on a store."""
    server = StdioServerParameters(
        command=sys.executable,
        args=[*run, "mcp", "--store", str(directory)],
        cwd=ROOT,
        env={"OMP_NUM_THREADS": "1"},
    )

    async def main() -> Any:
        async with Client(server, read_timeout_seconds=300) as client:
            return await script(client)

    return talking(main)


def text_of(result: Any) -> str:
    return str(result.content[0].text)


def test_a_client_of_the_sdk_searches_asks_adds_and_lists_over_stdio(directory: Path) -> None:
    async def script(client: Client) -> Any:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        found = await client.call_tool("search", {"query": "Where does Ann live?", "k": 1})
        context = await client.call_tool("ask", {"query": "Where does Ann live?"})
        added = await client.call_tool("add", {"text": "Ben plays the cello"})
        waiting = await client.call_tool("list_proposals", {})
        return tools, found, context, added, waiting

    tools, found, context, added, waiting = talk(directory, script)

    assert sorted(tools) == ["add", "ask", "list_proposals", "log", "search"]
    assert found.structured_content["results"][0]["text"] == "Ann lives in New York"
    assert "Ann lives in New York" in context.structured_content["context"]
    (proposal,) = waiting.structured_content["proposals"]
    assert proposal["id"] == added.structured_content["proposal"]
    with open_memory(directory, backends=FakeBackends) as memory:
        assert [p.after for p in memory.review.proposals()] == ["Ben plays the cello"]


def test_stdout_carries_the_protocol_alone_and_ends_with_stdin(directory: Path) -> None:
    asked = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "by hand", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "search", "arguments": {"query": "tea", "k": -1}},
        },
    ]
    server = subprocess.Popen(
        [sys.executable, "-c", WITH_FAKES, "mcp", "--store", str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write("".join(json.dumps(message) + "\n" for message in asked))
    server.stdin.flush()
    lines = [json.loads(server.stdout.readline()) for _ in range(2)]
    rest, _ = server.communicate()

    assert {line["id"]: line["jsonrpc"] for line in lines} == {1: "2.0", 2: "2.0"}
    assert lines[1]["result"]["isError"]
    assert rest == ""
    assert server.returncode == 0


def test_a_store_another_process_holds_is_named_with_that_process_and_used_when_it_is_free(
    directory: Path,
) -> None:
    async def script(client: Client) -> Any:
        with held_by_another_process(directory) as pid:
            refused = await client.call_tool("search", {"query": "tea"})
            listed = await client.list_tools()
        return pid, refused, listed, await client.call_tool("search", {"query": "tea"})

    pid, refused, listed, found = talk(directory, script)

    assert refused.is_error
    assert f"is open in process {pid}" in text_of(refused)
    assert "Close that Memscope window" in text_of(refused)
    assert listed.tools
    assert not found.is_error


def test_the_server_starts_without_a_store_and_makes_none(tmp_path: Path) -> None:
    async def script(client: Client) -> Any:
        return await client.call_tool("search", {"query": "tea"})

    refused = talk(tmp_path / "none", script)

    assert refused.is_error
    assert "There is no store in" in text_of(refused)
    assert not (tmp_path / "none").exists()


@pytest.mark.models
@pytest.mark.slow
def test_the_embedded_encoder_finds_by_meaning_what_was_added_and_approved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("MEMSCOPE_LLM", "MEMSCOPE_STORE", "OLLAMA_HOST"):
        monkeypatch.delenv(variable, raising=False)
    with open_memory(tmp_path):
        pass

    async def add(client: Client) -> Any:
        return await client.call_tool("add", {"text": "Nora has a golden retriever called Biscuit"})

    async def search(client: Client) -> Any:
        return await client.call_tool("search", {"query": "What pet does Nora own?"})

    run = ("-m", "memcore")
    added = talk(tmp_path, add, run=run).structured_content
    assert talk(tmp_path, search, run=run).structured_content["results"] == []
    with open_memory(tmp_path) as memory:
        memory.approve([added["proposal"]])
    (found,) = talk(tmp_path, search, run=run).structured_content["results"]
    assert found["text"] == "Nora has a golden retriever called Biscuit"


# ---------------------------------------------------------------- one store, several processes


def test_an_idle_store_is_handed_to_the_process_that_asks_for_it(directory: Path) -> None:
    lent = LentStore(lambda: open_memory(directory, backends=FakeBackends), directory, keep=3600)
    with lent.memory() as memory:
        assert memory.evidence.stats()
    assert lent.held

    with held_by_another_process(directory):
        assert not lent.held

    with lent.memory() as memory:
        assert memory.evidence.stats()
    lent.close()


def test_two_servers_take_turns_on_one_store(directory: Path) -> None:
    async def script(client: Client) -> Any:
        found = []
        async with Client(
            StdioServerParameters(
                command=sys.executable, args=["-c", WITH_FAKES, "mcp", "--store", str(directory)], cwd=ROOT
            ),
            read_timeout_seconds=300,
        ) as other:
            for one in (client, other, client, other):
                found.append(await one.call_tool("search", {"query": "tea"}))
        return found

    assert [result.is_error for result in talk(directory, script)] == [False] * 4


def test_a_store_in_use_is_not_handed_over(directory: Path) -> None:
    lent = LentStore(lambda: open_memory(directory, backends=FakeBackends), directory, keep=0.0)
    with lent.memory() as memory:
        asking = subprocess.run(
            [sys.executable, "-c", HOLD, str(directory)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
        assert "StoreBusyError" in asking.stderr
        assert memory.evidence.stats()
    lent.close()


def test_a_store_nobody_calls_is_given_up_after_a_while(directory: Path) -> None:
    lent = LentStore(lambda: open_memory(directory, backends=FakeBackends), directory, keep=0.0)
    with lent.memory():
        pass
    until = time.monotonic() + 120
    while lent.held and time.monotonic() < until:
        time.sleep(0.01)
    with held_by_another_process(directory):
        assert not lent.held


def test_what_opening_raises_reaches_the_caller_and_the_next_call_tries_again(directory: Path) -> None:
    opening = iter([RuntimeError("once"), None])

    def open_it() -> Any:
        if error := next(opening):
            raise error
        return open_memory(directory, backends=FakeBackends)

    lent = LentStore(open_it, directory)
    with pytest.raises(RuntimeError, match="once"), lent.memory():
        pass
    assert not lent.held
    with lent.memory() as memory:
        assert memory.evidence.stats()
    lent.close()
    lent.close()
