"""Numbered steps: each once, in order, whole or not at all."""

from __future__ import annotations

import duckdb
import pytest

from memcore.store import migrations
from memcore.store.migrations import FIRST_SCHEMA, migrate


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
