"""Hearing of changes: who waits is told at once what another process commits, by LISTEN, or is to look."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from memcore import open_memory
from memcore.domain.server_address import ServerAddress
from memcore.store import SqlStore, open_store
from memcore.store.postgres import notifications
from memcore.store.postgres.connecting import connect
from memcore.store.postgres.notifications import Notifications
from tests.pipeline import FakeBackends
from tests.postgres import new_database
from tests.store.samples import EMBEDDER, memory, put
from tests.store.test_postgres_store import by_other_connections, open_at

LONG = 60.0
"""Seconds that nobody waits where there is something to hear."""
SHORT = 0.2


@pytest.fixture
def store(address: ServerAddress) -> Iterator[SqlStore]:
    """A store that listens, and was told everything so far."""
    with open_at(address) as opened:
        assert opened.wait_for_change(LONG), "from here on it listens: what was before may have been missed"
        quiet(opened)
        yield opened


@pytest.fixture
def elsewhere(store: SqlStore, address: ServerAddress) -> Iterator[SqlStore]:
    """The same store, as another process has it."""
    with open_at(by_other_connections(address)) as opened:
        yield opened


def quiet(store: SqlStore) -> None:
    """Wait for changes until there are none."""
    while store.wait_for_change(SHORT):
        pass


def waited(wait: Callable[[float], bool], seconds: float = LONG) -> tuple[bool, float]:
    """What is told, and after how many seconds."""
    begun = time.monotonic()
    return wait(seconds), time.monotonic() - begun


@contextmanager
def soon(do: Callable[[], object]) -> Iterator[None]:
    """Do it while the block waits."""
    doing = threading.Timer(SHORT, do)
    doing.start()
    try:
        yield
    finally:
        doing.join()


def listeners(address: ServerAddress) -> list[int]:
    """The server's processes that listen."""
    with psycopg.connect(str(address)) as connection:
        found = connection.execute(
            "select pid from pg_stat_activity where datname = current_database() and query ilike 'listen %'"
        )
        return [pid for (pid,) in found.fetchall()]


def test_who_waits_is_told_at_once_of_each_commit_of_another_process(
    store: SqlStore, elsewhere: SqlStore
) -> None:
    for number in range(2):
        with soon(lambda number=number: put(elsewhere, memory(f"m{number}"))):  # type: ignore[misc]
            told, seconds = waited(store.wait_for_change)
        assert told and seconds < LONG / 2
        assert store.count_memories("me") == number + 1
    assert not store.wait_for_change(SHORT)


def test_what_was_committed_while_nobody_waited_is_told_at_the_next_wait(
    store: SqlStore, elsewhere: SqlStore
) -> None:
    for number in range(3):
        put(elsewhere, memory(f"m{number}"))
    told, seconds = waited(store.wait_for_change)
    assert told and seconds < LONG / 2


def test_who_waits_asks_nothing_while_nothing_is_committed(store: SqlStore, address: ServerAddress) -> None:
    def asked() -> list[object]:
        with psycopg.connect(str(address)) as connection:
            return connection.execute(
                "select pid, query_start from pg_stat_activity where datname = current_database() "
                "and pid <> pg_backend_pid() order by pid"
            ).fetchall()

    before = asked()
    told, seconds = waited(store.wait_for_change, 1.0)
    assert not told and seconds >= 0.9
    assert asked() == before


def test_what_is_taken_back_is_not_told(store: SqlStore, elsewhere: SqlStore) -> None:
    with pytest.raises(ZeroDivisionError), elsewhere.write(actor="other") as writer:
        writer.put_memories([memory("m1")])
        with elsewhere._database.transaction() as transaction:
            writer.write_to(transaction)
            raise ZeroDivisionError
    assert not store.wait_for_change(SHORT)


def test_a_store_in_another_database_of_the_server_tells_nothing_here(store: SqlStore) -> None:
    with new_database() as other, open_at(other) as beside:
        put(beside, memory("m1"))
        assert not store.wait_for_change(SHORT)


def test_one_connection_listens_however_often_a_process_opened_the_store(
    store: SqlStore, address: ServerAddress
) -> None:
    with open_at(address) as again:
        again.wait_for_change(SHORT)
        assert len(listeners(address)) == 1
    store.wait_for_change(SHORT)
    assert len(listeners(address)) == 1


def test_who_uses_a_store_without_waiting_has_no_connection_that_listens(address: ServerAddress) -> None:
    with open_at(address) as store:
        put(store, memory("m1"))
        assert listeners(address) == []


