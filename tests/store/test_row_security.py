"""Row-level security: what a login of the database server sees and writes is what was granted to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import errors, sql

from memcore import open_memory
from memcore.domain.errors import NotFoundError, NotPermittedError, ReadOnlyStoreError, StoreError, UsageError
from memcore.domain.models import (
    EVERY_OWNER,
    AskedQuestion,
    Curation,
    Grant,
    LogRead,
    Role,
    RuleSwitch,
)
from memcore.domain.server_address import ServerAddress
from memcore.memory import Memory
from memcore.runs.ingest import IngestReport
from memcore.store.postgres.connecting import SCHEMA
from memcore.store.postgres.row_security import POLICIES, SHARED, VIEWS
from tests.pipeline import FakeBackends
from tests.pipeline import log as said
from tests.review.scenes import proposal
from tests.store.erasing import fill
from tests.store.samples import MAY_8

Row = dict[str, Any]


@pytest.fixture
def logins(address: ServerAddress) -> Iterator[list[str]]:
    """Three logins that were granted nothing yet."""
    made = [f"{name}_{uuid4().hex[:8]}" for name in ("ann", "bob", "team")]
    with psycopg.connect(str(address), autocommit=True) as connection:
        for name in made:
            connection.execute(sql.SQL("create role {} login").format(sql.Identifier(name)))
        yield made
        for name in made:
            for statement in ("drop owned by {}", "drop role {}"):
                connection.execute(sql.SQL(statement).format(sql.Identifier(name)))


@pytest.fixture
def memory(address: ServerAddress) -> Iterator[Memory]:
    """The store as who made it has it."""
    with open_memory(str(address), backends=FakeBackends) as opened:
        yield opened


def of(address: ServerAddress, login: str) -> ServerAddress:
    return replace(address, shown=address.shown.replace("postgres@", f"{login}@"))


def grant(memory: Memory, login: str, role: Role, owner: str) -> None:
    memory.people.grant(f"postgresql|{login}", role, owner=owner)


def remember(memory: Memory, owner: str) -> None:
    """Something of the owner in every table."""
    fill(memory.store, owner, owner)
    with memory.store.write(actor=owner) as writer:
        writer.put_rule_switches([RuleSwitch(f"rule-{owner}", owner, "repeats", True)])
        writer.put_grants([Grant.of(f"{owner}@example.org", owner, "read")])
        writer.put_curations(
            [Curation(f"cur-{owner}", owner, "memory", f"mem-{owner}", "edit", owner, MAY_8, reason="so")]
        )
        writer.add_question(AskedQuestion(f"q-{owner}", owner, "memscope", "Who?", MAY_8), keep=5)


def tables(connection: psycopg.Connection[Any]) -> list[str]:
    found = connection.execute("select tablename from pg_tables where schemaname = %s", [SCHEMA]).fetchall()
    return [name for (name,) in found]


def tell(memory: Memory, owner: str, text: str, name: str = "talk") -> IngestReport:
    """Have the owner's memory read a conversation in which this is said."""
    return memory.ingest(LogRead((said([text], name=name, owner=owner),)), owner=owner)


def rows(address: ServerAddress, names: Any = (*POLICIES, *VIEWS)) -> dict[str, list[str]]:
    """Every row that a login sees, as text, by table."""
    with psycopg.connect(str(address)) as connection:
        return {name: rows_within(connection, name) for name in names}


def rows_within(connection: psycopg.Connection[Any], name: str) -> list[str]:
    asked = sql.SQL("select t::text from {} t order by 1").format(sql.Identifier(SCHEMA, name))
    return [row for (row,) in connection.execute(asked).fetchall()]


def own(found: dict[str, list[str]]) -> dict[str, list[str]]:
    """Without the grants to persons, which logins do not see."""
    return {**found, "grants": [row for row in found["grants"] if "postgresql" in row]}


