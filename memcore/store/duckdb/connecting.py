"""Connecting to the file of a store, and what DuckDB's complaints mean, as cause and fix."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from pathlib import Path

import duckdb

from memcore.domain import private_files
from memcore.domain.errors import ReadOnlyStoreError, StoreBusyError, StoreError
from memcore.store.duckdb.files import WANTED_FILE

OPEN_ATTEMPTS = 5
OPEN_PAUSE_SECONDS = 0.2

# Nothing is fetched from a network or read from Python's variables behind our back.
SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
}


def connect(path: Path, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """A connection to the file; where another process holds it, tried a few times. Raises StoreError."""
    for attempt in range(OPEN_ATTEMPTS):
        try:
            return duckdb.connect(str(path), read_only=read_only, config=SETTINGS)
        except duckdb.Error as error:
            cause = explained(error, path)
            if not isinstance(cause, StoreBusyError):
                raise cause from error
            with suppress(OSError):  # a courtesy: without it the holder keeps the store as long as it likes
                (path.parent / WANTED_FILE).touch(private_files.FILE)
            if attempt == OPEN_ATTEMPTS - 1:
                raise cause from error
            time.sleep(OPEN_PAUSE_SECONDS)
    raise AssertionError("unreachable: the last attempt returns or raises")


DAMAGED_FIX = (
    "Restore the directory from a backup, or move it away and import your last jsonl export or the "
    "original logs into a new store."
)


def only_read(path: Path) -> ReadOnlyStoreError:
    """What is said of a store that this process may not write to."""
    return ReadOnlyStoreError(
        f"The store {path.parent} can only be read: this program may not write to its directory or file.",
        "Take the right to write there (chmod -R u+w), or copy the directory to where you have it and name "
        "the copy as --store.",
    )


def explained(error: Exception, path: Path) -> StoreError:
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
        return only_read(path)
    if "already closed" in message:
        return StoreError(
            f"The store {path.parent} was closed: it was opened anew, or another one in its place.",
            "Open it again; in the workbench, go to the page again.",
        )
    if "not a valid DuckDB database file" in message:
        return StoreError(f"{path} is not a DuckDB database.", DAMAGED_FIX)
    if "replaying WAL" in message:
        return StoreError(
            f"The latest changes of the store {path.parent} are damaged ({message}).",
            f"Restore the directory from a backup; or move {path.name}.wal away, which gives up the changes "
            "since the last checkpoint and opens what was before them.",
        )
    if re.search(r"[Cc]orrupt|checksum|read enough bytes|WAL file|Serialization Error", message):
        return StoreError(f"The store file {path} is damaged ({message}).", DAMAGED_FIX)
    return StoreError(
        f"The store in {path.parent} failed: {message}.",
        "Check free disk space and access rights; "
        "`python -m memcore doctor --store` tells whether the content is intact.",
    )
