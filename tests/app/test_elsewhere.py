"""A store that another process has is found there, and nothing of a server is loaded to draw a page."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import ROOT, Open, shown

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
    """What serves the store loads it on a thread of its own, perhaps while the page is drawn."""
    script = f"""
import sys, threading
from streamlit.testing.v1 import AppTest

loading = []

class Heard:
    def find_spec(self, name, path=None, target=None):
        if name in ("fastapi", "uvicorn", "mcp"):
            loading.append((name, threading.current_thread().name))

sys.meta_path.insert(0, Heard())
app = AppTest.from_file({str(ROOT / "app.py")!r}, default_timeout=180).run()
assert not app.exception
drawing = [(name, thread) for name, thread in loading if thread != "begin serving"]
assert not drawing, drawing
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
