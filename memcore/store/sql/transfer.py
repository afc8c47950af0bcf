"""A whole store as JSON lines, out and back in without loss.

Line 1 is a header; every further line is {"type": ..., "value": ...}, one row; the last line counts
them, so that a file cut off in between is noticed. Export writes the
state of one moment; import is one transaction: all of a file or nothing of it. Knows the
format and what may be merged; the rows themselves are `codec`'s.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from pydantic_core import to_json

from memcore.domain.errors import ConflictError, EmbeddingMismatchError, LogError, MemcoreError
from memcore.domain.models import now
from memcore.store.codec import Table
from memcore.store.sql.database import Database, Transaction
from memcore.store.sql.older_exports import Completing, completing
from memcore.store.sql.query import by_ids
from memcore.store.sql.tables import (
    EVENTS,
    EVIDENCE,
    GROUNDINGS,
    LLM_CALLS,
    QUESTIONS,
    REVIEWABLE,
    RUNS,
    TRACES,
)
from memcore.store.sql.writer import code_width, embedding_rows, numbered

FORMAT = 4
"""Format 1 had one graph for all recipes, format 2 other names, format 3 proposals that cite nothing; all are
read as well (`older_exports`)."""
CHUNK = 2_000
REPORTED = 20
"""Bad lines an error names."""

_KEYED: dict[str, Table[Any]] = {
    **EVIDENCE,
    **REVIEWABLE,
    "run": RUNS,
    "llm_call": LLM_CALLS,
    "question": QUESTIONS,
}
_ORDER = {"session": 'conversation_id, "position", id', "conversation": "rowid"}


def export_jsonl(database: Database, file: BinaryIO) -> int:
    """Write the whole store to `file`, as it is at one moment; returns the rows written."""
    header = {
        "memscope": FORMAT,
        "embedding_model": database.embedding_model,
        "dimension": database.dimension,
        "exported_at": now(),
    }
    count = 0
    with database.transaction() as transaction:
        file.write(to_json(header) + b"\n")
        for row_type, value in _rows(transaction):
            file.write(to_json({"type": row_type, "value": value}) + b"\n")
            count += 1
        file.write(to_json({"type": "end", "value": {"rows": count}}) + b"\n")
    return count


def _rows(transaction: Transaction) -> Iterator[tuple[str, dict[str, Any]]]:
    for row_type, table in (_KEYED | {"event": EVENTS, "trace": TRACES, "grounding": GROUNDINGS}).items():
        order = {"event": "seq", "trace": "rowid"}.get(row_type) or _ORDER.get(row_type, table.key)
        for row in transaction.stream(" ".join((table.select, "order by", order))):
            yield row_type, table.snapshot(table.from_row(row))
    processed = "select recipe, message_id, run_id from processed order by recipe, message_id"
    for row in transaction.stream(processed):
        yield "processed", dict(zip(("recipe", "message_id", "run_id"), row, strict=True))
    for text_hash, model_id, vector, token_codes in transaction.stream(
        "select text_hash, model_id, vector, token_codes from embeddings order by model_id, text_hash"
    ):
        encoded = base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode()
        codes = None if token_codes is None else base64.b64encode(token_codes).decode()
        yield (
            "embedding",
            {"text_hash": text_hash, "model_id": model_id, "vector": encoded, "token_codes": codes},
        )


def import_jsonl(database: Database, path: Path) -> int:
    """Read an export into this store; returns the number of rows that were new.

    Rows already here are left as they are; events that are new follow the store's own. Raises
    LogError naming the bad lines, EmbeddingMismatchError, and ConflictError when an id stands for
    something else here; nothing is imported then.
    """
    try:
        with path.open("rb") as file:
            return import_lines(database, file, path)
    except OSError as error:
        raise LogError(
            f"{path} cannot be read: {error}.", "Name a file that memscope exported.", file=str(path)
        ) from error


def import_lines(database: Database, file: BinaryIO, path: Path) -> int:
    """As `import_jsonl`, from an open file that is called `path`."""
    with database.exclusive():
        version = _check_header(file.readline(), path, database)
        with database.transaction() as transaction:
            intake = _Intake(database, transaction, completing(version))
            bad = list(_bad_lines(file, intake))
            if not bad and not intake.complete:
                bad = [f"line {intake.rows + 2}: the file ends here, before its last line"]
            if bad:
                shown = "; ".join(bad[:REPORTED])
                raise LogError(
                    f"{len(bad)} lines of {path.name} are not rows of a Memscope export: {shown}.",
                    "Nothing was imported. Export again, or correct these lines.",
                    file=str(path),
                    where=bad[0].split(":")[0],
                )
            intake.finish()
    return intake.new


def _check_header(line: bytes, path: Path, database: Database) -> int:
    """The export's format, one that can be read."""
    try:
        header = json.loads(line)
        version, model, dimension = header["memscope"], header["embedding_model"], header["dimension"]
    except (ValueError, KeyError, TypeError) as error:
        raise LogError(
            f"{path.name} does not begin with the header of a Memscope export.",
            "Import a file made by `python -m memcore export`; conversation logs go through `ingest`.",
            file=str(path),
            where="line 1",
        ) from error
    if version not in range(1, FORMAT + 1):
        raise LogError(
            f"{path.name} has export format {version}; this program reads formats 1 to {FORMAT}.",
            "Import it with the Memscope that wrote it, or update this one.",
            file=str(path),
            where="line 1",
        )
    if (model, dimension) != (database.embedding_model, database.dimension):
        raise EmbeddingMismatchError(
            f"{path.name} holds vectors of {model} ({dimension} dimensions); "
            f"this store keeps those of {database.embedding_model} ({database.dimension} dimensions).",
            "Import it into a store of its model and re-embed that one.",
        )
    return int(version)


