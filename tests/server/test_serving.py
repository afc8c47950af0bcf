"""A store that its holder serves: who may ask, what is answered, and what is left when the holder dies."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from memcore import open_memory
from memcore.cli import main, sharing
from memcore.domain.errors import NotFoundError, UsageError
from memcore.domain.models import LogRead
from memcore.server import served as left
from memcore.server.holder import Holder, find_holder
from memcore.server.served import Served, proof
from tests.pipeline import FakeBackends, log
from tests.server.holding import ROOT, HoldingProcess
from tests.server.talking import talking
from tests.server.test_mcp_stdio import talk

MOVES = log(["lives in New York.", "likes tea."])
SEARCH = {"query": "Where does Ann live?", "k": 1}


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("MEMSCOPE_LLM", "MEMSCOPE_STORE", "OLLAMA_HOST"):
        monkeypatch.delenv(variable, raising=False)
    with open_memory(tmp_path / "store", backends=FakeBackends) as memory:
        memory.ingest(LogRead((MOVES,)))
    return tmp_path / "store"


def answer(holder: Holder, path: str, **headers: str) -> tuple[int, dict[str, Any]]:
    """The status and answer of a search that is sent with other headers than it should be."""
    sent = {"Authorization": f"Bearer {holder.served.token}", "Content-Type": "application/json"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = HTTPConnection("127.0.0.1", holder.served.port)
    connection.request("POST", path, json.dumps(SEARCH), {k: v for k, v in sent.items() if v})
    got = connection.getresponse()
    said = got.read()
    connection.close()
    return got.status, json.loads(said) if said.startswith(b"{") else {}


# ---------------------------------------------------------------- who may ask


def test_the_token_lies_in_the_store_readable_by_its_owner_alone(holder: Holder, directory: Path) -> None:
    file = directory / "served.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert json.loads(file.read_text())["token"] == holder.served.token
    assert len(holder.served.token) == 64


@pytest.mark.parametrize("path", ["/v1/search", "/v1/commands", "/mcp", "/anything"])
@pytest.mark.parametrize("token", ["", "Bearer wrong", "Basic dXNlcjpwYXNz"])
def test_a_wrong_token_is_refused(holder: Holder, path: str, token: str) -> None:
    status, said = answer(holder, path, Authorization=token)
    assert status == 401
    assert "served.json" in said["fix"]


@pytest.mark.parametrize("path", ["/v1/search", "/v1/commands", "/mcp", "/docs", "/v1/holder?nonce=1"])
@pytest.mark.parametrize(
    "foreign",
    [
        {"Host": "memory.example:80"},
        {"Host": "127.0.0.1"},
        {"Origin": "https://example.com"},
        {"Origin": "null"},
    ],
)
def test_a_foreign_host_or_origin_is_refused_even_with_the_token(
    holder: Holder, path: str, foreign: dict[str, str]
) -> None:
    assert answer(holder, path, **foreign)[0] == 403


def test_a_page_of_its_own_may_ask(holder: Holder) -> None:
    status, said = answer(holder, "/v1/search", Origin=holder.served.address)
    assert (status, said["results"][0]["text"]) == (200, "Ann lives in New York")


def test_a_program_that_took_the_port_is_sent_no_token(tmp_path: Path) -> None:
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as impostor:

        def listen() -> None:
            connection, _ = impostor.accept()
            with connection:
                heard.append(connection.recv(10_000))
                said = json.dumps({"proof": "0" * 64}).encode()
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(said), said))

        listening = threading.Thread(target=listen)
        listening.start()
        token = "a" * 64
        address = f"http://127.0.0.1:{impostor.getsockname()[1]}"
        left.leave(tmp_path, Served(address, token, process=1))
        assert find_holder(tmp_path) is None
        listening.join()
    assert token.encode() not in heard[0]
    assert b"/v1/holder?nonce=" in heard[0]


@pytest.mark.parametrize(
    "written",
    [
        "",
        "[]",
        "{}",
        '{"address": 3, "token": "a", "process": 1}',
        '{"address": "http://example.com:80", "token": "a", "process": 1}',
        '{"address": "http://127.0.0.1:80@example.com:80", "token": "a", "process": 1}',
        '{"address": "http://127.0.0.1:80", "token": "a\\r\\nX: y", "process": 1}',
        '{"address": "http://127.0.0.1:80", "token": "a", "process": 1, "workbench": "javascript:alert(1)"}',
        '{"address": "http://127.0.0.1:80", "token": "a", "process": "1"}',
    ],
)
def test_what_is_no_address_of_this_machine_is_not_asked(tmp_path: Path, written: str) -> None:
    (tmp_path / "served.json").write_text(written)
    assert left.found(tmp_path) is None
    assert find_holder(tmp_path) is None


def test_the_holder_proves_that_it_knows_the_token(holder: Holder) -> None:
    said = holder.ask("GET", "/v1/holder", nonce="once")
    assert said == {"proof": proof(holder.served.token, "once")}


# ---------------------------------------------------------------- what is answered


def test_rest_searches_asks_proposes_and_shows(holder: Holder) -> None:
    (found,) = holder.ask("POST", "/v1/search", SEARCH)["results"]
    assert (found["text"], found["sources"][0]["quote"]) == ("Ann lives in New York", "lives in New York.")
    assert (
        "Ann lives in New York" in holder.ask("POST", "/v1/ask", {"query": "Where does Ann live?"})["context"]
    )
    added = holder.ask("POST", "/v1/proposals", {"text": "Ben plays the cello", "client": "notes 1"})
    assert added["state"] == "pending"
    (waiting,) = holder.ask("GET", "/v1/proposals")["proposals"]
    assert (waiting["id"], waiting["after"]) == (added["proposal"], "Ben plays the cello")
    assert "notes 1" in waiting["made_by"]
    assert holder.ask("GET", f"/v1/proposals/{waiting['id']}")["proposal"] == waiting
    assert holder.ask("GET", f"/v1/memories/{found['id']}")["text"] == found["text"]
    assert holder.ask("POST", "/v1/search", SEARCH | {"owner": "nobody"})["results"] == []


@pytest.mark.parametrize(
    ("method", "path", "body", "error"),
    [
        ("GET", "/v1/memories/none", None, NotFoundError),
        ("POST", "/v1/search", {"query": "tea", "k": 0}, UsageError),
        ("POST", "/v1/search", {"query": "tea", "kk": 1}, UsageError),
        ("POST", "/v1/search", {"k": 1}, UsageError),
        ("POST", "/v1/search", {"query": "tea", "as_of": "someday"}, UsageError),
        ("GET", "/v1/proposals?state=none", None, UsageError),
    ],
)
def test_what_is_wrong_is_told_with_its_fix(
    holder: Holder, method: str, path: str, body: dict[str, Any] | None, error: type[Exception]
) -> None:
    with pytest.raises(error) as raised:
        holder.ask(method, path, body)
    assert raised.value.fix  # type: ignore[attr-defined]


def test_the_interface_is_described_without_anything_from_the_internet(holder: Holder) -> None:
    page = httpx2.get(f"{holder.served.address}/docs").text
    described = httpx2.get(f"{holder.served.address}/openapi.json").json()
    asked = [one.split('"')[0] for one in page.split('src="')[1:] + page.split('href="')[1:]]
    assert len(asked) >= 3
    for address in asked:
        assert address.startswith(f"{holder.served.address}/swagger/")
        assert httpx2.get(address).status_code == 200
    search = described["paths"]["/v1/search"]["post"]
    assert search["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].endswith(
        "SearchAnswer"
    )
    assert described["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def test_an_unmodified_client_speaks_mcp_over_http(holder: Holder) -> None:
    async def script() -> Any:
        headers = {"Authorization": f"Bearer {holder.served.token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=300) as http,
            Client(streamable_http_client(f"{holder.served.address}/mcp", http_client=http)) as client,
        ):
            tools = [tool.name for tool in (await client.list_tools()).tools]
            found = await client.call_tool("search", {"query": "Where does Ann live?", "k": 1})
            added = await client.call_tool("add", {"text": "Ben plays the cello"})
            waiting = await client.call_tool("list_proposals", {})
            return tools, found, added, waiting

    tools, found, added, waiting = talking(script)

    assert {"search", "ask", "add", "list_proposals"} <= set(tools)
    assert found.structured_content["results"][0]["text"] == "Ann lives in New York"
    (proposal,) = waiting.structured_content["proposals"]
    assert proposal["id"] == added.structured_content["proposal"]


def test_a_client_over_stdio_gets_the_same_whether_the_store_is_free_or_held(
    directory: Path, holding: HoldingProcess
) -> None:
    async def script(client: Client) -> Any:
        said = [
            await client.call_tool("search", {"query": "Where does Ann live?", "k": 1}),
            await client.call_tool("search", {"query": "tea", "k": 0}),
            await client.call_tool("ask", {"query": "Where does Ann live?"}),
            await client.call_tool("add", {"text": "Ben plays the cello"}),
            await client.call_tool("list_proposals", {"state": "pending"}),
        ]
        known = said[0].structured_content["results"][0]["id"]
        read = await client.read_resource(f"memscope://memory/{known}")
        return [(one.is_error, one.structured_content or one.content[0].text) for one in said], read.contents

    holding.hold(directory)
    held, its_memory = talk(directory, script)
    holding.let_go(directory)
    free, same_memory = talk(directory, script)  # proposing the same again changes nothing

    assert held == free
    assert its_memory == same_memory


# ---------------------------------------------------------------- a command that holds the store serves it


LONG = """
import sys, time
from pathlib import Path
from memcore.cli import main
from memcore.evaluation import evaluating
from memcore.memory import Memory
from tests.pipeline import FakeBackends

