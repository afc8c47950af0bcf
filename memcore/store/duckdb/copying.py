"""A copy of a whole store, to try things on that the store itself must not see.

It stands in the store's own directory, not in one for temporary files: what a killed process leaves of it
goes when the store is next opened (`opening.open_any_model`), and so with whatever is then erased. Only of a
store that can only be read, from which nothing is erased, it is made where temporary files are.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memcore.domain import private_files
from memcore.domain.errors import StoreError
from memcore.store.duckdb.database import Database
from memcore.store.duckdb.files import FILE_NAME, TRIAL


@contextmanager
def copied(database: Database, indexes: Path) -> Iterator[Path]:
    """A directory with an equal of this store, as of one moment, and of the index files in `indexes`; gone
    after the block. Writers need not wait, nothing of the original is written, and nothing can be erased from
    it meanwhile. Raises StoreError when the store's directory cannot be written."""
    if database.read_only:
        with tempfile.TemporaryDirectory(prefix="memscope-trial-") as place:
            _copy(database, Path(place) / "store", indexes)
            yield Path(place) / "store"
        return
    directory = database.path.with_name(f"{FILE_NAME}.{uuid.uuid4().hex[:8]}{TRIAL}")
    with database.tried():
        try:
            _copy(database, directory, indexes)
            yield directory
        finally:
            private_files.remove(directory)


def _copy(database: Database, directory: Path, indexes: Path) -> None:
    try:
        private_files.make_directory(directory)
        database.copy_to(directory / FILE_NAME)
        if indexes.exists():  # caches: one that is being replaced meanwhile is noticed and made anew
            shutil.copytree(
                indexes, directory / indexes.name, ignore_dangling_symlinks=True, copy_function=_linked
            )
    except OSError as error:
        raise StoreError(
            f"The store cannot be copied to {directory}, where this would be tried: {error}.",
            "Let yourself write to the store's directory and make room there; or copy the store elsewhere.",
        ) from error


def _linked(source: str, target: str) -> None:
    """The same file in two places (index files are replaced, never changed), or else a copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
