"""Numbered steps: each once, in order, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from memcore.domain.models import SessionSummary
from memcore.store import open_store
from memcore.store.duckdb import migrations
from memcore.store.duckdb.files import FILE_NAME
from memcore.store.duckdb.migrations import FIRST_SCHEMA, migrate
from tests.store.samples import entity


def tables(connection: duckdb.DuckDBPyConnection) -> set[str]:
    return {name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()}


def taken(connection: duckdb.DuckDBPyConnection) -> list[int]:
    return [number for (number,) in connection.execute("select number from migrations order by 1").fetchall()]


def test_migrating_twice_is_migrating_once() -> None:
    connection = duckdb.connect()
    assert migrate(connection) == migrate(connection) == len(migrations.STEPS)
    assert taken(connection) == list(range(1, len(migrations.STEPS) + 1))


def test_an_older_store_takes_only_the_steps_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = duckdb.connect()
    monkeypatch.setattr(migrations, "STEPS", (FIRST_SCHEMA,))
    migrate(connection)
    connection.execute("insert into store values ('s', 'model', 3, now()::timestamp, 7)")
    monkeypatch.setattr(migrations, "STEPS", (FIRST_SCHEMA, "alter table store add column note varchar"))
    assert migrate(connection) == 2
    assert connection.execute("select id, generation, note from store").fetchall() == [("s", 7, None)]


def test_a_step_that_fails_leaves_no_trace_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = duckdb.connect()
    broken = "create table half (id integer); select * from no_such_table;"
    monkeypatch.setattr(migrations, "STEPS", (FIRST_SCHEMA, broken))
    with pytest.raises(duckdb.Error):
        migrate(connection)
    assert taken(connection) == [1]
    assert "memories" in tables(connection)
    assert "half" not in tables(connection)


OLD_ENTITY = (
    '{"id": "e1", "owner": "me", "name": "Ann", "type": "PERSON", "aliases": [], "first_seen": null, '
    '"last_seen": null, "merged_into": null}'
)
OLD_SUMMARY = (
    '{"session_id": "s1", "owner": "me", "text": "They talk.", "keywords": [], "themes": [], '
    '"started_at": null, "ended_at": null, "triple_ids": [], "segment_ids": []}'
)


def test_a_store_from_before_graphs_had_a_recipe_keeps_everything_and_its_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before, duckdb.connect(str(tmp_path / FILE_NAME)) as old:
        before.setattr(migrations, "STEPS", migrations.STEPS[:3])
        migrate(old)
        old.execute("insert into store values ('s', 'model', 3, now()::timestamp, 2)")
        old.execute("insert into conversations values ('c1', 'me', 'a.json', 'plain', '')")
        old.execute("insert into sessions values ('s1', 'c1', 0, null, '')")
        old.execute("insert into entities values ('e1', 'me', 'Ann', 'PERSON', [], null, null, null, 1)")
        old.execute("insert into summaries values ('s1', 'me', 'They talk.', [], [], null, null, [], [])")
        for seq, kind, key, snapshot in ((1, "entity", "e1", OLD_ENTITY), (2, "summary", "s1", OLD_SUMMARY)):
            old.execute(
                "insert into events values (?, ?, now()::timestamp, 'x', 'y', ?, ?, null, ?, 'b', '', null)",
                [seq, f"ev{seq}", kind, key, snapshot],
            )
    with open_store(tmp_path, embedding_model="model", dimension=3) as store:
        assert store.entities("me", recipe="memscope") == [entity("e1", "Ann")]
        assert store.summaries("me", recipe="memscope") == [SessionSummary("s1", "s1", "me", "They talk.")]
        assert store.entities("me", recipe="licomemory") == []
        assert [finding for finding in store.check() if not finding.sound] == []
