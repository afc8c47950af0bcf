"""Whether a store is sound: for `doctor`, and for the tests that kill a process at any moment.

Current state must be what the events say, every reference must lead somewhere, every quoted span must
lie within its message. Changes nothing and repairs nothing: a finding names the fix.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from memcore.domain.models import Event
from memcore.store.sql.database import Database
from memcore.store.sql.grounding import count_unjudged
from memcore.store.sql.query import Select
from memcore.store.sql.tables import EVENTS, REVIEWABLE

NAMED = 5
"""How many offenders a finding names; the rest are counted."""

PAGE = 5_000

_RESTORE = "Restore the store from a backup, or import your last jsonl export into a new one."


class Finding(NamedTuple):
    """One check's outcome. `fix` says what to do; it may be given for a sound one too, as advice."""

    name: str
    sound: bool
    what: str
    fix: str = ""


class Replay:
    """Current state according to the events, and where the events contradict each other."""

    def __init__(self) -> None:
        self.state: dict[tuple[str, str], dict[str, Any] | None] = {}
        self.problems: list[str] = []
        self.length = 0

    def follow(self, events: Iterable[Event]) -> Replay:
        """Take over events in the order of `seq`."""
        for event in events:
            self.length += 1
            if event.seq != self.length:
                self.problems.append(f"event {event.id} has number {event.seq} in place {self.length}")
                self.length = event.seq
            key = (event.object_type, event.object_id)
            if self.state.get(key) != event.before:
                self.problems.append(
                    f"event {event.id} starts from another state than the one before it left"
                )
            self.state[key] = event.after
        return self


def check(database: Database) -> list[Finding]:
    """Every check, in an order that a reader can follow. A store that cannot be read raises StoreError."""
    return [
        _events(database),
        *(_dangling(database, *rule) for rule in _REFERENCES),
        _spans(database),
        _embeddings(database),
        _grounding(database),
        _runs(database),
    ]


def _events(database: Database) -> Finding:
    replay = Replay()
    while page := Select(EVENTS).where("seq > ?", replay.length).order("seq", limit=PAGE).all(database):
        replay.follow(page)
    problems = list(replay.problems)
    for object_type, table in REVIEWABLE.items():
        stored = Select(table).by_key(database)
        expected = {key: state for (kind, key), state in replay.state.items() if kind == object_type}
        for key in sorted(stored.keys() | expected.keys()):
            current = table.snapshot(stored[key]) if key in stored else None
            if current != expected.get(key):
                problems.append(f"{object_type} {key} differs from its last event")
    return finding("history", problems, f"{replay.length} events account for the current state", _RESTORE)


# name, what was checked, select of the offenders
_REFERENCES: tuple[tuple[str, str, str], ...] = (
    (
        "evidence",
        "every message, session and segment has its place",
        """
        select 'session ' || id from sessions where conversation_id not in (select id from conversations)
        union all select 'message ' || id from messages where session_id not in (select id from sessions)
        union all select 'segment ' || id from segments where session_id not in (select id from sessions)
        union all select 'segment ' || id from (select id, unnest(message_ids) as message_id from segments) t
        where message_id not in (select id from messages)
        """,
    ),
    (
        "memories",
        "every memory has its messages, segment and successor",
        """
        select 'memory ' || id from (select id, unnest(cited(sources)) as message_id from memories) t
        where message_id not in (select id from messages)
        union all select 'memory ' || id from memories
        where segment_id is not null and segment_id not in (select id from segments)
        union all select 'memory ' || id from memories
        where superseded_by is not null and superseded_by not in (select id from memories)
        """,
    ),
    (
        "topics",
        "every person's division of a session has its session and segments",
        """
        select 'cut ' || id from topic_cuts where session_id not in (select id from sessions)
        union all
        select 'cut ' || c.id
        from (select id, session_id, unnest(segment_ids) as segment_id from topic_cuts) c
        where not exists (select 1 from segments g where g.id = c.segment_id and g.session_id = c.session_id)
        """,
    ),
    (
        "graph",
        "every triple, entity and summary has what it points to",
        """
        select 'triple ' || id
        from (select id, unnest(array[subject_id, object_id]) as entity_id from triples) t
        where entity_id not in (select id from entities)
        union all select 'triple ' || id from (select id, unnest(memory_ids) as memory_id from triples) t
        where memory_id not in (select id from memories)
        union all
        select 'triple ' || id from (select id, unnest(cited(sources)) as message_id from triples) t
        where message_id not in (select id from messages)
        union all select 'entity ' || id from entities
        where merged_into is not null and merged_into not in (select id from entities)
        union all select 'summary of ' || session_id from summaries
        where session_id not in (select id from sessions)
        union all
        select 'summary of ' || session_id from (select session_id, unnest(triple_ids) as id from summaries) t
        where id not in (select id from triples)
        union all
        select 'summary of ' || session_id
        from (select session_id, unnest(segment_ids) as id from summaries) t
        where id not in (select id from segments)
        """,
    ),
    (
        "proposals",
        "every proposal has its targets and candidates",
        """
        select 'proposal ' || id from (select id, unnest(target_ids) as target from proposals) t
        where target not in (select id from memories union all select id from entities
                             union all select id from triples)
        union all
        select 'proposal ' || id from (select id, unnest(compared(candidates)) as target from proposals) t
        where target not in (select id from memories union all select id from entities
                             union all select id from triples)
        """,
    ),
    (
        "work",
        "every processed message exists",
        "select 'message ' || message_id from processed where message_id not in (select id from messages)",
    ),
)


