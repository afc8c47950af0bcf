"""Runs as they are begun, kept and ended: what was asked for with which settings, and how it went."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from memcore.domain.errors import MemcoreError
from memcore.domain.models import LlmCall, Run, RunKind, now
from memcore.domain.protocols import Llm, Store
from memcore.runs.ingest import new_run
from memcore.runtime.backends import Backends

_SECRET_OR_PLACE = ("openai_api_key", "store_dir", "record_to")


class _Nowhere:
    """A ledger that keeps nothing."""

    def record(self, call: LlmCall) -> None:
        """Nothing is kept."""


class RunRecord:
    """Makes runs that carry the settings and backends in force, and stores them."""

    def __init__(self, store: Store, backends: Backends) -> None:
        self._store = store
        self._backends = backends

    def begin(self, owner: str, recipe: str, kind: RunKind, **named: Any) -> Run:
        """A run that starts now; it is not stored yet."""
        kept = {k: v for k, v in self._backends.settings.flat().items() if k not in _SECRET_OR_PLACE}
        return new_run(owner, recipe, {**kept, "active": self._backends.active(), **named}, kind=kind)

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

    @contextmanager
    def asking_model(
        self, kind: RunKind, owner: str, recipe: str, *, wanted: bool = True
    ) -> Iterator[Llm | None]:
        """The chosen model, its calls recorded under a run of their own (nowhere, in a store that can only be
        read); None when none is chosen."""
        if not wanted or not self._backends.has_llm:
            yield None
            return
        run = self.begin(owner, recipe, kind)
        if self._store.read_only:
            yield self._backends.llm(_Nowhere(), run.id)
            return
        with self.running(run):
            yield self._backends.llm(self._store, run.id)
