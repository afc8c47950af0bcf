"""Storage: DuckDB for everything that is true, hnswlib and rank-bm25 for finding it.

`open_store` is the way in; it gives a `DuckStore`, which implements `memcore.domain.protocols.Store`.
Nothing outside this package knows DuckDB, hnswlib or rank-bm25.
"""

from memcore.store.duckdb.deleting import delete_store, store_files
from memcore.store.duckdb.facade import DuckStore, open_store
from memcore.store.duckdb.files import SERVED_FILE
from memcore.store.duckdb.integrity import Finding
from memcore.store.duckdb.opening import store_exists, wanted_since
from memcore.store.duckdb.reembed import reembed
from memcore.store.exact_index import ExactIndex
from memcore.store.keyword_index import Bm25Index
from memcore.store.vector_index import HnswIndex

__all__ = [
    "SERVED_FILE",
    "Bm25Index",
    "DuckStore",
    "ExactIndex",
    "Finding",
    "HnswIndex",
    "delete_store",
    "open_store",
    "reembed",
    "store_exists",
    "store_files",
    "wanted_since",
]
