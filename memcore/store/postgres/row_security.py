"""Row-level security by owner: what each of the server's logins may see and write, as the grants say.

A grant to a database's login is one to the person `postgresql|LOGIN`; a role that logins are members of
counts as well (a team). Policies read the table `grants`, which no login may write, for the one who asks:
nothing that a login can set takes part. Who owns the tables stands above them, as without any grant. They are
made when the first login is granted something, so that nothing changes for whoever grants none.

A table that is added to the schema gets its line in `POLICIES`, or in `SHARED` if no row of it is anybody's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from psycopg import sql

from memcore.domain.errors import NotFoundError
from memcore.domain.models import Grant, Role
from memcore.domain.models.people import ROLES, login_named
from memcore.store.postgres.connecting import SCHEMA
from memcore.store.sql.database import Reader, Transaction


@dataclass(frozen=True, slots=True)
class Policy:
    """Which rows of a table a login sees, and which it may write by which statements: conditions in SQL.
    Reading is asked of a whole statement at once, so it is said by sets; writing of each row."""

    sees: str
    writes: str = ""
    by: tuple[str, ...] = ()


_GRANTED = "array[{owner}, ''] && (select owners_with('{need}'))"
_CONVERSATION = "exists (select from conversations c where c.id = conversation_id and {granted})"
_SESSION = (
    "exists (select from sessions s join conversations c on c.id = s.conversation_id "
    "where s.id = session_id and {granted})"
)
_MESSAGE = (
    "exists (select from messages m join sessions s on s.id = m.session_id "
    "join conversations c on c.id = s.conversation_id where m.id = message_id and {granted})"
)
_COLLECTION = "exists (select from collections c where c.number = collection and {granted})"
_RUN = "exists (select from runs r where r.id = run_id and {granted})"


def _of_owner(*by: str, owner: str = "owner", need: Role = "review") -> Policy:
    sees, writes = (_GRANTED.format(owner=owner, need=role) for role in ("read", need))
    return Policy(sees, writes, by)


def _of(within: str, sees: str, *by: str, owner: str = "c.owner") -> Policy:
    granted = _GRANTED.format(owner=owner, need="review")
    return Policy(sees, within.format(granted=granted), by)


_PUT = ("insert", "update")
_SEARCHED = _of(_COLLECTION, "collection in (select number from collections)", *_PUT, "delete")

POLICIES: dict[str, Policy] = {
    "conversations": _of_owner("insert"),
    "sessions": _of(_CONVERSATION, "conversation_id in (select id from conversations)", "insert"),
    "messages": _of(_SESSION, "session_id in (select id from sessions)", "insert"),
    "segments": _of(_SESSION, "session_id in (select id from sessions)", "insert"),
    "processed": _of(_MESSAGE, "message_id in (select id from messages)", "insert"),
    "memories": _of_owner(*_PUT),
    "entities": _of_owner(*_PUT),
    "triples": _of_owner(*_PUT),
    "summaries": _of_owner(*_PUT),
    "topic_cuts": _of_owner(*_PUT),
    "proposals": _of_owner(*_PUT),
    "curations": _of_owner(*_PUT),
    "groundings": _of_owner(*_PUT),
    "rule_switches": _of_owner(*_PUT, need="administer"),
    "events": _of_owner("insert", owner="coalesce(after->>'owner', before->>'owner', '')"),
    "runs": _of_owner(*_PUT),
    "traces": _of(_RUN, "run_id in (select id from runs)", "insert", owner="r.owner"),
    "llm_calls": _of(_RUN, "run_id in (select id from runs)", "insert", owner="r.owner"),
    "questions": _of_owner("insert", "delete"),
    # what searches read
    "collections": _of_owner(*_PUT, "delete"),
    "indexed": _SEARCHED,
    "postings": _SEARCHED,
    "document_lengths": _SEARCHED,
    "entity_names": _of_owner(*_PUT, "delete"),
    # shared by all whose texts are the same: seen by whoever may see such a text
    "embeddings": Policy("text_hash in (select text_hash from documents)", "true", ("insert",)),
    # each its own; read by the policies
    "grants": Policy(
        "exists (select from pg_roles r where person = 'postgresql|' || r.rolname "
        "and pg_has_role(current_user, r.oid, 'usage'))"
    ),
}
SHARED: dict[str, str] = {
    "store": "update (generation)",
    "written": "insert, update",
    "migrations": "",
}
"""Tables with nobody's rows, and what who may write something does to them."""
VIEWS = ("documents", "statements")
"""What they show is what whoever asks may see of the tables behind them."""
GRAPHS = ("make_graph(integer, integer)", "drop_graph(integer)")
"""What they do, they do as whoever owns the tables: only who writes may call them."""