def _dangling(database: Database, name: str, checked: str, offenders: str) -> Finding:
    problems = [f"{who} points to something that is not there" for (who,) in database.query(offenders)]
    return finding(name, sorted(set(problems)), checked, _RESTORE)


def _spans(database: Database) -> Finding:
    rows = database.query(
        """
        select q.who, q.message_id, q.begins, q.finishes, length(m.text)
        from (select 'memory ' || id as who, unnest(cited(sources)) as message_id,
                     unnest(starts(sources)) as begins, unnest(ends(sources)) as finishes from memories
              union all select 'triple ' || id, unnest(cited(sources)), unnest(starts(sources)),
                     unnest(ends(sources)) from triples) q
        join messages m on m.id = q.message_id
        where q.begins < 0 or q.finishes < q.begins or q.finishes > length(m.text)
        order by q.who, q.message_id, q.begins, q.finishes
        """
    )
    problems = [
        f"{who} quotes characters {start}:{end} of message {message}, which has {length}"
        for who, message, start, end, length in rows
    ]
    return finding("quotes", problems, "every quoted span lies within its message", _RESTORE)


def _embeddings(database: Database) -> Finding:
    rows = database.query(
        "select id from memories where state = 'active' and embedding_model != '' and text_hash not in "
        "(select text_hash from embeddings where model_id = ?) order by id",
        [database.embedding_model],
    )
    problems = [f"memory {key} has no embedding" for (key,) in rows]
    return finding(
        "embeddings",
        problems,
        f"every active memory that is searched by meaning has its vector of {database.embedding_model}",
        f"Re-embed the store: python -m memcore reembed --store {database.name}",
    )


def _grounding(database: Database) -> Finding:
    missing, there = count_unjudged(database)
    if not missing:
        return Finding("grounding", True, f"{there} statements were checked against the words they cite")
    what = f"{missing} of {there} statements were not checked yet against the words they cite"
    return Finding("grounding", True, what, "Check them: python -m memcore ground")


def _runs(database: Database) -> Finding:
    rows = database.query("select kind, id from runs where state = 'running' order by started_at, id")
    if not rows:
        return Finding("runs", True, "no run is unfinished")
    names = [f"{kind} {key}" for kind, key in rows]
    advice = "If none of them is at work now, start the same work again: it goes on after the last step."
    return Finding("runs", True, f"unfinished: {_named(names)}", advice)


def finding(name: str, problems: list[str], sound: str, fix: str) -> Finding:
    """The outcome of a check: `sound` is what it says when there are no problems."""
    return Finding(name, False, _named(problems), fix) if problems else Finding(name, True, sound)


def _named(names: list[str]) -> str:
    rest = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return "; ".join(names[:NAMED]) + rest
