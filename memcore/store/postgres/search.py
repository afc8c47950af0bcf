"""Search in the database: vectors compared there, words in an index of each collection that follows it.

By meaning every vector of one owner's collection is compared, which is exact; nothing of it is kept here, so
any number of processes can search. For words each process keeps the keyword index of the collections it was
asked about, the same as over the embedded engine, with the same scores.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memcore.domain.protocols import SearchedKind, TokenCodes
from memcore.store.keyword_index import Bm25Index
from memcore.store.postgres.database import PostgresDatabase
from memcore.store.sql.collections import TABLES, CollectionKey, collection_key, take_changed_texts
from memcore.store.sql.database import Following
from memcore.store.sql.writer import code_width

_NEAREST = """
select id, cosine from (
    select d.id, case when e.vector <=> $vector = 'NaN' then 0 else 1 - (e.vector <=> $vector) end as cosine
    from documents d join embeddings e on e.text_hash = d.text_hash and e.model_id = $model
    where d.kind = $kind and d.owner = $owner and d.recipe = $recipe and not d.gone
) near
order by cosine desc, id limit $k
"""
_CODES = """
select d.id, e.token_codes
from documents d join embeddings e on e.text_hash = d.text_hash and e.model_id = $model
where d.kind = $kind and d.owner = $owner and d.recipe = $recipe and not d.gone
  and d.id in (select unnest($ids::text[])) and e.token_codes is not null
"""


class _Words:
    """A keyword index that follows its collection."""

    def __init__(self, database: PostgresDatabase, kind: SearchedKind) -> None:
        self.following = Following(database, *TABLES[kind], forget=self._forget)
        self.lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self.index = Bm25Index()


class PostgresSearch:
    """Implements Searching. Thread-safe."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._words: dict[CollectionKey, _Words] = {}

    def semantic(
        self, owner: str, vector: NDArray[np.float32], k: int, *, kind: SearchedKind, recipe: str
    ) -> list[tuple[str, float]]:
        """(object id, cosine) best first. Objects whose text has no stored embedding are not found."""
        if k <= 0:
            return []
        asked = {"model": self._database.embedding_model, "vector": np.asarray(vector, np.float32), "k": k}
        rows = self._database.query(_NEAREST, collection_key(owner, kind, recipe).asked | asked)
        return [(key, float(cosine)) for key, cosine in rows]

    def lexical(
        self, owner: str, query: str, k: int, *, kind: SearchedKind, recipe: str
    ) -> list[tuple[str, float]]:
        """(object id, BM25 score > 0) best first."""
        of = collection_key(owner, kind, recipe)
        with (words := self._of(of)).lock:
            self._follow(words, of)
            return words.index.search(query, k)

    def rarity(self, owner: str, words: Sequence[str], *, kind: SearchedKind, recipe: str) -> list[float]:
        """How much each word tells among these objects."""
        of = collection_key(owner, kind, recipe)
        with (kept := self._of(of)).lock:
            self._follow(kept, of)
            return kept.index.rarity(words)

    def token_codes(
        self, owner: str, ids: Sequence[str], *, kind: SearchedKind, recipe: str
    ) -> dict[str, TokenCodes]:
        """The stored token codes by object id."""
        asked = {"model": self._database.embedding_model, "ids": list(ids)}
        rows = self._database.query(_CODES, collection_key(owner, kind, recipe).asked | asked)
        width = code_width(self._database.dimension)
        found = {key: np.frombuffer(codes, dtype=np.uint8).reshape(-1, width) for key, codes in rows}
        return {key: found[key] for key in ids if key in found}

    def prepare(
        self, owner: str, *, recipe: str, semantic: Sequence[SearchedKind], lexical: Sequence[SearchedKind]
    ) -> None:
        """Make the keyword indexes that no search has needed yet; vectors need nothing made."""
        for kind in lexical:
            of = collection_key(owner, kind, recipe)
            with (words := self._of(of)).lock:
                self._follow(words, of)

    def _of(self, of: CollectionKey) -> _Words:
        with self._lock:
            if of not in self._words:
                self._words[of] = _Words(self._database, of.kind)
            return self._words[of]

    def _follow(self, words: _Words, of: CollectionKey) -> None:
        newest = words.following.newest()
        if words.following.seen < newest:
            take_changed_texts(self._database, words.index, of, words.following.seen)
            words.following.seen = newest
