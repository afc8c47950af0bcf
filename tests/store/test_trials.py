"""What is tried on a copy of a store leaves nothing, wherever it is killed, and stands in nobody's way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from memcore.domain.errors import StoreBusyError, StoreError
from memcore.review.erase import plan
from memcore.store.duckdb import search
from tests.fakes import EMBEDDER
from tests.store.erasing import files_with, fill, marker, opened

ROOT = Path(__file__).parents[2]
TRYING = """
import sys
from pathlib import Path
from tests.store.erasing import opened

with opened(Path(sys.argv[1])) as store, store.trial() as copy:
    print(copy.directory, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with two conversations, its indexes in files."""
    monkeypatch.setattr(search, "LARGE", 1)
    with opened(tmp_path / "store") as store:
        for name in ("a", "b"):
            fill(store, name)
        store.lexical("me", "aunt", 3, kind="memory")
        store.semantic("me", EMBEDDER.embed(["aunt"])[0], 3, kind="memory")
    return tmp_path / "store"


def trials(directory: Path) -> list[Path]:
    return [path for path in directory.iterdir() if path.name.endswith(".trial")]


def killed_while_trying(directory: Path, scratch: Path) -> Path:
    """Where the copy of a process was that was killed while it tried something."""
    process = subprocess.Popen(
        [sys.executable, "-c", TRYING, str(directory)],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(scratch)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    where = Path(process.stdout.readline().strip())
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    return where


def test_of_a_killed_trial_no_copy_is_left_anywhere_once_the_store_is_opened(
    directory: Path, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    copy = killed_while_trying(directory, scratch)
    assert trials(directory) == [copy], "it stands in the store's directory, where the next opening finds it"
    assert list(scratch.iterdir()) == []
    assert copy.stat().st_mode & 0o777 == 0o700
    with opened(directory) as store:
        assert trials(directory) == []
        store.erase(plan(store, "conversation", "a", "me"), actor="ann", keep=True)
    assert files_with(tmp_path, marker("a")) == []


def test_what_is_tried_is_seen_there_alone_and_the_copy_is_gone_afterwards(
    directory: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no such directory"))
    with opened(directory) as store:
        before = store.memories("me", states=None)
        with store.trial() as copy:
            assert copy.memories("me", states=None) == before
            fill(copy, "c")
            assert len(trials(directory)) == 1
        assert store.memories("me", states=None) == before
        with pytest.raises(RuntimeError, match="it failed"), store.trial():
            raise RuntimeError("it failed")
        assert trials(directory) == []


def test_nothing_is_erased_while_something_is_tried(directory: Path) -> None:
    with opened(directory) as store:
        erasure = plan(store, "conversation", "a", "me")
        with store.trial():
            with pytest.raises(StoreBusyError, match="tried on a copy"):
                store.erase(erasure, actor="ann", keep=True)
            counted = store.erase(erasure, actor="ann", keep=False)
        assert store.erase(erasure, actor="ann", keep=True) == counted


def test_a_trial_outlives_the_handle_it_was_begun_with(directory: Path) -> None:
    store = opened(directory)
    with store.trial() as copy:
        store.close()
        with opened(directory) as again:
            assert len(trials(directory)) == 1, "opening the store again does not take it for abandoned"
            assert copy.memories("me") == again.memories("me")
    assert trials(directory) == []
    with opened(directory) as again:
        assert again.memories("me")


def test_a_directory_that_cannot_be_written_is_said(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    with opened(directory) as store:
        with monkeypatch.context() as patched:
            patched.setattr(Path, "mkdir", refuse)
            with pytest.raises(StoreError, match="Permission denied"), store.trial():
                raise AssertionError("there is no copy to try anything on")
        store.erase(plan(store, "conversation", "a", "me"), actor="ann", keep=True)
