"""A store is deleted with the files that are its own, and nothing else of its directory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memcore.domain.errors import StoreBusyError, StoreError
from memcore.runtime.config import load_settings, save_settings
from memcore.store import DuckStore, delete_store, open_store, store_files
from memcore.store.duckdb import search
from tests.fakes import EMBEDDER
from tests.store.samples import log, memory


def opened(directory: Path) -> DuckStore:
    return open_store(directory, embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension)


@pytest.fixture
def whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with everything that Memscope writes beside it, also what killed processes leave."""
    monkeypatch.setattr(search, "LARGE", 1)
    directory = tmp_path / "store"
    with opened(directory) as store:
        with store.write(actor="test") as writer:
            writer.add_log(log("Ann has a dog", "Bob has a cat"))
            writer.put_memories([memory("m1")])
            writer.add_embeddings(EMBEDDER.model_id, {"Ann has a dog": EMBEDDER.embed(["Ann has a dog"])[0]})
        store.semantic("me", EMBEDDER.embed(["dog"])[0], 1, kind="memory")
        store.lexical("me", "dog", 1, kind="memory")
    save_settings(load_settings(directory, overriding=False), buffer_tokens=256)
    left = (
        "wanted",
        "memscope.duckdb.0a1b2c3d.new",
        "memscope.duckdb.wal.unusable-2024-05-08T101500.123456",
        "all.jsonl.0a1b2c3d.new",
        "memscope.duckdb.tmp/duckdb_temp_0",
    )
    for name in (*left, "evaluations/0123456789ab.json", "evaluations/0123456789ab.questions.gz"):
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text("Ann has a dog")
    return directory


def test_everything_of_a_store_goes_with_its_directory(whole: Path) -> None:
    assert {path for path in whole.rglob("*") if path.is_file()} == set(store_files(whole))
    assert delete_store(whole) == []
    assert not whole.exists()


def test_a_copy_that_a_killed_dry_run_left_goes_as_well(whole: Path) -> None:
    left = whole / "memscope.duckdb.0a1b2c3d.trial"
    (left / "index").mkdir(parents=True)
    (left / "memscope.duckdb").write_text("Ann has a dog")
    assert delete_store(whole) == []
    assert not whole.exists()


def test_what_is_not_memscopes_stays(whole: Path) -> None:
    others = [
        "letter.txt",
        "memscope.duckdb.backup",
        "settings.json.mine",
        "index/notes.txt",
        "evaluations/mine.json",
    ]
    for name in others:
        (whole / name).write_text("mine")
    assert [path.name for path in delete_store(whole)] == [
        "evaluations", "index", "letter.txt", "memscope.duckdb.backup", "settings.json.mine",
    ]  # fmt: skip
    assert sorted(str(path.relative_to(whole)) for path in whole.rglob("*") if path.is_file()) == sorted(
        others
    )


def test_no_link_is_followed(whole: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("settings.json", "0123456789ab.json", "wanted"):
        (elsewhere / name).write_text("mine")
    (whole / "wanted").unlink()
    (whole / "wanted").symlink_to(elsewhere / "wanted")
    for inside in (whole / "evaluations").iterdir():
        inside.unlink()
    (whole / "evaluations").rmdir()
    (whole / "evaluations").symlink_to(elsewhere)
    assert [path.name for path in delete_store(whole)] == ["evaluations", "wanted"]
    assert len(list(elsewhere.iterdir())) == 3


@pytest.mark.parametrize("linked", ["directory", "file"])
def test_a_link_in_the_place_of_a_store_is_refused(whole: Path, tmp_path: Path, linked: str) -> None:
    before = {path: path.read_bytes() for path in whole.rglob("*") if path.is_file()}
    link = tmp_path / "link"
    if linked == "directory":
        link.symlink_to(whole)
    else:
        link.mkdir()
        (link / "settings.json").write_text("{}")
        (link / "memscope.duckdb").symlink_to(whole / "memscope.duckdb")
    with pytest.raises(StoreError, match="nothing was deleted"):
        delete_store(link)
    assert before == {path: path.read_bytes() for path in whole.rglob("*") if path.is_file()}
    assert linked == "directory" or (link / "settings.json").exists()


def test_a_directory_without_a_store_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text("{}")
    with pytest.raises(StoreError):
        delete_store(tmp_path)
    assert (tmp_path / "settings.json").exists()


def test_a_store_that_is_open_here_is_not_deleted(whole: Path) -> None:
    with opened(whole), pytest.raises(StoreBusyError):
        delete_store(whole)
    assert store_files(whole)
    delete_store(whole)


def test_a_store_that_another_process_holds_is_not_deleted(whole: Path) -> None:
    holds = "import duckdb, sys; connection = duckdb.connect(sys.argv[1]); print('held', flush=True); input()"
    path = str(whole / "memscope.duckdb")
    command = [sys.executable, "-c", holds, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == "held"
        with pytest.raises(StoreBusyError):
            delete_store(whole)
        holder.communicate("\n")
    assert delete_store(whole) == []


def test_a_damaged_store_can_be_deleted(whole: Path) -> None:
    (whole / "memscope.duckdb").write_bytes(b"no database" * 100)
    assert delete_store(whole) == []
    assert not whole.exists()


def test_changes_that_a_killed_process_left_unsaved_go_as_well(whole: Path) -> None:
    writes = (
        "import duckdb, os, sys; connection = duckdb.connect(sys.argv[1]);"
        "connection.execute('create table later (a int)'); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", writes, str(whole / "memscope.duckdb")], check=False)
    assert (whole / "memscope.duckdb.wal").exists()
    assert delete_store(whole) == []
    assert not whole.exists()