def test_erasing_is_told_and_so_is_what_is_committed_after_it(
    store: SqlStore, address: ServerAddress
) -> None:
    with open_memory(str(by_other_connections(address)), backends=FakeBackends) as other:
        put(other.store, memory("m1", owner="ann"))
        quiet(store)
        other.erase("owner", "ann", actor="ann")
        assert waited(store.wait_for_change)[1] < LONG / 2
        quiet(store)
        put(other.store, memory("m2"))
        assert waited(store.wait_for_change)[1] < LONG / 2


# --------------------------------------------------------------------------- where nothing is heard


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is lost is tried again at once."""
    monkeypatch.setattr(notifications, "AGAIN_SECONDS", 0.0)


def end_connections(address: ServerAddress) -> None:
    """As a restart of the server does."""
    with psycopg.connect(str(address), autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid()"
        )


@pytest.mark.slow
def test_after_the_connection_was_lost_it_is_to_be_looked_and_then_heard_again(
    store: SqlStore, elsewhere: SqlStore, address: ServerAddress, impatient: None
) -> None:
    for number in range(2):
        lost = listeners(address)
        with soon(lambda: end_connections(address)):
            assert waited(store.wait_for_change)[1] < LONG / 2, "that it was lost"
        assert store.wait_for_change(LONG), "what was committed meanwhile may have been missed"
        elsewhere.count_memories("me")  # which finds its way back to the server, too
        quiet(store)
        assert len(listeners(address)) == 1 and listeners(address) != lost
        with soon(lambda number=number: put(elsewhere, memory(f"m{number}"))):  # type: ignore[misc]
            assert waited(store.wait_for_change)[1] < LONG / 2


def test_while_no_server_answers_it_is_to_be_looked_every_time(address: ServerAddress) -> None:
    def refused() -> psycopg.Connection[tuple[object, ...]]:
        return connect(ServerAddress("postgresql://127.0.0.1:1/nowhere"))

    hearing = Notifications(refused, lambda: None)
    for _ in range(2):
        told, seconds = waited(hearing.wait, SHORT)
        assert told and SHORT <= seconds < LONG / 2


def test_where_notifications_do_not_arrive_it_is_to_be_looked_every_time(
    address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As behind a pooler that lends a connection for a transaction."""
    monkeypatch.setattr(notifications, "ARRIVES_SECONDS", SHORT)
    made: list[psycopg.Connection[tuple[object, ...]]] = []

    def connected() -> psycopg.Connection[tuple[object, ...]]:
        made.append(connect(address))
        return made[-1]

    hearing = Notifications(connected, lambda: None)
    for _ in range(3):
        told, seconds = waited(hearing.wait, SHORT)
        assert told and SHORT <= seconds < LONG / 2
    assert [one.closed for one in made] == [True], "not tried again with every wait, and nothing left open"


def test_what_nobody_notifies_of_is_looked_for_now_and_then(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifications, "UNTOLD_SECONDS", 3 * SHORT)
    assert {store.wait_for_change(SHORT) for _ in range(8)} == {True, False}


def test_closing_waits_for_nobody_and_leaves_no_connection(address: ServerAddress) -> None:
    store = open_at(address)
    quiet(store)
    waiting = threading.Thread(target=store.wait_for_change, args=(4 * SHORT,))
    waiting.start()
    time.sleep(SHORT)
    begun = time.monotonic()
    store.close()
    assert time.monotonic() - begun < 2 * SHORT
    waiting.join(LONG)
    assert not waiting.is_alive()
    assert store.wait_for_change(SHORT)
    until = time.monotonic() + LONG
    while listeners(address):
        assert time.monotonic() < until


def test_a_login_that_may_only_read_one_memory_is_told(address: ServerAddress) -> None:
    with open_memory(str(address), backends=FakeBackends) as shared:
        login = f"reader_{time.monotonic_ns()}"
        with psycopg.connect(str(address), autocommit=True) as connection:
            connection.execute(sql.SQL("create role {} login").format(sql.Identifier(login)))
            try:
                shared.people.grant(f"postgresql|{login}", "read", owner="ann")
                its = ServerAddress(address.shown.replace("postgres@", f"{login}@"))
                with open_memory(str(its), backends=FakeBackends) as reading:
                    quiet(reading.store)
                    with soon(lambda: put(shared.store, memory("m1", owner="ann"))):
                        assert waited(reading.store.wait_for_change)[1] < LONG / 2
                    assert reading.store.count_memories("ann") == 1
            finally:
                connection.execute(sql.SQL("drop owned by {}").format(sql.Identifier(login)))
                connection.execute(sql.SQL("drop role {}").format(sql.Identifier(login)))


def test_a_store_in_a_directory_is_to_be_looked_at_every_time(tmp_path: Path) -> None:
    with open_store(tmp_path, embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension) as embedded:
        for _ in range(2):
            told, seconds = waited(embedded.wait_for_change, SHORT)
            assert told and seconds >= SHORT