begun, end, *words = sys.argv[1:]

def after_a_while(work):
    def long(*args, **options):
        if not Path(begun).exists():
            Path(begun).touch()
            while not Path(end).exists():
                time.sleep(0.05)
            assert {"fastapi", "uvicorn"} <= set(sys.modules), "it was asked and served"
        return work(*args, **options)
    return long

Memory.ground = after_a_while(Memory.ground)
evaluating.evaluate_retrieval = after_a_while(evaluating.evaluate_retrieval)
sys.exit(main(words, FakeBackends))
"""
QUESTIONS = str(ROOT / "sample_data" / "questions.json")


@pytest.mark.parametrize(
    ("long_one", "other"),
    [
        (("ground", "--store", "store"), ("search", "tea", "--store", "store")),
        (("evaluate", "retrieval", QUESTIONS, "--dataset", "locomo", "--limit", "1", "--cache", "cache"),)
        * 2,
    ],
    ids=["ground", "evaluate"],
)
def test_a_long_command_serves_its_store_once_another_wants_it(
    directory: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    long_one: tuple[str, ...],
    other: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sharing, "PATIENCE_SECONDS", 300.0)
    begun, end = tmp_path / "begun", tmp_path / "end"
    long = subprocess.Popen(
        [sys.executable, "-c", LONG, str(begun), str(end), *long_one],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        while not begun.exists():
            assert long.poll() is None
            time.sleep(0.05)
        assert main(other, FakeBackends) == 0
    finally:
        end.touch()
        its, _ = long.communicate()
    said = capsys.readouterr().out
    assert long.returncode == 0
    assert said
    if long_one == other:
        assert without_times(said) == without_times(its)
    assert not list(tmp_path.rglob("served.json"))


def without_times(said: str) -> str:
    return "\n".join(line for line in said.splitlines() if "search takes" not in line and "built" not in line)


def test_what_would_wait_for_the_holders_own_input_is_not_run_for_others(holder: Holder) -> None:
    for word in ("mcp", "serve"):
        with pytest.raises(UsageError):
            list(holder.lines("/v1/commands", {"arguments": [word], "directory": "/"}))


def test_who_works_alone_loads_no_server(directory: Path) -> None:
    script = f"""
