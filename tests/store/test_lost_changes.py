"""What was stored last and cannot be read again is told, whatever became of DuckDB's write-ahead log; and
after a killed process nobody is told of a loss that is none."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memcore.cli import main
from memcore.domain.errors import StoreError
from memcore.store import DuckStore
from memcore.store.duckdb.files import FILE_NAME
from memcore.store.duckdb.lost_changes import LOG_BEGINS
from tests.fakes import EMBEDDER
from tests.pipeline import FakeBackends, open_with
from tests.store.samples import memory, put

ROOT = Path(__file__).parents[2]
LOG = f"{FILE_NAME}.wal"
WRITES = """
import os, pathlib, sys
from tests.fakes import EMBEDDER
from tests.pipeline import open_with
from tests.store.samples import memory, put
store = open_with(EMBEDDER, pathlib.Path(sys.argv[1]))
for number in range(3):
    put(store, memory(f"m{number}", f"fact {number}"))
store._database._connection.execute("checkpoint")
for number in range(3, 6):
    put(store, memory(f"m{number}", f"fact {number}"))
os.kill(os.getpid(), 9)
"""
Damage = Callable[[bytes], bytes]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose process was killed: six commits, three of them only in the log."""
    directory = tmp_path_factory.mktemp("killed") / "store"
    subprocess.run([sys.executable, "-c", WRITES, str(directory)], cwd=ROOT, check=False)
    assert (directory / LOG).read_bytes().startswith(LOG_BEGINS)
    return directory


@pytest.fixture
def killed(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "store"))


def remembered(store: DuckStore) -> int:
    return len(store.memories("me"))


def unsound(store: DuckStore) -> list[str]:
    return [finding.name for finding in store.check() if not finding.sound]


def kept_aside(directory: Path) -> list[Path]:
    return sorted(directory.glob(f"{FILE_NAME}.wal.unusable-*"))


def test_after_a_killed_process_all_is_there_and_nothing_is_told(killed: Path) -> None:
    for _ in range(2):
        with open_with(EMBEDDER, killed) as store:
            assert (remembered(store), store.lost, unsound(store)) == (6, None, [])
    assert kept_aside(killed) == []


@pytest.mark.parametrize("torn", [b"c\x10", b"\x00" * 4096, b"\xde\xad\xbe\xef" * 20])
def test_a_commit_that_was_never_finished_is_no_loss(killed: Path, torn: bytes) -> None:
    """What a power failure leaves behind the last commit."""
    with (killed / LOG).open("ab") as log:
        log.write(torn)
    with open_with(EMBEDDER, killed) as store:
        assert (remembered(store), store.lost, unsound(store)) == (6, None, [])


PASSED_OVER: dict[str, tuple[Damage, int]] = {
    "empty": (lambda log: b"", 3),
    "garbage": (lambda log: b"no log at all " * 200, 3),
    "garbage of few bytes": (lambda log: b"xx", 3),
    "zeros": (lambda log: bytes(len(log)), 3),
    "a damaged beginning": (lambda log: b"X" + log[1:], 3),
    "cut in its head": (lambda log: log[:20], 3),
    "the last commit cut": (lambda log: log[:-1], 5),
    "the last commit damaged": (lambda log: log[:-20] + b"\x55" + log[-19:], 5),
}
"""Damage that DuckDB says nothing of, and how many memories it leaves."""


@pytest.mark.parametrize("damage", PASSED_OVER)
def test_what_duckdb_passes_over_in_silence_is_told_and_kept(killed: Path, damage: str) -> None:
    change, left = PASSED_OVER[damage]
    log = change((killed / LOG).read_bytes())
    (killed / LOG).write_bytes(log)
    with open_with(EMBEDDER, killed) as store:
        assert remembered(store) == left
        lost = store.lost
        assert lost is not None
        assert lost.commits == 6 - left
        assert str(killed) in lost.cause
        assert "backup" in lost.fix
        assert unsound(store) == ["latest changes"]
        put(store, memory("new", "fact"))
    (kept,) = kept_aside(killed)
    assert kept.read_bytes() == log
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    with open_with(EMBEDDER, killed) as store:
        assert store.lost is None, "it was told"
        assert unsound(store) == ["latest changes"], "and stays told"
        kept.unlink()
        assert unsound(store) == []


def test_a_log_that_somebody_deleted_is_told(killed: Path) -> None:
    (killed / LOG).unlink()
    with open_with(EMBEDDER, killed) as store:
        assert store.lost is not None
        assert store.lost.commits == 3


def test_garbage_is_told_even_where_nobody_noted_the_last_commit(killed: Path) -> None:
    """A store of an earlier version has no such note, and a power failure may take it."""
    (killed / f"{FILE_NAME}.committed").write_bytes(b"")
    (killed / LOG).write_bytes(b"no log at all " * 200)
    with open_with(EMBEDDER, killed) as store:
        assert store.lost is not None
        assert store.lost.commits is None
        assert unsound(store) == ["latest changes"]


def test_a_note_of_another_store_says_nothing(killed: Path) -> None:
    (killed / f"{FILE_NAME}.committed").write_text("sto_another 4000")
    with open_with(EMBEDDER, killed) as store:
        assert store.lost is None


@pytest.mark.parametrize("where", ["of another store", "damaged in the middle"])
def test_a_log_that_duckdb_refuses_is_an_error_that_names_it(
    killed: Path, made: Path, tmp_path: Path, where: str
) -> None:
    log = bytearray((killed / LOG).read_bytes())
    if where == "of another store":
        other = tmp_path / "other"
        subprocess.run([sys.executable, "-c", WRITES, str(other)], cwd=ROOT, check=False)
        log = bytearray((other / LOG).read_bytes())
    else:
        log[len(log) // 2] ^= 0xFF
    (killed / LOG).write_bytes(log)
    for _ in range(2):
        with pytest.raises(StoreError, match="latest changes") as refused:
            open_with(EMBEDDER, killed)
        assert LOG in refused.value.fix
        assert (killed / LOG).read_bytes() == log, "nothing is lost by trying"


def test_the_command_line_tells_it_at_once_and_doctor_from_then_on(
    killed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (killed / LOG).write_bytes(b"no log at all")
    for _ in range(2):
        assert main(["search", "fact", "--store", str(killed)], FakeBackends) == 0
    told = capsys.readouterr().err
    assert told.count("3 changes that the store") == 1
    with open_with(EMBEDDER, killed) as store:
        assert unsound(store) == ["latest changes"]


def test_erasing_reaches_what_was_kept_aside(killed: Path) -> None:
    (killed / LOG).write_bytes((killed / LOG).read_bytes()[:-1])
    with open_with(EMBEDDER, killed) as store:
        assert kept_aside(killed)
        store._database.rewrite(lambda draft: None, keep=True)
        assert kept_aside(killed) == []
        put(store, memory("new", "fact"))
    with open_with(EMBEDDER, killed) as store:
        assert store.lost is None
