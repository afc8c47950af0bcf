"""Storage: DuckDB for everything that is true, hnswlib and rank-bm25 for finding it.

`open_store` is the way in; it gives a `DuckStore`, which implements `memcore.protocols.Store`.
Nothing outside this package knows DuckDB, hnswlib or rank-bm25.
"""

from memcore.store.facade import DuckStore, open_store

__all__ = ["DuckStore", "open_store"]
