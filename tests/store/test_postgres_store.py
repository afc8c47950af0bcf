"""PostgreSQL's store: the contract that every store keeps, and what only a server has."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from memcore import open_memory
from memcore.domain.errors import EmbeddingMismatchError, MemcoreError, StoreBusyError, StoreError
from memcore.domain.protocols import Store
from memcore.domain.server_address import ServerAddress
from memcore.logs import LogRead
from memcore.runtime.config import load_settings, save_settings
from memcore.store import SqlStore, open_store, reembed, store_exists
from memcore.store.postgres import connecting, database, opening
from tests.contract.store import *  # noqa: F403
from tests.fakes import HashingEmbedder
from tests.pipeline import FakeBackends
from tests.postgres import server
from tests.store.samples import EMBEDDER, add_vectors, log, memory, put, run, vector


def open_at(address: ServerAddress) -> SqlStore:
    return open_store(address, embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension)


@pytest.fixture
def store(address: ServerAddress) -> Iterator[SqlStore]:
    """A new store in a database of its own."""
    with open_at(address) as opened:
        yield opened


def by_other_connections(address: ServerAddress) -> ServerAddress:
    """The same database in other words: over connections and caches of its own, as another process has it."""
    return replace(address, shown=f"{address}&options=-cgeqo%3Doff")


@pytest.fixture
def elsewhere(store: SqlStore, address: ServerAddress) -> Iterator[SqlStore]:
    """The same store, as another process has it."""
    with open_at(by_other_connections(address)) as opened:
        yield opened


# --------------------------------------------------------------------------- several processes


def test_what_another_process_commits_is_found_at_once(store: SqlStore, elsewhere: SqlStore) -> None:
    assert store.lexical("me", "dog", 3, kind="memory") == []
    assert store.speakers("me") == []
    with elsewhere.write(actor="other") as writer:
        writer.add_log(log("Hi Bob", "Hi Ann"))
        writer.put_memories([memory("m1", "Ann has a dog")])
        add_vectors(writer, "Ann has a dog")
    assert [key for key, _ in store.lexical("me", "dog", 3, kind="memory")] == ["m1"]
    assert [key for key, _ in store.semantic("me", vector("dog"), 3, kind="memory")] == ["m1"]
    assert store.memories_by_id(["m1"]) == {"m1": memory("m1", "Ann has a dog")}
    assert store.speakers("me") == ["Ann", "Bob"]
    assert store.stats("me")["memories"] == 1
    put(elsewhere, memory("m1", "Ann has a cat"))
    assert store.lexical("me", "dog", 3, kind="memory") == []
    assert store.memories_by_id(["m1"])["m1"].text == "Ann has a cat"


def test_events_of_two_writers_are_numbered_without_a_gap(store: SqlStore, elsewhere: SqlStore) -> None:
    for number, writer in enumerate([store, elsewhere, store, elsewhere]):
        put(writer, memory(f"m{number}"))
    assert [event.seq for event in store.events()] == [1, 2, 3, 4]
    assert [
        finding.name for finding in store.check() if not finding.sound and finding.name == "history"
    ] == []


def test_one_process_writes_at_a_time(
    store: SqlStore, elsewhere: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "WRITE_WAIT_SECONDS", 1)
    with store.write(actor="one") as writer:
        writer.put_memories([memory("m1")])
        with pytest.raises(StoreBusyError), elsewhere.write(actor="other"):
            pass
    put(elsewhere, memory("m2"))
    assert {one.id for one in store.memories("me")} == {"m1", "m2"}


def test_one_process_at_a_time_reads_an_owner_with_a_system(store: SqlStore, elsewhere: SqlStore) -> None:
    def impatient() -> bool:
        return False

    with store.claim("me", "memscope", waiting=impatient) as ours:
        assert ours
        with elsewhere.claim("me", "memscope", waiting=impatient) as theirs:
            assert not theirs
        with elsewhere.claim("you", "memscope", waiting=impatient) as theirs:
            assert theirs
    with elsewhere.claim("me", "memscope", waiting=impatient) as theirs:
        assert theirs


KILLED = """
import os, signal, sys
from memcore.domain.protocols import Store
from memcore.domain.server_address import ServerAddress
from tests.store.test_postgres_store import open_at
from tests.store.samples import memory
store = open_at(ServerAddress.parse(sys.argv[1]))
with store.claim("me", "memscope", waiting=lambda: False), store.write(actor="killed") as writer:
    writer.put_memories([memory("lost")])
    with store._database.transaction() as transaction:
        writer.write_to(transaction)
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_held_is_free_and_what_it_had_not_committed_is_not_there(
    store: SqlStore, address: ServerAddress
) -> None:
    put(store, memory("kept"))
    ended = subprocess.run([sys.executable, "-c", KILLED, str(address)], timeout=120)
    assert ended.returncode == -9
    put(store, memory("after"))
    with store.claim("me", "memscope", waiting=lambda: True) as ours:
        assert ours
    assert {one.id for one in store.memories("me")} == {"kept", "after"}
    assert [event.seq for event in store.events()] == [1, 2]


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (lambda store: store.memories("me"), [memory("m1")]),
        (lambda store: store._database.query(" with one as (select 1 as n) select n from one"), [(1,)]),
    ],
    ids=["select", "with"],
)
def test_reading_goes_on_after_the_server_closed_every_connection(
    store: SqlStore, address: ServerAddress, read: Callable[[SqlStore], Any], found: object
) -> None:
    put(store, memory("m1"))
    with psycopg.connect(str(address), autocommit=True) as other:
        other.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid()"
        )
    assert read(store) == found
    put(store, memory("m2"))
    assert store.count_memories("me") == 2


