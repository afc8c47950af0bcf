"""The one way of writing: everything of a `with store.write(...)` block in one transaction.

Objects are collected in memory and inserted in bulk when the block ends without an exception. Each
change of a reviewable object becomes an event with whole snapshots, so that current state is what the
events say. Decides nothing: which objects change, and to what, is the caller's.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from memcore.domain.errors import NotFoundError, StoreError
from memcore.domain.models import (
    AskedQuestion,
    ConversationLog,
    Curation,
    Entity,
    Event,
    Grant,
    Grounding,
    MemoryEntry,
    Proposal,
    RuleSwitch,
    Run,
    Segment,
    SessionSummary,
    StageTrace,
    Statement,
    TopicCut,
    Triple,
    now,
    stable_id,
    text_hash,
)
from memcore.domain.protocols import Judge, TokenCodes
from memcore.store.codec import Table, storable_text
from memcore.store.sql.database import Database, Transaction
from memcore.store.sql.grounding import judge_changed, put_groundings
from memcore.store.sql.query import by_ids
from memcore.store.sql.tables import (
    CONVERSATIONS,
    EVENTS,
    MESSAGES,
    QUESTIONS,
    REVIEWABLE,
    RUNS,
    SEGMENTS,
    SESSIONS,
    TRACES,
)

JUDGED = ("memory", "triple", "summary")
"""Object types that say something of what was said."""


@contextmanager
def writing(
    database: Database, *, actor: str, run_id: str = "", judge: Judge | None = None
) -> Iterator[Writer]:
    """Collect a block's writes under the write lock, then commit them together, judged."""
    with database.exclusive():
        writer = Writer(database, actor=actor, run_id=run_id, judge=judge)
        yield writer
        writer.commit()


