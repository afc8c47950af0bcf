"""The database of one store, as this process uses it: connections, the right to write, what others commit.

Any number of processes read and write; one at a time writes, under an advisory lock that its connection
holds and that PostgreSQL takes back when the process dies. What they commit is noticed by its generation.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import psycopg
from psycopg import errors

from memcore.domain.errors import EmbeddingMismatchError, StoreBusyError, StoreError
from memcore.domain.protocols import Vectors
from memcore.domain.server_address import ServerAddress
from memcore.store.postgres.connecting import CHANNEL, SCHEMA, Connection, connect, explained, only_read
from memcore.store.postgres.indexing import index_changes
from memcore.store.postgres.notifications import Notifications
from memcore.store.postgres.statements import prepared
from memcore.store.postgres.transaction import PostgresTransaction, rows_of
from memcore.store.postgres.values import adapt
from memcore.store.sql.database import Parameters

WRITE_WAIT_SECONDS = 120
ASK_SECONDS = 0.2
"""How often one that waits for a claim is asked whether it goes on waiting."""
_READS = ("select", "with")
"""How statements begin that change nothing."""
IDLE = 8
"""Connections that are kept open for the next thread."""
VECTOR_BATCH = 10_000
_IS_HELD = (
    "select exists (select from pg_locks where locktype = 'advisory' and objsubid = 1 and granted "
    "and database = (select oid from pg_database where datname = current_database()) "
    "and (classid::bigint << 32) | objid::bigint = ?)"
)
"""Whether somebody holds an advisory lock: the two halves of its number stand in two columns."""
EXAMINED = 400
"""Vectors that a graph holds ready while it looks for the nearest; asked for more, it goes on."""

OPEN: dict[ServerAddress, PostgresDatabase] = {}
"""The databases that this process has open; changed only under `OPEN_LOCK`."""
OPEN_LOCK = threading.Lock()


class PostgresDatabase:
    """Implements Database. Made by `opening.open_database`. Thread-safe."""

    def __init__(self, address: ServerAddress, first: Connection) -> None:
        self.address = address
        self._idle = [first]
        self._lock = threading.Lock()
        self._write_lock = threading.Lock()
        self._writer: int | None = None
        self._writing: Connection | None = None
        self._work_lock = threading.Lock()
        self._working: Connection | None = None  # holds a lock for each of these runs
        self._runs: set[str] = set()
        self._notifications = Notifications(self._connect, self._notify)
        self.handles = 1
        self._closed = False
        ((self.store_id, self.embedding_model, self.dimension, self.read_only, self.restricted),) = (
            self.query(
                "select id, embedding_model, dimension, pg_is_in_recovery() or "
                "not has_table_privilege('events', 'insert'), row_security_active('events') from store"
            )
        )

    @property
    def name(self) -> str:
        """The address, without a password."""
        return str(self.address)

    @property
    def generation(self) -> int:
        """How many commits have counted themselves, by whichever process."""
        ((generation,),) = self.query("select generation from store")
        return int(generation)

    def newest(self, *tables: str) -> int:
        """The newest generation that wrote to one of these tables."""
        ((self.store_id, generation),) = self.query(
            "select (select id from store), coalesce(max(generation), 0) from written "
            "where table_name = any(?::text[])",
            [list(tables)],
        )
        return int(generation)

    # ------------------------------------------------------------------ connections

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """A connection that nobody else uses meanwhile."""
        connection = self._take()
        try:
            yield connection
        finally:
            self._give_back(connection)

    def _take(self) -> Connection:
        with self._lock:
            if self._closed:
                raise StoreError(f"The store {self.address} was closed.", "Open it again.")
            while self._idle:
                connection = self._idle.pop()
                if not connection.closed:
                    return connection
        return self._connect()

    def _connect(self) -> Connection:
        connection = connect(self.address)
        prepare(connection)
        return connection

    def _give_back(self, connection: Connection) -> None:
        idle = connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        with self._lock:
            if idle and not self._closed and len(self._idle) < IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def query(self, sql: str, parameters: Parameters = (), *, binary: bool = False) -> list[tuple[Any, ...]]:
        """All rows of a statement, which is committed at once; of a change, one row with how many it changed.
        `binary`: as `PostgresTransaction.query`. A read is tried again where the connection turns out to be
        lost, as after a restart of the server."""
        try:
            with self._connection() as connection:
                try:
                    return rows_of(connection, sql, parameters, binary=binary)
                except psycopg.OperationalError:
                    if not connection.closed or not sql.lstrip().startswith(_READS):
                        raise
            with self._lock:  # the others were lost with it
                self._idle.clear()
            with self._connection() as connection:
                return rows_of(connection, sql, parameters, binary=binary)
        except psycopg.Error as error:
            raise explained(error, self.address) from error

    def vectors(self, sql: str, parameters: Parameters = ()) -> Iterator[tuple[list[str], Vectors]]:
        """A read of (key, vector), in batches of keys and rows of a matrix."""
        try:
            with self._connection() as connection, connection.cursor(binary=True) as cursor:
                cursor.execute(*prepared(sql, parameters))
                while batch := cursor.fetchmany(VECTOR_BATCH):
                    keys, vectors = zip(*batch, strict=True)
                    yield list(map(str, keys)), np.stack(list(map(np.asarray, vectors)))
        except psycopg.Error as error:
            raise explained(error, self.address) from error

    def wait_for_change(self, seconds: float) -> bool:
        """As `Database.wait_for_change`, by what the server notifies of. No statement while nothing changes;
        where notifications do not arrive (a pooler, a standby), it is to be looked for."""
        return self._notifications.wait(seconds)

    def _notify(self) -> None:
        self.query("select pg_notify(?, '')", [CHANNEL])

    # ------------------------------------------------------------------ writing

    def require_writable(self) -> None:
        """Raise ReadOnlyStoreError where the store can only be read."""
        if self.read_only:
            raise only_read(self.address)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the right to write, among all threads of all processes. Raises StoreBusyError after two
        minutes, and at once StoreError when this very thread holds it already, ReadOnlyStoreError where there
        is no such right and EmbeddingMismatchError where the store was re-embedded since it was opened."""
        self.require_writable()
        me = threading.get_ident()
        if self._writer == me:
            raise StoreError(
                "A write was begun inside another write.", "Finish the outer `with store.write(...)` first."
            )
        if not self._write_lock.acquire(timeout=WRITE_WAIT_SECONDS):
            raise self._busy()
        try:
            with self._connection() as connection:
                self._lock_for_writing(connection)
                self._writer, self._writing = me, connection
                try:
                    yield
                finally:
                    self._writer = self._writing = None
                    _unlock(connection, _key("write"))
        finally:
            self._write_lock.release()

    def _busy(self) -> StoreBusyError:
        return StoreBusyError(
            f"Something else has been writing to {self.address} for over {WRITE_WAIT_SECONDS} s.",
            "Wait for the running job to finish or cancel it, then try again.",
        )

    def _lock_for_writing(self, connection: Connection) -> None:
        try:
            rows_of(connection, f"set lock_timeout = '{WRITE_WAIT_SECONDS}s'", ())
            rows_of(connection, "select pg_advisory_lock(?)", [_key("write")])
            rows_of(connection, "reset lock_timeout", ())
            ((model, dimension),) = rows_of(connection, "select embedding_model, dimension from store", ())
        except errors.LockNotAvailable as error:
            raise self._busy() from error
        except psycopg.Error as error:
            raise explained(error, self.address) from error
        if (model, dimension) != (self.embedding_model, self.dimension):
            raise EmbeddingMismatchError(
                f"The store {self.address} was moved to the embedding model {model} since it was opened.",
                "Open it again with that model.",
            )

    @contextmanager
    def transaction(self) -> Iterator[PostgresTransaction]:
        """Commit all of the block's statements together; on any exception, none. Within `exclusive`, on the
        connection that holds the lock: where that is lost, nothing is committed."""
        if self._writer == threading.get_ident() and self._writing is not None:
            with self._in_transaction(self._writing) as transaction:
                yield transaction
        else:
            with self._connection() as connection, self._in_transaction(connection) as transaction:
                yield transaction

    @contextmanager
    def _in_transaction(self, connection: Connection) -> Iterator[PostgresTransaction]:
        try:
            rows_of(connection, "begin isolation level repeatable read", ())
            transaction = PostgresTransaction(connection)
            try:
                yield transaction
                index_changes(transaction)
                transaction.note_written()
                rows_of(connection, "commit", ())
            except BaseException:
                with suppress(psycopg.Error):  # a lost connection has rolled back
                    rows_of(connection, "rollback", ())
                raise
        except psycopg.Error as error:
            raise explained(error, self.address) from error

    @contextmanager
    def claim(self, owner: str, recipe: str, *, waiting: Callable[[], bool]) -> Iterator[bool]:
        """As `Store.claim`, among all threads of all processes."""
        key = _key("claim", owner, recipe)
        with self._connection() as connection:
            try:
                while not (held := _try_lock(connection, key)) and waiting():
                    time.sleep(ASK_SECONDS)
            except psycopg.Error as error:
                raise explained(error, self.address) from error
            try:
                yield held
            finally:
                if held:
                    _unlock(connection, key)

    def begin_work(self, run_id: str) -> None:
        """As `Database.begin_work`, by an advisory lock that the server takes back when this process ends.
        It is shared: a connection that was lost a moment ago may still hold it."""
        try:
            with self._work_lock:
                wanted = {run_id} - self._runs
                if self._working is None or self._working.closed:
                    self._working = self._take()
                    wanted = self._runs | {run_id}
                for one in wanted:
                    rows_of(self._working, "select pg_advisory_lock_shared(?)", [_key("run", one)])
                self._runs.add(run_id)
        except psycopg.Error as error:
            raise explained(error, self.address) from error

    def end_work(self, run_id: str) -> None:
        """As `Database.end_work`."""
        with self._work_lock:
            if self._working is not None and run_id in self._runs:
                self._runs.remove(run_id)
                with suppress(psycopg.Error):  # a lost connection has given it back
                    rows_of(self._working, "select pg_advisory_unlock_shared(?)", [_key("run", run_id)])

    def at_work(self, run_id: str) -> bool:
        """As `Database.at_work`. It only looks: to try the lock would for a moment be to hold it, and who
        asked at that moment would be told that the run is at work."""
        ((held,),) = self.query(_IS_HELD, [_key("run", run_id)])
        return bool(held)

    def vacuum(self) -> None:
        """Have the server take what was deleted out of its files."""
        with self.exclusive():
            for (table,) in self.query("select tablename from pg_tables where schemaname = ?", [SCHEMA]):
                self.query(f'vacuum (full, analyze) {SCHEMA}."{table}"')

    def close(self) -> None:
        """Give up this handle; the last one closes the connections."""
        with OPEN_LOCK:
            self.handles -= 1
            if self.handles:
                return
            if OPEN.get(self.address) is self:
                del OPEN[self.address]
        with self._lock:
            self._closed = True
            for connection in self._idle:
                connection.close()
            self._idle.clear()
        with self._work_lock:
            if self._working is not None:
                self._working.close()
        self._notifications.close()


