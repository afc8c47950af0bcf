"""Files that are there whole or not at all, and are never replaced by mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcore.domain.errors import StoreError, UsageError
from memcore.exporting import draft_file as module
from memcore.exporting.draft_file import draft_file


def test_what_is_written_is_there_when_the_block_ends_and_not_before(tmp_path: Path) -> None:
    with draft_file(tmp_path / "a.txt") as file:
        file.write(b"one")
        assert not (tmp_path / "a.txt").exists()
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("a.txt", b"one")]


def test_a_file_is_replaced_only_when_that_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("precious")
    with pytest.raises(UsageError, match="--overwrite"), draft_file(path) as file:
        file.write(b"one")
    assert path.read_text() == "precious"
    with draft_file(path, overwrite=True) as file:
        file.write(b"one")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("a.txt", b"one")]


def test_an_empty_file_is_nothing_to_lose(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    with draft_file(tmp_path / "a.txt") as file:
        file.write(b"one")
    assert (tmp_path / "a.txt").read_bytes() == b"one"


def test_what_is_no_file_is_never_replaced(tmp_path: Path) -> None:
    with pytest.raises(UsageError), draft_file(tmp_path, overwrite=True):
        pass
    with pytest.raises(UsageError), draft_file(Path("/dev/null"), overwrite=True):
        pass
    assert Path("/dev/null").is_char_device()


def test_a_block_that_fails_leaves_the_earlier_file_and_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("precious")
    with pytest.raises(ValueError, match="oh"), draft_file(path, overwrite=True) as file:
        file.write(b"half")
        raise ValueError("oh")
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a.txt", "precious")]


def test_a_full_disk_leaves_the_earlier_file_and_is_an_error_with_a_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("precious")

    def full(_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(module.os, "fsync", full)
    with pytest.raises(StoreError, match="no space left"), draft_file(path, overwrite=True) as file:
        file.write(b"one")
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a.txt", "precious")]


def test_a_directory_that_is_not_there_is_an_error_with_a_fix(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="directory you may write to"), draft_file(tmp_path / "no" / "a"):
        pass
    assert list(tmp_path.iterdir()) == []
