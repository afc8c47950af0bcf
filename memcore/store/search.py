"""Search by meaning and by words, over index caches that follow the store.

Every collection (one owner's objects of one kind and recipe) notes the generation of the store it has seen.
Before a search it takes over what newer commits changed, so an object is found as soon as it is
committed, by whichever thread. Few vectors are all compared, which is exact and needs nothing made; from
`GRAPH_FROM` on a collection has an HNSW graph, kept as a file too. One that does not fit the store
(ahead of it, damaged, of another model, another number of entries) is made anew from DuckDB, which
alone is the truth. Knows nothing of ranking beyond one view: fusing is retrieval's.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from memcore.models import DEFAULT_RECIPE
from memcore.protocols import SearchedKind, VectorIndex
from memcore.store.database import Database
from memcore.store.exact_index import ExactIndex
from memcore.store.index_files import IndexFiles
from memcore.store.keyword_index import Bm25Index
from memcore.store.vector_index import HnswIndex


@dataclass(frozen=True)
class Of:
    """What a collection holds: one owner's objects of one kind and recipe (none, for messages)."""

    owner: str
    kind: SearchedKind
    recipe: str

    @property
    def asked(self) -> dict[str, str]:
        """As parameters of the queries below."""
        return {"owner": self.owner, "kind": self.kind, "recipe": self.recipe}


GRAPH_FROM = 20_000
"""Vectors from which a collection has a graph. Decided when it is first searched and kept until the store is
closed, so that adding a memory never makes one: 20,000 vectors are compared in 2 ms, 100,000 in 10."""

SAVE_AFTER = 2_000
"""New vectors after which an index is written at once and not only when the store closes."""

_CHANGED_TEXTS = """
select id, case when gone then null else text end as text
from documents where kind = $kind and owner = $owner and recipe = $recipe and changed > $seen
order by changed, id
"""

_LOST_VECTORS = """
select d.id
from documents d left join embeddings e on e.text_hash = d.text_hash and e.model_id = $model
where d.kind = $kind and d.owner = $owner and d.recipe = $recipe and d.changed > $seen
and (d.gone or e.text_hash is null)
"""

# The recent objects are found first: a join of everything would read every vector there is.
_CHANGED_VECTORS = """
with recent as (
    select id, text_hash, changed from documents
    where kind = $kind and owner = $owner and recipe = $recipe and not gone
    and (changed > $seen or text_hash in (
        select text_hash from embeddings where model_id = $model and changed > $seen))
)
select recent.id, e.vector
from recent join embeddings e on e.text_hash = recent.text_hash and e.model_id = $model
order by recent.changed, recent.id
"""

_COUNT_VECTORS = """
select count(*) from documents d join embeddings e on e.text_hash = d.text_hash and e.model_id = $model
where d.kind = $kind and d.owner = $owner and d.recipe = $recipe and not d.gone
"""

Index = TypeVar("Index")