def test_a_login_sees_exactly_what_there_was_before_anybody_else_came(
    memory: Memory, address: ServerAddress, logins: list[str]
) -> None:
    ann, bob, _ = logins
    remember(memory, "ann")
    grant(memory, ann, "review", "ann")
    before = rows(address)
    assert all(before.values()), "every table has something of hers"
    remember(memory, "bob")
    grant(memory, bob, "administer", "bob")

    assert own(rows(of(address, ann))) == own(before)
    seen_by_bob = rows(of(address, bob))
    assert all(seen_by_bob.values())
    assert not any(
        "ann" in row
        for name, found in seen_by_bob.items()
        if name != "postings"  # bob's texts say "ann", too
        for row in found
        if "bob" not in row
    )
    assert rows(address) != before, "who owns the store sees both"


def bobs(address: ServerAddress, before: dict[str, list[str]]) -> dict[str, list[Row]]:
    """The rows that were not there before, by column."""
    with psycopg.connect(str(address)) as connection:
        return {
            name: [
                row
                for text, row in connection.execute(
                    sql.SQL("select t::text, to_jsonb(t) from {} t").format(sql.Identifier(SCHEMA, name))
                ).fetchall()
                if text not in before[name]
            ]
            for name in POLICIES
        }


WRITES = (
    "delete from {table}",
    "truncate {table}",
    "update {table} set {column} = {column}",
    "merge into {table} t using {table} o on t.ctid = o.ctid when matched then delete",
)


@pytest.mark.parametrize("role", ["read", "review", "administer"])
def test_nothing_of_somebody_else_is_written_whatever_is_tried(
    memory: Memory, address: ServerAddress, logins: list[str], role: Role
) -> None:
    ann, _, _ = logins
    remember(memory, "ann")
    grant(memory, ann, role, "ann")
    before = rows(address)
    remember(memory, "bob")
    theirs, everything = bobs(address, before), rows(address)
    with psycopg.connect(str(of(address, ann)), autocommit=True) as connection:
        for name, of_bob in theirs.items():
            table = sql.Identifier(SCHEMA, name)
            assert of_bob, f"nothing in {name} is bob's"
            for statement in WRITES:
                column = sql.Identifier(next(iter(of_bob[0])))
                with suppress(errors.InsufficientPrivilege):
                    connection.execute("begin")
                    connection.execute(sql.SQL(statement).format(table=table, column=column))
                    rest = rows_within(connection, name)
                    assert not rest or "delete" in POLICIES[name].by or rest == before[name], statement
                connection.execute("rollback")
            if name == "embeddings" and role != "read":
                continue  # shared: who may write adds a vector where there is none
            inserted = sql.SQL(
                "insert into {table} overriding system value "
                "select * from jsonb_populate_record(null::{table}, %s)"
            ).format(table=table)
            with pytest.raises(errors.InsufficientPrivilege):
                connection.execute(inserted, [psycopg.types.json.Jsonb(of_bob[0])])
    assert rows(address) == everything


def test_events_and_what_was_said_are_never_changed_by_a_login(
    memory: Memory, address: ServerAddress, logins: list[str]
) -> None:
    remember(memory, "ann")
    grant(memory, logins[0], "administer", EVERY_OWNER)
    with psycopg.connect(str(of(address, logins[0])), autocommit=True) as connection:
        connection.execute("set memscope.erasing = 'on'")
        for name in ("events", "conversations", "sessions", "messages", "segments", "grants"):
            for statement in ("delete from {}", "truncate {}", "update {} set id = id"):
                with pytest.raises(errors.InsufficientPrivilege):
                    connection.execute(sql.SQL(statement).format(sql.Identifier(SCHEMA, name)))


