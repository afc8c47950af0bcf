"""The token codes of what is searched, by object: late interaction looks at hundreds of texts.

Those of a large collection lie in a file, like its indexes: 100,000 messages of LoCoMo's length have 160 MB.
What the codes mean is `protocols.TokenCodes`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memcore.domain.protocols import TokenCodes
from memcore.store.duckdb.database import Database
from memcore.store.duckdb.followed_records import Followed, FollowedRecords
from memcore.store.duckdb.search_queries import CHANGED_CODES, COUNT_CODES, COUNT_TEXTS
from memcore.store.index_files import IndexFiles
from memcore.store.record_table import RecordTable
from memcore.store.sql.collections import TABLES, CollectionKey
from memcore.store.sql.writer import code_width


class KeptTokenCodes:
    """The codes of one collection, by id. Thread-safe. `large`: entries from which it has a file."""

    def __init__(
        self, database: Database, of: CollectionKey, files: IndexFiles[RecordTable], *, large: int
    ) -> None:
        self._width = code_width(database.dimension)
        followed = Followed(
            tables=("embeddings", *TABLES[of.kind]),
            changed=CHANGED_CODES,
            most=COUNT_TEXTS,
            count=COUNT_CODES,
            parameters=of.asked | {"model": database.embedding_model},
            key=(of.owner, of.kind, of.recipe),
        )
        self._records = FollowedRecords(database, followed, files, large=large)

    def of(self, ids: Sequence[str]) -> dict[str, TokenCodes]:
        """By id; objects whose text has no codes are left out."""
        return {
            key: np.frombuffer(record, dtype=np.uint8).reshape(-1, self._width)
            for key, record in self._records.of(ids).items()
        }
