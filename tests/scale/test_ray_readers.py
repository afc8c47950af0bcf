"""Real Ray on two cores and a real PostgreSQL: what is remembered without, whatever is killed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memcore.cli import main
from memcore.domain.errors import UsageError
from memcore.domain.models import ConversationLog, LogRead
from memcore.domain.server_address import ServerAddress
from memcore.memory import Memory, open_settings
from memcore.runtime.config import load_settings
from memcore.scale import LOCAL
from memcore.scale.ray_readers import RayReaders, connected
from tests.pipeline import FakeBackends, SayingExtractor, log
from tests.postgres import new_database
from tests.runs.test_bulk import comparable
from tests.scale.killing import killing

pytestmark = pytest.mark.slow

LOGS = [
    log(
        *([f"likes thing {session * turn % 23}." for turn in range(40)] for session in range(4)),
        name=f"talk {number}",
    )
    for number in range(12)
]
KILLS = 5


class Unhurried(SayingExtractor):
    """Takes its time for a buffer."""

    def extract(self, buffers: Sequence[Any]) -> Any:
        time.sleep(0.02 * len(buffers))
        return super().extract(buffers)


UNHURRIED = partial(FakeBackends, extractor=Unhurried())


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """The cores of this machine, in a cluster of this process."""
    with ExitStack() as stack:
        for tries_left in (2, 1, 0):
            try:
                stack.enter_context(connected(LOCAL))
                break
            except UsageError:  # Ray waits half a minute for its own processes, and the machine is busy
                if not tries_left:
                    raise
        yield


@pytest.fixture
def memory(address: ServerAddress) -> Iterator[Memory]:
    with open_settings(load_settings(str(address)), UNHURRIED) as opened:
        yield opened


@pytest.fixture(scope="module")
def alone() -> Iterator[dict[str, Any]]:
    """What is remembered without Ray."""
    with new_database() as address, open_settings(load_settings(str(address)), FakeBackends) as opened:
        for one in LOGS:
            opened.ingest(LogRead((one,)))
        yield comparable(opened.store)


def in_bulk(memory: Memory, *logs: ConversationLog, **options: Any) -> Any:
    readers = RayReaders(memory.settings, UNHURRIED)
    return memory.ingest_in_bulk([LogRead((one,)) for one in logs], readers, **options)


def require_sound(memory: Memory, alone: dict[str, Any]) -> None:
    assert comparable(memory.store) == alone
    assert [finding.name for finding in memory.store.check() if not finding.sound] == []


def test_the_command_reads_each_file_for_its_owner(
    address: ServerAddress, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ann", "ben"):
        said = "\n".join(f"[2024-01-1{day} 09:00] {name.title()}: likes tea {day}." for day in range(9))
        (tmp_path / f"{name}.txt").write_text(said)
    words = ["ingest", *map(str, sorted(tmp_path.iterdir())), "--owner-per-file", "--store", str(address)]
    for read in (18, 0):
        assert main([*words, "--json", "--ray"], FakeBackends) == 0
        told = json.loads(capsys.readouterr().out)
        assert (told["state"], told["read"], told["owners"], told["errors"]) == ("finished", read, 2, [])
    with open_settings(load_settings(str(address)), FakeBackends) as memory:
        assert [memory.store.count_memories(owner) for owner in ("ann", "ben")] == [9, 9]


def test_killed_readers_lose_and_double_nothing(cluster: None, memory: Memory, alone: dict[str, Any]) -> None:
    with killing(KILLS, seed=20261126) as killed:
        report = in_bulk(memory, *LOGS)
    assert len(killed) == KILLS
    assert (report.state, report.errors) == ("finished", ())
    assert report.read == report.messages == sum(len(one.messages) for one in LOGS)
    assert report.memories == len(alone["memories"])
    require_sound(memory, alone)
    again = in_bulk(memory, *LOGS)
    assert (again.new_messages, again.read, again.memories) == (0, 0, 0)
    require_sound(memory, alone)


def test_stopped_it_goes_on_where_it_was(cluster: None, memory: Memory, alone: dict[str, Any]) -> None:
    done: list[int] = []

    def stop(stage: str, of: int, total: int) -> None:
        done.append(of)
        if of:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_bulk(memory, *LOGS, progress=stop)
    assert memory.store.runs()[0].state == "cancelled"
    assert 0 < memory.runs.pending() < sum(len(one.messages) for one in LOGS)
    report = in_bulk(memory, *LOGS)
    assert (report.state, report.new_messages) == ("finished", 0)
    require_sound(memory, alone)
