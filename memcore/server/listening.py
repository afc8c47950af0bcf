"""What was told is read by the owner's system as it comes: on a thread of its own, for a model may take long.

Each reading takes all that came meanwhile, so that whoever tells many turns one by one waits for none.
"""

from __future__ import annotations

import threading

from memcore.domain.errors import MemcoreError, StoreError
from memcore.server.lending import Lender

PAUSE_SECONDS = 0.5
"""How long turns are gathered before they are read."""

_Due = tuple[str, str | None]
"""An owner, and a system (None: the one that usually answers for that owner)."""


class Listening:
    """Reads the owners' pending messages. One thread, while there is something to read."""

    def __init__(self, lender: Lender) -> None:
        self._lender = lender
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._due: dict[_Due, None] = {}
        self._problems: dict[_Due, MemcoreError] = {}
        self._reading: threading.Thread | None = None

    def due(self, owner: str, recipe: str | None) -> MemcoreError | None:
        """There is something to read; why the last reading failed, if it did: its messages wait, and are read
        this time."""
        with self._lock:
            self._due[owner, recipe] = None
            if self._reading is None:
                self._reading = threading.Thread(target=self._read, name="listening", daemon=True)
                self._reading.start()
            return self._problems.get((owner, recipe))

    def close(self) -> None:
        """Read no more: what is being read stops at its next step, and waits with the rest in the store."""
        self._ended.set()
        with self._lock:
            reading = self._reading
        if reading is not None:
            reading.join()

    def _read(self) -> None:
        while not self._ended.wait(PAUSE_SECONDS):
            with self._lock:
                if not self._due:
                    self._reading = None
                    return
                due = next(iter(self._due))
                del self._due[due]
            if (problem := self._one(*due)) is not None:
                self._problems[due] = problem
            else:
                self._problems.pop(due, None)

    def _one(self, owner: str, recipe: str | None) -> MemcoreError | None:
        try:
            with self._lender.memory() as memory:
                memory.read_on(owner=owner, recipe=recipe, cancelled=self._ended.is_set)
        except MemcoreError as error:
            return error
        except Exception as error:  # noqa: BLE001 - the run keeps it; its text may quote private words
            return StoreError(f"Reading failed: {type(error).__name__}.", "Runs & cost shows the run.")
        return None
