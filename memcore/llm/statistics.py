"""What language model calls and embeddings cost, in the layout of LightMem's token statistics.

Tokens are the servers' own counts. A call whose server did not say how many (a lost connection, an
old server) is counted as a call and among `unreported_calls`; it never passes for one of zero
tokens. Failed attempts are calls: they cost as much. Nothing here knows a price, or counts tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcore.domain.errors import NotFoundError
from memcore.domain.models import LlmCall, LlmCost
from memcore.domain.protocols import Store

PUBLISHED_STAGES = ("add_memory", "update")


def ledger_statistics(store: Store, *, owner: str, run_id: str | None = None) -> dict[str, Any]:
    """`token_statistics` of one run, or of everything done for `owner`. Embeddings are those that the
    runs' embed traces tell of (`systems.steps.EmbedTrace`); a question's own are not among them.

    Raises NotFoundError for a run that is not there or is another owner's."""
    runs = _runs(store, owner, run_id)
    traces = (trace for trace in store.traces(run_id=run_id, stage="embed") if trace.run_id in runs)
    embedded = sum(t.payload["messages_and_facts"] + t.payload["triples"] for t in traces)
    return token_statistics(store.llm_costs(owner, run_id=run_id), embedded)


def ledger_calls(store: Store, *, owner: str, run_id: str | None = None) -> list[LlmCall]:
    """The calls of one run of `owner`, or of all. Raises NotFoundError as `ledger_statistics`."""
    runs = _runs(store, owner, run_id)
    return [call for call in store.llm_calls(run_id=run_id) if call.run_id in runs]


def _runs(store: Store, owner: str, run_id: str | None) -> set[str]:
    runs = {run.id for run in store.runs(owner=owner) if run_id in (None, run.id)}
    if run_id is not None and not runs:
        raise NotFoundError(
            f"{owner} has no run with the id {run_id!r}.", "Choose one from the list of runs."
        )
    return runs


def token_statistics(costs: Sequence[LlmCost], embedded: int) -> dict[str, Any]:
    """Calls and tokens in total and by stage: LightMem's `add_memory` and `update` always, other
    stages where there are any.

    `embedded` is the number of texts embedded, each a call as in the published code, which embeds them
    one by one. Their tokens are None, as published for local models. Sums hold what was reported, and
    are None where there were calls of which nothing was.
    """
    by_stage: dict[str, list[LlmCost]] = {stage: [] for stage in PUBLISHED_STAGES}
    for cost in costs:
        by_stage.setdefault(cost.stage, []).append(cost)
    total = spent(costs)
    return {
        "summary": {
            "total_llm_calls": total["calls"],
            "total_llm_tokens": total["total_tokens"],
            "total_embedding_calls": embedded,
            "total_embedding_tokens": None,
            "unreported_calls": total["unreported_calls"],
        },
        "llm": {stage: spent(of_stage) for stage, of_stage in by_stage.items()},
        "embedding": {"total_calls": embedded, "total_tokens": None},
    }


def spent(costs: Sequence[LlmCost]) -> dict[str, int | None]:
    """Calls and tokens of all stages together. Sums as in `token_statistics`."""
    prompt = _sum([cost.prompt_tokens for cost in costs])
    completion = _sum([cost.completion_tokens for cost in costs])
    return {
        "calls": sum(cost.calls for cost in costs),
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": _sum([prompt, completion]),
        "unreported_calls": sum(cost.unreported_calls for cost in costs),
    }


def _sum(counts: Sequence[int | None]) -> int | None:
    """What is known of it; None where there is something and nothing is known."""
    known = [count for count in counts if count is not None]
    return sum(known) if known or not counts else None
