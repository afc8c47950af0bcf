"""One DuckDB connection a process and store, with the rules that make it safe to share.

Reads take a cursor of their own. Writes are one at a time: `exclusive` hands out the process-wide
write lock, `transaction` commits everything or nothing. A second process cannot open the file, which
`StoreBusyError` explains. What may not be written is opened to be read (`read_only`), by several processes
at once, and refuses to be written. Knows nothing of memories; speaks SQL but does not decide it.
"""

from __future__ import annotations

import os
import re
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from memcore.domain import private_files
from memcore.domain.errors import EmbeddingMismatchError, ReadOnlyStoreError, StoreBusyError, StoreError
from memcore.domain.models import now
from memcore.domain.protocols import Vectors
from memcore.store.codec import Table, storable
from memcore.store.duckdb import lost_changes
from memcore.store.duckdb.claims import Claims
from memcore.store.duckdb.lost_changes import CommitNote, Lost
from memcore.store.duckdb.migrations import migrate, require_newest

FILE_NAME = "memscope.duckdb"
INDEX_DIRECTORY = "index"
EXPORT_DRAFT = re.compile(r"\.[0-9a-f]{8}\.new$")
"""How the draft of an export ends (`exporting.draft_file`), where it stands in the store's directory."""
TRIAL = ".trial"
"""How the directory of a copy of the store ends, on which something is tried (`copying`)."""
WANTED_FILE = "wanted"
"""Touched in the directory by a process that finds the store held."""
OPEN_ATTEMPTS = 5
OPEN_PAUSE_SECONDS = 0.2
WRITE_WAIT_SECONDS = 120.0
VECTOR_BATCH = 50_000  # 75 MiB at 384 dimensions

# Nothing is fetched from a network or read from Python's variables behind our back.
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
}

T = TypeVar("T")
Parameters = Sequence[Any] | dict[str, Any]
"""Values for `?` by place or for `$name` by name."""

_open: dict[Path, Database] = {}
_open_lock = threading.Lock()


class Database:
    """The shared connection to one store's file. Make it with `open_database`."""

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
        self.claims = Claims()
        self._log = path.with_name(f"{path.name}.wal")  # DuckDB makes it anew after each checkpoint
        self._connection = connection
        self._write_lock = threading.Lock()
        self._reading = threading.Condition()
        self._readers = 0
        self._trials = 0
        self._caches: list[weakref.WeakMethod[Callable[[], None]]] = []
        self._writer: int | None = None
        self.handles = 1
        self._read_header()
        if lost is not None and not read_only:
            self._note_commit(self.generation)  # it was told once and stays told by the file kept aside
        self._opened_at = self.generation
        self._written: dict[str, int] = {}  # table -> the newest generation that wrote to it since opening

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
            raise _explained(error, self.path) from error

    def vectors(self, sql: str, parameters: Parameters = ()) -> Iterator[tuple[list[str], Vectors]]:
        """A read of (key, vector), in batches of keys and rows of a matrix: no Python object a number."""
        try:
            with self._cursor() as cursor:
                found = cursor.sql(sql, params=storable(parameters)).to_arrow_reader(VECTOR_BATCH)
                for batch in found:
                    keys = batch.column(0).to_pylist()
                    yield keys, batch.column(1).flatten().to_numpy().reshape(len(keys), self.dimension)
        except duckdb.Error as error:
            raise _explained(error, self.path) from error

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
            raise _only_read(self.path)

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
                    self._written |= dict.fromkeys(transaction.written, transaction.generation)
                    self._note_commit(transaction.generation)
            if not self.read_only:
                private_files.close_to_others(self._log)
        except duckdb.Error as error:
            raise _explained(error, self.path) from error

    def _note_commit(self, generation: int) -> None:
        with suppress(OSError):  # a courtesy to the next opening; what is committed stays committed
            self._note.put(self.store_id, generation)

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._reading:
            self._readers += 1
        try:
            with self._connection.cursor() as cursor:
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
        with _open_lock:
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
                with duckdb.connect(str(draft), config=_SETTINGS) as connection:
                    result = change(Transaction(connection))
                    if keep:
                        copy_database(connection, fresh)
                if keep:
                    self._replace_with(fresh)
                return result
        except duckdb.Error as error:
            raise _explained(error, self.path) from error
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
        self._connection = _connect(self.path)
        _tidy(self.path)
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
            raise StoreError(f"The store {self.path.parent} has no header row.", _DAMAGED_FIX)
        self.store_id, self.embedding_model = str(row[0]), str(row[1])
        self.dimension, self.generation = int(row[2]), int(row[3])

    def copy_to(self, path: Path) -> None:
        """Write all that is committed, as of one moment, to a new database file."""
        try:
            with self._cursor() as cursor:
                copy_database(cursor, path)
        except duckdb.Error as error:
            raise _explained(error, path) from error

    def close(self) -> None:
        """Give up this handle; the last one closes the connection."""
        with _open_lock:
            self.handles -= 1
            if self.handles == 0:
                if _open.get(self.path) is self:
                    del _open[self.path]
                self._connection.close()
                self._note.close()


