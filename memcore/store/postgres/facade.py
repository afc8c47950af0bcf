"""The store of a PostgreSQL database, for any number of processes at once."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

from memcore.domain.errors import StoreError
from memcore.domain.models import MemoryEntry
from memcore.domain.protocols.erasure import Erasure
from memcore.domain.server_address import ServerAddress
from memcore.store.codec import Table
from memcore.store.duckdb.facade import DuckStore, open_duck_store
from memcore.store.moving import move
from memcore.store.postgres import lookups
from memcore.store.postgres.at_once import AtOnce
from memcore.store.postgres.database import PostgresDatabase
from memcore.store.postgres.lookups import ServerNeighbours, ServerReferences
from memcore.store.postgres.opening import open_database
from memcore.store.postgres.protecting import protect
from memcore.store.postgres.row_security import require_login
from memcore.store.postgres.search import PostgresSearch
from memcore.store.postgres.soundness import check_search
from memcore.store.redaction import redact_files
from memcore.store.sql.erasure import Counts, erase
from memcore.store.sql.integrity import Finding
from memcore.store.sql.query import by_ids
from memcore.store.sql.store import SqlStore

T = TypeVar("T")


class Gathered(Generic[T]):
    """Objects of one table by id, read whenever they are asked for: the server gathers them quickly, and
    other processes change them."""

    def __init__(self, database: PostgresDatabase, table: Table[T]) -> None:
        self._database = database
        self._table = table

    def by_id(self, ids: Sequence[str]) -> dict[str, T]:
        """The stored objects among `ids`, by id, in the order asked."""
        return by_ids(self._database, self._table, ids)


class PostgresStore(SqlStore):
    """Implements Store over PostgreSQL."""

    _database: PostgresDatabase
    _search: PostgresSearch

    def _objects(self, table: Table[T], *, immutable: bool) -> Gathered[T]:
        return Gathered(self._database, table)

    def __init__(self, database: PostgresDatabase) -> None:
        self._asking = AtOnce()
        super().__init__(database)

    def _begin(self) -> None:
        super()._begin()
        self._references = ServerReferences(self._database)
        self._neighbours = ServerNeighbours(self._database)

    def _searching(self) -> PostgresSearch:
        return PostgresSearch(self._database)

    def memories_of_messages(
        self, owner: str, message_ids: Sequence[str], *, recipe: str
    ) -> dict[str, MemoryEntry]:
        """As `Store.memories_of_messages`."""
        return lookups.memories_of_messages(self._database, owner, message_ids, recipe=recipe)

    def cited_by(self, memory_ids: Sequence[str], *, recipe: str) -> dict[str, tuple[str, ...]]:
        """As `Store.cited_by`."""
        return lookups.cited_by(self._database, memory_ids, recipe=recipe)

    def at_once(self, asks: Sequence[Callable[[], object]]) -> None:
        """As `Store.at_once`, on threads."""
        self._asking.do(asks)

    def _give_up(self) -> None:
        self._asking.end()
        super()._give_up()

    @property
    def lost(self) -> None:
        """Nothing: the server keeps what it has committed."""
        return None

    def erase(self, erasure: Erasure, *, actor: str, keep: bool) -> tuple[Counts, Counts]:
        """As `SqlStore.erase`: in one transaction, after which the server takes what was deleted out of its
        tables' files. What its write-ahead log and backups hold goes when those do."""

        def files() -> int:
            beside = self._database.address.directory
            return redact_files(beside, erasure, keep=keep) if beside and beside.is_dir() else 0

        if self._database.restricted:
            raise StoreError(
                f"A login that sees only what was granted to it cannot erase in {self.name}.",
                "Let whoever owns the store's tables do it.",
            )
        counts: tuple[Counts, Counts] | None = None
        try:
            with self._database.exclusive(), self._database.transaction() as transaction:
                transaction.query("set local memscope.erasing = 'on'")
                counts = erase(transaction, erasure, actor=actor, files=files)
                if not keep:
                    raise _OnlyCountedError
        except _OnlyCountedError:
            assert counts is not None
            return counts
        self._begin()
        self._database.vacuum()
        return counts

    def check(self) -> list[Finding]:
        """As `SqlStore.check`, and whether what search reads is what there is to be found; who sees only a
        part of the store cannot tell whether it is whole."""
        if not self._database.restricted:
            return [*super().check(), check_search(self._database)]
        what = "this login sees only what was granted to it, so the store was not examined"
        return [Finding("rights", True, what, "Let whoever owns the store's tables run doctor.")]

    def require_login(self, login: str) -> None:
        """As `SqlStore.require_login`."""
        require_login(self._database, login)

    def admit_logins(self) -> None:
        """As `SqlStore.admit_logins`, by row-level security (`row_security`)."""
        with self._database.exclusive(), self._database.transaction() as transaction:
            protect(transaction, self.grants())

    @contextmanager
    def trial(self) -> Iterator[DuckStore]:
        """As `SqlStore.trial`: an embedded store of this machine, with everything carried over."""
        with (
            tempfile.TemporaryDirectory(prefix="memscope-trial-") as place,
            open_duck_store(
                Path(place) / "store", embedding_model=self.embedding_model, dimension=self.dimension
            ) as copy,
        ):
            move(self, copy)
            yield copy


class _OnlyCountedError(Exception):
    """Takes back what was only to be counted."""


def open_postgres_store(address: ServerAddress, *, embedding_model: str, dimension: int) -> PostgresStore:
    """Open the store at an address, or make it. A second call in the same process shares the connections.
    Raises EmbeddingMismatchError when its vectors are of another model or dimension, and StoreError."""
    return PostgresStore(open_database(address, embedding_model=embedding_model, dimension=dimension))
