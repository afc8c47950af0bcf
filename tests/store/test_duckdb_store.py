"""The store in DuckDB: the contract, and what only a file on a disk can do wrong."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import pytest

from memcore.domain.errors import EmbeddingMismatchError, StoreBusyError, StoreError
from memcore.domain.models import triple_text
from memcore.store import DuckStore, open_store, reembed
from memcore.store.duckdb import connecting, opening
from memcore.store.duckdb.files import FILE_NAME
from tests.contract.store import *  # noqa: F403
from tests.fakes import HashingEmbedder
from tests.store.samples import EMBEDDER, add_vectors, entity, log, memory, put, triple, vector


def open_at(directory: Path) -> DuckStore:
    return open_store(directory, embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension)


def test_a_store_opened_again_is_as_it_was_left(tmp_path: Path) -> None:
    with open_at(tmp_path) as store:
        put(store, memory("m1"))
        events = store.events()
    with open_at(tmp_path) as store:
        assert store.memories("me") == [memory("m1")]
        assert store.events() == events


def test_two_handles_in_one_process_share_one_connection_and_see_each_other(tmp_path: Path) -> None:
    with open_at(tmp_path) as first, open_at(tmp_path) as second:
        first.semantic("me", vector("dog"), 1, kind="memory")
        put(second, memory("m1"))
        assert first.lexical("me", "dog", 1, kind="memory")
        assert first.semantic("me", vector("dog"), 1, kind="memory")
        first.close()
        first.close()
        assert second.memory("m1") is not None


def test_a_store_is_closed_while_others_begin_to_read_it(tmp_path: Path) -> None:
    """Who reads is told so, at worst; the directory is given up all the same."""
    raised: list[StoreError] = []

    def read(store: DuckStore) -> None:
        try:
            while True:
                store.owners()
        except StoreError as error:
            raised.append(error)

    for _ in range(20):
        store = open_at(tmp_path)
        readers = [threading.Thread(target=read, args=(store,)) for _ in range(3)]
        for reader in readers:
            reader.start()
        store.close()
        for reader in readers:
            reader.join()
    assert len(raised) == 60


def test_a_second_process_is_told_who_holds_the_store_and_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "OPEN_PAUSE_SECONDS", 0.01)
    open_at(tmp_path).close()
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); input()",
            str(tmp_path / FILE_NAME),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None and holder.stdout.readline().strip() == "held"
        with pytest.raises(StoreBusyError, match=f"process {holder.pid}") as caught:
            open_at(tmp_path)
        assert "try again" in caught.value.fix
    finally:
        holder.communicate("\n")
    open_at(tmp_path).close()


@pytest.mark.parametrize("content", [b"", b"xx", b"not a database " * 5_000], ids=["empty", "short", "text"])
def test_a_file_that_is_no_store_is_named_with_the_fix_and_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(StoreError, match="not a DuckDB database") as caught:
        open_at(tmp_path)
    assert "backup" in caught.value.fix
    assert (tmp_path / FILE_NAME).read_bytes() == content


@pytest.mark.parametrize("kept", [0.3, 0.9])
def test_a_store_cut_off_in_the_middle_is_named_as_damaged(tmp_path: Path, kept: float) -> None:
    with open_at(tmp_path) as store:
        for number in range(10):
            put(store, *(memory(f"m{number}{n}", f"fact {number} {n}") for n in range(200)))
    file = tmp_path / FILE_NAME
    file.write_bytes(file.read_bytes()[: int(file.stat().st_size * kept)])
    with pytest.raises(StoreError, match=r"damaged|not a DuckDB"), open_at(tmp_path) as store:
        store.memories("me")
        store.events()


def test_damaged_latest_changes_are_told_from_a_damaged_store(tmp_path: Path) -> None:
    killed = """
