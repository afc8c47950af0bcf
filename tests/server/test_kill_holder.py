"""kill -9 of the process that serves a store, at any moment of what others have it do, loses and doubles
nothing; the next one starts without help."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from memcore.server.holder import find_holder
from tests.kill_harness import ForkServer, fork_server
from tests.killed_servers import STAGES, Trials, write_logs

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("KILLS", "4"))
"""Of each stage: `KILLS=50 python -m pytest -m slow tests/server/test_kill_holder.py` takes minutes."""
SEED = 20261126
HOUR = 3_600.0
START_SECONDS = 30.0


class Holders:
    """Implements KilledServer: `memcore serve` of a directory."""

    def __init__(self, server: ForkServer, directory: Path) -> None:
        self._server = server
        self._directory = directory
        self._holder: int | None = None

    def fresh(self, seed: str) -> str:
        place = self._directory / uuid4().hex[:8]
        if seed:
            shutil.copytree(self._directory / seed, place)
        else:
            place.mkdir()
        return str(place)

    def keep(self, place: str, seed: str) -> None:
        shutil.copytree(place, self._directory / seed)

    def start(self, place: str) -> None:
        if self._holder is not None:
            return
        self._holder = self._server.start(place)
        deadline = time.monotonic() + START_SECONDS
        while find_holder(Path(place)) is None:
            assert time.monotonic() < deadline, "nobody serves the store"
            time.sleep(0.02)

    def kill(self, chance: random.Random) -> None:
        assert self._holder is not None
        self._server.end(self._holder, signal.SIGKILL)
        self._holder = None

    def leave(self, place: str) -> None:
        if self._holder is not None:
            self._server.end(self._holder, signal.SIGINT)
            self._holder = None


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trials]:
    directory = tmp_path_factory.mktemp("killed")
    with fork_server("tests.server.serving_worker", seconds=HOUR) as server:
        holders = Holders(server, directory)
        try:
            made = Trials(holders, write_logs(directory))
            made.undisturbed()
            yield made
        finally:
            holders.leave("")


@pytest.mark.parametrize("stage", STAGES)
def test_killed_under_a_command_the_holder_loses_and_doubles_nothing(trials: Trials, stage: str) -> None:
    noticed = trials.killed(stage, KILLS, SEED)
    assert noticed > KILLS // 5, "the kills fell into the work, not beside it"