# --------------------------------------------------------------------------- what is kept and what goes


@pytest.mark.parametrize(
    "statement", ["update events set actor = 'x'", "delete from events", "truncate events"]
)
def test_events_cannot_be_changed_or_removed(store: SqlStore, address: ServerAddress, statement: str) -> None:
    put(store, memory("m1"))
    with psycopg.connect(str(address), autocommit=True) as other:
        other.execute("set search_path = memscope")
        with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
            other.execute(statement)
    assert len(store.events()) == 1


def test_a_trial_is_equal_and_leaves_the_store_as_it_was(store: SqlStore) -> None:
    put(store, memory("m1"))
    with store.trial() as copy:
        assert copy.memories("me") == store.memories("me")
        assert copy.events() == store.events()
        put(copy, memory("m2"))
    assert store.count_memories("me") == 1


def test_what_is_erased_is_in_no_table_and_found_by_no_process(address: ServerAddress) -> None:
    with (
        open_memory(str(address), backends=FakeBackends, queue_threshold=0.0) as here,
        open_memory(str(by_other_connections(address)), backends=FakeBackends, queue_threshold=0.0) as there,
    ):
        here.ingest(LogRead((log("I have a zebra.", name="a", owner="ann"),)), owner="ann")
        here.ingest(LogRead((log("I have a dog.", name="b", owner="bob"),)), owner="bob")
        assert there.store.lexical("ann", "zebra", 5, kind="message")
        counted = here.preview_erasure("owner", "ann")
        assert there.store.lexical("ann", "zebra", 5, kind="message")
        assert here.erase("owner", "ann", actor="ann").removed == counted.removed
        assert there.store.lexical("ann", "zebra", 5, kind="message") == []
        assert there.store.lexical("bob", "dog", 5, kind="message")
        assert here.store.owners() == there.store.owners() == ["bob"]
        assert [finding.name for finding in here.store.check() if not finding.sound] == []
    with psycopg.connect(str(address), autocommit=True) as connection:
        connection.execute("set search_path = memscope, public")
        named = "select tablename from pg_tables where schemaname = 'memscope'"
        for (table,) in connection.execute(named).fetchall():
            everything = sql.SQL("select t::text from {} t").format(sql.Identifier(table))
            assert not any("zebra" in row for (row,) in connection.execute(everything)), table