def require_login(reader: Reader, login: str) -> None:
    """Raise NotFoundError where the server has no such login or team."""
    if not reader.query("select from pg_roles where rolname = ?", [login]):
        raise NotFoundError(
            f"The server has no login {login!r}.",
            f"Let its administrator make it: createuser -P {login}",
        )


def protect(transaction: Transaction, grants: Iterable[Grant]) -> None:
    """Make the policies, and give every login in `grants` the rights that it needs by what stands of them.
    Whoever does it owns the tables."""
    highest: dict[str, Role | None] = {}
    for grant in grants:
        if login := login_named(grant.person):
            known = highest.get(login)
            ranked = [role for role in (known, grant.role) if role is not None]
            highest[login] = max(ranked, key=ROLES.index, default=None)
    for statement in (*_policies(), *_views(), *_graphs()):
        transaction.query(statement.as_string())
    there = {name for (name,) in transaction.query("select rolname from pg_roles")}
    for login in sorted(there & highest.keys()):
        for statement in _rights(login, highest[login]):
            transaction.query(statement.as_string())


def _policies() -> Iterator[sql.Composed]:
    for name, policy in POLICIES.items():
        table = sql.Identifier(SCHEMA, name)
        conditions = {
            "select": "using ({sees})",
            "insert": "with check ({writes})",
            "update": "using ({writes}) with check ({writes})",
            "delete": "using ({writes})",
        }
        said = {"sees": sql.SQL(policy.sees), "writes": sql.SQL(policy.writes)}
        for by in ("select", *policy.by):
            parts = {"name": sql.Identifier(f"by_owner_{by}"), "table": table, "by": sql.SQL(by)}
            yield sql.SQL("drop policy if exists {name} on {table}").format(**parts)
            made = sql.SQL("create policy {name} on {table} for {by} ").format(**parts)
            yield made + sql.SQL(conditions[by]).format(**said)
        yield sql.SQL("alter table {} enable row level security").format(table)


def _views() -> Iterator[sql.Composed]:
    for name in VIEWS:
        view = sql.Identifier(SCHEMA, name)
        yield sql.SQL("alter view {} set (security_invoker = true)").format(view)


def _graphs() -> Iterator[sql.Composed]:
    for call in GRAPHS:
        yield sql.SQL("revoke execute on function {}.{} from public").format(
            sql.Identifier(SCHEMA), sql.SQL(call)
        )


def _rights(login: str, role: Role | None) -> Iterator[sql.Composed]:
    """What a login may do at all with each table; which rows, the policies say."""
    schema, to = sql.Identifier(SCHEMA), sql.Identifier(login)
    yield sql.SQL("revoke all on all tables in schema {} from {}").format(schema, to)
    for call in GRAPHS:
        yield sql.SQL("revoke execute on function {}.{} from {}").format(schema, sql.SQL(call), to)
    if role is None:
        yield sql.SQL("revoke usage on schema {} from {}").format(schema, to)
        return
    yield sql.SQL("grant usage on schema {} to {}").format(schema, to)
    for name in (*POLICIES, *SHARED, *VIEWS):
        yield sql.SQL("grant select on {} to {}").format(sql.Identifier(SCHEMA, name), to)
    if role == "read":
        return
    for name, what in {**{name: ", ".join(one.by) for name, one in POLICIES.items()}, **SHARED}.items():
        if what:
            table = sql.Identifier(SCHEMA, name)
            yield sql.SQL("grant {} on {} to {}").format(sql.SQL(what), table, to)
    for call in GRAPHS:
        yield sql.SQL("grant execute on function {}.{} to {}").format(schema, sql.SQL(call), to)