import sys
from memcore.cli import main
from tests.pipeline import FakeBackends

assert main(["search", "tea", "--store", {str(directory)!r}], FakeBackends) == 0
assert main(["ground", "--store", {str(directory)!r}], FakeBackends) == 0
loaded = {{"fastapi", "uvicorn", "starlette", "mcp", "fastapi_swagger"}} & set(sys.modules)
assert not loaded, loaded
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------- serve, and its end


SERVE = """
import signal
import sys
from memcore.cli import main
from tests.pipeline import FakeBackends

signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background ignores it
sys.exit(main(["serve", *sys.argv[1:]], FakeBackends))
"""
GIVEN_TO_ANOTHER_THREAD = """
import signal
import threading
import time

threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # and in threads started from here
"""


def serve(directory: Path, *options: str, first: str = "") -> tuple[subprocess.Popen[str], str]:
    """`memcore serve` once it serves, and what it said. `first`: what the process does before."""
    serving = subprocess.Popen(
        [sys.executable, "-c", first + SERVE, "--store", str(directory), *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert serving.stdout is not None
    return serving, serving.stdout.readline()


def test_serve_makes_a_store_says_where_and_ends_with_ctrl_c(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "new"
    serving, said = serve(directory, "--owner", "ann")
    holder = find_holder(directory)
    assert holder is not None
    assert said == f"{directory} is served at {holder.served.address} until Ctrl-C.\n"
    assert main(["serve", "--store", str(directory)], FakeBackends) == 1
    assert f"Process {serving.pid} serves the store" in capsys.readouterr().err
    serving.send_signal(signal.SIGINT)
    _, rest = serving.communicate(timeout=120)
    assert serving.returncode == 0, rest
    assert not (directory / "served.json").exists()


def test_serve_ends_as_with_ctrl_c_when_a_service_manager_ends_it(tmp_path: Path) -> None:
    directory = tmp_path / "new"
    for _ in range(2):
        serving, _ = serve(directory)
        serving.send_signal(signal.SIGTERM)
        _, rest = serving.communicate(timeout=120)
        assert (serving.returncode, rest) == (0, "Stopped.\n")
        assert not (directory / "served.json").exists()


def test_ctrl_c_is_seen_whichever_thread_is_given_it(tmp_path: Path) -> None:
    serving, _ = serve(tmp_path / "new", first=GIVEN_TO_ANOTHER_THREAD)
    serving.send_signal(signal.SIGINT)
    try:
        _, rest = serving.communicate(timeout=60)
    finally:
        serving.kill()
    assert serving.returncode == 0, rest


def test_a_port_that_is_taken_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--store", str(tmp_path / "new"), "--port", port], FakeBackends) == 2
    assert f"Port {port} cannot be had" in capsys.readouterr().err
    assert main(["serve", "--store", str(tmp_path / "new"), "--port", "70000"], FakeBackends) == 2


def test_a_holder_killed_with_9_stops_nobody(directory: Path) -> None:
    serving, _ = serve(directory)
    old = find_holder(directory)
    assert old is not None
    os.kill(serving.pid, signal.SIGKILL)
    serving.communicate()
    assert (directory / "served.json").exists(), "nobody was there to take it away"

    assert find_holder(directory) is None
    assert main(["search", "tea", "--store", str(directory)], FakeBackends) == 0

    serving, _ = serve(directory)
    new = find_holder(directory)
    assert new is not None
    assert new.served.token != old.served.token
    assert main(["search", "tea", "--store", str(directory)], FakeBackends) == 0
    serving.kill()
    serving.communicate()


# ---------------------------------------------------------------- many at once


def test_writers_and_readers_at_once_lose_and_double_nothing(
    directory: Path, holder: Holder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(number: int) -> None:
        file = tmp_path / f"{number}.txt"
        file.write_text(f"[2024-05-0{number + 1} 09:00] Cy{number}: likes maths.\n")
        for _ in range(2):  # the second time adds nothing
            assert main(["ingest", str(file), "--store", str(directory), "--json"], FakeBackends) == 0
        for count in range(3):
            text = f"Cy{number} has {count} dogs"
            for _ in range(2):
                holder.ask("POST", "/v1/proposals", {"text": text})

    def read(number: int) -> None:
        for _ in range(4):
            assert holder.ask("POST", "/v1/search", SEARCH)["results"]
            assert main(["history", "--store", str(directory)], FakeBackends) == 0

    with ThreadPoolExecutor(6) as pool:
        work = [pool.submit(write, n) for n in range(3)] + [pool.submit(read, n) for n in range(3)]
        for one in work:
            one.result()

    assert main(["doctor", "--store", str(directory)], FakeBackends) == 0
    assert "FAIL" not in capsys.readouterr().out
    proposals = holder.ask("GET", "/v1/proposals", limit=100)["proposals"]
    assert sorted(one["after"] for one in proposals) == sorted(
        f"Cy{number} has {count} dogs" for number in range(3) for count in range(3)
    )
