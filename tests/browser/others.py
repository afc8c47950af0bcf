"""What other processes do with a store that a workbench holds."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from memcore.server.holder import Holder, find_holder
from tools.serving import ROOT


def holder_of(store: Path) -> Holder:
    """The workbench, which serves the store once its first page was drawn."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        if holder := find_holder(store):
            return holder
        time.sleep(0.2)
    raise AssertionError("the workbench does not serve its store")


def memcore(store: Path | str, *words: str) -> str:
    """A command of another process; what it says."""
    done = subprocess.run(
        [sys.executable, "-m", "memcore", *words, "--store", str(store)],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "MEMSCOPE_LLM": "none"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
