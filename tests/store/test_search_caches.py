"""Index files are caches: what fits is used, what is behind catches up, anything else is made anew."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from memcore.domain.errors import StoreError
from memcore.store import DuckStore
from memcore.store.duckdb import search
from memcore.store.keyword_index import Bm25Index
from memcore.store.vector_index import HnswIndex
from tests.pipeline import open_with
from tests.store.samples import EMBEDDER, memory, put, vector

FILES = 4
"""Of one collection's vectors: the graph, the exact vectors, ids and the rest, and the manifest."""


def open_at(directory: Path) -> DuckStore:
    return open_with(EMBEDDER, directory)


def nearest(store: DuckStore, text: str) -> str:
    return store.semantic("me", vector(text), 1, kind="memory")[0][0]


@pytest.fixture(autouse=True)
def every_collection_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "LARGE", 0)
    monkeypatch.setattr(search, "VERY_LARGE", 0)
    monkeypatch.setattr(search, "GRAPH_DIMENSION", EMBEDDER.dimension // 2)


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many vectors each call put into a graph."""
    counts: list[int] = []
    put_as_it_is = HnswIndex.put

    def counting(self, ids, vectors):
        counts.append(len(ids))
        put_as_it_is(self, ids, vectors)

    monkeypatch.setattr(HnswIndex, "put", counting)
    return counts


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A store of ten memories whose index was saved."""
    with open_at(tmp_path) as store:
        put(store, *(memory(f"m{number}", f"fact number {number}") for number in range(10)))
        assert nearest(store, "fact number 3") == "m3"
    assert len(list((tmp_path / "index").iterdir())) == FILES
    return tmp_path


def manifest(store: Path) -> Path:
    (path,) = (store / "index").glob("*.json")
    return path


def change(path: Path, **values: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def test_an_index_that_fits_is_loaded_and_nothing_is_added(saved: Path, added: list[int]) -> None:
    with open_at(saved) as store:
        assert nearest(store, "fact number 7") == "m7"
    assert sum(added) == 0


def test_an_index_that_is_behind_takes_over_only_what_is_new(saved: Path, added: list[int]) -> None:
    with open_at(saved) as store:
        put(store, memory("new", "something else"))
    with open_at(saved) as store:
        assert nearest(store, "something else") == "new"
        assert nearest(store, "fact number 7") == "m7"
    assert sum(added) == 1


def test_adding_a_memory_does_not_rebuild_the_index(saved: Path, added: list[int]) -> None:
    with open_at(saved) as store:
        for number in range(5):
            put(store, memory(f"new{number}", f"another thing {number}"))
            assert nearest(store, f"another thing {number}") == f"new{number}"
    assert [count for count in added if count] == [1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    "values",
    [
        {"generation": 999},
        {"model": "another"},
        {"dimension": 7},
        {"store": "sto_another"},
        {"format": 0},
        {"checksums": {}},
        {"checksums": {"graph": "0", "table": "0", "vectors": "0"}},
        {"files": {"graph": "nowhere.index", "table": "nowhere.index", "vectors": "nowhere.index"}},
        {"files": None},
        {"rest": {"entries": 9}},
        {"rest": None},
    ],
    ids=lambda values: next(iter(values)),
)
def test_an_index_that_does_not_fit_is_made_anew(saved: Path, added: list[int], values: dict) -> None:
    change(manifest(saved), **values)
    with open_at(saved) as store:
        assert nearest(store, "fact number 7") == "m7"
    assert sum(added) == 10


def test_damaged_files_are_made_anew(saved: Path, added: list[int]) -> None:
    (graph,) = (saved / "index").glob("*-graph.index")
    content = bytearray(graph.read_bytes())
    content[len(content) // 2] ^= 0xFF
    graph.write_bytes(content)
    with open_at(saved) as store:
        assert nearest(store, "fact number 7") == "m7"
    manifest(saved).write_bytes(b"{cut of")
    with open_at(saved) as store:
        assert nearest(store, "fact number 7") == "m7"
    assert sum(added) == 20


def exact_vectors(store: Path) -> Path:
    (path,) = (store / "index").glob("*-vectors.index")
    return path


@pytest.mark.parametrize("part", ["graph", "table", "vectors"])
def test_a_file_that_is_missing_or_cut_short_is_made_anew(saved: Path, added: list[int], part: str) -> None:
    (path,) = (saved / "index").glob(f"*-{part}.index")
    path.unlink()
    with open_at(saved) as store:
        assert nearest(store, "fact number 7") == "m7"
    (path,) = (saved / "index").glob(f"*-{part}.index")
    path.write_bytes(path.read_bytes()[:-5])
    with open_at(saved) as store:
        assert nearest(store, "fact number 7") == "m7"
    assert sum(added) == 20


def test_a_vector_that_changed_on_disk_is_noticed_when_read_and_all_is_made_anew(
    saved: Path, added: list[int]
) -> None:
    """Opening does not read the vectors; a search never scores by what was not saved."""
    with open_at(saved) as store:
        before = store.semantic("me", vector("fact number 3"), 10, kind="memory")
    damaged = bytearray(exact_vectors(saved).read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    exact_vectors(saved).write_bytes(damaged)
    with open_at(saved) as store:
        assert store.semantic("me", vector("fact number 3"), 10, kind="memory") == before
        assert store.semantic("me", vector("fact number 3"), 10, kind="memory") == before
    with open_at(saved) as store:
        assert store.semantic("me", vector("fact number 3"), 10, kind="memory") == before
    assert sum(added) == 10


def test_a_graph_that_the_collection_has_outgrown_is_made_anew(
    saved: Path, added: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(saved / "index")
    monkeypatch.setattr(search, "VERY_LARGE", 11)
    with open_at(saved) as store:
        by_whole_graph = store.semantic("me", vector("fact number 3"), 10, kind="memory")
    with open_at(saved) as store:
        assert store.semantic("me", vector("fact number 3"), 10, kind="memory") == by_whole_graph
        put(store, memory("new", "something else"))
    assert sum(added) == 10
    for _ in range(2):
        with open_at(saved) as store:
            found = dict(store.semantic("me", vector("fact number 3"), 11, kind="memory"))
            assert {key: found[key] for key, _ in by_whole_graph} == pytest.approx(
                dict(by_whole_graph), abs=1e-6
            )
    assert sum(added) == 10 + 11


def test_vectors_cut_short_while_the_store_is_open_are_made_anew(saved: Path, added: list[int]) -> None:
    with open_at(saved) as store:
        assert nearest(store, "fact number 7") == "m7"
        exact_vectors(saved).write_bytes(b"")
        assert nearest(store, "fact number 7") == "m7"
        put(store, memory("new", "fact number 7"))
        assert nearest(store, "fact number 7") == "m7"
    assert sum(added) == 10 + 1


def test_the_directory_of_caches_may_be_deleted(saved: Path) -> None:
    shutil.rmtree(saved / "index")
    with open_at(saved) as store:
        assert nearest(store, "fact number 7") == "m7"
    assert manifest(saved).exists()


def test_files_of_an_earlier_format_go_when_an_index_is_written(saved: Path) -> None:
    graph = next((saved / "index").glob("*-graph.index"))
    earlier = "v3-vectors-memory-84a27d275b267686"
    for name in (f"{earlier}.json", f"{earlier}-449a062c.index", "memory-84a27d275b267686-449a062c.hnsw"):
        shutil.copy(graph, saved / "index" / name)
    with open_at(saved) as store:
        put(store, memory("new", "something else"))
        assert nearest(store, "something else") == "new"
    assert len(list((saved / "index").iterdir())) == FILES
    with open_at(saved) as store:
        assert nearest(store, "fact number 7") == "m7"


def test_a_crash_before_the_manifest_is_replaced_leaves_the_old_index(
    saved: Path, monkeypatch: pytest.MonkeyPatch, added: list[int]
) -> None:
    def crash(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", crash)
        store = open_at(saved)
        put(store, memory("new", "something else"))
        nearest(store, "something else")
        with pytest.raises(KeyboardInterrupt):
            store.close()
    added.clear()
    with open_at(saved) as store:
        assert nearest(store, "fact number 7") == "m7"
        assert nearest(store, "something else") == "new"
    assert sum(added) == 1
    assert len(list((saved / "index").iterdir())) == FILES


def test_a_cache_that_cannot_be_written_is_told_and_loses_nothing(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    put(store, memory("m1"))
    nearest(store, "dog")
    (tmp_path / "index").write_text("a file where the directory should be")
    with pytest.raises(StoreError, match="cannot be saved") as caught:
        store.close()
    assert "Nothing is lost" in caught.value.fix
    with open_at(tmp_path) as store:
        assert store.memory("m1") == memory("m1")
        (tmp_path / "index").unlink()


def test_many_new_vectors_are_saved_without_waiting_for_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "SAVE_AFTER", 5)
    with open_at(tmp_path) as store:
        put(store, *(memory(f"m{number}", f"fact {number}") for number in range(6)))
        nearest(store, "fact 1")
        assert manifest(tmp_path).exists()


def test_owners_with_any_name_have_their_own_files(tmp_path: Path) -> None:
    owners = ["../../etc", "a/b", "\x00", "私", "x" * 5_000]
    with open_at(tmp_path) as store:
        for number, owner in enumerate(owners):
            put(store, memory(f"m{number}", "a dog", owner=owner))
            assert [key for key, _ in store.semantic(owner, vector("a dog"), 9, kind="memory")] == [
                f"m{number}"
            ]
    assert len(list((tmp_path / "index").iterdir())) == FILES * len(owners)
    assert {path.name for path in tmp_path.iterdir()} == {
        "index",
        "memscope.duckdb",
        "memscope.duckdb.committed",
    }


@pytest.fixture
def texts_added(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many texts each call put into a keyword index."""
    counts: list[int] = []
    put_as_it_is = Bm25Index.put

    def counting(self, ids, texts):
        counts.append(len(ids))
        put_as_it_is(self, ids, texts)

    monkeypatch.setattr(Bm25Index, "put", counting)
    return counts


def test_words_are_kept_in_a_file_too_and_only_what_is_new_is_read(
    tmp_path: Path, texts_added: list[int]
) -> None:
    def found(store: DuckStore, query: str) -> list[str]:
        return [key for key, _ in store.lexical("me", query, 5, kind="memory")]

    with open_at(tmp_path) as store:
        put(store, *(memory(f"m{number}", f"fact number {number}") for number in range(10)))
        assert found(store, "number 3")[0] == "m3"
    texts_added.clear()
    with open_at(tmp_path) as store:
        assert found(store, "number 3")[0] == "m3"
        put(store, memory("new", "something else"), memory("m3", "changed"))
        assert (found(store, "something"), found(store, "3")) == (["new"], [])
    assert sum(texts_added) == 2
    change(manifest(tmp_path), rest={"entries": 3})
    with open_at(tmp_path) as store:
        assert found(store, "changed") == ["m3"]
    assert sum(texts_added) == 2 + 11


def test_a_small_collection_has_no_files_and_finds_the_same(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_at(saved) as store:
        by_graph = store.semantic("me", vector("fact number 3"), 5, kind="memory")
    shutil.rmtree(saved / "index")
    monkeypatch.setattr(search, "LARGE", 20)
    with open_at(saved) as store:
        one_by_one = store.semantic("me", vector("fact number 3"), 5, kind="memory")
        store.lexical("me", "fact", 5, kind="memory")
    assert [key for key, _ in one_by_one[:2]] == [key for key, _ in by_graph[:2]]
    assert not (saved / "index").exists()


def test_indexes_prepared_side_by_side_find_what_they_find_alone(saved: Path, added: list[int]) -> None:
    with open_at(saved) as store:
        store.prepare("me", semantic=("memory", "message", "triple"), lexical=("memory", "message"))
        before = list(added)
        assert nearest(store, "fact number 7") == "m7"
        assert store.lexical("me", "number 7", 1, kind="memory")[0][0] == "m7"
    assert added == before
