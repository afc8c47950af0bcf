"""Carrying everything that one store holds into another, whichever engines keep them."""

from __future__ import annotations

import tempfile

from memcore.domain.errors import ConflictError
from memcore.store.sql.store import SqlStore


def move(source: SqlStore, target: SqlStore) -> int:
    """Copy all of one store into an empty one, as it is at one moment; returns the number of rows. All of it
    arrives or nothing does. Raises ConflictError where the target holds anything, EmbeddingMismatchError."""
    if target.owners() or target.events(limit=1) or target.runs(limit=1):
        raise ConflictError(
            f"{target.name} holds something already.", "Name a directory or database that has no store yet."
        )
    with tempfile.TemporaryFile(prefix="memscope-") as file:
        rows = source.export_jsonl(file)
        file.seek(0)
        target.import_lines(file, source.name)
    return rows
