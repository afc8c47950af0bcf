"""LightMem's hybrid retrieval, over what it remembers and nothing else.

    embedding   the memories nearest to the question
    BM25        the memories that share its words best, reranked by embedding
    merged      by reciprocal rank; what both lists hold counts once, with both ranks

Each list is as long as the answer may be. The merge is ours: the published code's `retrieve` asks the
embedding index only and leaves BM25 to its caller, so how the lists meet is not said there. It plans
nothing and asks no language model.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from memcore.domain.protocols import Store
from memcore.retrieval import views
from memcore.retrieval.hits import ViewTimer, best, memory_hit, sources_of
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import QueryPlan, SearchReport, SearchTrace

STRATEGY = "LightMem hybrid"
RANK_OFFSET = 60
"""Reciprocal rank fusion (Cormack et al., 2009): rank r adds 1 / (60 + r)."""


def lightmem_search(store: Store, tools: SearchTools, question: Question) -> SearchReport:
    """The k best memories valid at `question.as_of`."""
    begun = time.perf_counter()
    timer = ViewTimer()
    vector = tools.embedder.embed([question.text])[0]
    nearest = timer.run(
        "semantic memory",
        lambda: views.of_valid(
            store, question, lambda depth: views.semantic(store, question, vector, "memory", depth)
        ),
    )
    worded = timer.run(
        "lexical memory",
        lambda: views.of_valid(
            store, question, lambda depth: views.lexical(store, question, question.text, "memory", depth)
        ),
    )
    candidates = best(worded, question.k)
    reranked = timer.run("lexical memory, reranked", lambda: _cosines(store, tools, candidates, vector))
    by_view = {
        "semantic": _reciprocal_ranks(nearest, question.k),
        "lexical": _reciprocal_ranks(reranked, question.k),
    }
    found = {*by_view["semantic"], *by_view["lexical"]}
    components = {i: {view: ranks.get(i, 0.0) for view, ranks in by_view.items()} for i in found}
    # Of two that only one list each put at the same rank, the nearer one leads.
    closeness = {**nearest, **reranked}
    chosen = sorted(found, key=lambda i: (-sum(components[i].values()), -closeness[i], i))[: question.k]
    memories = store.memories_by_id(chosen)
    messages = sources_of(store, memories.values())
    unknown = len(candidates) - len(reranked)
    return SearchReport(
        query=question.text,
        hits=tuple(memory_hit(memories[i], messages, components[i]) for i in chosen),
        trace=SearchTrace(
            plan=QueryPlan(question.text, indexes=("semantic", "lexical")),
            views=timer.views,
            weights={"semantic": 1.0, "lexical": 1.0},
            as_of=question.as_of,
            milliseconds=(time.perf_counter() - begun) * 1000,
            strategy=STRATEGY,
            notes=(f"{unknown} BM25 candidates have no embedding and were left out",) if unknown else (),
        ),
    )


def _cosines(
    store: Store, tools: SearchTools, memory_ids: list[str], vector: NDArray[np.float32]
) -> dict[str, float]:
    """The cosine of each memory's text to the question."""
    texts = {i: memory.text for i, memory in store.memories_by_id(memory_ids).items()}
    vectors = store.embeddings(tools.embedder.model_id, list(texts.values()))
    return {i: float(vectors[text] @ vector) for i, text in texts.items() if text in vectors}


def _reciprocal_ranks(scores: Mapping[str, float], k: int) -> dict[str, float]:
    return {i: 1 / (RANK_OFFSET + rank) for rank, i in enumerate(best(scores, k), start=1)}
