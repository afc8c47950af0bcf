"""Search in the database: nothing of an owner is kept here, so any number of processes can search.

By meaning the half-precision vectors of the owner's collection are compared (all of them, or through the
graph that a large collection has); the nearest are put in order by their whole vectors. By words the postings
of the question's words are read and scored as the embedded engine scores them. `indexing` keeps what is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memcore.domain.protocols import SearchedKind, TokenCodes
from memcore.store.bm25 import Bm25, Stems, best_places, by_score, rarity
from memcore.store.postgres.database import PostgresDatabase
from memcore.store.postgres.packed import unpacked_lengths, unpacked_postings
from memcore.store.postings import Held
from memcore.store.sql.collections import CollectionKey, collection_key
from memcore.store.sql.writer import code_width

ATTEMPTS = 3
"""Times that words are read while commits change what is read."""
SPARE = 32
"""More than asked for are found by halves: about the last places these and whole vectors may differ."""

_COLLECTION = """
select number, graph from collections where kind = $kind and owner = $owner and recipe = $recipe
"""
_NEAREST = """
with near as materialized (
    select id, text_hash from indexed where collection = {collection} order by {half} <#> $near::{type}{ties}
    limit $more
)
select id, cosine from (
    select near.id,
           case when e.vector <=> $vector = 'NaN' then 0 else 1 - (e.vector <=> $vector) end as cosine
    from near join embeddings e on e.text_hash = near.text_hash and e.model_id = $model
) found
order by cosine desc, id limit $k
"""
_WORDS = """
with asked as (
    select number from collections where kind = $kind and owner = $owner and recipe = $recipe
)
select number, null, chunk, lengths from asked join document_lengths on collection = number
union all
select number, word, chunk, held from asked join postings on collection = number
where word = any($words::text[])
"""
_PLACES = """
select id, place from indexed where collection = $collection and place = any($better::integer[])
union all (
    select id, null from indexed where collection = $collection and place = any($equal::integer[])
    order by id limit $k)
"""
_CODES = """
select i.id, e.token_codes
from collections c join indexed i on i.collection = c.number
join embeddings e on e.text_hash = i.text_hash and e.model_id = $model
where c.kind = $kind and c.owner = $owner and c.recipe = $recipe
  and i.id = any($ids::text[]) and e.token_codes is not null
