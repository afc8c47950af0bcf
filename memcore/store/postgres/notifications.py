"""Hearing at once what is committed, by whichever process: LISTEN, on a connection of its own.

Every commit that counts itself sends a notification (`PostgresTransaction.note_written`). It says nothing but
that there was one: every login of the database may listen. It goes to who listens in this database, which has
one store, and to nobody else.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import psycopg

from memcore.domain.errors import MemcoreError
from memcore.store.postgres.connecting import CHANNEL, Connection
from memcore.store.postgres.transaction import rows_of

ARRIVES_SECONDS = 2.0
"""A notification of our own that does not arrive within this never does: a pooler carries none."""
AGAIN_SECONDS = 30.0
"""How long after an attempt to listen the next one may be made."""
UNTOLD_SECONDS = 10.0
"""What nobody notifies of, as an earlier Memscope does not, is looked for as often as this."""


class Notifications:
    """One connection that listens, made when somebody first waits and again after it was lost. Where there is
    none, or notifications do not arrive, whoever waits is to look for changes."""

    def __init__(self, connect: Callable[[], Connection], notify: Callable[[], object]) -> None:
        """`connect` makes the connection, `notify` sends a notification over another one."""
        self._connect = connect
        self._notify = notify
        self._connection: Connection | None = None
        self._lock = threading.Lock()
        self._again = self._looked = time.monotonic()
        self._closed = False

    def wait(self, seconds: float) -> bool:
        """As `Database.wait_for_change`."""
        until = time.monotonic() + seconds
        with self._lock:
            told = self._told(seconds)
        if self._closed:
            self.close()
        if told is None:
            time.sleep(max(0.0, until - time.monotonic()))
        now = time.monotonic()
        if told is False and now - self._looked < UNTOLD_SECONDS:
            return False
        self._looked = now
        return True

    def _told(self, seconds: float) -> bool | None:
        """Whether a notification arrived, or may have been missed; None: none can arrive."""
        listened = self._connection
        try:
            if listened is not None:
                return _arrives(listened, seconds)
            if not self._closed and time.monotonic() >= self._again:
                self._again = time.monotonic() + AGAIN_SECONDS
                self._connection = self._connect()
                rows_of(self._connection, f"listen {CHANNEL}", ())
                self._notify()
                if _arrives(self._connection, ARRIVES_SECONDS):
                    return True
        except (psycopg.Error, MemcoreError):
            pass  # whoever looks for changes is told what is wrong
        self._drop()
        return None if listened is None else True

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def close(self) -> None:
        """Listen no more. Waits for nobody: a thread that listens drops the connection when it has ended."""
        self._closed = True
        if self._lock.acquire(blocking=False):
            try:
                self._drop()
            finally:
                self._lock.release()


def _arrives(connection: Connection, seconds: float) -> bool:
    return bool(list(connection.notifies(timeout=seconds, stop_after=1)))
