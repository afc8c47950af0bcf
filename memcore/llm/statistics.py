"""What language model calls and embeddings cost, in the layout of LightMem's token statistics.

Tokens are the servers' own counts. A call whose server did not say how many (a lost connection, an
old server) is counted as a call and among `unreported_calls`; it never passes for one of zero
tokens. Failed attempts are calls: they cost as much. Nothing here knows a price, or counts tokens.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memcore.errors import NotFoundError
from memcore.models import LlmCall
from memcore.protocols import Store

PUBLISHED_STAGES = ("add_memory", "update")


def ledger_statistics(store: Store, *, owner: str, run_id: str | None = None) -> dict[str, Any]:
    """`token_statistics` of one run, or of everything done for `owner`. Embeddings are those that the
    runs' embed traces tell of (`recipes.steps.EmbedTrace`); a question's own are not among them.

    Raises NotFoundError for a run that is not there or is another owner's."""
    runs = {run.id for run in store.runs() if run.owner == owner and run_id in (None, run.id)}
    if run_id is not None and not runs:
        raise NotFoundError(
            f"{owner} has no run with the id {run_id!r}.", "Choose one from the list of runs."
        )
    calls = (call for call in store.llm_calls(run_id=run_id) if call.run_id in runs)
    traces = (trace for trace in store.traces(run_id=run_id, stage="embed") if trace.run_id in runs)
    embedded = sum(t.payload["messages_and_facts"] + t.payload["triples"] for t in traces)
    return token_statistics(calls, embedded)


def token_statistics(calls: Iterable[LlmCall], embedded: int) -> dict[str, Any]:
    """Calls and tokens in total and by stage: LightMem's `add_memory` and `update` always, other
    stages where there are any.

    `embedded` is the number of texts embedded, each a call as in the published code, which embeds them
    one by one. Their tokens are None, as published for local models. Sums hold what was reported, and
    are None where there were calls of which nothing was.
    """
    by_stage: dict[str, list[LlmCall]] = {stage: [] for stage in PUBLISHED_STAGES}
    for call in calls:
        by_stage.setdefault(call.stage, []).append(call)
    total = _spent([call for of_stage in by_stage.values() for call in of_stage])
    return {
        "summary": {
            "total_llm_calls": total["calls"],
            "total_llm_tokens": total["total_tokens"],
            "total_embedding_calls": embedded,
            "total_embedding_tokens": None,
            "unreported_calls": total["unreported_calls"],
        },
        "llm": {stage: _spent(of_stage) for stage, of_stage in by_stage.items()},
        "embedding": {"total_calls": embedded, "total_tokens": None},
    }


def _spent(calls: list[LlmCall]) -> dict[str, int | None]:
    prompt = _sum([call.prompt_tokens for call in calls])
    completion = _sum([call.completion_tokens for call in calls])
    return {
        "calls": len(calls),
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": _sum([prompt, completion]),
        "unreported_calls": sum(None in (call.prompt_tokens, call.completion_tokens) for call in calls),
    }


def _sum(counts: list[int | None]) -> int | None:
    """What is known of it; None where there is something and nothing is known."""
    known = [count for count in counts if count is not None]
    return sum(known) if known or not counts else None
