"""Which engine keeps a store: decided here, by what names it, and nowhere else.

PostgreSQL's is loaded only where an address names it.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, overload

from memcore.domain.errors import StoreError
from memcore.domain.protocols import Embedder
from memcore.domain.server_address import ServerAddress
from memcore.store.duckdb import facade, opening
from memcore.store.duckdb.facade import DuckStore
from memcore.store.sql.reembed import reembed as reembed_database
from memcore.store.sql.store import SqlStore

if TYPE_CHECKING:
    from memcore.store.postgres.facade import PostgresStore


@overload
def open_store(where: Path, *, embedding_model: str, dimension: int) -> DuckStore: ...
@overload
def open_store(where: ServerAddress, *, embedding_model: str, dimension: int) -> PostgresStore: ...
@overload
def open_store(where: Path | ServerAddress, *, embedding_model: str, dimension: int) -> SqlStore: ...
def open_store(where: Path | ServerAddress, *, embedding_model: str, dimension: int) -> SqlStore:
    """Open the store of a directory or a server's database, or make it. A second call in the same process
    shares the connection.

    Raises StoreBusyError when another process holds a directory's, EmbeddingMismatchError when its vectors
    are of another model or dimension, StoreError when it is damaged, cannot be reached or was written by a
    newer program.
    """
    if isinstance(where, ServerAddress):
        _require_driver()
        from memcore.store.postgres.facade import open_postgres_store

        return open_postgres_store(where, embedding_model=embedding_model, dimension=dimension)
    return facade.open_duck_store(where, embedding_model=embedding_model, dimension=dimension)


def store_exists(where: Path | ServerAddress) -> bool:
    """Whether a store was made there. Raises StoreError where a server cannot be asked."""
    if isinstance(where, ServerAddress):
        _require_driver()
        from memcore.store.postgres.opening import database_has_store

        return database_has_store(where)
    return opening.store_exists(where)


def reembed(where: Path | ServerAddress, embedder: Embedder) -> int:
    """Embed every memory, message and triple of the store anew; returns the number of texts. Raises
    StoreBusyError while the store is open."""
    if isinstance(where, ServerAddress):
        _require_driver()
        from memcore.store.postgres.opening import open_any_model

        return reembed_database(open_any_model(where), embedder)
    return reembed_database(opening.open_any_model(where), embedder)


def _require_driver() -> None:
    if find_spec("psycopg") is None:
        raise StoreError(
            "A store in PostgreSQL needs the package psycopg, which is not installed.",
            "pip install -r requirements-postgres.txt (or: pip install 'psycopg[binary]')",
        )
