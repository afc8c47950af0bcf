"""What work leaves behind: runs, stage traces, language model calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memcore.domain.models.identity import CallOutcome, RunKind, RunState


@dataclass(frozen=True, slots=True)
class Run:
    """One piece of work: an ingest, a consolidation, a question. `totals` are its counts."""

    id: str
    kind: RunKind
    owner: str
    recipe: str
    state: RunState
    started_at: datetime
    finished_at: datetime | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    totals: dict[str, Any] = field(default_factory=dict)
    error: str = ""

    @property
    def seconds(self) -> float | None:
        """Wall time from its start to its end, loading of models included, as every page and report gives
        it; None while it runs, and when it was cut off."""
        return (self.finished_at - self.started_at).total_seconds() if self.finished_at else None


@dataclass(frozen=True, slots=True)
class Coverage:
    """A run of a recipe worked on a conversation, and finished `messages` of it (0: none, all failed)."""

    recipe: str
    run_id: str
    conversation_id: str
    messages: int


@dataclass(frozen=True, slots=True)
class StageTrace:
    """What one stage did to one unit of work (a session, a buffer, a query), for pages to draw.

    `payload` is the stage's own trace dataclass as JSON; each stage documents its own.
    """

    run_id: str
    stage: str
    unit: str
    position: int
    milliseconds: float
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class LlmCall:
    """One request to a language model, with tokens as the server reported them (None: it did
    not say). `stage` uses LightMem's statistics names where they exist (add_memory, update). `request` is
    the whole request as JSON where a recording had no reply to it, so that it can be answered later."""

    id: str
    run_id: str
    stage: str
    model: str
    prompt: str
    completion: str
    prompt_tokens: int | None
    completion_tokens: int | None
    milliseconds: float
    outcome: CallOutcome
    at: datetime
    prompt_version: str = ""
    error: str = ""
    request: str = ""


@dataclass(frozen=True, slots=True)
class LlmCost:
    """What the calls of one stage cost, failed ones included, unanswered ones not: tokens are sums of what
    servers reported (None: of no call did one say), `unreported_calls` those of which they did not say
    everything."""

    stage: str
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    unreported_calls: int