@pytest.mark.parametrize(
    "cached",
    [
        lambda store: store.speakers("ann"),
        lambda store: store.neighbours("ann", ["a-s0-m0"]),
        lambda store: store.lexical("ann", "zebra", 5, kind="message"),
        lambda store: store._references.spellings("ann", "memscope", ["ann"]),
    ],
    ids=["speakers", "neighbours", "words", "spellings"],
)
def test_the_first_answer_after_another_process_erased_has_nothing_of_it(
    address: ServerAddress, cached: Callable[[SqlStore], Any]
) -> None:
    with (
        open_memory(str(address), backends=FakeBackends) as here,
        open_memory(str(by_other_connections(address)), backends=FakeBackends) as there,
    ):
        here.ingest(LogRead((log("I have a zebra.", "Nice!", name="a", owner="ann"),)), owner="ann")
        here.ingest(LogRead((log("I have a dog.", name="b", owner="bob"),)), owner="bob")
        assert cached(there.store)
        here.erase("owner", "ann", actor="ann")
        assert not cached(there.store)


def test_nothing_is_erased_while_a_run_of_another_process_is_at_work(
    store: SqlStore, address: ServerAddress
) -> None:
    with store.write(actor="ingest") as writer:
        writer.add_log(log("I have a zebra."))
        writer.put_run(run("r1", state="running"))
    with open_memory(str(by_other_connections(address)), backends=FakeBackends) as later:
        with pytest.raises(StoreBusyError, match="r1"):
            later.erase("owner", "me", actor="me")
        store.close()  # as the end of its process does; nothing says how the run ended
        wait_until_broken_off(later.store, "r1")
        later.erase("owner", "me", actor="me")
        assert later.store.owners() == []


def wait_until_broken_off(store: Store, run_id: str) -> None:
    """Wait until the server has noticed that the connection which showed the run to be at work is gone."""
    until = time.monotonic() + 10
    while store.at_work(run_id) and time.monotonic() < until:
        time.sleep(0.01)


def test_who_asks_whether_a_run_is_at_work_disturbs_nobody_who_asks_too(store: SqlStore) -> None:
    with ThreadPoolExecutor(8) as askers:
        said = list(askers.map(lambda _: store.at_work("broken off"), range(400)))
    assert said.count(True) == 0


def test_reembedding_moves_everything_to_the_other_model(address: ServerAddress) -> None:
    with open_at(address) as store, store.write(actor="test") as writer:
        writer.put_memories([memory("m1", "Ann has a dog")])
        add_vectors(writer, "Ann has a dog")
    other = HashingEmbedder(dimension=32)
    assert reembed(address, other) == 1
    with pytest.raises(EmbeddingMismatchError):
        open_at(address)
    with open_store(address, embedding_model=other.model_id, dimension=32) as store:
        found = store.semantic("me", other.embed(["dog"])[0], 1, kind="memory")
        assert [key for key, _ in found] == ["m1"]
        assert [finding.name for finding in store.check() if not finding.sound] == []


# --------------------------------------------------------------------------- addresses and errors


def parsed(text: str) -> ServerAddress:
    found = ServerAddress.parse(text)
    assert found is not None
    return found


def test_the_password_of_an_address_is_shown_and_written_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSCOPE_DATA", str(tmp_path))
    settings = load_settings("postgresql://ann:s3cret%2F@localhost:1/memory")
    assert settings.database is not None and settings.database.password == "s3cret/"
    save_settings(settings, llm_workers=3)
    with pytest.raises(StoreError) as caught:
        open_memory("postgresql://ann:s3cret%2F@localhost:1/memory", backends=FakeBackends)
    said = [repr(settings), str(settings.where), caught.value.cause, caught.value.fix, repr(caught.value)]
    written = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == 2
    assert not any("s3cret" in text for text in said + written)


def test_the_directory_of_a_server_leads_to_it_and_no_other_directory_does(
    tmp_path: Path, address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSCOPE_DATA", str(tmp_path))
    with open_memory(str(address), backends=FakeBackends) as memory:
        directory = memory.settings.store_dir
    assert load_settings(directory).database == address
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "address").write_text(str(address))
    assert load_settings(elsewhere).database is None


@pytest.mark.parametrize(
    "text", ["postgresql://localhost", "postgresql://localhost:port/x", "postgresql://h/x?password=secret"]
)
def test_an_address_that_cannot_be_read_says_how_to_write_it(text: str) -> None:
    with pytest.raises(StoreError, match="postgresql://") as caught:
        ServerAddress.parse(text)
    assert "secret" not in str(caught.value)


