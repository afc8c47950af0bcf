"""Pages keep up with what others do, and a store that another workbench has is found there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcore.memory import Memory
from memcore.review.additions import Addition
from tests.app.conftest import ROOT, Open, shown
from ui.shell import opened
from ui.shell import serving as desk

CHANGED = "The memory has changed since this was asked"
HOLD = """
import pathlib, sys
from memcore.memory import open_settings
from memcore.runtime.config import load_settings
from memcore.server.lending import Lent
from memcore.server.serving import Serving
from tests.app.conftest import LightBackends

directory = pathlib.Path(sys.argv[1])
memory = open_settings(load_settings(directory), LightBackends)
Serving(directory, Lent(memory), LightBackends, workbench=sys.argv[2])
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every question that a page asked the memory."""
    asked: list[str] = []
    ask = Memory.ask

    def counting(memory: Memory, query: str, **options: object) -> object:
        asked.append(query)
        return ask(memory, query, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Memory, "ask", counting)
    return asked


def somebody_writes() -> None:
    opened.opened().review.propose(Addition("Ada keeps bees", "another program"))


def test_a_page_has_seen_what_it_did_itself(seeded: Path, light_embedder: None, open_page: Open) -> None:
    app = open_page("9_Ask", q="Where does Ada live?")
    assert app.session_state["live_generation"] == opened.generation()
    somebody_writes()
    assert app.session_state["live_generation"] < (opened.generation() or 0)
    app.run()
    assert app.session_state["live_generation"] == opened.generation()


def test_what_changes_while_others_ask_is_looked_at_again(
    seeded: Path, light_embedder: None, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.opened()
    before = opened.generation()
    monkeypatch.setattr(desk, "asked", lambda: (1, 1))
    app = open_page("9_Ask", q="Where does Ada live?")
    assert app.session_state["live_generation"] == before


def test_an_answer_is_not_asked_for_again_because_somebody_else_wrote(
    seeded: Path, light_embedder: None, open_page: Open, counted: list[str]
) -> None:
    app = open_page("9_Ask", q="Where does Ada live?")
    for _ in range(2):
        somebody_writes()
        app.session_state["live_changed"] = True
        app.run()
        assert not app.exception
    assert counted == ["Where does Ada live?"]
    assert CHANGED in shown(app)

    app.run()  # by the person
    assert len(counted) == 2
    assert CHANGED not in shown(app)


@pytest.fixture
def held(seeded: Path, request: pytest.FixtureRequest) -> Iterator[int]:
    """The store, held and served by a process of the workbench that the test names, if it names one."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(seeded), request.param],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "open\n"
    yield holder.pid
    holder.communicate("")


@pytest.mark.parametrize("held", ["http://127.0.0.1:8599/"], indirect=True)
def test_a_store_of_another_workbench_is_shown_there(
    held: int, light_embedder: None, open_page: Open
) -> None:
    app = open_page()
    assert "This store is open in another workbench." in shown(app)
    (link,) = app.get("link_button")
    assert link.proto.url == "http://127.0.0.1:8599/"


@pytest.mark.parametrize("held", [""], indirect=True)
def test_a_store_that_a_command_serves_is_said_to_be_there(
    held: int, light_embedder: None, open_page: Open
) -> None:
    app = open_page()
    assert f"A command has this store (process {held})" in shown(app)
    assert not app.get("link_button")


def test_nothing_of_a_server_is_loaded_to_draw_a_page(seeded: Path) -> None:
    script = f"""
import sys
from streamlit.testing.v1 import AppTest

app = AppTest.from_file({str(ROOT / "app.py")!r}, default_timeout=180).run()
assert not app.exception
loaded = {{"fastapi", "uvicorn", "mcp"}} & set(sys.modules)
assert not loaded, loaded
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
