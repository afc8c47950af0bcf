"""Token codes and rows of a large store lie in files, which follow the store and may be lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from random import Random

import numpy as np
import pytest

from memcore.domain.models import MemoryEntry, Source
from memcore.review.erase import plan
from memcore.store import DuckStore
from memcore.store.duckdb import followed_records, opening, rows, search
from memcore.store.duckdb.database import Database
from memcore.store.index_files import IndexFiles
from tests.pipeline import open_with
from tests.store.erasing import files_with, fill, marker
from tests.store.samples import EMBEDDER, memory

ODD = memory(
    "odd",
    'said "so" \\ \x00 \u2028 東京 😀\n',
    sources=(Source("a-s0-m0", 0, 3), Source("", 5, 5)),
    event_at=datetime(1999, 12, 31, 23, 59, 59, 999_999),
    keywords=("", "two words"),
    valid_to=datetime(1, 1, 1),
)


@pytest.fixture(autouse=True)
def every_table_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in (
        (rows, "MOST"),
        (rows, "RECENT"),
        (rows, "READ_ALL_AFTER"),
        (search, "LARGE"),
        (followed_records, "SAVE_AFTER"),
    ):
        monkeypatch.setattr(module, name, 0)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many records each read of the store gave."""
    counts: list[int] = []
    records_as_they_are = Database.records

    def counting(self, sql, parameters=()):
        for keys, records in records_as_they_are(self, sql, parameters):
            counts.append(len(keys))
            yield keys, records

    monkeypatch.setattr(Database, "records", counting)
    return counts


def put(store: DuckStore, *memories: MemoryEntry) -> None:
    texts = [one.text for one in memories]
    vectors = dict(zip(texts, EMBEDDER.embed(texts), strict=True))
    codes = dict(zip(texts, EMBEDDER.token_codes(texts), strict=True))
    with store.write(actor="test") as writer:
        writer.put_memories(memories)
        writer.add_embeddings(EMBEDDER.model_id, vectors, codes)


def open_at(directory: Path) -> DuckStore:
    return open_with(EMBEDDER, directory)


def memories(store: DuckStore) -> object:
    return store.memories_by_id(["odd", "m1", "nobody", "m2"])


def codes(store: DuckStore) -> object:
    found = store.token_codes("me", ["odd", "m1", "nobody", "m2"], kind="memory")
    return {key: value.tolist() for key, value in found.items()}


Read = Callable[[DuckStore], object]
EITHER = pytest.mark.parametrize(("ask", "sort"), [(memories, "rows"), (codes, "codes")])


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    with open_at(tmp_path) as store:
        texts = [ODD, memory("m1", "Ann has a dog"), memory("m2", "Bob has a cat")]
        put(store, *texts)
        assert memories(store) == {one.id: one for one in texts}
        (expected,) = EMBEDDER.token_codes(["Ann has a dog"])
        assert np.array_equal(store.token_codes("me", ["m1"], kind="memory")["m1"], expected)
    return tmp_path


def records_file(store: Path, sort: str) -> Path:
    (path,) = (store / "index").glob(f"*-{sort}-memor*-records.index")
    return path


@EITHER
def test_opened_again_nothing_is_read_of_the_store(
    saved: Path, read: list[int], ask: Read, sort: str
) -> None:
    with open_at(saved) as store:
        first = ask(store)
        assert first == ask(store)
    assert first
    assert sum(read) == 0


@EITHER
def test_only_what_changed_is_read_again(saved: Path, read: list[int], ask: Read, sort: str) -> None:
    with open_at(saved) as store:
        before = ask(store)
        put(store, memory("m1", "Ann has two dogs now"))
        after = ask(store)
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert {key for key in before if before[key] != after[key]} == {"m1"}
    assert sum(read) == 1
    with open_at(saved) as store:
        assert ask(store) == after
    assert sum(read) == 1


@EITHER
@pytest.mark.parametrize("damage", ["missing", "short", "changed"])
def test_damaged_records_are_read_of_the_store_again(
    saved: Path, read: list[int], ask: Read, sort: str, damage: str
) -> None:
    with open_at(saved) as store:
        before = ask(store)
    file = records_file(saved, sort)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.unlink()
    if damage != "missing":
        file.write_bytes(content if damage == "changed" else content[:-3])
    with open_at(saved) as store:
        assert ask(store) == before
    assert sum(read) == 3
    with open_at(saved) as store:
        assert ask(store) == before
    assert sum(read) == 3


