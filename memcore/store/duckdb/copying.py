"""A copy of a whole store, to try things on that the store itself must not see."""

from __future__ import annotations

import shutil
from pathlib import Path

from memcore.domain import private_files
from memcore.domain.errors import StoreError
from memcore.store.duckdb.database import FILE_NAME, Database


def copy_store(database: Database, directory: Path, *, indexes: Path) -> None:
    """Make the store in `directory` (which has none) an equal of this one, as of one moment, and give
    it the index files of `indexes`. Writers need not wait. Nothing of the original is written.

    Raises StoreError when the directory cannot be written, or has a store."""
    target = directory / FILE_NAME
    if target.exists():
        raise StoreError(f"There is a store in {directory} already.", "Name a new directory for the copy.")
    try:
        private_files.make_directory(directory)
        database.copy_to(target)
        if indexes.exists():  # caches: one that is being replaced meanwhile is noticed and made anew
            shutil.copytree(indexes, directory / indexes.name, ignore_dangling_symlinks=True)
    except OSError as error:
        raise StoreError(
            f"The store cannot be copied to {directory}: {error}.",
            "Choose a directory you may write to, with free disk space.",
        ) from error
