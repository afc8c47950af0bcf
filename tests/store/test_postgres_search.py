"""Search in PostgreSQL finds what the embedded engine finds, and its tables hold what there is to find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import psycopg
import pytest
from psycopg import sql

from memcore.domain.models import Source
from memcore.domain.server_address import ServerAddress
from memcore.review.erase import plan
from memcore.store import SqlStore, open_store
from memcore.store.postgres import indexing, packed
from tests.store.erasing import fill, marker
from tests.store.samples import EMBEDDER, entity, log, memory, put, triple

WORDS = "ann bob dog cat rome oslo cello violin tea coffee boat garden 2023 sister".split()
QUERIES = ("dog", "Ann's dog in Rome", "a violin, a cello and a dog", "who had tea in the garden?", "nothing")


def open_at(where: ServerAddress | Path) -> SqlStore:
    return open_store(where, embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension)


@pytest.fixture
def store(address: ServerAddress) -> Iterator[SqlStore]:
    with open_at(address) as opened:
        yield opened


@pytest.fixture
def tables(store: SqlStore, address: ServerAddress) -> Iterator[psycopg.Connection]:
    """The tables of the store, past its own ways."""
    with psycopg.connect(str(address), autocommit=True) as connection:
        connection.execute("set search_path = memscope, public")
        yield connection


def direction(text: str) -> np.ndarray:
    """A vector of the text's own, so that no two are equally near to anything."""
    found = np.random.default_rng(list(text.encode())).normal(size=EMBEDDER.dimension)
    return (found / np.linalg.norm(found)).astype(np.float32)


def put_at_random(stores: Sequence[SqlStore], chance: np.random.Generator, count: int, keys: int) -> None:
    """Give some of so many memories other texts, some of which are deleted, and some no vector."""
    chosen = [f"m{n:03}" for n in chance.integers(0, keys, count)]
    texts = [" ".join(chance.choice(WORDS, chance.integers(1, 12))) + f" {n}" for n in range(count)]
    states = ["deleted" if deleted else "active" for deleted in chance.random(count) < 0.2]
    put_all = [
        memory(key, text, state=state, embedding_model="")
        for key, text, state in zip(chosen, texts, states, strict=True)
    ]
    vectors = {text: direction(text) for text in texts[: count - 2]}
    for store in stores:
        with store.write(actor="test") as writer:
            writer.put_memories(list({one.id: one for one in put_all}.values()))
            writer.add_embeddings(EMBEDDER.model_id, vectors)


def require_the_same(one: list[tuple[str, float]], other: list[tuple[str, float]]) -> None:
    assert [key for key, _ in one] == [key for key, _ in other]
    assert [score for _, score in one] == pytest.approx([score for _, score in other], abs=1e-4)


def unsound(store: SqlStore) -> list[str]:
    return [finding.name for finding in store.check() if not finding.sound]


def cells(tables: psycopg.Connection, table: str) -> list[str]:
    """Every row as text."""
    everything = sql.SQL("select t::text from {} t").format(sql.Identifier(table))
    return [row for (row,) in tables.execute(everything).fetchall()]


def test_both_engines_find_the_same_in_the_same_order_however_it_came_to_be(
    store: SqlStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "CHUNK", 16)
    monkeypatch.setattr(indexing, "CHUNK", 16)
    monkeypatch.setattr(indexing, "BATCH", 7)
    chance = np.random.default_rng(3)
    with open_at(tmp_path / "embedded") as embedded:
        for _ in range(12):
            put_at_random([embedded, store], chance, 20, 60)
            for query in QUERIES:
                for k in (1, 5, 100):
                    require_the_same(
                        embedded.lexical("me", query, k, kind="memory"),
                        store.lexical("me", query, k, kind="memory"),
                    )
                require_the_same(
                    embedded.semantic("me", direction(query), 10, kind="memory"),
                    store.semantic("me", direction(query), 10, kind="memory"),
                )
            asked = ["dog", "never", "東京"]
            assert embedded.rarity("me", asked, kind="memory") == store.rarity("me", asked, kind="memory")


def test_both_engines_tell_which_messages_memories_came_from(store: SqlStore, tmp_path: Path) -> None:
    first, second = Source("a-s0-m0", 0, 3), Source("a-s0-m1", 0, 3)
    put_all = [
        memory("both", sources=(second, first, second)),
        memory("one", sources=(first,)),
        memory("by hand", sources=()),
        memory("gone", sources=(first,), state="deleted"),
        memory("other", sources=(first,), recipe="mem0"),
        memory("yours", sources=(first,), owner="you"),
    ]
    ids = [one.id for one in put_all]
    with open_at(tmp_path / "embedded") as embedded:
        for opened in (embedded, store):
            with opened.write(actor="test") as writer:
                writer.add_log(log("I have a dog", "Really?"))
            put(opened, *put_all)
            cited = opened.cited_by(["none", *ids], recipe="memscope")
            assert cited.pop("yours") == ("a-s0-m0",)
            assert cited == {"both": ("a-s0-m1", "a-s0-m0"), "one": ("a-s0-m0",), "by hand": ()}
            assert list(cited) == ["both", "one", "by hand"]
            of_messages = opened.memories_of_messages("me", ["a-s0-m1", "none", "a-s0-m0"], recipe="memscope")
            assert list(of_messages) == ["both", "gone", "one"]
            assert of_messages["both"] == put_all[0]