def _bad_lines(file: Iterator[bytes], intake: _Intake) -> Iterator[str]:
    """Give every line to the intake; yields what is wrong with those it cannot take."""
    for number, line in enumerate(file, start=2):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            intake.take(record["type"], record["value"])
        except ConflictError:
            raise
        except (ValueError, KeyError, TypeError, MemcoreError) as error:
            reason = error.cause if isinstance(error, MemcoreError) else f"{type(error).__name__} {error}"
            yield f"line {number}: {reason}"


class _Intake:
    """Rows on their way in, a chunk at a time, within one transaction."""

    def __init__(self, database: Database, transaction: Transaction, completed: Completing) -> None:
        self.new = 0
        self.rows = 0
        self.complete = False
        self.generation = transaction.next_generation()
        self._database = database
        self._transaction = transaction
        self._completed = completed
        self._known_runs = {key for (key,) in transaction.query("select id from runs")}
        self._chunks: dict[str, list[Any]] = {}
        self._readers: dict[str, Callable[[dict[str, Any]], Any]] = {
            **{name: table.from_snapshot for name, table in _KEYED.items()},
            "event": EVENTS.from_snapshot,
            "trace": TRACES.from_snapshot,
            "grounding": GROUNDINGS.from_snapshot,
            "processed": _processed,
            "embedding": self._embedding,
        }

    def take(self, row_type: str, value: dict[str, Any]) -> None:
        if row_type == "end":
            self.complete = value["rows"] == self.rows
            return
        value = self._completed(row_type, value)
        chunk = self._chunks.setdefault(row_type, [])
        chunk.append(self._readers[row_type](value))
        self.rows += 1
        if len(chunk) >= CHUNK:
            self._store(row_type, self._chunks.pop(row_type))

    def finish(self) -> None:
        for row_type in list(self._chunks):
            self._store(row_type, self._chunks.pop(row_type))

    def _store(self, row_type: str, values: list[Any]) -> None:
        if row_type in _KEYED:
            self._store_keyed(row_type, _KEYED[row_type], values)
        elif row_type == "event":
            known = by_ids(self._transaction, EVENTS, [event.id for event in values])
            new = [event for event in values if event.id not in known]
            self._transaction.put(EVENTS, numbered(new, self._transaction))
            self.new += len(new)
        elif row_type == "trace":
            new = [trace for trace in values if trace.run_id not in self._known_runs]
            self._transaction.put(TRACES, new)
            self.new += len(new)
        elif row_type == "processed":
            columns = {name: [value[name] for value in values] for name in values[0]}
            self._count("processed", pa.table(columns))
        elif row_type == "grounding":  # as here, where it was judged here as well
            self._count(GROUNDINGS.name, GROUNDINGS.rows(values))
        else:
            vectors = {key: vector for key, vector, _ in values}
            codes = {key: codes for key, _, codes in values if codes is not None}
            rows = embedding_rows(vectors, codes, self._database.embedding_model, self.generation)
            self._count("embeddings", rows)

    def _store_keyed(self, row_type: str, table: Table[Any], values: list[Any]) -> None:
        known = by_ids(self._transaction, table, [table.key_of(value) for value in values])
        new: dict[str, Any] = {}
        for value in values:
            key = table.key_of(value)
            if key not in known:
                known[key] = new[key] = value
            elif known[key] != value:
                raise ConflictError(
                    f"This store has another {row_type} {key!r} than the file.",
                    "Nothing was imported. Import the file into a new store instead.",
                )
        self._transaction.put(table, list(new.values()), self.generation)
        self.new += len(new)

    def _count(self, table: str, rows: pa.Table) -> None:
        count = " ".join(("select count(*) from", table))
        ((before,),) = self._transaction.query(count)
        self._transaction.insert(table, rows, clash="or ignore")
        ((after,),) = self._transaction.query(count)
        self.new += after - before

    def _embedding(self, value: dict[str, Any]) -> tuple[str, Any, bytes | None]:
        vector = np.frombuffer(base64.b64decode(value["vector"], validate=True), dtype="<f4")
        if value["model_id"] != self._database.embedding_model or vector.shape != (self._database.dimension,):
            raise ValueError("a vector of another model or dimension than the header says")
        codes = value.get("token_codes")  # exports of earlier versions have none
        if codes is not None:
            codes = base64.b64decode(codes, validate=True)
            if len(codes) % code_width(self._database.dimension):
                raise ValueError("token codes of another dimension than the header says")
        return str(value["text_hash"]), vector, codes


def _processed(value: dict[str, Any]) -> dict[str, str]:
    return {name: str(value[name]) for name in ("recipe", "message_id", "run_id")}
