"""Memories that a measurement is made on: built once by the same `ingest` that a person uses, and kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Protocol

from memcore.domain.errors import CancelledError, LlmReplyError
from memcore.domain.models import LogRead
from memcore.domain.protocols import Cancelled, Embedder, Progress, Store
from memcore.evaluation.retrieval_result import Construction
from memcore.retrieval.results import SearchReport

BUILD = "build memories"
"""The stage that progress is told in: messages remembered."""


class Ingested(Protocol):
    """What one ingest did."""

    @property
    def state(self) -> str:
        """How the run ended: finished, failed or cancelled."""
        ...

    @property
    def errors(self) -> tuple[str, ...]:
        """What failed, in words for a person."""
        ...


class MeasuringBackends(Protocol):
    """The backends that measuring itself takes from a memory."""

    def embedder(self) -> Embedder:
        """The embedder of the memories."""
        ...

    def token_counter(self) -> Callable[[str], int]:
        """Tokens of a text, the unit of context budgets."""
        ...


class EvaluatedMemory(Protocol):
    """What is measured: as much of the facade as evaluating takes."""

    @property
    def store(self) -> Store:
        """Where the memories are."""
        ...

    @property
    def backends(self) -> MeasuringBackends:
        """What it works with."""
        ...

    def ingest(
        self,
        logs: LogRead,
        *,
        owner: str,
        recipe: str,
        progress: Progress | None,
        cancelled: Cancelled | None,
    ) -> Ingested:
        """Store the logs under this owner and let the system read them."""
        ...

    def search(
        self, query: str, *, k: int, owner: str, asked_at: datetime | None, recipe: str | None
    ) -> SearchReport:
        """The k best results for a question asked then."""
        ...


def stopped() -> CancelledError:
    """What is raised where a person cancels a measurement."""
    return CancelledError(
        "The evaluation was cancelled.", "The memories that were built are kept; run it again to go on."
    )


def with_its_model(report: SearchReport) -> SearchReport:
    """A search as it is to be measured. Raises LlmReplyError for one that did without its chosen model: what
    helps a person would be another system's figure here."""
    if (failure := report.trace.failure) is not None:
        raise LlmReplyError(failure.cause, failure.fix)
    return report


def remembered(
    logs: Mapping[str, LogRead],
    memory: EvaluatedMemory,
    recipe: str,
    progress: Progress,
    cancelled: Cancelled,
) -> Construction:
    """Let a system remember the log of every owner that it has not remembered yet, all or in part. Raises
    CancelledError between steps (what was built is kept), and whatever ingest raises."""
    sizes = {owner: sum(len(one.messages) for one in log.logs) for owner, log in logs.items()}
    total = sum(sizes.values())
    known = {*memory.store.owners()}
    pending = {
        owner: memory.store.count_pending(recipe, owner) if owner in known else size
        for owner, size in sizes.items()
    }
    from_cache = done = total - sum(pending.values())
    errors: list[str] = []
    for owner, log in logs.items():
        if not pending[owner]:
            continue

        def tell(stage: str, read: int, of: int, before: int = done) -> None:
            if stage == "remember":
                progress(BUILD, before + read, total)

        if cancelled():
            raise stopped()
        report = memory.ingest(log, owner=owner, recipe=recipe, progress=tell, cancelled=cancelled)
        if report.state == "cancelled":
            raise stopped()
        errors.extend(report.errors)
        done += pending[owner]
    progress(BUILD, total, total)
    runs = [
        run
        for run in memory.store.runs()
        if run.kind == "ingest" and run.recipe == recipe and run.owner in logs
    ]
    spent = [run.totals for run in runs if run.totals]
    killed = [run.owner for run in runs if not run.totals]
    llm = [totals.get("llm", {}) for totals in spent]
    return Construction(
        messages=total,
        memories=sum(run.totals["memories"] for run in runs if run.owner not in killed)
        + sum(len(memory.store.memories(owner, recipe=recipe, states=None)) for owner in {*killed}),
        llm_calls=sum(used.get("calls", 0) for used in llm),
        llm_tokens=sum(used.get("prompt_tokens", 0) + used.get("completion_tokens", 0) for used in llm),
        seconds=sum(totals["seconds"] for totals in spent),
        from_cache=from_cache,
        unrecorded_runs=len(killed),
        errors=tuple(errors),
    )
