"""Which message came before and after another in its session, kept in memory.

Read when first asked and then followed: of what newer commits brought, only the sessions that grew are read
again. Knows ids only.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from memcore.store.duckdb.database import Database

_AROUND = """
select m.id, coalesce(lag(m.id) over told, ''), coalesce(lead(m.id) over told, '')
from messages m join sessions s on s.id = m.session_id join conversations c on c.id = s.conversation_id
where c.owner = $owner and m.session_id in (select session_id from messages where changed > $seen)
window told as (partition by m.session_id order by m."position", m.id)
"""


class Neighbours:
    """Implements `Store.neighbours` for every owner of one store. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._around: dict[str, dict[str, tuple[str, str]]] = {}
        self._seen: dict[str, int] = {}
        self._lock = threading.Lock()

    def of(self, owner: str, message_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """By message id; ids that are not the owner's are left out."""
        with self._lock:
            around = self._around.setdefault(owner, {})
            newest = self._database.newest(
                "messages"
            )  # noted before reading: what is read twice does no harm
            if self._seen.get(owner) != newest:
                asked = {"owner": owner, "seen": self._seen.get(owner, -1)}
                around.update(
                    (key, (before, after)) for key, before, after in self._database.query(_AROUND, asked)
                )
                self._seen[owner] = newest
            return {key: around[key] for key in message_ids if key in around}