def prepare(connection: Connection) -> None:
    """Have a new connection look for tables where the store has them, and for vectors where they are; and
    have the server notice within a minute that this machine is gone: its locks would else hold for hours.
    Statements here are short: to compile one, or to start workers for it, takes longer than it does."""
    rows_of(
        connection,
        "select set_config('search_path', concat_ws(', ', ?::text, (select quote_ident(n.nspname) "
        "from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'), "
        "'public'), false), set_config('tcp_keepalives_idle', '20', false), "
        "set_config('tcp_keepalives_interval', '10', false), set_config('tcp_keepalives_count', '3', false), "
        "set_config('hnsw.ef_search', ?, false), set_config('hnsw.iterative_scan', 'relaxed_order', false), "
        "set_config('jit', 'off', false), set_config('max_parallel_workers_per_gather', '0', false)",
        [SCHEMA, str(EXAMINED)],
    )
    adapt(connection)


def _try_lock(connection: Connection, key: int) -> bool:
    ((held,),) = rows_of(connection, "select pg_try_advisory_lock(?)", [key])
    return bool(held)


def _unlock(connection: Connection, key: int) -> None:
    with suppress(psycopg.Error):  # a lost connection has given it back
        rows_of(connection, "select pg_advisory_unlock(?)", [key])


def _key(*what: str) -> int:
    """A number for an advisory lock: PostgreSQL knows them by 64 bits."""
    digest = hashlib.sha256("\x1f".join(("memscope", *what)).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], signed=True)