class Transaction:
    """Statements that are committed together."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self._cursor = cursor
        self.generation = 0
        self.written: set[str] = set()

    def query(self, sql: str, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
        """All rows, as this transaction sees them: its own writes and what was committed before."""
        return self._cursor.execute(sql, storable(parameters)).fetchall()

    def stream(self, sql: str, size: int = 2_000) -> Iterator[tuple[Any, ...]]:
        """The rows of a long read one by one. Ask nothing else of the transaction meanwhile."""
        result = self._cursor.execute(sql)
        while rows := result.fetchmany(size):
            yield from rows

    def insert(self, table: str, rows: pa.Table, *, clash: str = "") -> None:
        """Bulk-insert `rows` by column name. `clash` says what happens to a row whose key exists:
        fail (default), `or ignore` or `or replace`."""
        self.written.add(table)
        self._cursor.register("incoming", rows)
        try:
            self._cursor.execute(" ".join(["insert", clash, "into", table, "by name from incoming"]))
        finally:
            self._cursor.unregister("incoming")

    def delete_in(self, table: str, column: str, keys: pa.Table) -> int:
        """Delete the rows whose column is one of the `key` of `keys`; returns how many there were."""
        self.written.add(table)
        self._cursor.register("leaving", keys)
        try:
            rows = self._cursor.execute(
                " ".join(["delete from", table, "where", column, "in (select key from leaving)"])
            ).fetchall()
        finally:
            self._cursor.unregister("leaving")
        return int(rows[0][0])

    def put(self, table: Table[Any], values: Sequence[Any], generation: int = 0, *, clash: str = "") -> None:
        """Insert objects into their table; `clash` is said of an id that is there already."""
        if values:
            self.insert(table.name, table.rows(values, generation), clash=clash)

    def next_generation(self) -> int:
        """Count this commit; indexes compare their own generation with the store's."""
        (row,) = self.query("update store set generation = generation + 1 returning generation")
        self.generation = int(row[0])
        return self.generation