import os, pathlib, sys
from tests.store.test_duckdb_store import open_at
from tests.store.samples import memory, put
store = open_at(pathlib.Path(sys.argv[1]))
for number in range(5):
    put(store, memory(f"m{number}", f"fact {number}"))
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", killed, str(tmp_path)], cwd=Path(__file__).parents[2], check=False)
    wal = tmp_path / f"{FILE_NAME}.wal"
    content = bytearray(wal.read_bytes())
    content[len(content) // 2] ^= 0xFF
    wal.write_bytes(content)
    with pytest.raises(StoreError, match="latest changes") as caught:
        open_at(tmp_path)
    assert wal.name in caught.value.fix
    wal.unlink()
    with open_at(tmp_path) as store:
        assert store.memories("me") == []
        assert [finding.name for finding in store.check() if not finding.sound] == ["latest changes"]


def test_a_store_is_made_on_a_file_system_without_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: object) -> None:
        raise PermissionError("Operation not permitted")

    monkeypatch.setattr(opening.os, "link", unsupported)
    with open_at(tmp_path) as store:
        put(store, memory("m1"))
    assert {path.name for path in tmp_path.iterdir()} == {FILE_NAME, f"{FILE_NAME}.committed"}


def test_a_database_that_is_no_store_is_refused(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / FILE_NAME)) as other:
        other.execute("create table memories (id varchar)")
    with pytest.raises(StoreError):
        open_at(tmp_path)


def test_a_store_of_a_newer_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    open_at(tmp_path).close()
    with duckdb.connect(str(tmp_path / FILE_NAME)) as connection:
        connection.execute("insert into migrations values (999, now()::timestamp)")
    with pytest.raises(StoreError, match="schema 999") as caught:
        open_at(tmp_path)
    assert "newer Memscope" in caught.value.fix


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="No store can be made"):
        open_at(tmp_path / "file" / "store")


def test_opening_leaves_nothing_but_the_store(tmp_path: Path) -> None:
    (tmp_path / f"{FILE_NAME}.1234.new").write_bytes(b"left by a killed process")
    open_at(tmp_path).close()
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


# --------------------------------------------------------------------------- another embedding model


def test_another_model_or_dimension_is_refused_with_both_named(tmp_path: Path) -> None:
    open_at(tmp_path).close()
    for model, dimension in (("other-model", EMBEDDER.dimension), (EMBEDDER.model_id, 7)):
        with pytest.raises(EmbeddingMismatchError) as caught:
            open_store(tmp_path, embedding_model=model, dimension=dimension)
        assert all(
            part in str(caught.value) for part in (EMBEDDER.model_id, model, str(dimension), "reembed")
        )


def test_reembedding_moves_everything_to_the_other_model(tmp_path: Path) -> None:
    with open_at(tmp_path) as store:
        with store.write(actor="test") as writer:
            writer.add_log(log("a dog"))
            writer.put_memories([memory("m1", "Ann has a dog"), memory("m2", "gone", state="deleted")])
            writer.put_entities([entity("e1", "Ann"), entity("e2", "dog")])
            writer.put_triples([triple("t1", "e1", "has", "e2")])
            add_vectors(writer, "a dog", "Ann has a dog", triple_text("Ann", "has", "dog"))
        store.semantic("me", vector("dog"), 1, kind="memory")
    other = HashingEmbedder(48)
    assert reembed(tmp_path, other) == 6, "two memories, a message, a triple and its two ends"
    with open_store(tmp_path, embedding_model=other.model_id, dimension=48) as store:
        assert store.memory("m1").embedding_model == other.model_id
        for kind, text in (("memory", "Ann has a dog"), ("message", "a dog"), ("triple", "Ann has dog")):
            assert store.semantic("me", other.embed([text])[0], 1, kind=kind)[0][1] == pytest.approx(
                1, abs=1e-5
            )
        assert all(finding.sound for finding in store.check())
        assert store.events()[-1].kind == "memory.reembedded"
    with pytest.raises(EmbeddingMismatchError):
        open_at(tmp_path)


def test_reembedding_that_fails_changes_nothing(tmp_path: Path) -> None:
    with open_at(tmp_path) as store:
        put(store, memory("m1"))

    class Failing(HashingEmbedder):
        def embed(self, texts):
            raise RuntimeError("no memory left")

    with pytest.raises(RuntimeError):
        reembed(tmp_path, Failing(48))
    with open_at(tmp_path) as store:
        assert store.semantic("me", vector("dog"), 1, kind="memory")


def test_reembedding_a_store_in_use_or_absent_is_refused(tmp_path: Path) -> None:
    with open_at(tmp_path), pytest.raises(StoreBusyError):
        reembed(tmp_path, HashingEmbedder(48))
    with pytest.raises(StoreError, match="no store"):
        reembed(tmp_path / "nowhere", HashingEmbedder(48))
