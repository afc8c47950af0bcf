"""Which message came before and after another in its session, kept in memory.

Read when first asked and then followed: of what newer commits brought, only the sessions that grew are read
again. Knows ids only.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from memcore.store.id_table import IdTable
from memcore.store.sql.database import Database, Following

AROUND = """
select m.id, lag(m.id) over told is null, lead(m.id) over told is null
from messages m join sessions s on s.id = m.session_id join conversations c on c.id = s.conversation_id
where c.owner = $owner and m.session_id in (select session_id from messages where changed > $seen)
window told as (partition by m.session_id order by m."position", m.id)
order by m.session_id, m."position", m.id
"""


class Told:
    """Messages in the order of their sessions: what stands at the places around one is around it."""

    def __init__(self, database: Database) -> None:
        self.following = Following(database, "messages", forget=self._forget)
        self._forget()

    def _forget(self) -> None:
        self._ids = IdTable()
        self._first, self._last = bytearray(), bytearray()  # by place: whether a session begins, ends there

    def begin(self, ids: IdTable, first: bytes, last: bytes) -> None:
        """All there are, of which none was told before: messages in the order of their sessions, each with
        whether its session begins and ends with it."""
        self._ids, self._first, self._last = ids, bytearray(first), bytearray(last)

    def append(self, key: str, first: bool, last: bool) -> None:
        """A whole session, message by message; one that was told before is told anew."""
        self._ids.forget(key)
        self._ids.append(key)
        self._first.append(first)
        self._last.append(last)

    def close_up(self) -> None:
        """Give up the empty places, once they are most: a session that grows is told anew each time."""
        if self._ids.places > 2 * len(self._ids):
            standing = self._ids.standing()
            self._first, self._last = (
                bytearray(np.frombuffer(marks, dtype=np.uint8)[standing].tobytes())
                for marks in (self._first, self._last)
            )
            self._ids = self._ids.kept()

    def around(self, keys: Sequence[str]) -> dict[str, tuple[str, str]]:
        """The messages before and after each that is told; none: empty."""
        return {
            key: (
                "" if self._first[place] else self._ids.at([place - 1])[0],
                "" if self._last[place] else self._ids.at([place + 1])[0],
            )
            for key, place in zip(keys, self._ids.find(keys), strict=True)
            if place is not None
        }


class Neighbours:
    """Implements `Store.neighbours` for every owner of one store. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._told: dict[str, Told] = {}
        self._lock = threading.Lock()

    def of(self, owner: str, message_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """By message id; ids that are not the owner's are left out."""
        with self._lock:
            told = self._told.setdefault(owner, Told(self._database))
            newest = told.following.newest()
            if told.following.seen != newest:
                asked = {"owner": owner, "seen": told.following.seen}
                self._read(told, asked)
                told.following.seen = newest
            return told.around(message_ids)

    def _read(self, told: Told, asked: dict[str, Any]) -> None:
        """Take over what changed."""
        for key, first, last in self._database.query(AROUND, asked):
            told.append(key, first, last)
        told.close_up()
