"""One DuckDB connection a process and store, with the rules that make it safe to share.

Reads take a cursor of their own. Writes are one at a time: `exclusive` hands out the process-wide
write lock, `transaction` commits everything or nothing. A second process cannot open the file, which
`StoreBusyError` explains. What may not be written is opened to be read (`read_only`), by several processes
at once, and refuses to be written. Knows nothing of memories; speaks SQL but does not decide it.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import numpy as np
import pyarrow as pa

from memcore.domain import private_files
from memcore.domain.errors import StoreBusyError, StoreError
from memcore.domain.protocols import Vectors
from memcore.store.codec import storable
from memcore.store.duckdb import lost_changes
from memcore.store.duckdb.claims import Claims
from memcore.store.duckdb.connecting import DAMAGED_FIX, SETTINGS, connect, explained, only_read
from memcore.store.duckdb.files import FILE_NAME, INDEX_DIRECTORY, tidy
from memcore.store.duckdb.lost_changes import CommitNote, Lost
from memcore.store.duckdb.transaction import Transaction, copy_database
from memcore.store.sql.database import Parameters

WRITE_WAIT_SECONDS = 120.0
CLOSE_WAIT_SECONDS = 30.0
VECTOR_BATCH = 50_000  # 75 MiB at 384 dimensions
RELEASED_TO = 2_000_000
"""Bytes of tables that DuckDB keeps when it gives back the rest."""
_OF_TABLES = (
    "select coalesce(sum(memory_usage_bytes), 0)::bigint from duckdb_memory() where tag = 'BASE_TABLE'"
)
_BESIDE_TABLES = _OF_TABLES.replace("=", "<>")

T = TypeVar("T")

OPEN: dict[Path, Database] = {}
"""The stores that this process has open; changed only under `OPEN_LOCK`."""
OPEN_LOCK = threading.Lock()


class Database:
    """The shared connection to one store's file. Made by `opening.open_database`."""

    def __init__(
        self,
        path: Path,
        connection: duckdb.DuckDBPyConnection,
        note: CommitNote,
        lost: Lost | None,
        *,
        read_only: bool,
    ) -> None:
        self.path = path
        self.read_only = read_only
        self.lost = lost
        self._note = note
        self._claims = Claims()
        self._log = path.with_name(f"{path.name}.wal")  # DuckDB makes it anew after each checkpoint
        self._connection = connection
        self._write_lock = threading.Lock()
        self._reading = threading.Condition()
        self._readers = 0
        self._closed = False
        self._trials = 0
        self._caches: list[weakref.WeakMethod[Callable[[], None]]] = []
        self._writer: int | None = None
        self.handles = 1
        self._read_header()
        if lost is not None and not read_only:
            self._note_commit(self.generation)  # it was told once and stays told by the file kept aside
        self._at_work: set[str] = set()
        self._opened_at = self.generation
        self._written: dict[str, int] = {}  # table -> the newest generation that wrote to it since opening

    @property
    def name(self) -> str:
        """The directory."""
        return str(self.path.parent)

    def claim(self, owner: str, recipe: str, *, waiting: Callable[[], bool]) -> AbstractContextManager[bool]:
        """As `Store.claim`."""
        return self._claims.claim(owner, recipe, waiting=waiting)

    def begin_work(self, run_id: str) -> None:
        """As `Database.begin_work`: no other process uses the store."""
        self._at_work.add(run_id)

    def end_work(self, run_id: str) -> None:
        """As `Database.end_work`."""
        self._at_work.discard(run_id)

    def at_work(self, run_id: str) -> bool:
        """As `Database.at_work`."""
        return run_id in self._at_work

    def wait_for_change(self, seconds: float) -> bool:
        """As `Database.wait_for_change`: to look for one costs nothing."""
        time.sleep(seconds)
        return True

    def newest(self, *tables: str) -> int:
        """The newest generation that may have written to one of these tables. No other process writes, so
        what is cached of a table need only be compared with it after a commit of that table."""
        return max(self._written.get(table, self._opened_at) for table in tables)

    def query(self, sql: str, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
        """All rows of a read. Any thread may ask at any time; it sees what is committed."""
        try:
            with self._cursor() as cursor:
                return cursor.execute(sql, storable(parameters)).fetchall()
        except duckdb.Error as error:
            raise explained(error, self.path) from error

    def columns(self, sql: str, parameters: Parameters = ()) -> pa.Table:
        """All rows of a read, by columns: no Python object a value."""
        try:
            with self._cursor() as cursor:
                return cursor.sql(sql, params=storable(parameters)).to_arrow_table()
        except duckdb.Error as error:
            raise explained(error, self.path) from error

    def vectors(self, sql: str, parameters: Parameters = ()) -> Iterator[tuple[list[str], Vectors]]:
        """A read of (key, vector), in batches of keys and rows of a matrix: no Python object a number."""
        try:
            with self._cursor() as cursor:
                found = cursor.sql(sql, params=storable(parameters)).to_arrow_reader(VECTOR_BATCH)
                for batch in found:
                    keys = batch.column(0).to_pylist()
                    numbers: Any = np.from_dlpack(batch.column(1).flatten())  # to_numpy would import pandas
                    yield keys, numbers.reshape(len(keys), self.dimension)
        except duckdb.Error as error:
            raise explained(error, self.path) from error

    def records(
        self, sql: str, parameters: Parameters = ()
    ) -> Iterator[tuple[list[str], list[bytes | None]]]:
        """A read of (key, bytes), in batches: never all of them in memory."""
        try:
            with self._cursor() as cursor:
                for batch in cursor.sql(sql, params=storable(parameters)).to_arrow_reader(VECTOR_BATCH):
                    yield batch.column(0).to_pylist(), batch.column(1).to_pylist()
        except duckdb.Error as error:
            raise explained(error, self.path) from error

    def release_buffers(self, *, above: int = 0) -> None:
        """Give back the memory in which DuckDB keeps what was read of tables, if that is more than `above`
        bytes: it would keep up to four fifths of the machine's. Does nothing while anybody reads."""
        with self._reading:
            if self._readers:
                return
            with self._connection.cursor() as cursor:
                ((tables,),) = cursor.execute(_OF_TABLES).fetchall()
                if tables <= above:
                    return
                # what is not of tables would be written to a file that everybody may read
                ((rest,),) = cursor.execute(_BESIDE_TABLES).fetchall()
                with suppress(
                    duckdb.OutOfMemoryException
                ):  # says that some of it is in use, and gives the rest
                    cursor.execute(f"set memory_limit = '{rest + RELEASED_TO} bytes'")
                cursor.execute("reset memory_limit")

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the right to write. Waits for the writer before; raises StoreBusyError after two
        minutes, and at once StoreError when this very thread holds it already and ReadOnlyStoreError where
        there is no such right."""
        self.require_writable()
        me = threading.get_ident()
        if self._writer == me:
            raise StoreError(
                "A write was begun inside another write.", "Finish the outer `with store.write(...)` first."
            )
        if not self._write_lock.acquire(timeout=WRITE_WAIT_SECONDS):
            raise StoreBusyError(
                f"Another thread has been writing to {self.path.parent} for over {WRITE_WAIT_SECONDS:.0f} s.",
                "Wait for the running job to finish or cancel it, then try again.",
            )
        self._writer = me
        try:
            yield
        finally:
            self._writer = None
            self._write_lock.release()

    def require_writable(self) -> None:
        """Raise ReadOnlyStoreError where the store can only be read."""
        if self.read_only:
            raise only_read(self.path)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Commit all of the block's statements together; on any exception, none."""
        try:
            with self._cursor() as cursor:
                cursor.execute("begin transaction")
                transaction = Transaction(cursor)
                try:
                    yield transaction
                    cursor.execute("commit")
                except BaseException:
                    with suppress(duckdb.Error):  # a failed commit has already rolled back
                        cursor.execute("rollback")
                    raise
                if transaction.generation:
                    self.generation = transaction.generation
                    self._written |= dict.fromkeys(transaction.written, transaction.generation)
                    self._note_commit(transaction.generation)
            if not self.read_only:
                private_files.close_to_others(self._log)
        except duckdb.Error as error:
            raise explained(error, self.path) from error

    def _note_commit(self, generation: int) -> None:
        with suppress(OSError):  # a courtesy to the next opening; what is committed stays committed
            self._note.put(self.store_id, generation)

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._reading:
            if self._closed:
                raise StoreError(f"The store {self.path.parent} was closed.", "Open it again.")
            cursor = self._connection.cursor()
            self._readers += 1
        try:
            with cursor:
                yield cursor
        finally:
            with self._reading:
                self._readers -= 1
                self._reading.notify_all()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other thread reads or writes, and those that want to wait. Raises StoreBusyError."""
        with self.exclusive(), self._reading:
            if not self._reading.wait_for(lambda: self._readers == 0, WRITE_WAIT_SECONDS):
                raise StoreBusyError(
                    f"{self.path.parent} has been read for over {WRITE_WAIT_SECONDS:.0f} s.",
                    "Wait for the running export or search to finish, then try again.",
                )
            yield

    @contextmanager
    def tried(self) -> Iterator[None]:
        """While a copy stands beside the store: the store stays open, so that no other process takes the copy
        for one that was abandoned, and nothing is erased that the copy would go on holding."""
        with OPEN_LOCK:
            self.handles += 1
        try:
            with self._reading:  # waits for an erasure
                self._trials += 1
            try:
                yield
            finally:
                with self._reading:
                    self._trials -= 1
        finally:
            self.close()

    def when_rewritten(self, forget: Callable[[], None]) -> None:
        """Call a method when rows that caches may hold are gone (`rewrite`)."""
        self._caches.append(weakref.WeakMethod(forget))

    def rewrite(self, change: Callable[[Transaction], T], *, keep: bool) -> T:
        """Change a copy of the whole store; with `keep`, put a fresh copy of that in the file's place, so
        that no block of it ever held what is gone. A process that is killed leaves the old store or the new
        one. Without `keep`, only see what `change` returns. Everybody else waits meanwhile. Raises
        StoreBusyError while something is tried on a copy (`tried`)."""
        draft = self.path.with_name(f"{FILE_NAME}.{uuid.uuid4().hex[:8]}.new")
        fresh = draft.with_name(f"{draft.name}2")
        try:
            with self._alone():
                if keep and self._trials:
                    raise StoreBusyError(
                        f"Something is being tried on a copy of {self.path.parent}, such as a dry run.",
                        "Wait until it has ended, or cancel it; then try again.",
                    )
                self._connection.execute("checkpoint")
                copy_database(self._connection, draft)
                with duckdb.connect(str(draft), config=SETTINGS) as connection:
                    result = change(Transaction(connection))
                    if keep:
                        copy_database(connection, fresh)
                if keep:
                    self._replace_with(fresh)
                return result
        except duckdb.Error as error:
            raise explained(error, self.path) from error
        finally:
            for left in self.path.parent.glob(f"{draft.name}*"):
                private_files.remove(left)

    def _replace_with(self, fresh: Path) -> None:
        """While alone, and with nothing in the write-ahead log. The old file goes before its connection: no
        other process can begin to use it in between."""
        _sync(fresh)
        directory = self.path.parent
        for holding_words in (directory / INDEX_DIRECTORY, *lost_changes.kept_aside(self.path)):
            private_files.remove(holding_words)
        fresh.replace(self.path)
        _sync(directory)
        self._connection.close()
        self._connection = connect(self.path)
        tidy(self.path)
        self._read_header()
        self._note_commit(self.generation)
        self._opened_at = self.generation
        self._written.clear()
        for cache in self._caches:
            if forget := cache():
                forget()
        private_files.remove(directory / INDEX_DIRECTORY)  # a search may just have been saving one

    def _read_header(self) -> None:
        row = self._connection.execute(
            "select id, embedding_model, dimension, generation from store"
        ).fetchone()
        if row is None:
            raise StoreError(f"The store {self.path.parent} has no header row.", DAMAGED_FIX)
        self.store_id, self.embedding_model = str(row[0]), str(row[1])
        self.dimension, self.generation = int(row[2]), int(row[3])

    def copy_to(self, path: Path) -> None:
        """Write all that is committed, as of one moment, to a new database file."""
        try:
            with self._cursor() as cursor:
                copy_database(cursor, path)
        except duckdb.Error as error:
            raise explained(error, path) from error

    def close(self) -> None:
        """Give up this handle; the last one closes the connection."""
        with OPEN_LOCK:
            self.handles -= 1
            if self.handles == 0:
                if OPEN.get(self.path) is self:
                    del OPEN[self.path]
                self._close_connection()
                self._note.close()

    def _close_connection(self) -> None:
        """Once no statement runs: until then DuckDB refuses. Raises StoreBusyError after half a minute."""
        until = time.monotonic() + CLOSE_WAIT_SECONDS
        with self._reading:
            self._closed = True
            while True:
                try:
                    return self._connection.close()
                except duckdb.ResourceInUseException as error:
                    if time.monotonic() > until:
                        raise StoreBusyError(
                            f"{self.path.parent} has been read for over {CLOSE_WAIT_SECONDS:.0f} s.",
                            "Wait for the running export or search to finish; then end this process.",
                        ) from error
                    self._reading.wait(0.05)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
