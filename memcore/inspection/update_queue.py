"""One consolidation as the Update queue page shows it: every queue with its memories, its decision and
what became of it. Read from the run's traces; nothing here decides or changes anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memcore.domain.errors import NotFoundError
from memcore.domain.models import Candidate, MemoryEntry, Run
from memcore.domain.protocols import Store
from memcore.review.compare import QUEUES_STAGE
from memcore.review.consolidate import CYCLES_STAGE, DECIDE_STAGE
from memcore.review.cycles import Cycle, Replacement
from memcore.review.decisions import QueueDecision
from memcore.review.queues import QueueTrace

CHANGES = ("update", "merge", "invalidate", "delete")
"""Every action but to ignore."""


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One queue: its target, its members with their similarity, best first, and the decision."""

    target: MemoryEntry
    candidates: tuple[tuple[MemoryEntry, float], ...]
    decision: QueueDecision


@dataclass(frozen=True, slots=True)
class QueuesView:
    """One run. `compared` are its traces by recipe, `by_action` counts all its decisions; `rows` are
    those asked for, of `matching` that fit the filter. `memories` holds the members of `cycles`."""

    run: Run
    compared: tuple[tuple[str, QueueTrace], ...]
    by_action: dict[str, int]
    rows: tuple[QueueRow, ...]
    matching: int
    cycles: tuple[Cycle, ...]
    memories: dict[str, MemoryEntry]

    @property
    def unchanged(self) -> int:
        """Queues that an earlier run had decided, and this one did not ask about again."""
        return int(self.run.totals.get("decided_before", 0))


def consolidations(store: Store, owner: str) -> list[Run]:
    """The owner's consolidations, newest first."""
    return [run for run in store.runs(owner=owner) if run.kind == "consolidate"]


def queues_view(
    store: Store,
    owner: str,
    run_id: str | None = None,
    *,
    actions: Sequence[str] | None = None,
    contains: str = "",
    limit: int | None = None,
    offset: int = 0,
) -> QueuesView | None:
    """The queues of a run (None: the newest that decided any) whose decision is one of `actions` and
    in whose memories or reason `contains` occurs: what would change something first, then those with
    the most similar members. None when the owner's memories were never
    consolidated. Raises NotFoundError for an unknown run."""
    runs = consolidations(store, owner)
    if run_id is None and not runs:
        return None
    run = _newest(runs) if run_id is None else next((r for r in runs if r.id == run_id), None)
    if run is None:
        raise NotFoundError(f"No consolidation has the id {run_id!r}.", "Choose one from the list of runs.")
    traces = store.traces(run_id=run.id)
    rows = [row for t in traces if t.stage == DECIDE_STAGE for row in t.payload["decisions"]]
    cycles = [_cycle(c) for t in traces if t.stage == CYCLES_STAGE for c in t.payload["cycles"]]
    chosen = [row for row in rows if actions is None or row["action"] in actions]
    chosen.sort(key=_what_changes_first)
    if contains:
        texts = {i: memory.text.casefold() for i, memory in _memories(store, chosen).items()}
        wanted = contains.casefold()
        chosen = [
            row
            for row in chosen
            if wanted in row["reason"].casefold() or any(wanted in texts.get(i, "") for i in _members(row))
        ]
    shown = chosen[offset : None if limit is None else offset + limit]
    known = _memories(store, shown)
    return QueuesView(
        run=run,
        compared=tuple((t.unit, _queue_trace(t.payload)) for t in traces if t.stage == QUEUES_STAGE),
        by_action=dict(Counter(row["action"] for row in rows)),
        rows=tuple(_row(_decision(row), known) for row in shown if row["target"] in known),
        matching=len(chosen),
        cycles=tuple(cycles),
        memories=store.memories_by_id([i for cycle in cycles for i in cycle.memory_ids]),
    )


def _newest(runs: Sequence[Run]) -> Run:
    decided = (r for r in runs if r.totals.get("queues", 0) > r.totals.get("decided_before", 0))
    return next(decided, runs[0])


def _row(decision: QueueDecision, memories: dict[str, MemoryEntry]) -> QueueRow:
    found = tuple((memories[c.memory_id], c.score) for c in decision.candidates if c.memory_id in memories)
    return QueueRow(memories[decision.target], found, decision)


def _memories(store: Store, rows: Sequence[dict[str, Any]]) -> dict[str, MemoryEntry]:
    return store.memories_by_id(list({i for row in rows for i in _members(row)}))


def _members(row: dict[str, Any]) -> tuple[str, ...]:
    return row["target"], *(candidate["memory_id"] for candidate in row["candidates"])


def _what_changes_first(row: dict[str, Any]) -> tuple[bool, float]:
    """Decisions are sorted and counted as they are stored: a run may have as many as memories, few shown."""
    best = max((candidate["score"] for candidate in row["candidates"]), default=0.0)
    return row["action"] == "ignore", -best


def _decision(row: dict[str, Any]) -> QueueDecision:
    """Rows written before `against` and `outcome` were kept lack them."""
    candidates = tuple(Candidate(**candidate) for candidate in row["candidates"])
    outcome = "proposed" if row["proposal"] else "ignored"
    values = {"against": (), "outcome": outcome, **row, "candidates": candidates}
    return QueueDecision(**{**values, "against": tuple(values["against"])})


def _cycle(payload: dict[str, Any]) -> Cycle:
    steps = tuple(Replacement(**{**step, "to": tuple(step["to"])}) for step in payload["steps"])
    return Cycle(tuple(payload["memory_ids"]), steps)


def _queue_trace(payload: dict[str, Any]) -> QueueTrace:
    return QueueTrace(**{**payload, "histogram": tuple(payload["histogram"])})
