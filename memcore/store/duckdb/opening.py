"""Opening the store of a directory: made when there is none, brought up to date, tidied, once a process.

What may not be written is opened to be read.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from memcore.domain import private_files
from memcore.domain.errors import StoreBusyError, StoreError
from memcore.domain.models import now
from memcore.store.codec import storable
from memcore.store.duckdb import lost_changes
from memcore.store.duckdb.connecting import SETTINGS, connect, explained
from memcore.store.duckdb.database import OPEN, OPEN_LOCK, Database
from memcore.store.duckdb.files import FILE_NAME, WANTED_FILE, tidy
from memcore.store.duckdb.lost_changes import CommitNote, Lost
from memcore.store.duckdb.migrations import migrate, require_newest
from memcore.store.sql.database import require_model


def open_database(directory: Path, *, embedding_model: str, dimension: int) -> Database:
    """The process's connection to the store in `directory`, made new when there is none.

    Raises StoreBusyError (another process holds it), EmbeddingMismatchError (made with other vectors)
    and StoreError (damaged, unreadable, or written by a newer program).
    """
    database = open_any_model(directory, create=(embedding_model, dimension))
    require_model(database, directory, embedding_model, dimension)
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
    with OPEN_LOCK:
        database = OPEN.get(path)
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
        connection = connect(path, read_only=read_only)
        try:
            note = CommitNote(path)
            lost = _lost(connection, path, note)  # before anything is written
            if read_only:
                require_newest(connection, directory)
            else:
                migrate(connection)
            database = Database(path, connection, note, lost, read_only=read_only)
            if not read_only:
                tidy(path)
        except (duckdb.Error, StoreError) as error:
            connection.close()
            raise explained(error, path) from error
        OPEN[path] = database
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
    with OPEN_LOCK:
        if path in OPEN:
            raise StoreBusyError(f"The store {directory} is open here.", "Close it first, then try again.")
        connection: duckdb.DuckDBPyConnection | None = None
        try:
            connection = connect(path)
        except StoreBusyError:
            raise
        except StoreError:
            connection = None
        try:
            yield
        finally:
            if connection is not None:
                connection.close()


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
        with duckdb.connect(str(draft), config=SETTINGS) as connection:
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
