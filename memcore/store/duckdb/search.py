"""Search by meaning and by words, over index caches that follow the store.

Every collection (one owner's objects of one kind and recipe) notes the generation of the store it has seen.
Before a search it takes over what newer commits changed, so an object is found as soon as it is
committed, by whichever thread. In a small one every vector is compared, which is exact and needs nothing
made. A large one has an HNSW graph, and files of its own; a file that does not fit the store (ahead of
it, damaged, of another model, another number of entries) is made anew from DuckDB, which alone is the
truth. Knows nothing of ranking beyond one view: fusing is retrieval's.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from memcore.domain.models import DEFAULT_RECIPE
from memcore.domain.protocols import SearchedKind, TokenCodes, VectorIndex, Vectors
from memcore.store.duckdb.database import Database
from memcore.store.duckdb.search_queries import (
    CHANGED_VECTORS,
    COUNT_TEXTS,
    COUNT_VECTORS,
    LOST_VECTORS,
    RECENT_OBJECTS,
    RECENT_VECTORS,
    VECTORS_OF,
    WAITING,
)
from memcore.store.duckdb.token_codes import KeptTokenCodes
from memcore.store.exact_index import ExactIndex
from memcore.store.index_files import IndexFiles
from memcore.store.keyword_index import Bm25Index
from memcore.store.record_file import DamagedRecordError
from memcore.store.record_table import READ_BY_RECORD, RecordTable
from memcore.store.sql.collections import TABLES, CollectionKey, collection_key, take_changed_texts
from memcore.store.vector_index import GRAPH_DIMENSION, READ_BY_ROW, HnswIndex

LARGE = 20_000
"""Entries from which a collection has a graph and files. Decided when it is first searched and kept until
the store is closed, so that adding a memory never makes one: 20,000 vectors are compared in 2 ms."""

VERY_LARGE = 200_000
"""Entries from which the graph holds vectors in fewer numbers: 1 GiB less at a million, for about a
millisecond more a search."""

SAVE_AFTER = 2_000
"""New entries, at least a tenth of all, after which a file is written at once and not only on closing. On
closing it is written for so many, or for a hundredth of all; fewer are read of the store on opening."""

Index = TypeVar("Index")


@dataclass
class _Collection(Generic[Index]):
    """An index, the generation of the store it holds (-1: nothing yet), and the lock to both. `waiting` are
    the objects whose text has no vector yet (id -> text hash). `file_fits`: its files are not known to be
    damaged."""

    index: Index
    generation: int = -1
    large: bool = False
    file_fits: bool = True
    unsaved: int = 0
    waiting: dict[str, str] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Search:
    """Implements SearchIndex over one database and its directory of index files. Thread-safe."""

    def __init__(self, database: Database, directory: Path) -> None:
        self._database = database
        read_graph = partial(HnswIndex.load, dimension=database.dimension)
        self._graph_files = IndexFiles(
            database, directory, "vectors", read_graph, checked_by_index=READ_BY_ROW
        )
        self._word_files = IndexFiles(database, directory, "words", Bm25Index.load)
        self._code_files = IndexFiles(
            database, directory, "codes", RecordTable.load, checked_by_index=READ_BY_RECORD
        )
        self._lock = threading.Lock()
        self._vectors: dict[CollectionKey, _Collection[VectorIndex]] = {}
        self._keywords: dict[CollectionKey, _Collection[Bm25Index]] = {}
        self._token_codes: dict[CollectionKey, KeptTokenCodes] = {}

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
        of = collection_key(owner, kind, recipe)
        collection = self._vectors_of(of)
        with collection.lock:
            self._follow_vectors(collection, of)
            try:
                return collection.index.search(vector, k)
            except DamagedRecordError:
                self._distrust(collection)
                self._follow_vectors(collection, of)
                return collection.index.search(vector, k)

    def lexical(
        self, owner: str, query: str, k: int, *, kind: SearchedKind, recipe: str = DEFAULT_RECIPE
    ) -> list[tuple[str, float]]:
        """(object id, BM25 score > 0) best first."""
        of = collection_key(owner, kind, recipe)
        collection = self._keywords_of(of)
        with collection.lock:
            self._follow_texts(collection, of)
            return collection.index.search(query, k)

    def rarity(
        self, owner: str, words: Sequence[str], *, kind: SearchedKind, recipe: str = DEFAULT_RECIPE
    ) -> list[float]:
        """How much each word tells among these objects."""
        of = collection_key(owner, kind, recipe)
        collection = self._keywords_of(of)
        with collection.lock:
            self._follow_texts(collection, of)
            return collection.index.rarity(words)

    def token_codes(
        self, owner: str, ids: Sequence[str], *, kind: SearchedKind, recipe: str = DEFAULT_RECIPE
    ) -> dict[str, TokenCodes]:
        """The stored token codes by object id."""
        of = collection_key(owner, kind, recipe)
        with self._lock:
            if of not in self._token_codes:
                self._token_codes[of] = KeptTokenCodes(self._database, of, self._code_files, large=LARGE)
            kept = self._token_codes[of]
        return kept.of(ids)

    def prepare(
        self, owner: str, *, recipe: str, semantic: Sequence[SearchedKind], lexical: Sequence[SearchedKind]
    ) -> None:
        """Make the indexes that no search has needed yet, side by side: each is made by one thread, which
        keeps what it finds the same from run to run."""

        def vectors(of: CollectionKey) -> None:
            with (collection := self._vectors_of(of)).lock:
                self._follow_vectors(collection, of)

        def texts(of: CollectionKey) -> None:
            with (collection := self._keywords_of(of)).lock:
                self._follow_texts(collection, of)

        semantics, lexicals = (
            [collection_key(owner, kind, recipe) for kind in kinds] for kinds in (semantic, lexical)
        )
        new = [partial(vectors, of) for of in semantics if self._vectors_of(of).generation < 0]
        new += [partial(texts, of) for of in lexicals if self._keywords_of(of).generation < 0]
        if len(new) > 1:
            with ThreadPoolExecutor(min(len(new), os.cpu_count() or 1)) as pool:
                for made in [pool.submit(work) for work in new]:
                    made.result()

    def _vectors_of(self, of: CollectionKey) -> _Collection[VectorIndex]:
        with self._lock:
            if of not in self._vectors:
                self._vectors[of] = _Collection(ExactIndex(self._database.dimension))
            return self._vectors[of]

    def _keywords_of(self, of: CollectionKey) -> _Collection[Bm25Index]:
        with self._lock:
            if of not in self._keywords:
                self._keywords[of] = _Collection(Bm25Index())
            return self._keywords[of]

    def save(self) -> None:
        """Write every index that differs much from its file."""
        with self._lock:
            vectors, keywords = dict(self._vectors), dict(self._keywords)
        for of, collection in vectors.items():
            with collection.lock:
                if collection.unsaved > min(SAVE_AFTER, len(collection.index) // 100):
                    self._save_graph(collection, of)
        for of, texts in keywords.items():
            with texts.lock:
                if texts.unsaved > min(SAVE_AFTER, len(texts.index) // 100):
                    self._save_words(texts, of)

    def _save_graph(self, collection: _Collection[VectorIndex], of: CollectionKey) -> None:
        if collection.unsaved and isinstance(collection.index, HnswIndex):
            self._graph_files.save(of.owner, of.kind, of.recipe, collection.index, collection.generation)
            collection.unsaved = 0

    def _save_words(self, collection: _Collection[Bm25Index], of: CollectionKey) -> None:
        if collection.unsaved and collection.large:
            self._word_files.save(of.owner, of.kind, of.recipe, collection.index, collection.generation)
            collection.unsaved = 0

    def _follow_texts(self, collection: _Collection[Bm25Index], of: CollectionKey) -> None:
        newest = self._database.newest(*TABLES[of.kind])
        if collection.generation >= newest:
            return
        first = collection.generation < 0
        if first and (count := self._count(COUNT_TEXTS, of)) >= LARGE:
            collection.large = True
            cached = self._word_files.load(of.owner, of.kind, of.recipe)
            if cached is not None and cached[1] <= self._database.generation:
                collection.index, collection.generation = cached
                self._take_changed_texts(collection, of)
                if not self._holds_all(len(collection.index), count, COUNT_TEXTS, of):
                    collection.index, collection.generation = Bm25Index(), -1
        if collection.generation < newest:  # not taken over with the file just now
            self._take_changed_texts(collection, of)
        if first and collection.large:
            self._database.release_buffers()
        if collection.unsaved >= max(SAVE_AFTER, len(collection.index) // 10):
            self._save_words(collection, of)

    def _take_changed_texts(self, collection: _Collection[Bm25Index], of: CollectionKey) -> None:
        newest = self._database.newest(*TABLES[of.kind])
        collection.unsaved += take_changed_texts(self._database, collection.index, of, collection.generation)
        collection.generation = newest

    def _follow_vectors(self, collection: _Collection[VectorIndex], of: CollectionKey) -> None:
        newest = self._database.newest("embeddings", *TABLES[of.kind])
        if collection.generation >= newest:
            return
        try:
            self._take_vectors(collection, of)
        except DamagedRecordError:
            self._distrust(collection)
            self._take_vectors(collection, of)
        # noted before reading: a commit in between is read now and, harmlessly, once more next time
        collection.generation = newest
        if collection.unsaved >= max(SAVE_AFTER, len(collection.index) // 10):
            self._save_graph(collection, of)

    def _take_vectors(self, collection: _Collection[VectorIndex], of: CollectionKey) -> None:
        if collection.generation >= 0:
            self._take_recent_vectors(collection, of)
        else:
            self._take_first_vectors(collection, of)

    def _distrust(self, collection: _Collection[VectorIndex]) -> None:
        """Make the index anew when it is next needed, whatever its files hold."""
        collection.index, collection.generation = ExactIndex(self._database.dimension), -1
        collection.file_fits = False

    def _take_first_vectors(self, collection: _Collection[VectorIndex], of: CollectionKey) -> None:
        """Everything there is, of a large collection with its file's help."""
        texts = self._count(COUNT_TEXTS, of)
        if texts >= LARGE:
            self._take_file(collection, of, texts)
        if collection.generation < 0:
            if texts >= LARGE and (count := self._count(COUNT_VECTORS, of)) >= LARGE:
                collection.index = self._graph_for(count)
            self._take_changed_vectors(collection, of)
        collection.waiting = {}
        if len(collection.index) != texts:
            asked = of.asked | {"model": self._database.embedding_model}
            collection.waiting = dict(self._database.query(WAITING, asked))
        if isinstance(collection.index, HnswIndex):
            self._database.release_buffers()

    def _take_file(self, collection: _Collection[VectorIndex], of: CollectionKey, texts: int) -> None:
        """What the file holds and what changed since, if that is all there is: a vector of each of so many
        texts, or as many as are counted, which takes longer."""
        cached = self._graph_files.load(of.owner, of.kind, of.recipe) if collection.file_fits else None
        if cached is None or cached[1] > self._database.generation:
            return
        if cached[0].whole and texts >= VERY_LARGE and self._count(COUNT_VECTORS, of) >= VERY_LARGE:
            return  # outgrown
        collection.index, collection.generation = cached
        self._take_changed_vectors(collection, of)
        if not self._holds_all(len(collection.index), texts, COUNT_VECTORS, of):
            collection.index, collection.generation = ExactIndex(self._database.dimension), -1

    def _graph_for(self, count: int) -> HnswIndex:
        return HnswIndex(self._database.dimension, GRAPH_DIMENSION if count >= VERY_LARGE else None)

    def _take_changed_vectors(self, collection: _Collection[VectorIndex], of: CollectionKey) -> None:
        """All that changed, however long ago, by reading the tables as a whole."""
        asked = of.asked | {"model": self._database.embedding_model, "seen": collection.generation}
        lost = [key for (key,) in self._database.query(LOST_VECTORS, asked)]
        collection.index.remove(lost)
        collection.unsaved += len(lost)
        for ids, vectors in self._database.vectors(CHANGED_VECTORS, asked):
            collection.index.put(ids, vectors)
            collection.unsaved += len(ids)

    def _take_recent_vectors(self, collection: _Collection[VectorIndex], of: CollectionKey) -> None:
        """What the last commits changed, without reading what they did not."""
        model, seen = self._database.embedding_model, collection.generation
        changed: list[tuple[str, str, bool]] = []
        if self._database.newest(*TABLES[of.kind]) > seen:
            changed = self._database.query(RECENT_OBJECTS, of.asked | {"seen": seen})
        found = _by_hash(self._database.vectors(RECENT_VECTORS, {"model": model, "seen": seen}))
        for key, _, _ in changed:
            collection.waiting.pop(key, None)
        wanted = {key: text for key, text in collection.waiting.items() if text in found}
        wanted |= {key: text for key, text, gone in changed if not gone}
        if older := [text for text in wanted.values() if text not in found]:
            found |= _by_hash(self._database.vectors(VECTORS_OF, {"model": model, "hashes": older}))
        present = [key for key, text in wanted.items() if text in found]
        collection.waiting = {
            key: text for key, text in (collection.waiting | wanted).items() if text not in found
        }
        collection.index.remove([key for key, text, gone in changed if gone or text not in found])
        if present:
            collection.index.put(present, np.stack([found[wanted[key]] for key in present]))
        collection.unsaved += len(changed) + len(present)

    def _holds_all(self, entries: int, counted: int, select: str, of: CollectionKey) -> bool:
        """Whether so many are all that there are: `counted`, or what there is now, which takes longer to
        count."""
        return entries == counted or entries == self._count(select, of)

    def _count(self, select: str, of: CollectionKey) -> int:
        asked = of.asked | ({"model": self._database.embedding_model} if select is COUNT_VECTORS else {})
        ((count,),) = self._database.query(select, asked)
        return int(count)


def _by_hash(batches: Iterable[tuple[list[str], Vectors]]) -> dict[str, NDArray[np.float32]]:
    return {key: row for keys, rows in batches for key, row in zip(keys, rows, strict=True)}
