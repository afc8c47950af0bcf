"""A result of evaluating retrieval as one JSON document: what the command line prints and a page offers.

Scores are percentages from 0 to 100, rounded to two decimals. Knows no screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from memcore.evaluation.bootstrap import DRAWS, LEVEL
from memcore.evaluation.retrieval_result import Block, RetrievalResult, interval_blocks, score_blocks


def retrieval_document(result: RetrievalResult) -> Block:
    """The JSON of DESIGN section 6 and, beside it, the baselines, intervals and what was left out."""
    dataset, built = result.dataset, result.construction
    milliseconds = [one.milliseconds for one in result.questions]
    document: Block = {
        "dataset": dataset.name,
        "files": list(dataset.files),
        "recipe": result.recipe,
        "questions": dataset.questions,
        "scored": len(dataset.scored),
        "excluded": dict(dataset.excluded),
        **score_blocks(result),
        "baselines": {name: score_blocks(result, name) for name in result.baselines},
        "intervals": {
            "percent": LEVEL,
            "draws": DRAWS,
            "clusters": len({*result.clusters()}),
            "clustered_by": "conversation" if dataset.name == "locomo" else "question",
            **interval_blocks(result),
        },
        "ndcg_over": result.yardstick.ndcg_over,
        "recall_at_tokens_over": result.yardstick.tokens_over,
        "tokenizer": result.tokenizer,
        "construction": {
            "messages": built.messages,
            "memories": built.memories,
            "llm_calls": built.llm_calls,
            "llm_tokens": built.llm_tokens,
            "seconds": built.seconds,
            "from_cache": built.from_cache,
            "unrecorded_runs": built.unrecorded_runs,
            "errors": list(built.errors),
        },
        "query_ms": _quantiles(milliseconds),
        "first_search_ms": _quantiles(result.first_search_ms),
        "search_k": result.search_k,
        "notes": _notes(result),
    }
    rounded: Block = _rounded(document)
    return rounded


def _notes(result: RetrievalResult) -> list[str]:
    notes = []
    if not result.dataset.has_turns:
        notes.append(
            "No turn of these files is marked as evidence, so there is no turn_recall, and recall_at_tokens "
            "is over evidence sessions."
        )
    if result.construction.unrecorded_runs:
        notes.append(
            f"{result.construction.unrecorded_runs} runs that built memories were killed; what they took is "
            "not in the figures of construction."
        )
    if len({*result.clusters()}) == 1:
        notes.append("All questions are of one conversation: there are no intervals.")
    return notes


def _quantiles(milliseconds: Sequence[float]) -> Block:
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return {"p50": float(p50), "p95": float(p95)}


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return round(value, 2) if isinstance(value, float) else value
