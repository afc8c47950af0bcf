"""What `test_kill_holder` kills: `memcore serve`, with fakes for models."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import memcore.server.serving  # noqa: F401 - loaded once, before the fork
from memcore.cli import main
from tests.pipeline import FakeBackends


def work(store: str) -> None:
    """Serve a store until it is interrupted."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background ignores it
    sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 (until the process ends)
    main(["serve", "--store", store], FakeBackends)
