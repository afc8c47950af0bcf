"""Runs as they are begun, kept and ended: what was asked for with which settings, and how it went."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, TypeVar

from memcore.domain.errors import LlmError, LlmUnavailableError, MemcoreError
from memcore.domain.models import LlmCall, Run, RunKind, now
from memcore.domain.protocols import Ledger, Llm, Store
from memcore.retrieval.results import ModelFailure
from memcore.runs.ingest import new_run
from memcore.runtime.backends import Backends

STARTED_BY = "started_by"
"""The setting of a run that names who was logged in."""


Answered = TypeVar("Answered")


class _Nowhere:
    """A ledger that keeps nothing."""

    def record(self, call: LlmCall) -> None:
        """Nothing is kept."""


class RunRecord:
    """Makes runs that carry the settings and backends in force, and stores them. `started_by`: who is logged
    in, if anybody is."""

    def __init__(self, store: Store, backends: Backends, *, started_by: str = "") -> None:
        self._store = store
        self._backends = backends
        self._begun = {STARTED_BY: started_by} if started_by else {}

    def begin(self, owner: str, recipe: str, kind: RunKind, **named: Any) -> Run:
        """A run that starts now; it is not stored yet."""
        kept = self._backends.settings.shown()
        return new_run(
            owner, recipe, {**kept, "active": self._backends.active(), **self._begun, **named}, kind=kind
        )

    def keep(self, run: Run) -> None:
        """Store the run as it is now."""
        with self._store.write(actor="memscope", run_id=run.id) as writer:
            writer.put_run(run)

    def finish(self, run: Run, *, error: str = "", **totals: Any) -> None:
        """Store that it ended well, or with `error` in parts of it."""
        self.keep(replace(run, state="finished", finished_at=now(), totals=totals, error=error))

    @contextmanager
    def running(self, run: Run) -> Iterator[dict[str, Any]]:
        """Store a run, and at the end of the block how it ended: well, with the totals that were put into
        what the block was given (`error` among them: what failed in parts of it), or failed with a
        MemcoreError."""
        totals: dict[str, Any] = {}
        self.keep(run)
        try:
            yield totals
        except MemcoreError as error:
            self.keep(replace(run, state="failed", finished_at=now(), error=str(error)))
            raise
        self.finish(run, **totals)

    def answered(
        self, kind: RunKind, owner: str, recipe: str, ask: Callable[[Llm], Answered]
    ) -> tuple[Answered | None, ModelFailure | None]:
        """What `ask` makes of the chosen model, or why it made nothing; neither where none is chosen. Whether
        the server is there is looked up first, which takes seconds where waiting for an answer takes minutes.
        The calls are recorded under a run of their own (nowhere, in a store that can only be read)."""
        if not self._backends.has_llm:
            return None, None
        run = self.begin(owner, recipe, kind)
        ledger: Ledger = _Nowhere() if self._store.read_only else self._store
        try:
            with nullcontext() if self._store.read_only else self.running(run):
                self._backends.require_llm()
                model = self._backends.llm(ledger, run.id)
                assert model is not None, "one is chosen"
                return ask(model), None
        except LlmError as error:
            unavailable = isinstance(error, LlmUnavailableError)
            return None, ModelFailure(error.cause, error.fix, unavailable)