def copy_database(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Write the database of a connection to a new file, tables, views and indexes."""
    alias = f"copy_{uuid.uuid4().hex[:8]}"
    quoted = str(path).replace("'", "''")
    (row,) = connection.execute("select current_database()").fetchall()
    connection.execute(f"attach '{quoted}' as {alias} (read_write)")
    try:
        private_files.close_to_others(path)
        connection.execute(f'copy from database "{row[0]}" to {alias}')
    finally:
        connection.execute(f"detach {alias}")


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def open_database(directory: Path, *, embedding_model: str, dimension: int) -> Database:
    """The process's connection to the store in `directory`, made new when there is none.

    Raises StoreBusyError (another process holds it), EmbeddingMismatchError (made with other vectors)
    and StoreError (damaged, unreadable, or written by a newer program).
    """
    database = open_any_model(directory, create=(embedding_model, dimension))
    if (database.embedding_model, database.dimension) != (embedding_model, dimension):
        made_with = f"{database.embedding_model} ({database.dimension} dimensions)"
        database.close()
        raise EmbeddingMismatchError(
            f"The store {directory} was made with the embedding model {made_with}; "
            f"the active one is {embedding_model} ({dimension} dimensions). "
            "Vectors of different models cannot be compared.",
            "Choose the store's model in the settings, or move the store to the active one: "
            f"python -m memcore reembed --store {directory}",
        )
    return database


def store_exists(directory: Path) -> bool:
    """Whether a store was made in this directory."""
    return (directory / FILE_NAME).exists()


def may_write(directory: Path) -> bool:
    """Whether this process may write to the store of a directory: to the directory, for the write-ahead log,
    and to what is in it."""
    there = [path for path in (directory / FILE_NAME, directory / f"{FILE_NAME}.wal") if path.exists()]
    return all(os.access(path, os.W_OK) for path in (directory, *there))


def open_any_model(directory: Path, *, create: tuple[str, int] | None = None) -> Database:
    """As `open_database`, without comparing embedding models. `create`: model and dimension of a
    new store; None raises StoreError when there is none."""
    path = directory.resolve() / FILE_NAME
    with _open_lock:
        database = _open.get(path)
        if database is not None:
            database.handles += 1
            return database
        if not path.exists():
            if create is None:
                raise StoreError(
                    f"There is no store in {directory}.", "Name the directory of an existing store."
                )
            _create(path, *create)
        read_only = not may_write(directory)
        connection = _connect(path, read_only=read_only)
        try:
            note = CommitNote(path)
            lost = _lost(connection, path, note)  # before anything is written
            if read_only:
                require_newest(connection, directory)
            else:
                migrate(connection)
            database = Database(path, connection, note, lost, read_only=read_only)
            if not read_only:
                _tidy(path)
        except (duckdb.Error, StoreError) as error:
            connection.close()
            raise _explained(error, path) from error
        _open[path] = database
        return database


def _lost(connection: duckdb.DuckDBPyConnection, path: Path, note: CommitNote) -> Lost | None:
    row = connection.execute("select id, generation from store").fetchone()
    if row is None:
        return None  # `Database` says so
    return lost_changes.look(path, str(row[0]), int(row[1]), note.last(str(row[0])))


@contextmanager
def held_alone(directory: Path) -> Iterator[None]:
    """Nobody opens the store meanwhile, in this process or another; one that is damaged nobody can. Raises
    StoreBusyError while somebody has it open."""
    path = directory.resolve() / FILE_NAME
    with _open_lock:
        if path in _open:
            raise StoreBusyError(f"The store {directory} is open here.", "Close it first, then try again.")
        connection: duckdb.DuckDBPyConnection | None = None
        try:
            connection = _connect(path)
        except StoreBusyError:
            raise
        except StoreError:
            connection = None
        try:
            yield
        finally:
            if connection is not None:
                connection.close()


def _tidy(path: Path) -> None:
    """Once the store is ours: remove what a killed process left half written beside it, and close what
    earlier versions left open to others."""
    left = [
        *path.parent.glob(f"{FILE_NAME}.*.new*"),  # a new or rewritten store
        *path.parent.glob(f"{FILE_NAME}.*{TRIAL}"),  # a copy that something was tried on
        *path.parent.glob(f"{FILE_NAME}.tmp"),  # what did not fit in DuckDB's memory
        *(path.parent / INDEX_DIRECTORY).glob("*.new"),
        *(path.parent / INDEX_DIRECTORY).glob("*.new-*"),
        *(one for one in path.parent.glob("*.new") if EXPORT_DRAFT.search(one.name)),
    ]
    with suppress(OSError):  # a store that one may only read is left as it is
        for abandoned in left:
            private_files.remove(abandoned)
        private_files.close_store(path.parent)


def wanted_since(directory: Path, moment: float) -> bool:
    """Whether another process has found the store held since `moment` (seconds as of `time.time`). Who holds
    it only to be quick the next time then gives it up; the other process tries for `OPEN_ATTEMPTS` times
    `OPEN_PAUSE_SECONDS`."""
    try:
        return (directory / WANTED_FILE).stat().st_mtime >= moment
    except OSError:
        return False


def _create(path: Path, embedding_model: str, dimension: int) -> None:
    """Make the file beside its place and link it there whole: a crash never leaves half a store."""
    draft = path.with_name(f"{FILE_NAME}.{uuid.uuid4().hex[:8]}.new")
    try:
        private_files.make_directory(path.parent)
        with duckdb.connect(str(draft), config=_SETTINGS) as connection:
            private_files.close_to_others(draft)
            migrate(connection)
            connection.execute(
                "insert into store values (?, ?, ?, ?, 0)",
                [f"sto_{uuid.uuid4().hex[:16]}", storable(embedding_model), dimension, now()],
            )
        _publish(draft, path)
    except (OSError, duckdb.Error) as error:
        if path.exists():
            return  # another process made it in the meantime: that one is the store
        raise StoreError(
            f"No store can be made in {path.parent}: {error}.",
            "Choose a directory you may write to, with free disk space.",
        ) from error
    finally:
        with suppress(OSError):
            draft.unlink()


def _publish(draft: Path, path: Path) -> None:
    """Give the file its name unless there is one of that name."""
    try:
        os.link(draft, path)
    except OSError:  # it exists, or this file system has no links
        if path.exists():
            raise
        draft.rename(path)


def _connect(path: Path, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    for attempt in range(OPEN_ATTEMPTS):
        try:
            return duckdb.connect(str(path), read_only=read_only, config=_SETTINGS)
        except duckdb.Error as error:
            explained = _explained(error, path)
            if not isinstance(explained, StoreBusyError):
                raise explained from error
            with suppress(OSError):  # a courtesy: without it the holder keeps the store as long as it likes
                (path.parent / WANTED_FILE).touch(private_files.FILE)
            if attempt == OPEN_ATTEMPTS - 1:
                raise explained from error
            time.sleep(OPEN_PAUSE_SECONDS)
    raise AssertionError("unreachable: the last attempt returns or raises")


_DAMAGED_FIX = (
    "Restore the directory from a backup, or move it away and import your last jsonl export or the "
    "original logs into a new store."
)


def _only_read(path: Path) -> ReadOnlyStoreError:
    return ReadOnlyStoreError(
        f"The store {path.parent} can only be read: this program may not write to its directory or file.",
        "Take the right to write there (chmod -R u+w), or copy the directory to where you have it and name "
        "the copy as --store.",
    )


def _explained(error: Exception, path: Path) -> StoreError:
    """DuckDB's complaint as cause and fix."""
    if isinstance(error, StoreError):
        return error
    message = str(error)
    if "lock on file" in message or "being used by another process" in message:
        holder = re.search(r"held in (.+?) \(PID (\d+)\)", message)
        who = f"process {holder[2]} ({holder[1]})" if holder else "another process"
        return StoreBusyError(
            f"The store {path.parent} is open in {who}; DuckDB lets one process at a time use it.",
            "Close that Memscope window or wait for that command to end, then try again; "
            "or work on a copy of the directory.",
        )
    if "attached in read-only mode" in message:
        return _only_read(path)
    if "already closed" in message:
        return StoreError(
            f"The store {path.parent} was closed: it was opened anew, or another one in its place.",
            "Open it again; in the workbench, go to the page again.",
        )
    if "not a valid DuckDB database file" in message:
        return StoreError(f"{path} is not a DuckDB database.", _DAMAGED_FIX)
    if "replaying WAL" in message:
        return StoreError(
            f"The latest changes of the store {path.parent} are damaged ({message}).",
            f"Restore the directory from a backup; or move {path.name}.wal away, which gives up the changes "
            "since the last checkpoint and opens what was before them.",
        )
    if re.search(r"[Cc]orrupt|checksum|read enough bytes|WAL file|Serialization Error", message):
        return StoreError(f"The store file {path} is damaged ({message}).", _DAMAGED_FIX)
    return StoreError(
        f"The store in {path.parent} failed: {message}.",
        "Check free disk space and access rights; "
        "`python -m memcore doctor --store` tells whether the content is intact.",
    )
