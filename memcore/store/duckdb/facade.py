"""The store of a directory: `memscope.duckdb` holds everything, `index/` holds caches and may be deleted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from memcore.domain.errors import UsageError
from memcore.domain.protocols.erasure import Erasure
from memcore.store.codec import Table
from memcore.store.duckdb import lost_changes
from memcore.store.duckdb.copying import copied
from memcore.store.duckdb.database import Database
from memcore.store.duckdb.files import FILE_NAME, INDEX_DIRECTORY
from memcore.store.duckdb.lost_changes import Lost
from memcore.store.duckdb.opening import open_database
from memcore.store.duckdb.references import DuckNeighbours, DuckReferences
from memcore.store.duckdb.row_records import RowRecords
from memcore.store.duckdb.rows import Rows
from memcore.store.duckdb.search import Search
from memcore.store.duckdb.search_queries import VECTORS_OF
from memcore.store.duckdb.transaction import Transaction
from memcore.store.redaction import redact_files
from memcore.store.sql.erasure import erase
from memcore.store.sql.integrity import Finding
from memcore.store.sql.store import SqlStore

T = TypeVar("T")

KEPT_OF_TABLES = 256 << 20
"""Bytes that DuckDB keeps of tables after vectors were looked up: a small store's, or what a search reads."""


class DuckStore(SqlStore):
    """Implements Store over DuckDB, for one process at a time."""

    _vectors_of = VECTORS_OF

    _database: Database
    _search: Search

    def __init__(self, directory: Path, database: Database) -> None:
        self.directory = directory
        super().__init__(database)
        database.when_rewritten(self._begin)

    def _begin(self) -> None:
        super()._begin()
        self._references = DuckReferences(self._database)
        self._neighbours = DuckNeighbours(self._database)

    def _objects(self, table: Table[T], *, immutable: bool) -> Rows[T]:
        records = RowRecords(self._database, table, self.directory / INDEX_DIRECTORY)
        return Rows(self._database, table, records, immutable=immutable)

    def _searching(self) -> Search:
        return Search(self._database, self.directory / INDEX_DIRECTORY)

    def embeddings(self, model_id: str, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """As `SqlStore.embeddings`. Vectors are read with thousands beside them, which DuckDB would keep."""
        found = super().embeddings(model_id, texts)
        self._database.release_buffers(above=KEPT_OF_TABLES)
        return found

    @property
    def lost(self) -> Lost | None:
        """What was found lost when this process opened the store; None: nothing."""
        return self._database.lost

    def check(self) -> list[Finding]:
        """As `SqlStore.check`, and whether the file has everything that was stored last."""
        return [*super().check(), _kept(self._database.path)]

    def erase(self, erasure: Erasure, *, actor: str, keep: bool) -> tuple[dict[str, int], dict[str, int]]:
        """As `SqlStore.erase`; nothing is left in the file."""

        def files() -> int:
            return redact_files(self.directory, erasure, keep=keep, passing=_own)

        def change(draft: Transaction) -> tuple[dict[str, int], dict[str, int]]:
            return erase(draft, erasure, actor=actor, files=files)

        return self._database.rewrite(change, keep=keep)

    @contextmanager
    def trial(self) -> Iterator[DuckStore]:
        """As `SqlStore.trial`: on a copy of the file."""
        with (
            copied(self._database, self.directory / INDEX_DIRECTORY) as directory,
            open_duck_store(
                directory, embedding_model=self.embedding_model, dimension=self.dimension
            ) as copy,
        ):
            yield copy

    def require_login(self, login: str) -> None:
        """Raises UsageError: a directory is opened by whoever may read its files."""
        raise UsageError(
            f"{self.name} is a directory: there are no logins to share it with.",
            "Move it to a PostgreSQL database: python -m memcore move DIR postgresql://USER@HOST/DATABASE",
        )

    def admit_logins(self) -> None:
        """Nothing: a directory has none. Grants to them may have come with a store that was moved here."""

    def _give_up(self) -> None:
        """Save the index caches first."""
        try:
            self._search.save()
        finally:
            self._database.close()


def open_duck_store(directory: Path, *, embedding_model: str, dimension: int) -> DuckStore:
    """Open the store in `directory`, or make it. A second call in the same process shares the connection.

    Raises StoreBusyError when another process holds it, EmbeddingMismatchError when its vectors are
    of another model or dimension, StoreError when it is damaged or written by a newer program.
    """
    database = open_database(directory, embedding_model=embedding_model, dimension=dimension)
    return DuckStore(directory, database)


def _own(name: str) -> bool:
    """Whether a directory of the store holds nothing but what the engine itself keeps there."""
    return name == INDEX_DIRECTORY or name.startswith(FILE_NAME)


def _kept(path: Path) -> Finding:
    """Files that tell of lost changes stay until a person has dealt with them."""
    unreadable = lost_changes.kept_aside(path)
    if not unreadable:
        return Finding("latest changes", True, "everything that was stored last is there")
    newest = unreadable[-1]
    found = newest.name.rpartition(lost_changes.KEPT_ASIDE)[2][:10]
    what = f"changes that were stored last could not be read again when the store was opened on {found}"
    return Finding("latest changes", False, what, lost_changes.remedy(newest))