class Writer:
    """Implements StoreWriter. Reads made in the block still see the state before it;
    the writer itself sees what the block has put."""

    def __init__(self, database: Database, *, actor: str, run_id: str, judge: Judge | None = None) -> None:
        self._judge = judge
        self.batch = f"bat_{uuid.uuid4().hex[:16]}"
        self._database = database
        self._actor = storable_text(actor)
        self._run_id = storable_text(run_id)
        self._evidence: dict[Table[Any], dict[str, Any]] = {}
        self._current: dict[str, dict[str, Any]] = {name: {} for name in REVIEWABLE}
        self._events: list[Event] = []
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._token_codes: dict[str, bytes] = {}  # by text hash, as the vectors
        self._runs: dict[str, Run] = {}
        self._traces: list[StageTrace] = []
        self._processed: dict[tuple[str, str], str] = {}
        self._questions: list[tuple[AskedQuestion, int]] = []
        self._groundings: list[tuple[Statement, Grounding]] = []

    # evidence

    def add_log(self, log: ConversationLog) -> int:
        """Store a conversation as it was read; returns how many of its messages are new."""
        self._add(CONVERSATIONS, [log.conversation])
        self._add(SESSIONS, log.sessions)
        return self._add(MESSAGES, log.messages)

    def add_segments(self, segments: Sequence[Segment]) -> None:
        """Store topic segments; one that is there already stays as it is."""
        self._add(SEGMENTS, segments)

    def _add(self, table: Table[Any], values: Sequence[Any]) -> int:
        """Collect the values that are new, by id; returns how many that were."""
        collected = self._evidence.setdefault(table, {})
        values = [table.clean(value) for value in values]
        known = by_ids(self._database, table, [table.key_of(value) for value in values])
        before = len(collected)
        for value in values:
            key = table.key_of(value)
            if key not in known:
                collected.setdefault(key, value)
        return len(collected) - before

    # reviewable objects

    def put_memories(self, memories: Sequence[MemoryEntry], *, kind: str = "memory.added") -> None:
        """Store or replace memories, with an event for each that changes."""
        self._put("memory", memories, kind)

    def put_entities(self, entities: Sequence[Entity], *, kind: str = "entity.added") -> None:
        """Store or replace entities, with an event for each that changes."""
        self._put("entity", entities, kind)

    def put_triples(self, triples: Sequence[Triple], *, kind: str = "triple.added") -> None:
        """Store or replace triples, with an event for each that changes."""
        self._put("triple", triples, kind)

    def put_summaries(self, summaries: Sequence[SessionSummary]) -> None:
        """Store or replace session summaries, with an event for each that changes."""
        self._put("summary", summaries, "summary.updated")

    def put_topic_cuts(self, cuts: Sequence[TopicCut], *, kind: str = "topics.moved") -> None:
        """Store a person's topic boundaries, with an event for each that changes."""
        self._put("topic_cut", cuts, kind)

    def put_proposals(self, proposals: Sequence[Proposal], *, kind: str = "proposal.made") -> None:
        """Store or replace proposals, with an event for each that changes."""
        self._put("proposal", proposals, kind)

    def put_rule_switches(self, switches: Sequence[RuleSwitch], *, kind: str = "rule.switched") -> None:
        """Switch rules of automatic approval, with an event for each that changes."""
        self._put("rule_switch", switches, kind)

    def put_grants(self, grants: Sequence[Grant], *, kind: str = "grant.given") -> None:
        """Store what persons may do with whose memory, with an event for each that changes."""
        self._put("grant", grants, kind)

    def put_curations(self, curations: Sequence[Curation], *, kind: str = "curation.noted") -> None:
        """Store what a person decided by hand, with an event for each that changes."""
        self._put("curation", curations, kind)

    def restore(
        self, object_type: str, object_id: str, snapshot: dict[str, Any] | None, *, undo_of: str
    ) -> None:
        """Raises NotFoundError when there is no such object. What `None` makes of an object:
        see `tombstone`."""
        if object_type not in REVIEWABLE:
            raise StoreError(
                f"Objects of type {object_type!r} cannot be restored.",
                f"Restore one of: {', '.join(REVIEWABLE)}.",
            )
        table = REVIEWABLE[object_type]
        current = self._now(object_type, [object_id]).get(object_id)
        if current is None:
            raise NotFoundError(
                f"There is no {object_type} {object_id!r} to restore.",
                "`python -m memcore history` lists what there is.",
            )
        target = tombstone(current) if snapshot is None else table.clean(table.from_snapshot(snapshot))
        if table.key_of(target) != object_id:
            raise StoreError(
                f"The snapshot is of {table.key_of(target)!r}, not of {object_id!r}.",
                "Pass the `before` of an event of this object.",
            )
        self._record(object_type, current, target, f"{object_type}.restored", undo_of)

    def _put(self, object_type: str, values: Sequence[Any], kind: str) -> None:
        table = REVIEWABLE[object_type]
        values = [table.clean(value) for value in values]
        current = self._now(object_type, [table.key_of(value) for value in values])
        for value in values:
            key = table.key_of(value)
            if current.get(key) != value:
                self._record(object_type, current.get(key), value, kind, None)
                current[key] = value

    def _now(self, object_type: str, ids: Sequence[str]) -> dict[str, Any]:
        """The objects as this block has left them so far."""
        ours = self._current[object_type]
        stored = by_ids(self._database, REVIEWABLE[object_type], [key for key in ids if key not in ours])
        return stored | {key: ours[key] for key in ids if key in ours}

    def _record(self, object_type: str, before: Any, after: Any, kind: str, undo_of: str | None) -> None:
        table = REVIEWABLE[object_type]
        key = table.key_of(after)
        self._current[object_type][key] = after
        self._events.append(
            Event(
                seq=0,  # numbered when the block commits
                id=stable_id("evt", self.batch, len(self._events)),
                at=now(),
                actor=self._actor,
                kind=storable_text(kind),
                object_type=object_type,
                object_id=key,
                before=None if before is None else table.snapshot(before),
                after=table.snapshot(after),
                batch=self.batch,
                run_id=self._run_id,
                undo_of=undo_of,
            )
        )

    # vectors and work

    def add_embeddings(
        self,
        model_id: str,
        vectors: Mapping[str, NDArray[np.float32]],
        token_codes: Mapping[str, TokenCodes] | None = None,
    ) -> None:
        """Raises StoreError for another model than the store's, for vectors that are not finite or have
        another dimension, and for codes of another dimension or of a text without a vector."""
        if model_id != self._database.embedding_model:
            raise StoreError(
                f"These vectors are of {model_id}; "
                f"the store keeps those of {self._database.embedding_model}.",
                "Open the store with the model that makes the vectors, or re-embed it.",
            )
        for text, vector in vectors.items():
            if vector.shape != (self._database.dimension,) or not np.isfinite(vector).all():
                raise StoreError(
                    f"The vector of {text[:40]!r} has shape {vector.shape} or numbers that are not finite; "
                    f"{self._database.dimension} finite numbers are needed.",
                    "Check the embedding model.",
                )
            self._vectors[text_hash(storable_text(text))] = np.asarray(vector, dtype=np.float32)
        width = code_width(self._database.dimension)
        for text, codes in (token_codes or {}).items():
            if codes.ndim != 2 or codes.shape[1] != width or codes.dtype != np.uint8 or text not in vectors:
                raise StoreError(
                    f"The token codes of {text[:40]!r} have shape {codes.shape} or no vector beside them; "
                    f"rows of {width} bytes are needed.",
                    "Check the embedding model.",
                )
            self._token_codes[text_hash(storable_text(text))] = codes.tobytes()

    def put_run(self, run: Run) -> None:
        """Store the run as it stands now."""
        self._runs[run.id] = RUNS.clean(run)

    def add_traces(self, traces: Sequence[StageTrace]) -> None:
        """Keep what stages left behind."""
        self._traces += [TRACES.clean(trace) for trace in traces]

    def mark_processed(self, recipe: str, message_ids: Sequence[str], run_id: str) -> None:
        """Say that a system has read these messages, and in which run."""
        for message_id in message_ids:
            key = (storable_text(recipe), storable_text(message_id))
            self._processed.setdefault(key, storable_text(run_id))

    def add_question(self, question: AskedQuestion, *, keep: int) -> None:
        """Note a question, once, as last asked; the newest `keep` of an owner are kept."""
        self._questions.append((QUESTIONS.clean(question), keep))

    def put_groundings(self, found: Sequence[tuple[Statement, Grounding]]) -> None:
        """Store verdicts, each in place of what other rules said of the same words."""
        self._groundings += found

    # commit

    def commit(self) -> None:
        """Write everything collected as one transaction. Called once, when the block has ended."""
        if not self._anything():
            return
        running = {run.id for run in self._runs.values() if run.state == "running"}
        for run_id in running:
            self._database.begin_work(run_id)
        with self._database.transaction() as transaction:
            self.write_to(transaction)
        for run_id in self._runs.keys() - running:
            self._database.end_work(run_id)

    def _anything(self) -> bool:
        collected = (
            self._events,
            self._runs,
            self._traces,
            self._vectors,
            self._processed,
            self._questions,
            self._groundings,
        )
        return any(collected) or any(self._evidence.values())

    def write_to(self, transaction: Transaction) -> int:
        """Everything collected, as part of a larger transaction; returns its generation."""
        generation = transaction.next_generation()
        for table, values in self._evidence.items():
            transaction.put(table, list(values.values()), generation)
        for object_type, objects in self._current.items():
            transaction.put(REVIEWABLE[object_type], list(objects.values()), generation, clash="or replace")
        transaction.put(EVENTS, numbered(self._events, transaction))
        transaction.put(RUNS, list(self._runs.values()), clash="or replace")
        transaction.put(TRACES, self._traces)
        if self._vectors:
            rows = embedding_rows(
                self._vectors, self._token_codes, self._database.embedding_model, generation
            )
            transaction.insert("embeddings", rows, clash="or ignore")
        if self._processed:
            recipes, messages = zip(*self._processed, strict=True)
            columns = {
                "recipe": recipes,
                "message_id": messages,
                "run_id": list(self._processed.values()),
            }
            transaction.insert("processed", pa.table(columns), clash="or ignore")
        for question, keep in self._questions:
            transaction.query(
                "delete from questions where owner = ? and recipe = ? and text = ?",
                [question.owner, question.recipe, question.text],
            )
            transaction.put(QUESTIONS, [question])
            transaction.query(
                "delete from questions where owner = $1 and id not in "
                "(select id from questions where owner = $1 order by asked_at desc, id limit $2)",
                [question.owner, keep],
            )
        put_groundings(transaction, self._groundings)
        if self._judge is not None:
            said = [key for kind in JUDGED for key in self._current[kind]]
            renamed = [
                event.object_id
                for event in self._events
                if event.object_type == "entity"
                and event.before is not None
                and event.after is not None
                and event.before["name"] != event.after["name"]
            ]
            if said or renamed:
                judge_changed(transaction, self._judge, said, renamed)
        return generation


