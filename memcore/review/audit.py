"""The history of objects for a person to read: who did what when, what it changed, what undid it.

Pure: events in, entries and lines out. Texts come from logs and models; whoever shows a line passes
it through `diff.show_hidden` (the lines here have done so) and escapes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memcore.domain.models import Event
from memcore.domain.models.erasure import ERASURE
from memcore.review.diff import show_hidden

_LONG = 160
_NAMED_BY = ("text", "name", "before", "relation")


@dataclass(frozen=True, slots=True)
class Change:
    """One field that an event changed, as JSON values (None: empty or not there)."""

    field: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Entry:
    """One event: `what` names the object in its own words, `undoes` and `undone_by` are event ids
    (empty: none). `changes` is empty for what was new."""

    event_id: str
    at: datetime
    actor: str
    kind: str
    object_id: str
    what: str
    changes: tuple[Change, ...]
    undoes: str = ""
    undone_by: str = ""

    @property
    def line(self) -> str:
        """The entry as one line of plain text."""
        parts = [f"{self.at:%Y-%m-%d %H:%M} UTC", self.actor, self.kind, f"“{self.what}”"]
        parts += [f"{c.field}: {_shown(c.before)} → {_shown(c.after)}" for c in self.changes]
        if self.undoes:
            parts.append(f"undoes {self.undoes}")
        if self.undone_by:
            parts.append(f"undone by {self.undone_by}")
        return show_hidden(" · ".join(parts).replace("\n", " "))


def audit(events: Sequence[Event]) -> tuple[Entry, ...]:
    """Entries in the order of the events.

    `undone_by` names the event that undid one, if it is among `events` and was not itself undone.
    """
    undone: dict[str, str] = {}
    for event in sorted(events, key=lambda e: e.seq):
        if event.undo_of is not None:
            undone[event.undo_of] = event.id
    standing = {undid: by for undid, by in undone.items() if by not in undone}
    return tuple(
        Entry(
            event_id=event.id,
            at=event.at,
            actor=event.actor,
            kind=event.kind,
            object_id=event.object_id,
            what=_named(event),
            changes=_changes(event),
            undoes=event.undo_of or "",
            undone_by=standing.get(event.id, ""),
        )
        for event in events
    )


def _named(event: Event) -> str:
    snapshot = event.after or event.before or {}
    if event.object_type == "topic_cut":
        return topics_in_words(snapshot)
    if event.object_type == "rule_switch":
        return rule_in_words(snapshot)
    if event.object_type == "grant":
        return grant_in_words(snapshot)
    if event.object_type == "curation":
        return _cut(curation_in_words(snapshot))
    if event.object_type == ERASURE:
        return erasure_in_words(snapshot)
    name = next((str(snapshot[field]) for field in _NAMED_BY if snapshot.get(field)), event.object_id)
    return _cut(name)


def topics_in_words(snapshot: dict[str, Any]) -> str:
    """A person's division of a session (a `TopicCut` as JSON).

    >>> topics_in_words({"session_id": "ses_1", "recipe": "memscope", "segment_ids": ["a", "b"]})
    'a person cut session ses_1 into 2 topics'
    """
    session, topics = snapshot["session_id"], snapshot["segment_ids"]
    if not topics:
        return f"the topics of session {session} are those that {snapshot['recipe']} found"
    return f"a person cut session {session} into {len(topics)} topic{'' if len(topics) == 1 else 's'}"


def rule_in_words(snapshot: dict[str, Any]) -> str:
    """A switch of an automatic rule (a `RuleSwitch` as JSON).

    >>> rule_in_words({"rule": "exact duplicates", "on": True})
    'exact duplicates: on'
    """
    return f"{snapshot['rule']}: {'on' if snapshot['on'] else 'off'}"


def grant_in_words(snapshot: dict[str, Any]) -> str:
    """What a person may do with whose memory (a `Grant` as JSON).

    >>> grant_in_words({"person": "ann@example.org", "owner": "me", "role": "read"})
    'ann@example.org: read, memory of me'
    >>> grant_in_words({"person": "ann@example.org", "owner": "", "role": None})
    "ann@example.org: nothing, everyone's memory"
    """
    whose = f"memory of {snapshot['owner']}" if snapshot["owner"] else "everyone's memory"
    return f"{snapshot['person']}: {snapshot['role'] or 'nothing'}, {whose}"


def curation_in_words(snapshot: dict[str, Any]) -> str:
    """What a person decided by hand (a `Curation` as JSON).

    >>> curation_in_words({"act": "wrong", "object_id": "mem_1", "stage": "time", "reason": "It was May"})
    'mem_1: wrong (time: It was May)'
    """
    why = ": ".join(part for part in (snapshot["stage"], snapshot["reason"]) if part)
    return f"{snapshot['object_id']}: {snapshot['act']}{f' ({why})' if why else ''}"


def erasure_in_words(snapshot: dict[str, Any]) -> str:
    """What was erased, without its words; nothing is known of an object that went with it.

    >>> erasure_in_words({"erased": "message", "removed": {"messages": 1, "memories": 2}})
    'a message for good, 1 messages, 2 memories'
    >>> erasure_in_words({})
    'erased'
    """
    if not snapshot:
        return "erased"
    removed = ", ".join(f"{number} {table}" for table, number in snapshot["removed"].items())
    return f"a {snapshot['erased']} for good, {removed}"


def _changes(event: Event) -> tuple[Change, ...]:
    if event.before is None or event.after is None:
        return ()
    before, after = event.before, event.after
    fields = [*before, *(field for field in after if field not in before)]
    return tuple(
        Change(field, before.get(field), after.get(field))
        for field in fields
        if before.get(field) != after.get(field)
    )


def _shown(value: Any) -> str:
    if value in (None, "", [], {}):
        return "—"
    if isinstance(value, list):
        return f"{len(value)} {'entry' if len(value) == 1 else 'entries'}"
    return _cut(str(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"
