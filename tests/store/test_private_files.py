"""A store is its owner's alone, whatever the process's mask; and what killed processes left goes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcore.exporting import export
from memcore.runtime.config import load_settings, save_settings
from memcore.store import DuckStore, open_store
from memcore.store.duckdb import search
from tests.fakes import EMBEDDER
from tests.store.samples import log, memory


@pytest.fixture(autouse=True)
def _no_mask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def opened(directory: Path) -> DuckStore:
    return open_store(directory, embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension)


def modes(directory: Path) -> dict[str, str]:
    """What others than the owner may do, of the directory and all in it; nothing where it is right."""
    found = {str(p.relative_to(directory)): stat.S_IMODE(p.stat().st_mode) for p in directory.rglob("*")}
    return {name: oct(mode) for name, mode in {**found, ".": stat.S_IMODE(directory.stat().st_mode)}.items()}


def fill(store: DuckStore) -> None:
    with store.write(actor="test") as writer:
        writer.add_log(log("Ann has a dog", "Bob has a cat"))
        writer.put_memories([memory("m1")])
        writer.add_embeddings(EMBEDDER.model_id, {"Ann has a dog": EMBEDDER.embed(["Ann has a dog"])[0]})
    store.semantic("me", EMBEDDER.embed(["dog"])[0], 1, kind="memory")
    store.lexical("me", "dog", 1, kind="memory")


def test_nothing_of_a_store_is_open_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "LARGE", 1)
    directory = tmp_path / "store"
    with opened(directory) as store:
        fill(store)
        while_open = modes(directory)
        assert "memscope.duckdb.wal" in while_open
        export(store, directory / "all.jsonl", "jsonl")
    save_settings(load_settings(directory, overriding=False), buffer_tokens=256)
    found = while_open | modes(directory)
    assert {"index", "all.jsonl", "settings.json", "memscope.duckdb"} <= set(found)
    assert any(name.endswith(".index") for name in found)
    wrong = {
        name: mode for name, mode in found.items() if mode != ("0o700" if name in (".", "index") else "0o600")
    }
    assert wrong == {}


def test_a_store_of_an_earlier_version_is_closed_to_others_when_it_is_opened(tmp_path: Path) -> None:
    directory = tmp_path / "store"
    opened(directory).close()
    (directory / "settings.json").write_text("{}")
    (directory / "memscope.duckdb").chmod(0o644)
    directory.chmod(0o755)
    opened(directory).close()
    assert modes(directory) == {".": "0o700", "memscope.duckdb": "0o600", "settings.json": "0o600"}


def test_a_directory_that_holds_other_things_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    tmp_path.chmod(0o755)
    opened(tmp_path).close()
    assert modes(tmp_path) == {".": "0o755", "memscope.duckdb": "0o600", "letter.txt": "0o666"}


@pytest.mark.parametrize(
    "name",
    [
        "all.jsonl.1234abcd.new",
        "memscope.duckdb.1234abcd.new",
        "memscope.duckdb.tmp/block",
        "index/v3.json.new",
    ],
)
def test_what_a_killed_process_left_goes_when_the_store_is_opened(tmp_path: Path, name: str) -> None:
    opened(tmp_path).close()
    left = tmp_path / name
    left.parent.mkdir(exist_ok=True)
    left.write_text("Ann has a dog")
    (tmp_path / "my.new").write_text("mine")
    opened(tmp_path).close()
    assert not left.exists()
    assert (tmp_path / "my.new").exists()
