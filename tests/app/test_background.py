"""Threads beside the pages are waited for as the process ends, and nothing longer than it should be."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.app.conftest import ROOT
from ui.shell import background
from ui.shell.background import Threads


def test_each_is_asked_to_stop_and_waited_for() -> None:
    stop, done = threading.Event(), []

    def work() -> None:
        stop.wait(180)
        time.sleep(0.1)
        done.append(True)

    threads = Threads()
    threads.begin(work, "until told", stop.set)
    threads.begin(lambda: time.sleep(0.2), "soon done")
    threads.end()
    assert done
    assert not [one for one in threading.enumerate() if one.name in ("until told", "soon done")]


def test_what_does_not_stop_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "END_SECONDS", 0.1)
    free = threading.Event()
    threads = Threads()
    for name in ("one", "two"):
        threads.begin(lambda: free.wait(180) and None, name)
    begun = time.monotonic()
    threads.end()
    assert time.monotonic() - begun < 60
    free.set()


def test_a_process_that_ends_while_its_store_is_examined_ends_as_it_should(seeded: Path) -> None:
    script = f"""
import time

from memcore.memory import Memory
from streamlit.testing.v1 import AppTest

examined = Memory.problems

def for_a_while(*args, **options):
    begun = time.monotonic()
    while time.monotonic() - begun < 2:
        found = examined(*args, **options)
    return found

Memory.problems = for_a_while
app = AppTest.from_file({str(ROOT / "app.py")!r}, default_timeout=180).run()
assert not app.exception
"""
    environment = {**os.environ, "PYTHONFAULTHANDLER": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]