@EITHER
def test_damage_while_the_store_is_open_is_noticed(saved: Path, ask: Read, sort: str) -> None:
    with open_at(saved) as store:
        before = ask(store)
        records_file(saved, sort).write_bytes(b"")
        assert ask(store) == before


@EITHER
def test_a_process_killed_while_writing_leaves_the_old_file(
    saved: Path, monkeypatch: pytest.MonkeyPatch, ask: Read, sort: str
) -> None:
    def crash(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    store = open_at(saved)
    put(store, memory("m1", "Ann has two dogs now"))
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", crash)
        with pytest.raises(KeyboardInterrupt):
            ask(store)
    monkeypatch.setattr(IndexFiles, "save", lambda *_: None)
    now = ask(store)
    store.close()
    monkeypatch.undo()
    with open_at(saved) as store:
        assert ask(store) == now


def test_nothing_that_was_erased_is_left_in_any_file(tmp_path: Path) -> None:
    with open_at(tmp_path) as store:
        for name in ("a", "b"):
            fill(store, name)
        kept = [one.id for one in store.memories("me", states=None)]
        store.memories_by_id(kept)
        assert any("-rows-memories-" in name for name in files_with(tmp_path, marker("a")))
        store.erase(plan(store, "conversation", "a", "me"), actor="ann", keep=True)
        left = store.memories_by_id(kept)
        assert 0 < len(left) < len(kept)
    assert files_with(tmp_path, marker("a")) == []
    assert any("-rows-memories-" in name for name in files_with(tmp_path, marker("b")))


def test_a_store_that_can_only_be_read_is_searched_without_files(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_at(saved) as store:
        before = (memories(store), codes(store))
    for path in (saved / "index").iterdir():
        path.unlink()
    monkeypatch.setattr(opening, "may_write", lambda _: False)
    with open_at(saved) as store:
        assert store.read_only
        assert (memories(store), codes(store)) == before
    assert list((saved / "index").iterdir()) == []


def test_a_changed_memory_is_never_given_as_it_was(saved: Path) -> None:
    with open_at(saved) as store:
        for number in range(4):
            changed = replace(ODD, text=f"text {number}")
            put(store, changed)
            assert store.memories_by_id(["odd"]) == {"odd": changed}


def test_what_was_read_of_whole_tables_is_given_back_unless_somebody_reads(tmp_path: Path) -> None:
    with open_at(tmp_path) as store:
        chance = Random(0)  # what repeats itself takes next to nothing
        with store.write(actor="test") as writer:
            writer.put_memories([memory(f"m{n}", chance.randbytes(4_000).hex()) for n in range(2_000)])
    database = opening.open_any_model(tmp_path)
    try:

        def held() -> int:
            ((size,),) = database.query("select sum(memory_usage_bytes) from duckdb_memory()")
            return int(size)

        database.query("select sum(length(text)) from memories")
        before = held()
        for _ in database.records("select id, encode(text) from memories", {}):
            database.release_buffers()  # while this is being read
        assert held() >= before > 4_000_000
        database.release_buffers(above=before)
        assert held() >= before
        database.release_buffers()
        assert held() < before / 2
        ((limit, again),) = database.query("select current_setting('memory_limit'), count(*) from memories")
        assert (again, limit != "1.0 MiB") == (2_000, True)
    finally:
        database.close()


def test_many_rows_at_once_come_from_their_file_where_there_is_one(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []
    as_it_is = followed_records.FollowedRecords.of
    monkeypatch.setattr(
        followed_records.FollowedRecords,
        "of",
        lambda self, ids: asked.append(list(ids)) or as_it_is(self, ids),
    )
    monkeypatch.setattr(rows, "READ_ALL_AFTER", 1_000)
    monkeypatch.setattr(rows, "AT_ONCE", 4)
    with open_at(saved) as store:
        assert store.memories_by_id(["m1"]).keys() == {"m1"}
        assert not asked
        assert len(store.memories_by_id(["odd", "m1", "nobody", "m2"])) == 3
        assert asked
