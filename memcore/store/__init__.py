"""Storage: a database for everything that is true, and indexes for finding it.

`open_store` is the way in; it gives a `SqlStore`, which implements `memcore.domain.protocols.Store`: over
DuckDB for a directory, over PostgreSQL for the address of a server. Nothing outside this package knows
DuckDB, PostgreSQL, hnswlib or rank-bm25.
"""

from memcore.store.duckdb.deleting import delete_store, store_files
from memcore.store.duckdb.facade import DuckStore
from memcore.store.duckdb.files import SERVED_FILE
from memcore.store.duckdb.opening import wanted_since
from memcore.store.exact_index import ExactIndex
from memcore.store.keyword_index import Bm25Index
from memcore.store.moving import move
from memcore.store.opening import open_store, reembed, store_exists
from memcore.store.sql.integrity import Finding
from memcore.store.sql.store import SqlStore
from memcore.store.vector_index import HnswIndex

__all__ = [
    "SERVED_FILE",
    "Bm25Index",
    "DuckStore",
    "ExactIndex",
    "Finding",
    "HnswIndex",
    "SqlStore",
    "delete_store",
    "move",
    "open_store",
    "reembed",
    "store_exists",
    "store_files",
    "wanted_since",
]
