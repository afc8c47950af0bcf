"""What a run read to no effect, and which messages reading just that again is about.

A buffer that an extractor failed on costs its own messages only: they stay pending. The runner notes
them by session, with the errors, as traces of the run (`Failures`); a retry is a run of its own over those
that still wait (`memcore.runs.ingest` with `only`). What was read since, by a retry or by resuming, is never
read again. Runs no model and changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from memcore.domain.errors import NotFoundError, UsageError
from memcore.domain.models import DEFAULT_OWNER, Message, Run, Session, StageTrace
from memcore.domain.protocols import Store
from memcore.systems.steps import StepResult

FAILED_STAGE = "failed"
RETRY_OF = "retry_of"
"""Where a run's settings name the run it retries."""


@dataclass(frozen=True, slots=True)
class FailedPart:
    """Messages of one session that a run read to no effect, and what it failed on there."""

    session_id: str
    message_ids: tuple[str, ...]
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WaitingPart:
    """Of a failed part, the messages that nobody has read since, in order."""

    session: Session
    messages: tuple[Message, ...]
    errors: tuple[str, ...]


class Failures:
    """What a run in progress has been given and has not been able to read."""

    def __init__(self) -> None:
        self._unread: dict[str, str] = {}  # message id -> session id
        self._errors: dict[str, dict[str, None]] = {}  # session id -> errors, each once
        self._elsewhere: dict[str, None] = {}

    def note(self, messages: Sequence[Message], result: StepResult[Any]) -> None:
        """A step is done: its messages, and what came of it (and of what earlier steps had carried)."""
        self._unread |= {message.id: message.session_id for message in messages}
        for message_id in result.processed:
            self._unread.pop(message_id, None)
        traced = set()
        for trace in result.traces:
            if error := trace.payload.get("error"):
                self._errors.setdefault(trace.unit, {})[error] = None
                traced.add(error)
        self._elsewhere |= dict.fromkeys(error for error in result.errors if error not in traced)

    def traces(self, run_id: str, *, finished: bool) -> list[StageTrace]:
        """One for each session with messages that were read to no effect. In a run that ended early, a
        session without an error of its own was only not reached."""
        of_session: dict[str, list[str]] = {}
        for message_id, session_id in self._unread.items():
            of_session.setdefault(session_id, []).append(message_id)
        parts = [
            FailedPart(session_id, tuple(ids), tuple(self._errors.get(session_id) or self._elsewhere))
            for session_id, ids in of_session.items()
            if session_id in self._errors or (finished and self._elsewhere)
        ]
        return [
            StageTrace(run_id, FAILED_STAGE, part.session_id, position, 0.0, asdict(part))
            for position, part in enumerate(parts)
        ]


def failed_parts(store: Store, run_id: str, *, owner: str = DEFAULT_OWNER) -> tuple[WaitingPart, ...]:
    """What a run failed on and what still waits, by session. Raises NotFoundError for a run that is none of
    the owner's."""
    run = _known(store, run_id, owner)
    traces = store.traces(run_id=run_id, stage=FAILED_STAGE)
    if not traces:
        return ()
    pending = {message.id: message for message in store.pending_messages(run.recipe, run.owner)}
    parts = []
    for payload in (trace.payload for trace in traces):
        messages = tuple(pending[i] for i in payload["message_ids"] if i in pending)
        session = store.session(payload["session_id"])
        if messages and session is not None:
            parts.append(WaitingPart(session, messages, tuple(payload["errors"])))
    return tuple(parts)


def to_retry(
    store: Store,
    run_id: str,
    session_ids: Sequence[str] | None = None,
    *,
    owner: str = DEFAULT_OWNER,
) -> tuple[Run, frozenset[str]]:
    """A run, and the ids of the messages to read again for it, of some sessions, if they are named.
    Raises NotFoundError, and UsageError when nothing of it waits."""
    run = _known(store, run_id, owner)
    parts = failed_parts(store, run_id, owner=owner)
    wanted = [part for part in parts if session_ids is None or part.session.id in session_ids]
    if not wanted:
        raise UsageError(
            "Nothing that this run failed on waits any more.",
            "It was read since; or the run failed on nothing. Resume the import to read all that waits.",
        )
    return run, frozenset(message.id for part in wanted for message in part.messages)


def _known(store: Store, run_id: str, owner: str) -> Run:
    run = store.run(run_id)
    if run is None or run.owner != owner:
        raise NotFoundError(
            f"{owner} has no run with the id {run_id!r}.", "Choose one from the list of runs."
        )
    return run
