"""Eight tabs opened as soon as the server is up: each imports, reads and asks at once, one hears a log."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memcore.logs import read_log
from memcore.memory import open_memory

ROOT = Path(__file__).parent.parent.parent
TABS = """
import importlib, random, sys, threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import streamlit.web.bootstrap  # the server is up before any page runs
from memcore.logs import read_log
from memcore.memory import open_memory

memory = open_memory(Path(sys.argv[1]), llm="none")
pages = sorted(".".join(p.with_suffix("").parts) for p in Path("ui").rglob("*.py") if p.name != "__init__.py")
begin = threading.Barrier(8)

def tab(number):
    begin.wait()
    for name in random.Random(number).sample(pages, len(pages)):
        importlib.import_module(name)
    if number == 0:
        memory.ingest(read_log(Path("sample_data/new_city.txt")), recipe="memscope")
    elif number < 3:
        memory.consolidate()
    else:
        assert memory.ask("Where does Nora live?").citations

with ThreadPoolExecutor(8) as pool:
    list(pool.map(tab, range(8)))
"""


@pytest.mark.slow
@pytest.mark.models
def test_eight_tabs_at_once_wait_for_each_other_and_none_fails(tmp_path: Path) -> None:
    with open_memory(tmp_path / "store", llm="none") as memory:
        memory.ingest(read_log(ROOT / "sample_data" / "two_friends.json"), recipe="memscope")

    done = subprocess.run(
        [sys.executable, "-c", TABS, str(tmp_path / "store")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-3_000:]
