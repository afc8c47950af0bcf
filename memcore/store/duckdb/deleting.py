"""Deleting a whole store: the files that are known to be a store's own, and nothing else of its directory.

What is a link is left where it is, and so is what it leads to.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from memcore.domain import private_files
from memcore.domain.errors import StoreError
from memcore.store.duckdb.files import (
    EXPORT_DRAFT,
    FILE_NAME,
    INDEX_DIRECTORY,
    SERVED_FILE,
    TRIAL,
    WANTED_FILE,
)
from memcore.store.duckdb.lost_changes import KEPT_ASIDE
from memcore.store.duckdb.opening import held_alone

_FILES = re.compile(
    rf"{FILE_NAME}(\.wal|\.committed|{re.escape(KEPT_ASIDE)}[\dT.-]+|\.[0-9a-f]{{8}}\.new2?(\.wal)?)?"
    rf"|settings\.(json|tmp)|{WANTED_FILE}|{re.escape(SERVED_FILE)}"
)
_TRIALS = re.compile(rf"{FILE_NAME}\.[0-9a-f]{{8}}{re.escape(TRIAL)}")
_INSIDE = {
    INDEX_DIRECTORY: re.compile(r".+\.(json|index|hnsw)(\.new.*)?"),
    "evaluations": re.compile(r"[0-9a-f]{12}\.(json|questions\.gz)|\..+\.part"),
    f"{FILE_NAME}.tmp": re.compile(r"duckdb_temp_.+"),
}


def store_files(directory: Path) -> list[Path]:
    """The files of the store in a directory; none where there is no store, or a link is in its place."""
    if not _is(directory, stat.S_ISDIR) or not _is(directory / FILE_NAME, stat.S_ISREG):
        return []
    return sorted(_of_store(directory))


def delete_store(directory: Path) -> list[Path]:
    """Delete the files of a store, and its directory if nothing else is in it; what is left there. Raises
    StoreBusyError while it is open, here or in another process, and StoreError where there is no store or it
    cannot be deleted."""
    if not store_files(directory):
        raise StoreError(
            f"There is no store in {directory}, or only a link to one: nothing was deleted.",
            "Look there by hand.",
        )
    try:
        with held_alone(directory):
            for path in store_files(directory):
                path.unlink(missing_ok=True)
        for path in _of_store(directory):  # what DuckDB wrote when it let go
            path.unlink(missing_ok=True)
        for path in directory.iterdir():  # copies that a killed process was trying something on
            if _TRIALS.fullmatch(path.name) and _is(path, stat.S_ISDIR):
                private_files.remove(path)
        for place in (*(directory / name for name in _INSIDE), directory):
            if _is(place, stat.S_ISDIR) and not any(place.iterdir()):
                place.rmdir()
        return sorted(directory.iterdir()) if directory.exists() else []
    except OSError as error:
        raise StoreError(
            f"The store in {directory} cannot be deleted wholly: {error}.",
            "Allow writing there and try again, or delete the directory by hand.",
        ) from error


def _of_store(directory: Path) -> Iterator[Path]:
    for path in directory.iterdir():
        named = _FILES.fullmatch(path.name) or EXPORT_DRAFT.search(path.name)
        if named and _is(path, stat.S_ISREG):
            yield path
    for name, own in _INSIDE.items():
        if _is(directory / name, stat.S_ISDIR):
            for path in (directory / name).iterdir():
                if own.fullmatch(path.name) and _is(path, stat.S_ISREG):
                    yield path


def _is(path: Path, sort: Callable[[int], bool]) -> bool:
    """Whether it is there and of this sort itself, whatever a link leads to."""
    try:
        return sort(path.lstat().st_mode)
    except FileNotFoundError:
        return False
