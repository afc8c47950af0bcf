"""Turns that programs tell over REST and MCP, and the client of the documentation."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from memcore import open_memory
from memcore.domain.errors import ConflictError, UsageError
from memcore.memory import Memory
from memcore.server.holder import Holder
from memcore.server.lending import Lent
from memcore.server.listening import Listening
from memcore.server.mcp_server import make_server
from memcore.server.mcp_tools import MemoryTools, ToldTurn
from tests.pipeline import FakeBackends
from tests.server.holding import ROOT, HoldingProcess
from tests.server.talking import talking

CLIENT = re.search(
    r"```python\n(.*?)```", (ROOT / "docs" / "serving.md").read_text(encoding="utf-8"), re.DOTALL
)
WORDS = " ".join(f"and{number}" for number in range(60))


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("MEMSCOPE_LLM", "MEMSCOPE_STORE", "OLLAMA_HOST"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "settings.json").write_text('{"buffer_tokens": 64, "sensory_tokens": 64}')
    return tmp_path / "store"


def turn(number: int, text: str = "likes tea.") -> dict[str, Any]:
    return {"id": str(number), "speaker": "Ann", "text": text, "said_at": f"2024-05-06T09:{number:02}:07"}


def tell(holder: Holder, *turns: dict[str, Any]) -> Any:
    return holder.ask("POST", "/v1/messages", {"conversation": "kitchen", "messages": turns, "client": "bot"})


def until(there: Callable[[], Any]) -> Any:
    """What is there at last."""
    end = time.monotonic() + 120
    while not (found := there()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found


def test_turns_are_evidence_at_once_and_remembered_when_the_buffer_is_full(
    holder: Holder, holding: HoldingProcess, directory: Path
) -> None:
    assert tell(holder, turn(0), turn(1))["new"] == 2
    assert tell(holder, turn(1), turn(2)) == {"new": 1, "known": 1} | {
        "meaning": tell(holder, turn(2))["meaning"]
    }
    asked = {"query": "likes thing7", "k": 50}
    assert all(one["kind"] == "message" for one in holder.ask("POST", "/v1/search", asked)["results"])

    for number in range(3, 12):
        tell(holder, turn(number, f"likes thing{number} {WORDS}."))

    def remembered() -> list[str]:
        found = holder.ask("POST", "/v1/search", asked)["results"]
        return [one["text"] for one in found if one["kind"] == "memory" and "thing7" in one["text"]]

    assert until(remembered)[0].startswith("Ann likes thing7")
    holding.let_go(directory)
    with open_memory(directory, backends=FakeBackends) as memory:
        (session,) = memory.store.sessions(owner="me")
        kept = memory.store.messages(session.id)
        assert [m.position for m in kept] == list(range(12))
        assert f"{kept[3].said_at}" == "2024-05-06 09:03:07"
        memory.resume()
        assert memory.memories.count("me") == 12
        assert not [finding for finding in memory.doctor().checks if finding.state == "fail"]
    holding.hold(directory)


@pytest.mark.parametrize(
    ("messages", "error"),
    [
        ([], UsageError),
        ([{"id": "1", "speaker": "", "text": "x"}], UsageError),
        ([{"id": "1", "speaker": "Ann", "text": "x", "role": "admin"}], UsageError),
        ([{"id": "1", "speaker": "Ann", "text": "x", "said_at": "someday"}], UsageError),
        ([{"id": "1", "speaker": "Ann", "text": "x", "secret": 1}], UsageError),
        ([turn(0), turn(0, "likes coffee.")], ConflictError),
    ],
)
def test_what_is_wrong_with_turns_is_said_and_none_is_kept(
    holder: Holder, messages: list[dict[str, Any]], error: type[Exception]
) -> None:
    with pytest.raises(error):
        tell(holder, *messages)
    assert tell(holder, turn(0))["new"] == 1


def test_over_mcp_an_agent_logs_turns_under_its_name(memory: Memory) -> None:
    listening = Listening(Lent(memory))

    async def script() -> Any:
        async with Client(make_server(MemoryTools(Lent(memory), "me", None, listening))) as client:
            turns = [{"id": "1", "speaker": "Ann", "text": "likes tea."}]
            first = await client.call_tool("log", {"conversation": "kitchen", "turns": turns})
            again = await client.call_tool("log", {"conversation": "kitchen", "turns": turns})
            wrong = await client.call_tool("log", {"conversation": "", "turns": turns})
            return first, again, wrong

    first, again, wrong = talking(script)
    listening.close()

    assert (first.structured_content["new"], again.structured_content["known"]) == (1, 1)
    assert wrong.is_error
    (session,) = memory.store.sessions(owner="me")
    assert "told by mcp" in memory.store.messages(session.id)[0].raw_ref.where


def test_what_kept_turns_from_being_read_is_said_with_the_next_ones(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    listening = Listening(Lent(memory))
    tools = MemoryTools(Lent(memory), "me", None, listening)

    def meaning() -> str:
        return tools.log("kitchen", [ToldTurn("1", "Ann", "likes tea.")], client="bot").meaning

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("private words")

    with monkeypatch.context() as patch:
        patch.setattr(Memory, "read_on", broken)
        said = until(lambda: said if (said := meaning()).startswith("Not read yet") else "")
    assert "RuntimeError" in said
    assert "private" not in said
    until(lambda: not meaning().startswith("Not read yet"))
    listening.close()


def test_the_client_of_the_documentation_tells_turns_twice_and_finds_them(
    holder: Holder, directory: Path, tmp_path: Path
) -> None:
    assert CLIENT is not None
    script = tmp_path / "client.py"
    script.write_text(CLIENT[1])
    assert len([line for line in CLIENT[1].splitlines() if line.strip()]) <= 30
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-I", str(script), str(directory)], capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.splitlines()[0])
    assert said[0].startswith("2 new, 0 known")
    assert said[1].startswith("0 new, 2 known")
