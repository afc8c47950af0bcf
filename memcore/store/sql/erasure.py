"""Erasing rows, in a transaction of which the engine sees to it that nothing else of them is left.

What goes is decided elsewhere (`review.erase`). Each table that is known is treated by what it holds; a table
added later is treated by its columns (`_unknown`), so that none can be forgotten. Events of what goes keep
their number, time and actor, and lose what they say.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pyarrow as pa

from memcore.domain.models import Event, Segment, now, text_hash
from memcore.domain.models.erasure import ERASURE
from memcore.domain.protocols.erasure import Erasure
from memcore.store.codec import Table, storable_text
from memcore.store.sql.database import Transaction
from memcore.store.sql.query import Select
from memcore.store.sql.tables import (
    CONVERSATIONS,
    EVENTS,
    EVIDENCE,
    GROUNDINGS,
    LLM_CALLS,
    MESSAGES,
    REVIEWABLE,
    RUNS,
    SEGMENTS,
    TRACES,
)

_TREATED = {
    *(table.name for table in (*EVIDENCE.values(), *REVIEWABLE.values())),
    *(EVENTS.name, RUNS.name, TRACES.name, LLM_CALLS.name, GROUNDINGS.name, "processed", "embeddings"),
    *("store", "migrations", "written"),  # hold nothing that was said
    # follow the others when this is committed
    *("collections", "indexed", "postings", "document_lengths", "entity_names"),
}

_TEXTS = {"JSON", "json", "text", "ARRAY"}
"""Further types of columns that hold texts."""

Counts = dict[str, int]


def erase(
    draft: Transaction, erasure: Erasure, *, actor: str, files: Callable[[], int]
) -> tuple[Counts, Counts]:
    """Take it out of the draft, and with `files` out of how many files beside the database; returns the rows
    by table that went, and that stay without the words."""
    work = _Erasing(draft, erasure)
    work.all()
    work.changed["files"] += files()
    removed, changed = ({k: n for k, n in c.items() if n} for c in (work.removed, work.changed))
    work.tell(actor, removed, changed)
    return removed, changed


class _Erasing:
    def __init__(self, draft: Transaction, erasure: Erasure) -> None:
        self._draft = draft
        self._erasure = erasure
        self._generation = draft.next_generation()
        self.removed: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()
        self._draft.query("update store set id = ?", [f"sto_{uuid.uuid4().hex[:16]}"])
        owners = dict(self._draft.query("select id, owner from runs"))
        self._runs = {run for run, owner in owners.items() if owner == erasure.owner}
        self._others = owners.keys() - self._runs
        self._whole_owner = erasure.what == "owner"

    def all(self) -> None:
        """Table by table: what refers to evidence before the evidence, and vectors last."""
        self._calls()
        self._traces()
        self._run_rows()
        self._events()
        for object_type, table in REVIEWABLE.items():
            self._objects(object_type, table)
        self._groundings()
        self._evidence()
        for (name,) in self._draft.query(
            "select table_name from information_schema.tables "
            "where table_schema = current_schema() and table_type = 'BASE TABLE'"
        ):
            if name not in _TREATED:
                self._unknown(name)
        self._vectors()

    def tell(self, actor: str, removed: Counts, changed: Counts) -> None:
        """Leave an event that something was erased: what kind, how much, when and by whom."""
        ids = sorted(self._erasure.gone["message"])
        named = ids if self._erasure.what == "message" else sorted(self._erasure.gone["conversation"])
        event = Event(
            seq=self._draft.last_event() + 1,
            id=f"evt_{uuid.uuid4().hex[:16]}",
            at=now(),
            actor=storable_text(actor),
            kind=f"{self._erasure.what}.erased",
            object_type=ERASURE,
            object_id=f"era_{uuid.uuid4().hex[:16]}",
            before=None,
            after={"erased": self._erasure.what, "ids": named, "removed": removed, "changed": changed},
            batch=f"bat_{uuid.uuid4().hex[:16]}",
        )
        self._draft.put(EVENTS, [event])

    # ------------------------------------------------------------------ work

    def _calls(self) -> None:
        """Prompts and replies of runs that read what goes, and all with its words; their cost stays."""
        readers = set() if self._whole_owner else self._readers()
        if self._whole_owner:
            self._delete_by("llm_calls", "run_id", self._runs)
        touched = [
            key
            for key, run, *texts in self._draft.stream(
                "select id, run_id, prompt, completion, error, request from llm_calls"
            )
            if run in readers or (run not in self._others and any(map(self._erasure.touches, texts)))
        ]
        self._draft.query(
            "update llm_calls set prompt = '', completion = '', error = '', request = '' "
            "where id in (select unnest($ids::text[]))",
            {"ids": touched},
        )
        self.changed["llm_calls"] += len(touched)

    def _readers(self) -> set[str]:
        """The owner's runs that worked on what goes."""
        found = {
            run
            for column, ids in (
                ("processed where message_id", self._erasure.gone["message"]),
                ("memories where id", self._erasure.gone.get("memory", frozenset())),
                ("events where object_id", frozenset().union(*self._erasure.gone.values())),
            )
            for (run,) in self._draft.query(
                " ".join(["select distinct run_id from", column, "in (select unnest($ids::text[]))"]),
                {"ids": sorted(ids)},
            )
        }
        return found & self._runs

    def _traces(self) -> None:
        """A trace that shows any of it goes, also one of a run that is nobody's."""
        touched = [
            row
            for row, run, unit, payload in self._draft.stream(
                "select rowid, run_id, unit, payload from traces"
            )
            if (self._whole_owner and run in self._runs)
            or (run not in self._others and self._is_touched([unit, json.loads(payload)]))
        ]
        self._delete_by("traces", "rowid", touched)

    def _run_rows(self) -> None:
        if self._whole_owner:
            self._delete_by("runs", "id", self._runs)
            return
        changed = []
        for run in self._read(RUNS):
            if run.id in self._runs:
                clean = replace(
                    run, error=self._erasure.redacted(run.error), totals=self._erasure.redacted(run.totals)
                )
                changed += [clean] if clean != run else []
        self._replace(RUNS, changed)

    def _events(self) -> None:
        gone = self._erasure.gone
        emptied, rewritten = [], []
        for event in self._read(EVENTS):
            if event.object_id in gone.get(event.object_type, ()):
                emptied.append(replace(event, kind="erased", object_type=ERASURE, before=None, after=None))
            elif self._is_owners(event):
                before, after = (self._clean(event.object_type, s) for s in (event.before, event.after))
                if (before, after) != (event.before, event.after):
                    rewritten.append(replace(event, before=before, after=after))
        both = emptied + rewritten
        self._draft.query(
            "delete from events where seq in (select unnest($seqs::bigint[]))",
            {"seqs": [e.seq for e in both]},
        )
        self._draft.put(EVENTS, both)
        self.removed["events"] += len(emptied)
        self.changed["events"] += len(rewritten)

    def _is_owners(self, event: Event) -> bool:
        return (event.after or event.before or {}).get("owner") == self._erasure.owner

    def _clean(self, object_type: str, snapshot: dict[str, Any] | None) -> dict[str, Any] | None:
        return None if snapshot is None else self._erasure.cleaned(object_type, snapshot)

    # ------------------------------------------------------------------ objects and evidence

    def _objects(self, object_type: str, table: Table[Any]) -> None:
        self._delete_by(table.name, "id", self._erasure.gone.get(object_type, ()))
        changed = []
        for value in self._read(table):
            if value.owner == self._erasure.owner:
                snapshot = table.snapshot(value)
                clean = self._erasure.cleaned(object_type, snapshot)
                changed += [table.from_snapshot(clean)] if clean != snapshot else []
        self._replace(table, changed)

    def _groundings(self) -> None:
        """Verdicts on what goes, and all that quote or name it: what they are about is unchecked then."""
        gone = frozenset().union(*self._erasure.gone.values())
        touched = [
            judged.id
            for judged in self._read(GROUNDINGS)
            if judged.owner == self._erasure.owner
            and (
                self._whole_owner or judged.object_id in gone or self._is_touched(GROUNDINGS.snapshot(judged))
            )
        ]
        self._delete_by(GROUNDINGS.name, "id", touched)

    def _evidence(self) -> None:
        gone = self._erasure.gone
        owned = {
            s
            for (s,) in self._draft.query(
                "select s.id from sessions s join conversations c on c.id = s.conversation_id "
                "where c.owner = ?",
                [self._erasure.owner],
            )
        }
        self._delete_by("processed", "message_id", gone["message"])
        self._delete_by("messages", "id", gone["message"])
        self._delete_by("segments", "id", gone["segment"])
        changed: list[Segment] = []
        for segment in self._read(SEGMENTS):
            if segment.session_id in owned:
                snapshot = SEGMENTS.snapshot(segment)
                clean = self._erasure.cleaned("segment", snapshot)
                changed += [SEGMENTS.from_snapshot(clean)] if clean != snapshot else []
        self._replace(SEGMENTS, changed)
        self._delete_by("sessions", "id", gone["session"])
        self._delete_by("conversations", "id", gone["conversation"])
        self._titles("sessions", owned)
        self._titles(
            "conversations",
            {
                c
                for (c,) in self._draft.query(
                    "select id from conversations where owner = ?", [self._erasure.owner]
                )
            },
        )
        self._files(owned)

    def _titles(self, table: str, owned: set[str]) -> None:
        rows = self._draft.query(" ".join(["select id, title from", table]))
        for key, title in rows:
            if key in owned and self._erasure.touches(title):
                self._draft.query(" ".join(["update", table, "set title = '' where id = ?"]), [key])
                self.changed[table] += 1

    def _files(self, sessions: set[str]) -> None:
        """A file may be called after who is erased, and messages of others stand in it."""
        named = Select(CONVERSATIONS).where("owner = ?", self._erasure.owner).all(self._draft)
        said = Select(MESSAGES).where_in("session_id", sorted(sessions)).all(self._draft)
        renamed = self._erasure.renamed
        self._replace(
            CONVERSATIONS,
            [replace(c, source_file=new) for c in named if (new := renamed(c.source_file)) != c.source_file],
        )
        self._replace(
            MESSAGES,
            [
                replace(m, raw_ref=replace(m.raw_ref, file=new))
                for m in said
                if (new := renamed(m.raw_ref.file)) != m.raw_ref.file
            ],
        )

    # ------------------------------------------------------------------ vectors

    def _said_now(self) -> set[str]:
        """Hashes of every text that something stored has, now or in its history."""
        hashes = {key for (key,) in self._draft.query("select distinct text_hash from documents")}
        for event in self._read(EVENTS):
            for snapshot in (event.before, event.after):
                hashes.update(text_hash(text) for text in _leaves(snapshot))
        return hashes

    def _vectors(self) -> None:
        """Vectors whose text nothing holds, whoever's it was: word pieces can be read from their codes."""
        there = {key for (key,) in self._draft.query("select distinct text_hash from embeddings")}
        self._delete_by("embeddings", "text_hash", there - self._said_now())

    # ------------------------------------------------------------------ tables this module does not know

    def _unknown(self, table: str) -> None:
        """By its columns: rows of the owner go that have words of what goes, or all of them with the owner;
        in rows that are nobody's in particular the texts are emptied."""
        columns = dict(
            self._draft.query(
                "select column_name, data_type from information_schema.columns "
                "where table_schema = current_schema() and table_name = ?",
                [table],
            )
        )
        where, asked = self._whose(columns)
        rows_of_it = f'from "{table}" {where}'
        if self._whole_owner and where:
            rows = self._draft.query(" ".join(["select rowid", rows_of_it]), asked)
            self._delete_by(f'"{table}"', "rowid", [row for (row,) in rows])
        names = [f'"{name}"' for name, kind in columns.items() if "VARCHAR" in kind or kind in _TEXTS]
        if not names:
            return
        found = self._draft.query(" ".join(["select", ", ".join(["rowid", *names]), rows_of_it]), asked)
        if "owner" in columns:
            saying = [row for row, *values in found if any(map(self._says, values))]
            self._delete_by(f'"{table}"', "rowid", saying)
            found = [one for one in found if one[0] not in saying]
        for row, *values in found:
            clean = [self._redacted(value) for value in values]
            if clean != values:  # one statement a row: to change a list gives the row another rowid
                new = ", ".join(f"{name} = ?" for name in names)
                update = " ".join(["update", f'"{table}"', "set", new, "where rowid = ?"])
                self._draft.query(update, [*clean, row])
                self.changed[table] += 1

    def _whose(self, columns: dict[str, str]) -> tuple[str, dict[str, Any]]:
        """Which rows are the owner's, as far as the columns say."""
        if "owner" in columns:
            return "where owner = $owner", {"owner": self._erasure.owner}
        if "run_id" in columns:
            return "where run_id in (select unnest($runs::text[]))", {"runs": sorted(self._runs)}
        return "", {}

    def _says(self, value: Any) -> bool:
        """Whether a cell has words of what goes; its id alone is none."""
        return any(map(self._erasure.says, _leaves(value)))

    def _redacted(self, value: Any) -> Any:
        if isinstance(value, str) and value[:1] in ("{", "["):
            try:
                found = json.loads(value)
            except ValueError:
                return self._erasure.redacted(value)
            clean = self._erasure.redacted(found)
            return value if clean == found else json.dumps(clean)
        return self._erasure.redacted(value)

    # ------------------------------------------------------------------ rows

    def _is_touched(self, value: Any) -> bool:
        return any(map(self._erasure.touches, _leaves(value)))

    def _read(self, table: Table[Any]) -> list[Any]:
        return [table.from_row(row) for row in self._draft.query(table.select)]

    def _replace(self, table: Table[Any], values: list[Any]) -> None:
        self._draft.put(table, values, self._generation, clash="or replace")
        self.changed[table.name] += len(values)

    def _delete_by(self, table: str, column: str, keys: Iterable[Any]) -> None:
        wanted = sorted(keys)
        if not wanted:
            return
        kind = pa.int64() if column == "rowid" else pa.string()
        rows = self._draft.delete_in(table, column, pa.table({"key": pa.array(wanted, kind)}))
        self.removed[table.strip('"')] += rows


def _leaves(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
