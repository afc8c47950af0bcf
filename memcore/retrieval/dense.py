"""Dense retrieval: the k memories whose embeddings are nearest to the question's, and nothing else.

What Mem0 (base) and plain retrieval-augmented generation do. It plans nothing, fuses nothing and asks
no model; a message that nothing was remembered of is not found.
"""

from __future__ import annotations

import time

from memcore.domain.protocols import Store
from memcore.retrieval import views
from memcore.retrieval.hits import ViewTimer, best, memory_hit, sources_of
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import QueryPlan, SearchReport, SearchTrace

STRATEGY = "dense"


def dense(store: Store, tools: SearchTools, question: Question) -> SearchReport:
    """The k nearest memories valid at `question.as_of`, by cosine."""
    begun = time.perf_counter()
    timer = ViewTimer()
    vector = tools.embedder.embed([question.text])[0]
    scores = timer.run(
        "semantic memory",
        lambda: views.of_valid(
            store, question, lambda depth: views.semantic(store, question, vector, "memory", depth)
        ),
    )
    memories = store.memories_by_id(best(scores, question.k))
    chosen = [memories[i] for i in best(scores, question.k)]
    messages = sources_of(store, chosen)
    return SearchReport(
        query=question.text,
        hits=tuple(memory_hit(memory, messages, {"semantic": scores[memory.id]}) for memory in chosen),
        trace=SearchTrace(
            plan=QueryPlan(question.text, indexes=("semantic",)),
            views=timer.views,
            weights={"semantic": 1.0},
            as_of=question.as_of,
            milliseconds=(time.perf_counter() - begun) * 1000,
            strategy=STRATEGY,
        ),
    )
