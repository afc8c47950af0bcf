"""A store at a glance, for one owner: what is stored, what changed lately, what waits, what looks wrong.

Read-only, and quick enough for the first page: no model is loaded, and of the history only the newest is
read. What failed parts of runs wait, the caller finds out and hands in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from memcore.domain.models import PROPOSED, Event, Run
from memcore.domain.protocols import Store
from memcore.review.curate.mistakes import by_stage

_CHANGING = ("ingest", "resegment", "consolidate", "names", "propose", "import")
_RUNS, _EVENTS = 60, 300
_TELLING = ("proposal", "memory", "entity", "triple")
LISTED = 8
"""The most changes that an overview has."""


@dataclass(frozen=True, slots=True)
class SystemAtAGlance:
    """What one system remembers, active memories and those that no longer are; and how many stored messages
    it has not read."""

    recipe: str
    memories: int
    past: int
    unread: int


@dataclass(frozen=True, slots=True)
class Change:
    """A run that changed something, or what a person decided in one step: how many `events` it has, and which
    of them says best what it was. Where that is an undo, `undone` is what it took back, what that had taken
    back, and so on."""

    at: datetime
    run: Run | None = None
    event: Event | None = None
    events: int = 0
    undone: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class FailedParts:
    """Messages that a run could not read, and that nobody has read since."""

    run: Run
    messages: int


@dataclass(frozen=True, slots=True)
class Problem:
    """A check that failed: what is wrong, and its fix."""

    what: str
    fix: str


@dataclass(frozen=True, slots=True)
class Overview:
    """`proposals` is operation → how many wait. `open_runs` have no good end, and no later run of their kind
    and system has one (one that says running may be at work, or was interrupted). `consolidate` says that
    something was remembered since memories were last compared. `marked_wrong` is stage → how much people
    found wrong."""

    logs: int
    sessions: int
    messages: int
    systems: tuple[SystemAtAGlance, ...]
    changes: tuple[Change, ...]
    proposals: Mapping[str, int]
    open_runs: tuple[Run, ...]
    consolidate: bool
    failed: tuple[FailedParts, ...]
    marked_wrong: Mapping[str, int]


def overview(
    store: Store,
    owner: str,
    systems: Sequence[str],
    *,
    failed_messages: Callable[[str], int],
) -> Overview:
    """The owner's store as it is now; `systems` are those that were run for the owner."""
    stats = store.stats(owner)
    runs = store.runs(owner=owner, limit=_RUNS)
    here = tuple(_system(store, owner, recipe) for recipe in systems)
    unread = {system.recipe for system in here if system.unread}
    logs = [one for one in store.conversations(owner) if one.format != PROPOSED]
    return Overview(
        logs=len(logs),
        sessions=stats["sessions"],
        messages=stats["messages"],
        systems=here,
        changes=_changes(store, owner, runs),
        proposals=dict(Counter(proposal.operation for proposal in store.proposals(owner))),
        open_runs=tuple(run for run in _open(runs) if run.kind != "ingest" or run.recipe in unread),
        consolidate=_to_consolidate(runs),
        failed=tuple(_failed(runs, unread, failed_messages)),
        marked_wrong=by_stage(store, owner),
    )


def _system(store: Store, owner: str, recipe: str) -> SystemAtAGlance:
    active = store.count_memories(owner, recipe=recipe)
    return SystemAtAGlance(
        recipe,
        memories=active,
        past=store.count_memories(owner, recipe=recipe, states=None) - active,
        unread=store.count_pending(recipe, owner),
    )


def _changes(store: Store, owner: str, runs: Sequence[Run]) -> tuple[Change, ...]:
    """The newest first."""
    worked = [
        Change(run.finished_at, run) for run in runs if run.kind in _CHANGING and run.finished_at is not None
    ]
    decided = store.events(run_id="", owner=owner, limit=_EVENTS, newest_first=True)
    steps = [list(events) for _, events in groupby(decided, key=lambda event: event.batch)]
    both = worked + [Change(events[0].at, event=_telling(events), events=len(events)) for events in steps]
    newest = sorted(both, key=lambda change: change.at, reverse=True)[:LISTED]
    return tuple(replace(change, undone=_undone(store, change.event)) for change in newest)


def _telling(events: Sequence[Event]) -> Event:
    """Of a step, what was decided: a proposal before the memories that it changed, these before their
    relations; of several, the first."""
    return min(events, key=lambda event: (_rank(event), event.seq))


def _rank(event: Event) -> int:
    beside = event.kind in ("proposal.superseded", "proposal.noted")
    return len(_TELLING) if beside or event.object_type not in _TELLING else _TELLING.index(event.object_type)


def _undone(store: Store, event: Event | None) -> tuple[Event, ...]:
    found: list[Event] = []
    while event is not None and event.undo_of is not None:
        event = next(iter(store.events(event_id=event.undo_of)), None)
        found += [event] if event is not None else []
    return tuple(found)


def _open(runs: Sequence[Run]) -> list[Run]:
    """Of each kind and system the newest run, if it did not end well."""
    newest: dict[tuple[str, str], Run] = {}
    for run in runs:
        if run.kind in _CHANGING:
            newest.setdefault((run.kind, run.recipe), run)
    return [run for run in newest.values() if run.state != "finished"]


def _to_consolidate(runs: Sequence[Run]) -> bool:
    """Whether a run added memories after the last consolidation."""
    for run in runs:
        if run.kind == "consolidate" and run.state == "finished":
            return False
        if run.kind == "ingest" and run.totals.get("memories"):
            return True
    return False


def _failed(
    runs: Sequence[Run], unread: set[str], failed_messages: Callable[[str], int]
) -> list[FailedParts]:
    read = [run for run in runs if run.kind == "ingest" and run.recipe in unread and run.finished_at]
    return [FailedParts(run, waiting) for run in read if (waiting := failed_messages(run.id))]