"""


@dataclass(frozen=True, slots=True)
class _Words:
    """What a collection has of some words: how long its documents are by place (less than 0: none there), how
    many there are, and who holds each word."""

    number: int
    lengths: NDArray[np.int32]
    documents: int
    holders: dict[str, Held]


class PostgresSearch:
    """Implements Searching. Thread-safe."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    def semantic(
        self, owner: str, vector: NDArray[np.float32], k: int, *, kind: SearchedKind, recipe: str
    ) -> list[tuple[str, float]]:
        """(object id, cosine) best first. Objects whose text has no stored embedding are not found."""
        if k <= 0:
            return []
        of = collection_key(owner, kind, recipe)
        asked = np.asarray(vector, np.float32)
        parameters = {
            "model": self._database.embedding_model,
            "vector": asked,
            "near": asked / (float(np.linalg.norm(asked)) or 1.0),
            "k": k,
            "more": k + SPARE,
        }
        while known := self._database.query(_COLLECTION, of.asked):
            number, graph = known[0]
            rows = self._database.query(self._nearest(number, graph), parameters, binary=True)
            if rows or self._stands(number):
                return [(key, float(cosine)) for key, cosine in rows]
        return []

    def _stands(self, number: int) -> bool:
        """Whether there is a collection of this number. If not, it was made anew (`indexing`) while it was
        being read, and nothing was found of it."""
        return bool(self._database.query("select 1 from collections where number = ?", [number]))

    def _nearest(self, number: int, graph: bool) -> str:
        if not graph:
            return _NEAREST.format(collection=number, half="half", type="halfvec", ties=", id")
        half = f"halfvec({self._database.dimension})"
        return _NEAREST.format(collection=number, half=f"half::{half}", type=half, ties="")

    def lexical(
        self, owner: str, query: str, k: int, *, kind: SearchedKind, recipe: str
    ) -> list[tuple[str, float]]:
        """(object id, BM25 score > 0) best first."""
        if k <= 0:
            return []
        asked = Counter(Stems().of(query))
        of = collection_key(owner, kind, recipe)
        found: list[tuple[str, float]] = []
        for _ in range(ATTEMPTS):
            if (words := self._words(of, asked)) is None:
                return []
            scores = _scores(words, asked)
            better, equal, last = best_places(scores, k)
            if not len(equal):
                return []
            places = {"better": better.tolist(), "equal": equal.tolist(), "k": k - len(better)}
            rows = self._database.query(_PLACES, {"collection": words.number} | places)
            ranked = [(key, float(scores[place])) for key, place in rows if place is not None]
            found = by_score(ranked, [key for key, place in rows if place is None], last)
            if len(found) == min(k, len(better) + len(equal)):
                break  # else a commit gave some of them other places meanwhile
        return found

    def rarity(self, owner: str, words: Sequence[str], *, kind: SearchedKind, recipe: str) -> list[float]:
        """How much each word tells among these objects."""
        stems = Stems()
        asked = [stem for word in words for stem in stems.of(word)]
        found = self._words(collection_key(owner, kind, recipe), asked)
        if found is None:
            return rarity(words, stems, lambda stem: 0, 0)
        return rarity(words, stems, lambda stem: len(found.holders[stem][0]), found.documents)

    def token_codes(
        self, owner: str, ids: Sequence[str], *, kind: SearchedKind, recipe: str
    ) -> dict[str, TokenCodes]:
        """The stored token codes by object id."""
        if not ids:
            return {}
        asked = {"model": self._database.embedding_model, "ids": list(ids)}
        rows = self._database.query(_CODES, collection_key(owner, kind, recipe).asked | asked, binary=True)
        width = code_width(self._database.dimension)
        found = {key: np.frombuffer(codes, dtype=np.uint8).reshape(-1, width) for key, codes in rows}
        return {key: found[key] for key in ids if key in found}

    def prepare(
        self, owner: str, *, recipe: str, semantic: Sequence[SearchedKind], lexical: Sequence[SearchedKind]
    ) -> None:
        """Nothing needs to be made."""

    def _words(self, of: CollectionKey, words: Iterable[str]) -> _Words | None:
        """None: there is no such collection."""
        by_word: dict[str, list[tuple[int, bytes]]] = {word: [] for word in words}
        rows = self._database.query(_WORDS, of.asked | {"words": list(by_word)}, binary=True)
        if not rows:
            return None
        lengths = unpacked_lengths((chunk, held) for _, word, chunk, held in rows if word is None)
        documents = int((lengths >= 0).sum())
        for _, word, chunk, held in rows:
            if word is not None:
                by_word[word].append((chunk, held))
        holders = {}
        for word, held_in in by_word.items():
            places, counts = unpacked_postings(held_in)
            if documents < len(lengths):
                there = lengths[places] >= 0
                places, counts = places[there], counts[there]
            holders[word] = places, counts
        return _Words(rows[0][0], lengths, documents, holders)


def _scores(words: _Words, asked: Counter[str]) -> NDArray[np.float64]:
    """The BM25 score of every place."""
    scores = np.zeros(len(words.lengths))
    lengths = np.maximum(words.lengths, 0)
    if not (total := int(lengths.sum())):
        return scores
    bm25 = Bm25()
    norms = bm25.norms(lengths, total / words.documents)
    for word, times in asked.items():
        places, counts = words.holders[word]
        if len(places):
            idf = times * bm25.idf_of(word, len(places), words.documents)
            at = places.astype(np.intp)
            scores[at] += bm25.scores(idf, counts, norms[at])
    return scores