def test_a_login_that_may_read_searches_and_cannot_write(
    memory: Memory, address: ServerAddress, logins: list[str]
) -> None:
    for owner in ("ann", "bob"):
        tell(memory, owner, "likes tea. has a dog.")
    grant(memory, logins[0], "read", "ann")
    with open_memory(str(of(address, logins[0])), backends=FakeBackends) as reading:
        assert reading.store.read_only
        assert reading.store.owners() == ["ann"]
        found = reading.search("Who has a dog?", owner="ann")
        assert [hit.id for hit in found.hits] == [
            hit.id for hit in memory.search("Who has a dog?", owner="ann").hits
        ]
        assert found.hits
        assert reading.search("Who has a dog?", owner="bob").hits == ()
        with pytest.raises(ReadOnlyStoreError):
            tell(reading, "ann", "likes rain.", name="new")


def test_a_login_that_may_review_works_with_that_memory_and_no_other(
    memory: Memory, address: ServerAddress, logins: list[str]
) -> None:
    for owner in ("ann", "bob"):
        tell(memory, owner, "likes tea. has a dog.")
    grant(memory, logins[0], "review", "ann")
    with open_memory(str(of(address, logins[0])), backends=FakeBackends) as working:
        assert not working.store.read_only
        report = tell(working, "ann", "likes rain.", name="new")
        assert (report.state, report.memories) == ("finished", 1)
        working.consolidate(owner="ann")
        (new,) = [one for one in working.store.memories("ann") if "rain" in one.text]
        with pytest.raises(NotPermittedError, match="not granted") as caught:
            tell(working, "bob", "likes rain.", name="new")
        assert "people grant" in caught.value.fix
        with pytest.raises(StoreError, match="cannot erase"):
            working.erase("owner", "ann", actor="ann")
        assert [finding.name for finding in working.store.check()] == ["rights"]
    assert new in memory.store.memories("ann")
    assert memory.store.stats("bob")["memories"] == 2
    assert [finding.name for finding in memory.store.check() if not finding.sound] == []


def test_whose_memory_a_login_writes_is_checked_and_in_whose_name_is_not(
    memory: Memory, address: ServerAddress, logins: list[str]
) -> None:
    """As docs/postgres.md says."""
    ann, bob, _ = logins
    grant(memory, ann, "review", "ann")
    waiting = proposal("delete", ["m1"], [], owner="ann")
    with memory.store.write(actor="rules") as writer:
        writer.put_proposals([waiting])
    with open_memory(str(of(address, ann)), backends=FakeBackends) as working:
        working.reject([waiting.id], owner="ann", actor=f"postgresql|{bob}")
    assert memory.store.events(owner="ann")[-1].actor == f"postgresql|{bob}"


def test_what_is_taken_back_is_gone_at_once_and_a_team_shares_what_it_was_granted(
    memory: Memory, address: ServerAddress, logins: list[str]
) -> None:
    ann, bob, team = logins
    remember(memory, "ann")
    grant(memory, team, "read", EVERY_OWNER)
    with psycopg.connect(str(address), autocommit=True) as connection:
        connection.execute(sql.SQL("grant {} to {}").format(sql.Identifier(team), sql.Identifier(bob)))
    assert rows(of(address, bob), ["memories"])["memories"]
    with pytest.raises(NotPermittedError, match="not granted"):
        open_memory(str(of(address, ann)), backends=FakeBackends)
    grant(memory, ann, "read", "ann")
    with psycopg.connect(str(of(address, ann)), autocommit=True) as connection:
        assert rows_within(connection, "memories")
        memory.people.revoke(f"postgresql|{ann}", owner="ann")
        with pytest.raises(errors.InsufficientPrivilege):
            rows_within(connection, "memories")


