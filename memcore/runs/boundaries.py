"""The topic boundaries that a person asks for in one session, compared with those that stand.

Boundaries are the list of messages at which topics start, so no topic can be empty and none can overlap.
Reads the store; changes nothing and runs no model (`memcore.runs.resegment` does).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memcore.domain.errors import NotFoundError, UsageError
from memcore.domain.models import BY_PERSON, Message, Segment, StageTrace, TopicCut, stable_id
from memcore.domain.protocols import Store
from memcore.inspection.objects import owner_of, standing_segments

MOVED = "moved here by a person"


@dataclass(frozen=True, slots=True)
class Plan:
    """The segments that stand (`before`), those asked for (`segments`, unlabelled where new), and the
    segments of it that have to be read."""

    owner: str
    session_id: str
    conversation_id: str
    recipe: str
    cut: TopicCut | None
    before: tuple[Segment, ...]
    segments: tuple[Segment, ...]
    messages: tuple[Message, ...]

    @property
    def changed(self) -> tuple[Segment, ...]:
        """The segments that did not stand like this before."""
        standing = {segment.message_ids for segment in self.before}
        return tuple(segment for segment in self.segments if segment.message_ids not in standing)


def planned(store: Store, session_id: str, recipe: str, starts: Sequence[str]) -> Plan:
    """What `starts` would make of the recipe's topics. Raises NotFoundError and UsageError, see
    `runs.resegment.resegment`."""
    session = store.session(session_id)
    if session is None:
        raise NotFoundError(f"No session has the id {session_id!r}.", "Choose one from the list of sessions.")
    standing = standing_segments(store, session_id, recipe)
    if not standing:
        raise UsageError(
            f"{recipe} has not divided this session into topics.",
            "Finish its import, or choose another recipe.",
        )
    covered = {i for segment in standing for i in segment.message_ids}
    everything = store.messages(session_id)
    owner = owner_of(store, session)
    pending = {message.id for message in store.pending_messages(recipe, owner)}
    begins = _checked(starts, everything, covered, pending)
    groups: list[list[str]] = []
    for message in everything:
        if message.id in begins:
            groups.append([])
        if message.id in covered:
            groups[-1].append(message.id)
    stored = store.segments(session_id=session_id, recipe=recipe)
    # Of two segments of the same messages the recipe's own is preferred: a boundary may be moved back to it.
    known = {s.message_ids: s for s in sorted(stored, key=lambda s: s.boundary.get("method") != BY_PERSON)}
    known |= {segment.message_ids: segment for segment in standing}
    reasons = {segment.message_ids[0]: segment.boundary for segment in standing}
    traces = store.traces(stage="segment", unit=session_id, recipe=recipe)
    plan = Plan(
        owner,
        session_id,
        session.conversation_id,
        recipe,
        store.topic_cut(session_id, recipe),
        standing,
        tuple(
            known.get(tuple(ids)) or _by_person(session_id, recipe, ids, reasons, traces) for ids in groups
        ),
        tuple(everything),
    )
    if not plan.changed:
        raise UsageError("These are the topics that stand already.", "Move, add or join a topic first.")
    return plan


def _checked(
    starts: Sequence[str], everything: Sequence[Message], covered: set[str], pending: set[str]
) -> set[str]:
    """The starts asked for and those that must be; raises UsageError for what cannot be one."""
    place = {message.id: number for number, message in enumerate(everything, start=1)}
    for start in starts:
        if start not in covered:
            known = f"Turn {place[start]}" if start in place else f"The message {start!r}"
            raise UsageError(
                f"{known} is in no topic of this session.", "Name messages that the topics shown consist of."
            )
    first = next(message.id for message in everything if message.id in covered)
    unread = False
    for message in everything:
        if message.id in covered:
            if unread and message.id not in {first, *starts}:
                raise UsageError(
                    f"Turn {place[message.id]} must start a topic: messages before it were not read yet.",
                    "Finish the import first, then join the topics.",
                )
            unread = False
        unread = unread or message.id in pending
    return {first, *starts}


def _by_person(
    session_id: str,
    recipe: str,
    ids: Sequence[str],
    reasons: Mapping[str, Mapping[str, object]],
    traces: Sequence[StageTrace],
) -> Segment:
    """A segment of these messages; why it starts there stays what it was, unless a person said so."""
    why = reasons.get(ids[0]) or {"reason": MOVED, **_scores(traces, ids[0])}
    return Segment(
        id=stable_id("seg", recipe, session_id, BY_PERSON, *ids),
        session_id=session_id,
        message_ids=tuple(ids),
        boundary={**why, "method": BY_PERSON},
        recipe=recipe,
    )


def _scores(traces: Sequence[StageTrace], message_id: str) -> dict[str, float | None]:
    """Every score of the gap before a message, and the thresholds, from the newest `SegmentationTrace`
    that has it. Score columns begin with None: there is no gap before the first message."""
    for trace in reversed(traces):
        ids = trace.payload["message_ids"]
        if message_id in ids:
            place = ids.index(message_id)
            columns = {
                name: values[place]
                for name, values in trace.payload.items()
                if isinstance(values, list) and len(values) == len(ids) and values[0] is None
            }
            limits = {name: value for name, value in trace.payload.items() if isinstance(value, float)}
            return columns | limits
    return {}


def cut_of(store: Store, plan: Plan) -> TopicCut:
    """The boundaries to store: without segments where the recipe's own stand again."""
    ids = tuple(segment.id for segment in plan.segments)
    by_recipe = [
        segment.id
        for segment in store.segments(session_id=plan.session_id, recipe=plan.recipe)
        if segment.boundary.get("method") != BY_PERSON
    ]
    return TopicCut(
        id=TopicCut.id_for(plan.session_id, plan.recipe),
        owner=plan.owner,
        session_id=plan.session_id,
        recipe=plan.recipe,
        segment_ids=() if list(ids) == by_recipe else ids,
    )
