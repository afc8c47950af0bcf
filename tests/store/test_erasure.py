"""What is erased is nowhere: in no file, no cell and no cache; the rest stays as it was."""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path

import duckdb
import pytest

from memcore.domain.errors import ConflictError, NotFoundError
from memcore.domain.models.erasure import ErasedKind
from memcore.review.decide import undo
from memcore.review.erase import plan
from memcore.store.duckdb import search
from tests.fakes import EMBEDDER
from tests.kill_harness import run_with_kills
from tests.store.erasing import CONVERSATIONS, cells_with, content, files_with, fill, marker, opened

ROOT = Path(__file__).parent.parent.parent
FIRST = "a-s0-m0"
KILLS = int(os.environ.get("KILLS", "10"))
"""Of the slow test: `KILLS=30 python -m pytest -m slow tests/store/test_erasure.py` takes five minutes."""


def unsound(directory: Path) -> list[object]:
    with opened(directory) as store:
        return [finding for finding in store.check() if not finding.sound]


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with two conversations of one owner and one of another; its indexes are in files."""
    monkeypatch.setattr(search, "LARGE", 1)
    with opened(tmp_path) as store:
        for name, owner in (("a", "me"), ("b", "me"), ("c", "you")):
            fill(store, name, owner)
        store.semantic("me", EMBEDDER.embed(["aunt"])[0], 3, kind="memory")
        store.lexical("me", "aunt", 3, kind="memory")
    (tmp_path / "all.jsonl.1234abcd.new").write_text(marker("a"))
    assert unsound(tmp_path) == []
    (tmp_path / "all.jsonl.1234abcd.new").write_text(marker("a"))
    assert len(cells_with(tmp_path, marker("a"))) >= 15, "the marker stands everywhere"
    return tmp_path


@pytest.mark.parametrize(
    ("what", "target"),
    [("message", FIRST), ("conversation", "a"), ("person", "Ann"), ("owner", "me")],
)
def test_what_is_erased_occurs_in_no_file_and_no_cell(directory: Path, what: ErasedKind, target: str) -> None:
    with opened(directory) as store:
        store.lexical("me", marker("a"), 3, kind="memory")
        others = content(store, "you")
        store.erase(plan(store, what, target, "me"), actor="ann", keep=True)
        assert store.lexical("me", marker("a"), 3, kind="memory") == []
        assert content(store, "you") == others
    assert files_with(directory, marker("a")) == []
    assert cells_with(directory, marker("a")) == []
    assert unsound(directory) == []
    assert cells_with(directory, marker("c")), "the other owner's is still there"
    with opened(directory) as store:
        last = store.events()[-1]
        assert (last.kind, last.actor) == (f"{what}.erased", "ann")
        assert last.after is not None and last.after["removed"]["messages"] >= 1


def test_a_message_takes_what_rests_on_it_and_nothing_else(directory: Path) -> None:
    with opened(directory) as store:
        untouched = [m for m in store.memories("me", states=None) if m.id.endswith("-b")]
        store.erase(plan(store, "message", FIRST, "me"), actor="ann", keep=True)
        memories = {m.id: m for m in store.memories("me", states=None)}
        assert sorted(memories) == ["ben-a", "ben-b", "both-b", "leak-b", "mem-b"]
        assert [m for m in memories.values() if m.id.endswith("-b")] == untouched
        assert (memories["ben-a"].topic, memories["ben-a"].keywords) == ("", ("river",))
        assert [t.id for t in store.triples("me")] == ["t1-b", "t2-a", "t2-b"]
        (kept,) = [t for t in store.triples("me") if t.id == "t2-a"]
        assert ([s.message_id for s in kept.sources], kept.memory_ids) == (["a-s0-m1"], ("ben-a",))
        assert [p.id for p in store.proposals("me")] == ["p1-b", "p2-a", "p2-b"]
        (segment,) = [s for s in store.segments() if s.id == "seg-a"]
        assert (segment.message_ids, segment.topic, segment.boundary) == (("a-s0-m1",), "", {"method": "m"})
        assert {e.name: e.aliases for e in store.entities("me") if e.id == "ben-e-a"} == {"Ben a": ("Benny",)}
        (call,) = store.llm_calls(run_id="run-a")
        assert (call.prompt, call.completion, call.request, call.prompt_tokens) == ("", "", "", 1)


def test_a_dry_run_counts_what_the_erasure_then_removes_and_changes_nothing(directory: Path) -> None:
    with opened(directory) as store:
        before = content(store, "me")
        counted = store.erase(plan(store, "message", FIRST, "me"), actor="ann", keep=False)
        assert content(store, "me") == before
        assert store.erase(plan(store, "message", FIRST, "me"), actor="ann", keep=True) == counted
    assert counted[0]["messages"] == 1
    assert counted[0]["memories"] == 3


def test_tables_this_module_does_not_know_are_searched_by_their_columns(directory: Path) -> None:
    word = marker("a")
    with duckdb.connect(str(directory / "memscope.duckdb")) as connection:
        connection.execute(
            "create table asked (id varchar, owner varchar, text varchar, said varchar[], more json)"
        )
        connection.execute(
            "insert into asked values ('q1', 'me', ?, [?, 'tea'], json_object('deep', json_array(?)))",
            [f"Where is the {word}?", word, word],
        )
        connection.execute("insert into asked values ('q2', 'me', 'Where is Ben?', ['tea'], '{}')")
        connection.execute("create table scores (id varchar, document varchar)")
        connection.execute("insert into scores values ('s1', ?)", [f'{{"missed": ["{word}"], "n": 1}}'])
    kept = directory / "evaluations" / "q.json.gz"
    kept.parent.mkdir()
    kept.write_bytes(gzip.compress(json.dumps({"asked": [f"Where is {word}?", "tea"]}).encode()))
    with opened(directory) as store:
        removed, changed = store.erase(plan(store, "message", FIRST, "me"), actor="ann", keep=True)
    assert (removed["asked"], changed["scores"], changed["files"]) == (1, 1, 1)
    assert cells_with(directory, word) == []
    assert files_with(directory, word) == []
    assert json.loads(gzip.decompress(kept.read_bytes())) == {"asked": ["", "tea"]}
    with opened(directory) as store:
        store.erase(plan(store, "owner", "me", "me"), actor="ann", keep=True)
    with duckdb.connect(str(directory / "memscope.duckdb")) as connection:
        assert connection.execute("select count(*) from asked").fetchall() == [(0,)]


def test_an_erasure_cannot_be_undone_and_nothing_that_is_not_there_is_erased(directory: Path) -> None:
    with opened(directory) as store:
        with pytest.raises(NotFoundError):
            plan(store, "message", "c-s0-m0", "me")  # another owner's
        store.erase(plan(store, "message", FIRST, "me"), actor="ann", keep=True)
        with pytest.raises(ConflictError):
            undo(store, store.events()[-1].id, "ann")
        with pytest.raises(NotFoundError):
            plan(store, "message", FIRST, "me")


def test_the_same_log_imported_again_brings_the_message_back(directory: Path) -> None:
    with opened(directory) as store:
        store.erase(plan(store, "conversation", "a", "me"), actor="ann", keep=True)
        fill(store, "a")
        assert len(store.messages("a-s0")) == 2
    assert unsound(directory) == []


@pytest.mark.parametrize("kills", [2, pytest.param(KILLS, marks=pytest.mark.slow)])
def test_killed_at_any_moment_an_erasure_has_happened_or_has_not(tmp_path: Path, kills: int) -> None:
    def fill_all() -> None:
        with opened(tmp_path) as store:
            there = {one.id for one in store.conversations("me")}
            for name in (f"k{number}" for number in range(CONVERSATIONS)):
                if name not in there:
                    fill(store, name)

    left: list[int] = []

    def is_whole(_: int) -> None:
        assert unsound(tmp_path) == []
        with opened(tmp_path) as store:
            there = {one.id for one in store.conversations("me")}
            left.append(len(there))
            assert {
                m.id.removeprefix("mem-") for m in store.memories("me") if m.id.startswith("mem-")
            } == there
        gone = {f"k{number}" for number in range(CONVERSATIONS)} - there
        for name in gone:
            assert files_with(tmp_path, marker(name)) == []
        for name in sorted(gone)[:2]:
            assert cells_with(tmp_path, marker(name)) == []
        fill_all()

    fill_all()
    run_with_kills(
        [sys.executable, "-m", "tests.store.erasing", str(tmp_path)],
        kills=kills,
        seed=20241123,
        steps=4,
        after_kill=is_whole,
        cwd=ROOT,
        timeout=300,
    )
    assert min(left) < CONVERSATIONS, "the kills fell into the work"