def test_nothing_that_a_login_sets_or_makes_takes_part_in_what_it_sees(
    memory: Memory, address: ServerAddress, logins: list[str]
) -> None:
    remember(memory, "bob")
    grant(memory, logins[0], "review", "ann")
    with psycopg.connect(str(of(address, logins[0])), autocommit=True) as connection:
        connection.execute("create temp table grants (id text, person text, owner text, role text)")
        connection.execute(
            "insert into pg_temp.grants values ('1', 'postgresql|' || current_user, '', 'administer')"
        )
        connection.execute("set search_path = pg_temp, memscope")
        connection.execute("set memscope.owner = 'bob'")
        for name in (*POLICIES, *VIEWS):
            if name != "grants":
                assert not any("bob" in row for row in rows_within(connection, name)), name
        for statement in (
            "set role postgres",
            "set session authorization postgres",
            "set row_security = off",
        ):
            with suppress(errors.InsufficientPrivilege):
                connection.execute(statement)
        with pytest.raises(errors.InsufficientPrivilege):
            rows_within(connection, "memories")


def test_every_table_has_a_policy_or_nobodys_rows(
    memory: Memory, address: ServerAddress, logins: list[str]
) -> None:
    grant(memory, logins[0], "read", "ann")
    with psycopg.connect(str(address)) as connection:
        assert sorted(tables(connection)) == sorted((*POLICIES, *SHARED))
        views = connection.execute("select viewname from pg_views where schemaname = %s", [SCHEMA]).fetchall()
        assert sorted(name for (name,) in views) == sorted(VIEWS)
        asked = "select relname from pg_class where relnamespace = %s::regnamespace and relrowsecurity"
        secured = connection.execute(asked, [SCHEMA]).fetchall()
        assert sorted(name for (name,) in secured) == sorted(POLICIES)


def test_a_table_that_a_new_schema_brings_is_secured_with_the_others(
    memory: Memory, address: ServerAddress, logins: list[str]
) -> None:
    remember(memory, "ann")
    grant(memory, logins[0], "read", "ann")
    memory.close()
    with psycopg.connect(str(address), autocommit=True) as connection:
        connection.execute("delete from memscope.migrations where number = 3")
        connection.execute("drop function memscope.owners_with, memscope.last_event cascade")  # and policies
        connection.execute("alter view memscope.documents reset (security_invoker)")
    assert rows(of(address, logins[0]), ["memories"])["memories"] == []
    open_memory(str(address), backends=FakeBackends).close()
    found = rows(of(address, logins[0]))
    assert found["memories"] and found["documents"]


def test_without_a_grant_to_a_login_nothing_is_different(
    memory: Memory, address: ServerAddress, logins: list[str]
) -> None:
    memory.people.grant("ann@example.org", "read", owner="ann")
    with psycopg.connect(str(address)) as connection:
        assert connection.execute("select from pg_policies").fetchall() == []


def test_a_login_that_is_not_there_and_a_store_without_logins_are_named(
    memory: Memory, tmp_path: Path
) -> None:
    with pytest.raises(NotFoundError, match="no login 'nobody'") as caught:
        grant(memory, "nobody", "read", "ann")
    assert "createuser" in caught.value.fix
    with open_memory(tmp_path / "store", backends=FakeBackends) as embedded, pytest.raises(UsageError):
        grant(embedded, "ann", "read", "ann")


def test_the_first_who_logs_in_administers_a_store_that_was_shared_with_logins_only(
    memory: Memory, logins: list[str]
) -> None:
    grant(memory, logins[0], "administer", EVERY_OWNER)
    assert memory.acting_for("ada@example.org").people.claim()


# --------------------------------------------------------------------------- what a grant makes


def standing(address: ServerAddress) -> dict[str, list[Any]]:
    """The policies by when they were made, and everybody's rights."""
    policies = "select oid::bigint, polname, polrelid::regclass::text from pg_policy order by 1"
    tables = (
        "select c.oid::bigint, c.relrowsecurity, c.relacl::text, c.xmin::text from pg_class c "
        "where c.relnamespace = %s::regnamespace order by 1"
    )
    with psycopg.connect(str(address)) as connection:
        return {
            "policies": connection.execute(policies).fetchall(),
            "tables": connection.execute(tables, [SCHEMA]).fetchall(),
        }


