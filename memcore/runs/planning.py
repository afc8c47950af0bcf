"""Which of the pending messages make one step: sessions together, or parts of one that is long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import Any, TypeVar

from memcore.domain.models import Message, Run, Session
from memcore.domain.protocols import Store
from memcore.systems.steps import SessionPart, Step, System

STEP_MESSAGES = 128
"""Messages a step aims at unless its system says otherwise: enough for batches by length, few enough to
lose little."""

Group = TypeVar("Group")


def planned(
    store: Store,
    run: Run,
    pending: Sequence[Message],
    system: System[Any, Any],
    summaries: Mapping[str, str],
    *,
    to_the_end: bool = True,
) -> Iterator[Step]:
    """The steps in order; the last one is marked as that, if this is `to_the_end`. `summaries`: of each
    session so far, by its id."""
    groups = _marking_last(_sessions_together(store, run, pending, system))
    for position, (parts, last) in enumerate(groups):
        told = tuple(replace(part, summary=summaries.get(part.session.id, "")) for part in parts)
        yield Step(run.owner, run.id, position, told, last and to_the_end, len(pending))


def _sessions_together(
    store: Store, run: Run, pending: Sequence[Message], recipe: System[Any, Any]
) -> Iterator[list[SessionPart]]:
    """Whole sessions together up to the messages a step aims at; a longer session is cut into parts."""
    sessions = {s.id: s for s in store.sessions(owner=run.owner)}
    people = cache(store.speakers_of)  # a conversation has many sessions
    of_conversation: dict[str, list[Session]] = {}
    for one in sorted(sessions.values(), key=lambda session: session.position):
        of_conversation.setdefault(one.conversation_id, []).append(one)
    most = recipe.step_messages or STEP_MESSAGES
    step: list[SessionPart] = []
    size = 0
    for session_id, said in groupby(pending, key=lambda message: message.session_id):
        session = sessions[session_id]
        siblings = of_conversation[session.conversation_id]
        earlier = siblings[: siblings.index(session)] if recipe.before_in_conversation else []
        participants = people(session.conversation_id)
        for part in _parts(store, session, list(said), participants, recipe, most, earlier):
            if step and size + len(part.messages) > most:
                yield step
                step, size = [], 0
            step.append(part)
            size += len(part.messages)
    if step:
        yield step


def _marking_last(groups: Iterator[Group]) -> Iterator[tuple[Group, bool]]:
    """Each of the groups, and whether it is the last."""
    group = next(groups, None)
    while group is not None:
        following = next(groups, None)
        yield group, following is None
        group = following


def _parts(
    store: Store,
    session: Session,
    pending: Sequence[Message],
    people: Sequence[str],
    recipe: System[Any, Any],
    most: int,
    earlier: Sequence[Session],
) -> Iterable[SessionPart]:
    everything = store.messages(session.id)
    index = {message.id: place for place, message in enumerate(everything)}
    held: set[str] = set()
    if len(pending) < len(everything):
        segments = store.segments(session_id=session.id, recipe=recipe.name)
        held = {message_id for segment in segments for message_id in segment.message_ids}
    for run_of in _contiguous_runs(everything, {message.id for message in pending}, held):
        begin = 0
        while begin < len(run_of):
            first = index[run_of[begin].id]
            before = _before(store, everything[:first], earlier, recipe.before)
            counts = recipe.step_messages and not recipe.before_in_conversation
            size = most - len(before) if counts else most
            messages = tuple(run_of[begin : begin + size])
            begin += size
            yield SessionPart(
                session,
                messages,
                before,
                tuple(people),
                contiguous_from=index[run_of[0].id],
                goes_on=begin < len(run_of),
            )


def _before(
    store: Store, said: Sequence[Message], earlier: Sequence[Session], count: int
) -> tuple[Message, ...]:
    """The last `count` messages of what was `said` before in a session, and in the `earlier` ones."""
    found = list(said[max(0, len(said) - count) :])
    for session in reversed(earlier):
        if len(found) >= count:
            break
        messages = store.messages(session.id)
        found = messages[max(0, len(messages) + len(found) - count) :] + found
    return tuple(found)


def _contiguous_runs(
    everything: Sequence[Message], pending: set[str], held: set[str]
) -> Iterator[list[Message]]:
    """Runs of pending messages with none between them that a segment holds already. A message that was
    skipped unread is in no segment and parts nothing, in the first run or in a later one."""
    group: list[Message] = []
    for message in everything:
        if message.id in pending:
            group.append(message)
        elif message.id in held and group:
            yield group
            group = []
    if group:
        yield group
