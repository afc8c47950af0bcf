"""Who is reading an owner's messages with a system now: one run at a time, each after the other.

No second process can open a DuckDB store, so a claim need not outlive this one: one lock an owner and system,
which goes with whoever held it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ASK_SECONDS = 0.2
"""How often one that waits is asked whether it goes on waiting."""


class Claims:
    """The claims on one store in this process. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[tuple[str, str], threading.Lock] = {}

    @contextmanager
    def claim(self, owner: str, recipe: str, *, waiting: Callable[[], bool]) -> Iterator[bool]:
        """As `Store.claim`."""
        with self._lock:
            ours = self._held.setdefault((owner, recipe), threading.Lock())
        while not (held := ours.acquire(timeout=ASK_SECONDS)) and waiting():
            pass
        try:
            yield held
        finally:
            if held:
                ours.release()