def test_a_grant_that_changes_no_right_of_a_login_makes_nothing_anew(
    memory: Memory, address: ServerAddress, logins: list[str]
) -> None:
    ann, _, _ = logins
    grant(memory, ann, "review", "ann")
    before = standing(address)
    grant(memory, ann, "read", "bob")
    grant(memory, ann, "administer", "carl")
    memory.people.revoke(f"postgresql|{ann}", owner="ann")
    assert standing(address) == before


def test_a_grant_to_another_login_leaves_the_policies_as_they_are(
    memory: Memory, address: ServerAddress, logins: list[str]
) -> None:
    ann, bob, _ = logins
    grant(memory, ann, "review", "ann")
    before = standing(address)
    grant(memory, bob, "read", "bob")
    assert standing(address)["policies"] == before["policies"]
    assert rows(of(address, bob), ["grants"])["grants"]


def test_a_grant_to_another_login_waits_for_nobody_who_reads(
    memory: Memory, address: ServerAddress, logins: list[str]
) -> None:
    ann, bob, _ = logins
    grant(memory, ann, "review", "ann")
    impatient = f"{address}&options=-clock_timeout%3D5s"
    with psycopg.connect(str(of(address, ann))) as reading:
        for name in (*POLICIES, *VIEWS):
            rows_within(reading, name)
        with open_memory(impatient, backends=FakeBackends) as granting:
            grant(granting, bob, "read", "bob")


TAMPERED = {
    "missing": "drop policy by_owner_select on memscope.memories",
    "of an earlier version": "comment on policy by_owner_select on memscope.memories is 'another'",
    "switched off": "alter table memscope.memories disable row level security",
    "no longer wanted": "create policy by_owner_all on memscope.memories using (true)",
    "a view of who owns it": "alter view memscope.documents reset (security_invoker)",
    "open to all": "grant execute on function memscope.drop_graph(integer) to public",
    "a right too many": "grant delete on memscope.events to {login}",
    "a column too many": "grant update (embedding_model) on memscope.store to {login}",
    "a right too few": "revoke insert on memscope.messages from {login}",
}


@pytest.mark.parametrize("statement", TAMPERED.values(), ids=TAMPERED.keys())
def test_the_next_grant_makes_what_is_missing_or_out_of_date(
    memory: Memory, address: ServerAddress, logins: list[str], statement: str
) -> None:
    def what_is_said() -> list[Any]:
        asked = (
            "select tablename, policyname, permissive, cmd, qual, with_check from pg_policies order by 1, 2",
            "select relname, relrowsecurity, reloptions from pg_class where relname in "
            "('memories', 'documents') order by 1",
            "select a.grantee, a.privilege_type from pg_proc p, aclexplode(p.proacl) a "
            "where p.proname = 'drop_graph' order by 1, 2",
            "select c.relname, a.grantee, a.privilege_type from pg_class c, aclexplode(c.relacl) a "
            "where c.relname in ('events', 'messages') order by 1, 2, 3",
            "select attname, attacl::text from pg_attribute where attacl is not null order by 1",
            "select obj_description(oid, 'pg_policy') from pg_policy",
        )
        with psycopg.connect(str(address)) as connection:
            return [sorted(map(str, connection.execute(each).fetchall())) for each in asked]

    ann, _, _ = logins
    grant(memory, ann, "review", "ann")
    before = what_is_said()
    with psycopg.connect(str(address), autocommit=True) as connection:
        connection.execute(statement.format(login=ann))
    assert what_is_said() != before
    grant(memory, ann, "review", "bob")
    assert what_is_said() == before


def test_who_owns_the_tables_keeps_every_right_whatever_is_granted_to_it(
    memory: Memory, address: ServerAddress, logins: list[str]
) -> None:
    grant(memory, logins[0], "review", "ann")
    before = standing(address)
    grant(memory, "postgres", "read", "ann")
    memory.people.revoke("postgresql|postgres", owner="ann")
    assert standing(address) == before
