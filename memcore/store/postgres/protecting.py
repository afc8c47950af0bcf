"""Bringing a database to what `row_security` says, for the logins that were granted something.

Only what is missing or out of date is made: to make a policy locks its table against everybody. What a policy
was made of stands in its comment.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from psycopg import sql

from memcore.domain.models import Grant, Role
from memcore.domain.models.people import ROLES, login_named
from memcore.store.postgres.connecting import SCHEMA
from memcore.store.postgres.row_security import GRAPHS, POLICIES, SHARED, VIEWS, Policy
from memcore.store.sql.database import Reader, Transaction

_NAMED = "by_owner_"
"""How the names of our policies begin."""
_CONDITIONS = {
    "select": "using ({sees})",
    "insert": "with check ({writes})",
    "update": "using ({writes}) with check ({writes})",
    "delete": "using ({writes})",
}
_POLICIES = """
select c.relname, p.polname, obj_description(p.oid, 'pg_policy')
from pg_policy p join pg_class c on c.oid = p.polrelid where c.relnamespace = ?::regnamespace
"""
_SECURED = "select relname from pg_class where relnamespace = ?::regnamespace and relrowsecurity"
_INVOKED = """
select relname from pg_class
where relnamespace = ?::regnamespace and reloptions @> array['security_invoker=true']
"""
_OPEN = """
select p.proname || '(' || oidvectortypes(p.proargtypes) || ')'
from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
where p.pronamespace = ?::regnamespace and a.grantee = 0
"""
_RIGHTS = """
select r.rolname, there.kind, there.name, there.may from (
    select 'schema', n.nspname, a.grantee, lower(a.privilege_type)
    from pg_namespace n, aclexplode(n.nspacl) a where n.nspname = $schema
    union all
    select 'table', c.relname, a.grantee, lower(a.privilege_type)
    from pg_class c, aclexplode(c.relacl) a where c.relnamespace = $schema::regnamespace
    union all
    select 'table', c.relname, a.grantee, lower(a.privilege_type) || ' (' || quote_ident(t.attname) || ')'
    from pg_class c join pg_attribute t on t.attrelid = c.oid, aclexplode(t.attacl) a
    where c.relnamespace = $schema::regnamespace
    union all
    select 'function', p.proname || '(' || oidvectortypes(p.proargtypes) || ')', a.grantee,
           lower(a.privilege_type)
    from pg_proc p, aclexplode(p.proacl) a where p.pronamespace = $schema::regnamespace
) there(kind, name, grantee, may) join pg_roles r on r.oid = there.grantee
"""
_LOGINS = """
select rolname from pg_roles where oid <> (select relowner from pg_class where oid = ?::regclass)
"""


class Right(NamedTuple):
    """What may be done with what: a schema, table or function by its name."""

    kind: str
    name: str
    may: str

    @property
    def what(self) -> sql.Composed:
        """As `grant` and `revoke` name it."""
        if self.kind == "schema":
            return sql.SQL("schema {}").format(sql.Identifier(self.name))
        if self.kind == "function":
            return sql.SQL("function {}.{}").format(sql.Identifier(SCHEMA), sql.SQL(self.name))
        return sql.SQL("table {}").format(sql.Identifier(SCHEMA, self.name))


_READS = {
    Right("schema", SCHEMA, "usage"),
    *(Right("table", name, "select") for name in (*POLICIES, *SHARED, *VIEWS)),
}
_WRITES = {
    *_READS,
    *(Right("table", name, by) for name, policy in POLICIES.items() for by in policy.by),
    *(Right("table", name, by) for name, writes in SHARED.items() for by in writes),
    *(Right("function", call, "execute") for call in GRAPHS),
}
_OURS = {(right.kind, right.name) for right in _WRITES}


def protect(transaction: Transaction, grants: Iterable[Grant]) -> None:
    """Make the policies, and give every login in `grants` the rights that it needs by what stands of them.
    Whoever does it owns the tables."""
    statements = [
        *_policies(transaction),
        *_views(transaction),
        *_graphs(transaction),
        *_rights(transaction, grants),
    ]
    for statement in statements:
        transaction.query(statement.as_string())


def _policies(reader: Reader) -> Iterator[sql.Composed]:
    standing = {(table, name): made_of for table, name, made_of in reader.query(_POLICIES, [SCHEMA])}
    for table, policy in POLICIES.items():
        for by in ("select", *policy.by):
            made = _policy(table, policy, by)
            made_of = hashlib.sha256(made.as_string().encode()).hexdigest()
            if standing.pop((table, f"{_NAMED}{by}"), None) != made_of:
                yield _on("drop policy if exists {name} on {table}", table, f"{_NAMED}{by}")
                yield made
                said = _on("comment on policy {name} on {table} is ", table, f"{_NAMED}{by}")
                yield said + sql.Literal(made_of)
    for table, name in standing:
        if name.startswith(_NAMED):
            yield _on("drop policy {name} on {table}", table, name)
    secured = {table for (table,) in reader.query(_SECURED, [SCHEMA])}
    for table in POLICIES.keys() - secured:
        yield sql.SQL("alter table {} enable row level security").format(sql.Identifier(SCHEMA, table))


def _policy(table: str, policy: Policy, by: str) -> sql.Composed:
    made = _on(f"create policy {{name}} on {{table}} for {by} ", table, f"{_NAMED}{by}")
    return made + sql.SQL(_CONDITIONS[by]).format(sees=sql.SQL(policy.sees), writes=sql.SQL(policy.writes))


def _on(statement: str, table: str, name: str) -> sql.Composed:
    return sql.SQL(statement).format(name=sql.Identifier(name), table=sql.Identifier(SCHEMA, table))


def _views(reader: Reader) -> Iterator[sql.Composed]:
    invoked = {name for (name,) in reader.query(_INVOKED, [SCHEMA])}
    for name in VIEWS:
        if name not in invoked:
            view = sql.Identifier(SCHEMA, name)
            yield sql.SQL("alter view {} set (security_invoker = true)").format(view)


def _graphs(reader: Reader) -> Iterator[sql.Composed]:
    to_all = {call for (call,) in reader.query(_OPEN, [SCHEMA])}
    for call in GRAPHS:
        if call in to_all:
            what = Right("function", call, "execute").what
            yield sql.SQL("revoke execute on {} from public").format(what)


def _rights(reader: Reader, grants: Iterable[Grant]) -> Iterator[sql.Composed]:
    """What a login may do at all with each table; which rows, the policies say. Who owns the tables has every
    right, and keeps them."""
    standing: dict[str, set[Right]] = {}
    for login, kind, name, may in reader.query(_RIGHTS, {"schema": SCHEMA}):
        standing.setdefault(login, set()).add(Right(kind, name, may))
    there = {name for (name,) in reader.query(_LOGINS, [f"{SCHEMA}.events"])}
    for login, role in sorted(_highest(grants).items()):
        if login not in there:
            continue
        has = {right for right in standing.get(login, ()) if (right.kind, right.name) in _OURS}
        needs = set() if role is None else _READS if role == "read" else _WRITES
        for right in sorted(has - needs):
            yield _said("revoke {may} on {what} from {login}", right, login)
        for right in sorted(needs - has):
            yield _said("grant {may} on {what} to {login}", right, login)


def _said(statement: str, right: Right, login: str) -> sql.Composed:
    return sql.SQL(statement).format(may=sql.SQL(right.may), what=right.what, login=sql.Identifier(login))


def _highest(grants: Iterable[Grant]) -> dict[str, Role | None]:
    """The highest role that each login was granted; None: what it was granted was taken back."""
    highest: dict[str, Role | None] = {}
    for grant in grants:
        if login := login_named(grant.person):
            ranked = [role for role in (highest.get(login), grant.role) if role is not None]
            highest[login] = max(ranked, key=ROLES.index, default=None)
    return highest
