"""LightMem's retrieval, over what it remembers and nothing else, in one of three ways.

    embedding   the memories nearest to the question, by cosine
    bm25        the memories that share its words best, by BM25; needs no embedding
    hybrid      the nearest, and the best by BM25 reranked by embedding, merged by reciprocal rank;
                what both lists hold counts once, with both ranks

The three are the published code's retrieval strategies (`embedding`, `context`, `hybrid`); which one is a
setting. Each list of the hybrid is as long as the answer may be. Its merge is ours: the published code's
`retrieve` asks the embedding index only and leaves BM25 to its caller, so how the lists meet is not said
there; and hybrid is our default, where the code's is embedding. It plans nothing and asks no language model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memcore.domain.protocols import Store
from memcore.retrieval import views
from memcore.retrieval.hits import ViewTimer, best, memory_hit, sources_of
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import QueryPlan, SearchReport, SearchTrace
from memcore.systems.lightmem.settings import LightMemSettings, Retrieval

RANK_OFFSET = 60
"""Reciprocal rank fusion (Cormack et al., 2009): rank r adds 1 / (60 + r)."""


def lightmem_search(store: Store, tools: SearchTools, question: Question) -> SearchReport:
    """The k best memories valid at `question.as_of`, found in the way that the settings name."""
    begun = time.perf_counter()
    own: LightMemSettings = tools.own or LightMemSettings()
    asked = _Indexes(store, tools, question)
    ranking = RETRIEVALS[own.retrieval](asked)
    chosen = ranking.best(question.k)
    memories = store.memories_by_id(chosen)
    messages = sources_of(store, memories.values())
    return SearchReport(
        query=question.text,
        hits=tuple(memory_hit(memories[i], messages, ranking.components[i]) for i in chosen),
        trace=SearchTrace(
            plan=QueryPlan(question.text, indexes=ranking.indexes),
            views=asked.timer.views,
            weights=dict.fromkeys(ranking.indexes, 1.0),
            as_of=question.as_of,
            milliseconds=(time.perf_counter() - begun) * 1000,
            strategy=f"LightMem {own.retrieval}",
            notes=ranking.notes,
        ),
    )


@dataclass(frozen=True, slots=True)
class _Ranking:
    """The parts of each memory's score by memory id, and which indexes they came from. Of two with one
    score, the one of more `closeness` leads."""

    components: Mapping[str, dict[str, float]]
    closeness: Mapping[str, float]
    indexes: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def best(self, k: int) -> list[str]:
        """The ids of the k best, best first."""
        parts, close = self.components, self.closeness
        return sorted(parts, key=lambda i: (-sum(parts[i].values()), -close[i], i))[:k]


class _Indexes:
    """The two indexes of memories, asked one question; `timer` keeps what they said."""

    def __init__(self, store: Store, tools: SearchTools, question: Question) -> None:
        self.question = question
        self.timer = ViewTimer()
        self._store = store
        self._embedder = tools.embedder

    @cached_property
    def _vector(self) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._embedder.embed([self.question.text])[0]
        return vector

    def nearest(self) -> dict[str, float]:
        """The cosine to the question of the memories nearest to it."""
        return self.timer.run(
            "semantic memory",
            lambda: views.of_valid(
                self._store,
                self.question,
                lambda depth: views.semantic(self._store, self.question, self._vector, "memory", depth),
            ),
        )

    def worded(self) -> dict[str, float]:
        """BM25 of the memories that share words with the question."""
        text = self.question.text
        return self.timer.run(
            "lexical memory",
            lambda: views.of_valid(
                self._store,
                self.question,
                lambda depth: views.lexical(self._store, self.question, text, "memory", depth),
            ),
        )

    def reranked(self, memory_ids: list[str]) -> dict[str, float]:
        """The cosine to the question of these memories, but of those that have no embedding."""
        return self.timer.run("lexical memory, reranked", lambda: self._cosines(memory_ids))

    def _cosines(self, memory_ids: list[str]) -> dict[str, float]:
        texts = {i: memory.text for i, memory in self._store.memories_by_id(memory_ids).items()}
        vectors = self._store.embeddings(self._embedder.model_id, list(texts.values()))
        return {i: float(vectors[text] @ self._vector) for i, text in texts.items() if text in vectors}


def _by_embedding(asked: _Indexes) -> _Ranking:
    nearest = asked.nearest()
    return _Ranking({i: {"semantic": cosine} for i, cosine in nearest.items()}, nearest, ("semantic",))


def _by_words(asked: _Indexes) -> _Ranking:
    worded = asked.worded()
    notes = () if worded else ("no memory shares a word with the question",)
    return _Ranking({i: {"lexical": bm25} for i, bm25 in worded.items()}, worded, ("lexical",), notes)


def _by_both(asked: _Indexes) -> _Ranking:
    k = asked.question.k
    nearest = asked.nearest()
    candidates = best(asked.worded(), k)
    reranked = asked.reranked(candidates)
    ranks = {"semantic": _reciprocal_ranks(nearest, k), "lexical": _reciprocal_ranks(reranked, k)}
    found = {*ranks["semantic"], *ranks["lexical"]}
    unknown = len(candidates) - len(reranked)
    return _Ranking(
        {i: {index: of.get(i, 0.0) for index, of in ranks.items()} for i in found},
        {**nearest, **reranked},
        ("semantic", "lexical"),
        (f"{unknown} BM25 candidates have no embedding and were left out",) if unknown else (),
    )


def _reciprocal_ranks(scores: Mapping[str, float], k: int) -> dict[str, float]:
    return {i: 1 / (RANK_OFFSET + rank) for rank, i in enumerate(best(scores, k), start=1)}


RETRIEVALS: Mapping[Retrieval, Callable[[_Indexes], _Ranking]] = {
    "hybrid": _by_both,
    "embedding": _by_embedding,
    "bm25": _by_words,
}
