"""What is kept in memory of the store follows the store, and says what reading the tables would say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcore.domain.models import Entity, Source
from memcore.domain.names import entity_key
from memcore.stages.link import by_name
from memcore.store import DuckStore
from memcore.store.duckdb import rows
from memcore.store.duckdb.database import Database
from tests.pipeline import open_with
from tests.store.samples import EMBEDDER, entity, log, memory, put, triple


def open_at(directory: Path) -> DuckStore:
    return open_with(EMBEDDER, directory)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The selects that were put to DuckDB."""
    selects: list[str] = []
    query = Database.query

    def counting(self, sql, parameters=()):
        selects.append(sql)
        return query(self, sql, parameters)

    monkeypatch.setattr(Database, "query", counting)
    return selects


def test_a_memory_that_was_read_is_read_once_until_it_changes(tmp_path: Path, asked: list[str]) -> None:
    with open_at(tmp_path) as store:
        put(store, memory("m1"), memory("m2"))
        assert store.memories_by_id(["m2", "m1", "none"]) == {"m2": memory("m2"), "m1": memory("m1")}
        asked.clear()
        assert list(store.memories_by_id(["m1", "m2"])) == ["m1", "m2"]
        assert asked == []
        put(store, memory("m1", "Ann has two dogs"))
        assert store.memories_by_id(["m1"])["m1"].text == "Ann has two dogs"


def test_after_several_reads_the_rest_is_read_at_once(
    tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "READ_ALL_AFTER", 2)
    with open_at(tmp_path) as store:
        put(store, *(memory(f"m{number}") for number in range(9)))
        store.memories_by_id(["m1"])
        store.memories_by_id(["m2"])
        asked.clear()
        assert len(store.memories_by_id([f"m{number}" for number in range(9)])) == 9
        assert asked == []


@pytest.mark.parametrize("read_all_after", [1, 99])
def test_however_few_are_kept_all_that_are_asked_for_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_all_after: int
) -> None:
    monkeypatch.setattr(rows, "MOST", 3)
    monkeypatch.setattr(rows, "READ_ALL_AFTER", read_all_after)
    with open_at(tmp_path) as store:
        put(store, *(memory(f"m{number}") for number in range(9)))
        for first in (0, 2, 4):
            ids = [f"m{number}" for number in range(first, first + 5)]
            assert list(store.memories_by_id(ids)) == ids


def test_memories_are_found_by_the_messages_they_came_from(tmp_path: Path) -> None:
    with open_at(tmp_path) as store:
        with store.write(actor="test") as writer:
            writer.add_log(log("I have a dog", "Really?", "Yes"))
        first, second = Source("a-s0-m0", 0, 3), Source("a-s0-m1", 0, 3)
        both = memory("both", sources=(first, second, first), state="deleted")
        put(store, both, memory("one", sources=(second,)), memory("other", sources=(first,), recipe="mem0"))

        def made_of(*ids: str) -> set[str]:
            return set(store.memories_of_messages("me", ids, recipe="memscope"))

        assert made_of("a-s0-m0", "a-s0-m1") == {"both", "one"}
        assert made_of("a-s0-m0") == {"both"}
        assert made_of("a-s0-m2") == set()
        assert store.memories_of_messages("you", ["a-s0-m0"], recipe="memscope") == {}
        put(store, replace(both, sources=(second,)), memory("new", sources=(first,)))
        assert made_of("a-s0-m0") == {"new"}
        assert made_of("a-s0-m1") == {"both", "one"}


def test_triples_are_found_by_either_end_whether_they_hold_or_not(tmp_path: Path) -> None:
    with open_at(tmp_path) as store:
        with store.write(actor="test") as writer:
            writer.put_entities([entity(key, key.upper()) for key in ("a", "b", "c")])
            writer.put_triples([triple("ab", "a", "knows", "b"), triple("bc", "b", "knows", "c", mentions=0)])
            writer.put_triples([triple("aa", "a", "knows", "a"), triple("x", "a", "is", "b", recipe="mem0")])
        assert set(store.triples_of_entities("me", ["a"], recipe="memscope")) == {"ab", "aa"}
        found = store.triples_of_entities("me", ["b"], recipe="memscope")
        assert found == store.triples_by_id(["ab", "bc"])
        assert found["bc"].mentions == 0
        assert store.triples_of_entities("me", ["nobody"], recipe="memscope") == {}


def test_speakers_and_the_last_message_follow_what_is_imported(tmp_path: Path) -> None:
    with open_at(tmp_path) as store:
        assert (store.speakers("me"), store.last_said("me")) == ([], None)
        with store.write(actor="test") as writer:
            writer.add_log(log("hello"))
        assert store.speakers("me") == ["Ann"]
        before = store.last_said("me")
        with store.write(actor="test") as writer:
            writer.add_log(log("hello", "hi", name="b", session=3))
        assert store.speakers("me") == ["Ann", "Bob"]
        assert before is not None
        assert (store.last_said("me") or before) > before
        assert store.speakers("you") == []


NAMES = st.sampled_from(["Ann", "the Dog", "dog", "ANN", "Rex", "rex!"])
ENTITIES = st.lists(
    st.tuples(st.sampled_from("abcd"), NAMES, st.lists(NAMES, max_size=2), st.sampled_from([None, *"abcd"])),
    max_size=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(steps=st.lists(ENTITIES, min_size=1, max_size=3))
def test_entities_named_are_those_that_reading_all_entities_would_name(
    tmp_path_factory: pytest.TempPathFactory, steps: list[list[tuple[str, str, list[str], str | None]]]
) -> None:
    keys = ["ann", "dog", "rex"]
    with open_at(tmp_path_factory.mktemp("store")) as store:
        for step in steps:
            with store.write(actor="test") as writer:
                for key, name, aliases, survivor in step:
                    into = survivor if survivor != key else None
                    writer.put_entities([entity(key, name, aliases=tuple(aliases), merged_into=into)])
            everything = store.entities("me", recipe="memscope")
            found = store.entities_named("me", keys, recipe="memscope")
            assert found == [e for e in everything if e in found]
            assert {k: e for k, e in by_name(found).items() if k in keys} == {
                k: e for k, e in by_name(everything).items() if k in keys
            }
            assert {e.id for e in found} == named_or_merged(everything, keys)


def named_or_merged(everything: list[Entity], keys: list[str]) -> set[str]:
    found = {
        e.id
        for e in everything
        if e.merged_into is None and {entity_key(name) for name in (e.name, *e.aliases)} & set(keys)
    }
    while more := {e.id for e in everything if e.merged_into in found} - found:
        found |= more
    return found