def test_a_directory_is_no_address() -> None:
    assert ServerAddress.parse("out/postgresql") is None
    assert ServerAddress.parse("C:\\memory") is None


def test_where_no_server_answers_the_error_says_so() -> None:
    with pytest.raises(StoreError, match="No PostgreSQL server answers") as caught:
        open_at(parsed("postgresql://ann@127.0.0.1:1/memory"))
    assert "Start the server" in caught.value.fix


def test_a_database_that_is_not_there_is_named(address: ServerAddress) -> None:
    missing = parsed(str(address).replace(address.database, "nowhere"))
    with pytest.raises(StoreError, match="There is no database") as caught:
        open_at(missing)
    assert "createdb" in caught.value.fix


def test_a_wrong_password_is_told_without_it(address: ServerAddress) -> None:
    with psycopg.connect(server(), autocommit=True) as connection:
        connection.execute("drop role if exists locked")
        connection.execute("create role locked login password 'right'")
        (hba,) = connection.execute("show hba_file").fetchone() or ("",)
        path = Path(hba)
        before = path.read_text()
        path.write_text("local all locked scram-sha-256\n" + before)
        connection.execute("select pg_reload_conf()")
        try:
            wrong = parsed(str(address).replace("postgres@", "locked:guessed@"))
            with pytest.raises(StoreError, match="wrong or no password") as caught:
                open_at(wrong)
        finally:
            path.write_text(before)
            connection.execute("select pg_reload_conf()")
            connection.execute("drop role locked")
    assert "guessed" not in str(caught.value) and "PGPASSWORD" in caught.value.fix


def test_a_user_without_rights_is_told_what_the_administrator_does(address: ServerAddress) -> None:
    with psycopg.connect(str(address), autocommit=True) as connection:
        connection.execute("drop extension vector")
        connection.execute("drop role if exists guest")
        connection.execute("create role guest login")
        try:
            with pytest.raises(StoreError, match="pgvector is not switched on") as caught:
                open_at(parsed(str(address).replace("postgres@", "guest@")))
            assert "create extension vector" in caught.value.fix
            connection.execute("create extension vector")
            with pytest.raises(StoreError, match="No store can be made") as caught:
                open_at(parsed(str(address).replace("postgres@", "guest@")))
            assert "grant create" in caught.value.fix
        finally:
            connection.execute("drop role guest")


def test_what_is_too_old_is_named_with_what_is_needed(
    address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "OLDEST_SERVER", 99)
    with pytest.raises(StoreError, match="needs 99 or newer"):
        open_at(address)
    monkeypatch.undo()
    monkeypatch.setattr(opening, "OLDEST_PGVECTOR", (99, 0))
    with pytest.raises(StoreError, match="alter extension vector update"):
        open_at(address)


def test_a_user_who_may_only_read_reads(store: SqlStore, address: ServerAddress) -> None:
    put(store, memory("m1"))
    with psycopg.connect(str(address), autocommit=True) as connection:
        connection.execute("drop role if exists reader")
        connection.execute("create role reader login")
        connection.execute("grant usage on schema memscope to reader")
        connection.execute("grant select on all tables in schema memscope to reader")
        try:
            with open_at(parsed(str(address).replace("postgres@", "reader@"))) as reading:
                assert reading.read_only
                assert reading.memories("me") == [memory("m1")]
                with pytest.raises(MemcoreError, match="only be read"), reading.write(actor="reader"):
                    pass
        finally:
            connection.execute("drop owned by reader")
            connection.execute("drop role reader")


def test_a_store_of_a_newer_program_is_refused(address: ServerAddress) -> None:
    assert not store_exists(address)
    open_at(address).close()
    assert store_exists(address)
    with psycopg.connect(str(address), autocommit=True) as connection:
        connection.execute("insert into memscope.migrations values (99, now())")
    with pytest.raises(StoreError, match="schema 99"):
        open_at(address)


def test_who_uses_no_server_loads_no_driver() -> None:
    script = "import sys, memcore.memory, memcore.cli; sys.exit('psycopg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], timeout=120).returncode == 0
