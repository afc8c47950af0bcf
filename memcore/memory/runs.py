"""`memory.runs`: the work that was done, and what of it waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memcore.domain.models import DEFAULT_OWNER, DEFAULT_RECIPE, EVERY_OWNER, Run
from memcore.domain.protocols import Store
from memcore.inspection import comparison, objects
from memcore.inspection.comparison import LogProgress
from memcore.inspection.objects import RunView
from memcore.llm.chat import ChatRequest
from memcore.llm.statistics import ledger_calls, ledger_statistics
from memcore.llm.unanswered import unanswered
from memcore.memory.rights import Rights, needs
from memcore.runs import retry
from memcore.runs.retry import WaitingPart


class Runs:
    """Runs with their traces and calls, and how far each system got with what is stored."""

    def __init__(self, store: Store, rights: Rights) -> None:
        self._store = store
        self._rights = rights

    def all(self, *, owner: str | None = None, limit: int | None = None) -> list[Run]:
        """Runs, newest first, of one owner or (None) of all whose memory whoever this was opened for may
        see."""
        if owner is not None or self._rights.may("read", EVERY_OWNER):
            self._rights.require("read", EVERY_OWNER if owner is None else owner)
            return self._store.runs(owner=owner, limit=limit)
        runs = self._store.runs()
        seen = {*self._rights.among({run.owner for run in runs}, "read")}
        return [run for run in runs if run.owner in seen][:limit]

    @needs("read")
    def view(self, run_id: str, *, owner: str = DEFAULT_OWNER) -> RunView:
        """One of the owner's runs with traces, calls and stage times. Raises NotFoundError."""
        return objects.run_view(self._store, run_id, owner=owner)

    @needs("read")
    def failed_parts(self, run_id: str, *, owner: str = DEFAULT_OWNER) -> tuple[WaitingPart, ...]:
        """What a run of the owner's failed on and what of it still waits. Raises NotFoundError."""
        return retry.failed_parts(self._store, run_id, owner=owner)

    def conversations(self, run_id: str) -> list[str]:
        """The ids of the conversations that a run worked on; none of one that is not stored."""
        run = self._store.run(run_id)
        seen = run is not None and self._rights.may("read", run.owner)
        found = self._store.coverage(run.owner) if run is not None and seen else []
        return list(dict.fromkeys(one.conversation_id for one in found if one.run_id == run_id))

    @needs("read")
    def systems(self, owner: str = DEFAULT_OWNER) -> list[str]:
        """The systems that have been run for this owner."""
        return sorted({r.recipe for r in self._store.runs(owner=owner) if r.kind == "ingest"})

    @needs("read")
    def pending(self, owner: str = DEFAULT_OWNER, *, recipe: str = DEFAULT_RECIPE) -> int:
        """How many stored messages the system has not worked on yet (`Memory.resume` does)."""
        return self._store.count_pending(recipe, owner)

    @needs("read")
    def unfinished(self, owner: str = DEFAULT_OWNER) -> dict[str, int]:
        """System → how many stored messages it has not worked on, for the systems this owner uses."""
        used = self.systems(owner) or [DEFAULT_RECIPE]
        pending = {recipe: self.pending(owner, recipe=recipe) for recipe in used}
        return {recipe: messages for recipe, messages in pending.items() if messages}

    @needs("read")
    def progress(self, conversation_id: str, *, owner: str = DEFAULT_OWNER) -> LogProgress:
        """How much of a log each system has worked on."""
        return comparison.reading(self._store, conversation_id, owner=owner)

    @needs("read")
    def unanswered(
        self, *, owner: str = DEFAULT_OWNER, run_id: str | None = None, recording: Path | None = None
    ) -> dict[str, ChatRequest]:
        """By hash, the requests of the owner's runs, or of one, that no recorded reply answered, in the order
        they were first asked; not those that `recording` (None: none) answers by now. Raises NotFoundError,
        and UsageError for a file that is no recording."""
        return unanswered(ledger_calls(self._store, owner=owner, run_id=run_id), recording)

    @needs("read")
    def token_statistics(self, *, owner: str = DEFAULT_OWNER, run_id: str | None = None) -> dict[str, Any]:
        """What language model calls and embeddings cost, in LightMem's layout
        (`llm.statistics.token_statistics`), in one run or all of the owner's. Raises NotFoundError."""
        return ledger_statistics(self._store, owner=owner, run_id=run_id)
