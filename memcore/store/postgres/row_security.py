"""Row-level security by owner: what each of the server's logins may see and write, as the grants say.

A grant to a database's login is one to the person `postgresql|LOGIN`; a role that logins are members of
counts as well (a team). Policies read the table `grants`, which no login may write, for the one who asks:
nothing that a login can set takes part. Who owns the tables stands above them, as without any grant. They are
made (`protecting`) when the first login is granted something, so that nothing changes for who grants none.

A table that is added to the schema gets its line in `POLICIES`, or in `SHARED` if no row of it is anybody's.
"""

from __future__ import annotations

from dataclasses import dataclass

from memcore.domain.errors import NotFoundError
from memcore.domain.models import Role
from memcore.store.sql.database import Reader


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
SHARED: dict[str, tuple[str, ...]] = {
    "store": ("update (generation)",),
    "written": ("insert", "update"),
    "migrations": (),
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