@dataclass
class _Collection(Generic[Index]):
    """An index, the generation of the store it holds (-1: nothing yet), and the lock to both."""

    index: Index
    generation: int = -1
    unsaved: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class Search:
    """Implements SearchIndex over one database and its directory of index files. Thread-safe."""

    def __init__(self, database: Database, directory: Path) -> None:
        self._database = database
        self._files = IndexFiles(
            directory,
            store_id=database.store_id,
            model_id=database.embedding_model,
            dimension=database.dimension,
        )
        self._lock = threading.Lock()
        self._vectors: dict[Of, _Collection[VectorIndex]] = {}
        self._keywords: dict[Of, _Collection[Bm25Index]] = {}

    def semantic(
        self,
        owner: str,
        vector: NDArray[np.float32],
        k: int,
        *,
        kind: SearchedKind,
        recipe: str = DEFAULT_RECIPE,
    ) -> list[tuple[str, float]]:
        """(object id, cosine) best first. Objects whose text has no stored embedding are not found."""
        of = _of(owner, kind, recipe)
        collection = self._vectors_of(of)
        with collection.lock:
            self._follow_vectors(collection, of)
            return collection.index.search(vector, k)

    def lexical(
        self, owner: str, query: str, k: int, *, kind: SearchedKind, recipe: str = DEFAULT_RECIPE
    ) -> list[tuple[str, float]]:
        """(object id, BM25 score > 0) best first."""
        of = _of(owner, kind, recipe)
        collection = self._keywords_of(of)
        with collection.lock:
            self._follow_texts(collection, of)
            return collection.index.search(query, k)

    def prepare(
        self, owner: str, *, recipe: str, semantic: Sequence[SearchedKind], lexical: Sequence[SearchedKind]
    ) -> None:
        """Make the indexes that no search has needed yet, side by side: each is made by one thread, which
        keeps what it finds the same from run to run."""

        def vectors(of: Of) -> None:
            with (collection := self._vectors_of(of)).lock:
                self._follow_vectors(collection, of)

        def texts(of: Of) -> None:
            with (collection := self._keywords_of(of)).lock:
                self._follow_texts(collection, of)

        semantics, lexicals = ([_of(owner, kind, recipe) for kind in kinds] for kinds in (semantic, lexical))
        new = [partial(vectors, of) for of in semantics if self._vectors_of(of).generation < 0]
        new += [partial(texts, of) for of in lexicals if self._keywords_of(of).generation < 0]
        if len(new) > 1:
            with ThreadPoolExecutor(min(len(new), os.cpu_count() or 1)) as pool:
                for made in [pool.submit(work) for work in new]:
                    made.result()

    def _vectors_of(self, of: Of) -> _Collection[VectorIndex]:
        with self._lock:
            if of not in self._vectors:
                self._vectors[of] = _Collection(ExactIndex(self._database.dimension))
            return self._vectors[of]

    def _keywords_of(self, of: Of) -> _Collection[Bm25Index]:
        with self._lock:
            if of not in self._keywords:
                self._keywords[of] = _Collection(Bm25Index())
            return self._keywords[of]

    def save(self) -> None:
        """Write every vector index that differs from its file."""
        with self._lock:
            collections = dict(self._vectors)
        for of, collection in collections.items():
            with collection.lock:
                if collection.unsaved:
                    self._save(collection, of)

    def _save(self, collection: _Collection[VectorIndex], of: Of) -> None:
        if isinstance(collection.index, HnswIndex):
            self._files.save(of.owner, of.kind, of.recipe, collection.index, collection.generation)
        collection.unsaved = 0

    def _follow_texts(self, collection: _Collection[Bm25Index], of: Of) -> None:
        newest = self._database.generation
        if collection.generation == newest:
            return
        changed = self._database.query(_CHANGED_TEXTS, of.asked | {"seen": collection.generation})
        collection.index.remove([key for key, text in changed if text is None])
        present = [(key, text) for key, text in changed if text is not None]
        collection.index.put([key for key, _ in present], [text for _, text in present])
        collection.generation = newest

    def _follow_vectors(self, collection: _Collection[VectorIndex], of: Of) -> None:
        if collection.generation == self._database.generation:
            return
        if collection.generation < 0 and self._count_vectors(of) >= GRAPH_FROM:
            self._take_graph(collection, of)
        self._take_changed_vectors(collection, of)
        if collection.unsaved >= SAVE_AFTER:
            self._save(collection, of)

    def _take_graph(self, collection: _Collection[VectorIndex], of: Of) -> None:
        """The graph of the file, brought up to date; an empty one, when none fits."""
        cached = self._files.load(of.owner, of.kind, of.recipe)
        if cached is not None and cached[1] <= self._database.generation:
            collection.index, collection.generation = cached
            self._take_changed_vectors(collection, of)
            if len(collection.index) == self._count_vectors(of):
                return
        collection.index, collection.generation = HnswIndex(self._database.dimension), -1

    def _take_changed_vectors(self, collection: _Collection[VectorIndex], of: Of) -> None:
        # noted before reading: a commit in between is read now and, harmlessly, once more next time
        newest = self._database.generation
        asked = of.asked | {"model": self._database.embedding_model, "seen": collection.generation}
        lost = [key for (key,) in self._database.query(_LOST_VECTORS, asked)]
        ids, vectors = self._database.vectors(_CHANGED_VECTORS, asked)
        collection.index.remove(lost)
        collection.index.put(ids, vectors)
        collection.generation = newest
        collection.unsaved += len(lost) + len(ids)

    def _count_vectors(self, of: Of) -> int:
        ((count,),) = self._database.query(
            _COUNT_VECTORS, of.asked | {"model": self._database.embedding_model}
        )
        return int(count)


def _of(owner: str, kind: SearchedKind, recipe: str) -> Of:
    return Of(owner, kind, "" if kind == "message" else recipe)