def numbered(events: Sequence[Event], transaction: Transaction) -> list[Event]:
    """The events with the sequence numbers that follow those already stored, without a gap."""
    last = transaction.last_event()
    return [replace(event, seq=last + n) for n, event in enumerate(events, start=1)]


def code_width(dimension: int) -> int:
    """Bytes of one word piece among a text's token codes."""
    return -(-dimension // 8)


def embedding_rows(
    vectors: Mapping[str, NDArray[np.float32]],
    token_codes: Mapping[str, bytes],
    model_id: str,
    generation: int,
) -> pa.Table:
    """Rows of the table `embeddings` from text hash -> vector, and -> token codes where there are any."""
    matrix = np.stack(list(vectors.values()))
    offsets = pa.array(np.arange(len(matrix) + 1, dtype=np.int32) * matrix.shape[1])
    return pa.table(
        {
            "text_hash": list(vectors),
            "model_id": [model_id] * len(matrix),
            "vector": pa.ListArray.from_arrays(offsets, pa.array(matrix.ravel())),
            "token_codes": pa.array([token_codes.get(key) for key in vectors], pa.binary()),
            "changed": pa.array([generation] * len(matrix), pa.int64()),
        }
    )


def tombstone(value: Any) -> Any:
    """What undoing its creation leaves of an object; nothing is ever removed.

    A memory becomes `deleted`, a proposal `superseded`. A triple is invalidated and loses its
    mentions: nobody says it any more, so no index holds it, at any time asked. A summary loses its
    content, a person's division of a session its segments, so that the recipe's own stand; a rule is off
    again, a person may do nothing any more, a curation does not stand. An entity is only a name that triples
    point to and stays as it is.
    """
    if isinstance(value, MemoryEntry):
        return replace(value, state="deleted")
    if isinstance(value, Triple):
        return replace(value, mentions=0, invalidated_at=value.invalidated_at or value.valid_from or now())
    if isinstance(value, SessionSummary):
        return replace(value, text="", keywords=(), themes=(), triple_ids=(), segment_ids=())
    if isinstance(value, TopicCut):
        return replace(value, segment_ids=())
    if isinstance(value, RuleSwitch):
        return replace(value, on=False)
    if isinstance(value, Grant):
        return replace(value, role=None)
    if isinstance(value, Curation):
        return replace(value, standing=False)
    if isinstance(value, Proposal):
        return replace(value, state="superseded")
    return value