def test_a_collection_whose_places_are_mostly_empty_is_made_anew(
    store: SqlStore, tables: psycopg.Connection
) -> None:
    numbers = set()
    for turn in range(6):
        put(store, *(memory(f"m{n}", f"dog of turn {turn} and number {n}") for n in range(5)))
        ((number, places),) = tables.execute("select number, places from collections").fetchall()
        numbers.add(number)
        assert places <= 10
        assert len(store.lexical("me", f"turn {turn}", 9, kind="memory")) == 5
    assert len(numbers) > 1
    put(store, *(memory(f"m{n}", "gone", state="deleted") for n in range(5)))
    for table in ("collections", "indexed", "postings", "document_lengths"):
        assert cells(tables, table) == [], table


def test_a_large_collection_is_searched_through_a_graph_of_its_own(
    store: SqlStore, tables: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "LARGE", 300)
    chance = np.random.default_rng(5)
    questions = [direction(f"question {n}") for n in range(20)]
    with open_at(tmp_path / "embedded") as embedded:
        both = (embedded, store)
        for _ in range(4):
            put_at_random(both, chance, 200, 5_000)
        assert tables.execute("select entries >= 300, graph from collections").fetchall() == [(True, True)]
        assert recall(embedded, store, questions) >= 0.98
        put_at_random(both, chance, 200, 5_000)  # added to the graph that is there
        assert recall(embedded, store, questions) >= 0.98
    indexes = "select count(*) from pg_indexes where schemaname = 'memscope' and indexname like 'graph_%'"
    assert tables.execute(indexes).fetchone() == (1,)
    put(store, memory("z", "a text of its own", owner="you"))
    assert [key for key, _ in store.semantic("you", direction("x"), 5, kind="memory")] == ["z"]
    assert unsound(store) == []


def recall(exact: SqlStore, other: SqlStore, questions: Sequence[np.ndarray]) -> float:
    hits = 0
    for question in questions:
        nearest = {key for key, _ in exact.semantic("me", question, 50, kind="memory")}
        hits += len(nearest & {key for key, _ in other.semantic("me", question, 50, kind="memory")})
    return hits / 50 / len(questions)


def test_a_store_of_an_earlier_program_is_indexed_when_it_is_opened(
    store: SqlStore, tables: psycopg.Connection, address: ServerAddress
) -> None:
    with store.write(actor="test") as writer:
        writer.add_log(log("Ann has a dog", "Bob plays the cello"))
        writer.put_entities([entity("e1", "The Red-Boat", aliases=("boat",)), entity("e2", "Oslo")])
        writer.put_triples([triple("t1", "e1", "lies_in", "e2")])
    put(store, memory("m1", "Ann has a dog"), memory("m2", "Bob plays the cello"))

    def found(opened: SqlStore) -> list[object]:
        return [
            opened.lexical("me", "dog cello", 5, kind="memory"),
            opened.lexical("me", "dog cello", 5, kind="message"),
            opened.lexical("me", "lies in oslo", 5, kind="triple"),
            opened.semantic("me", EMBEDDER.embed(["dog"])[0], 5, kind="memory"),
            opened.entities_named("me", ["red boat", "boat"], recipe="memscope"),
        ]

    before = found(store)
    assert all(before)
    store.close()
    tables.execute(
        "drop table collections, indexed, postings, document_lengths, entity_names;"
        "drop function make_graph, drop_graph, owners_with, last_event; drop index memories_cited_idx;"
        "drop index messages_session_id_position_id_idx; drop index entities_merged_into_idx;"
        "create index on messages (session_id, position); delete from migrations where number > 1"
    )
    with open_at(address) as opened:
        assert found(opened) == before
        assert unsound(opened) == []


def test_what_was_erased_is_in_no_row_that_search_reads_also_where_it_was_corrected_before(
    store: SqlStore, tables: psycopg.Connection
) -> None:
    for name in "ab":
        fill(store, name)
    put(store, memory("mem-a", "The aunt has a secret"), memory("ben-b", f"Ben has no {marker('a')}"))
    put(store, memory("ben-b", "Ben went swimming"))
    store.erase(plan(store, "conversation", "a", "me"), actor="ann", keep=True)
    every = "select tablename from pg_tables where schemaname = 'memscope'"
    for (table,) in tables.execute(every).fetchall():
        assert not any(marker("a") in row.lower() for row in cells(tables, table)), table
    assert [key for key, _ in store.lexical("me", "attic", 5, kind="message")] == ["b-s0-m0"]
    assert store.lexical("me", "aunt", 5, kind="memory")
    assert unsound(store) == []


@pytest.mark.parametrize(
    "damage",
    [
        "delete from postings where word = 'dog'",
        "update postings set held = held || held where word = 'dog'",
        "update document_lengths set lengths = lengths || lengths",
        "delete from indexed where id = 'm1'",
        "update indexed set half = other.half from indexed other where indexed.id = 'm1' and other.id = 'm2'",
        "update indexed set text_hash = 'x' where id = 'm1'",
        "update collections set owner = 'you' where kind = 'memory'",
        "delete from entity_names",
        "update entity_names set key = 'someone else'",
    ],
)
def test_doctor_tells_when_search_reads_something_else_than_there_is(
    store: SqlStore, tables: psycopg.Connection, damage: str
) -> None:
    put(store, memory("m1", "Ann has a dog"), memory("m2", "Bob plays the cello"))
    with store.write(actor="test") as writer:
        writer.put_entities([entity("e1", "Ann")])
    assert unsound(store) == []
    assert tables.execute(damage).rowcount
    assert unsound(store) == ["search"]
