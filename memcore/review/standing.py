"""Decisions on proposals that stand: what an undo takes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memcore.domain.models import Event, Proposal
from memcore.domain.protocols import Store

_DECIDED = ("applied", "rejected")


@dataclass(frozen=True, slots=True)
class StandingDecision:
    """A proposal as it was decided. `undo` with `event_id` takes the decision back, with all that was decided
    in the same step."""

    proposal: Proposal
    event_id: str


def decision_on(store: Store, proposal: Proposal) -> StandingDecision | None:
    """The decision on this proposal; None while it waits, or where something else superseded it."""
    if proposal.state not in _DECIDED:
        return None
    events = store.events(object_id=proposal.id, newest_first=True)
    decided = next((event for event in events if _decides(event)), None)
    return StandingDecision(proposal, decided.id) if decided is not None else None


def last_decision(store: Store, owner: str, by: Sequence[str] | None) -> StandingDecision | None:
    """The last decision on a proposal of the owner's that stands, by one of these or (None) by anyone."""
    proposal = store.last_decided(owner, by)
    return decision_on(store, proposal) if proposal is not None else None


def _decides(event: Event) -> bool:
    """Whether it made a proposal decided, also by redoing what was undone."""
    return _state(event.after) in _DECIDED and _state(event.before) not in _DECIDED


def _state(snapshot: dict[str, Any] | None) -> object:
    return (snapshot or {}).get("state")
