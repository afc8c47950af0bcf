"""Stores and exports from before the glossary: traces and runs are read under the names of today.

`older_names.jsonl` is an export (format 2) that the program of that time made: a conversation read by
memscope and by lightmem, which skipped a message, and a boundary moved by hand.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from memcore.domain.extraction import ExtractionTrace, SkippedText
from memcore.domain.models import Run, StageTrace
from memcore.store import DuckStore, open_store
from memcore.store.duckdb import migrations
from memcore.store.duckdb.files import FILE_NAME
from memcore.store.duckdb.migrations import migrate

EXPORT = Path(__file__).parent / "older_names.jsonl"
HEADER, *ROWS = [json.loads(line) for line in EXPORT.read_text().splitlines()]
SKIPPED = "msg_628052efc9488f4a"
DECIDED = {"decider": "rules", "decisions": [{"outcome": "gave way", "reason": 'said "gave way"'}]}


def opened(directory: Path) -> DuckStore:
    return open_store(directory, embedding_model=HEADER["embedding_model"], dimension=HEADER["dimension"])


def values(row_type: str) -> list[dict[str, Any]]:
    return [row["value"] for row in ROWS if row["type"] == row_type]


def older_store(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A DuckDB file with the schema, the runs and the traces of that time."""
    directory.mkdir()
    with monkeypatch.context() as before, duckdb.connect(str(directory / FILE_NAME)) as old:
        before.setattr(migrations, "STEPS", migrations.STEPS[:7])
        migrate(old)
        space = [HEADER["embedding_model"], HEADER["dimension"]]
        old.execute("insert into store values ('s', ?, ?, now()::timestamp, 2)", space)
        for run in values("run"):
            names = ("id", "kind", "owner", "recipe", "state", "started_at", "finished_at")
            row = [*(run[name] for name in names), json.dumps(run["settings"]), json.dumps(run["totals"]), ""]
            old.execute("insert into runs values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        for trace in [*values("trace"), decided(values("run")[0]["id"])]:
            names = ("run_id", "stage", "unit", "position", "milliseconds")
            payload = json.dumps(trace["payload"], separators=(",", ":"))
            row = [*(trace[name] for name in names), payload]
            old.execute("insert into traces values (?, ?, ?, ?, ?, ?)", row)


def decided(run_id: str) -> dict[str, Any]:
    return {
        "run_id": run_id, "stage": "decide", "unit": "chunk 0", "position": 0, "milliseconds": 0.0,
        "payload": DECIDED,
    }  # fmt: skip


def read(store: DuckStore) -> tuple[list[Run], list[StageTrace]]:
    return store.runs(), store.traces()


def assert_readable(store: DuckStore) -> None:
    runs, traces = read(store)
    assert sorted(run.kind for run in runs) == ["ingest", "ingest", "resegment"]
    extractions = [ExtractionTrace(**trace.payload) for trace in traces if trace.stage == "extract"]
    skipped = [SkippedText(**row) for trace in extractions for row in trace.skipped]  # type: ignore[arg-type]
    assert [one.message_id for one in skipped] == [SKIPPED]
    assert skipped[0].reason.startswith("messages of this role are not read")


def test_a_store_from_before_the_glossary_is_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older_store(tmp_path / "old", monkeypatch)
    with opened(tmp_path / "old") as store:
        assert_readable(store)
        (trace,) = store.traces(stage="decide")
        assert trace.payload["decisions"] == [{"outcome": "deferred", "reason": 'said "gave way"'}]


def test_an_export_from_before_the_glossary_is_readable_and_equals_one_made_today(tmp_path: Path) -> None:
    with opened(tmp_path / "one") as one, opened(tmp_path / "two") as two:
        one.import_jsonl(EXPORT)
        assert_readable(one)
        assert [finding for finding in one.check() if not finding.sound] == []
        with (tmp_path / "today.jsonl").open("wb") as file:
            one.export_jsonl(file)
        two.import_jsonl(tmp_path / "today.jsonl")
        assert read(two) == read(one)


def test_a_decision_that_gave_way_is_deferred_in_an_import(tmp_path: Path) -> None:
    lines = [HEADER, *ROWS[:-1], {"type": "trace", "value": decided(values("run")[0]["id"])}]
    lines.append({"type": "end", "value": {"rows": len(lines) - 1}})
    (tmp_path / "old.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with opened(tmp_path / "one") as store:
        store.import_jsonl(tmp_path / "old.jsonl")
        (trace,) = store.traces(stage="decide")
        assert trace.payload["decisions"] == [{"outcome": "deferred", "reason": 'said "gave way"'}]
