"""The token codes of what is searched, kept in memory: late interaction looks at hundreds of texts.

For one owner, kind and recipe all codes are read when first asked, and then what newer commits changed.
100,000 messages of LoCoMo's length take 160 MB. Knows ids and bytes; what the codes mean is
`protocols.TokenCodes`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from memcore.domain.protocols import SearchedKind, TokenCodes
from memcore.store.duckdb.database import Database
from memcore.store.duckdb.writer import code_width

_CHANGED_CODES = """
with recent as (
    select id, text_hash, gone from documents
    where kind = $kind and owner = $owner and recipe = $recipe
    and (changed > $seen or text_hash in (
        select text_hash from embeddings where model_id = $model and changed > $seen))
)
select recent.id, case when recent.gone then null else e.token_codes end
from recent left join embeddings e on e.text_hash = recent.text_hash and e.model_id = $model
"""


class KeptTokenCodes:
    """The codes of one owner's objects of one kind and recipe, by id. Thread-safe."""

    def __init__(self, database: Database, owner: str, kind: SearchedKind, recipe: str) -> None:
        self._database = database
        self._asked = {"owner": owner, "kind": kind, "recipe": recipe, "model": database.embedding_model}
        self._width = code_width(database.dimension)
        self._codes: dict[str, TokenCodes] = {}
        self._seen = -1
        self._lock = threading.Lock()

    def of(self, ids: Sequence[str]) -> dict[str, TokenCodes]:
        """By id; objects whose text has no codes are left out."""
        with self._lock:
            self._follow()
            return {key: self._codes[key] for key in ids if key in self._codes}

    def _follow(self) -> None:
        newest = self._database.generation  # noted before reading: what is read twice does no harm
        if newest == self._seen:
            return
        for key, codes in self._database.query(_CHANGED_CODES, self._asked | {"seen": self._seen}):
            if codes is None:
                self._codes.pop(key, None)
            else:
                self._codes[key] = np.frombuffer(codes, dtype=np.uint8).reshape(-1, self._width)
        self._seen = newest
