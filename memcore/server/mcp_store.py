"""One store shared with other processes: opened when a call needs it, given up when another asks for it.

DuckDB lets one process at a time use a file, and a Model Context Protocol server lives as long as the
assistant that started it. So it starts without the store, opens it for the first call and keeps it only as
long as that costs nobody anything: until another process asks (`store.wanted_since`), or for
`KEEP_SECONDS` without a call. Who holds its store for long serves it, and `shared_tools` asks there; where
it does not, a call fails after `WAIT_SECONDS` with a StoreBusyError that names the process. The embedding
model stays loaded in either case.

Why not open and close for every call: opening takes 0.03 to 0.3 s, but what a search reads into memory is
lost each time. In a store of 20,000 memories the first search after opening took 2 to 4 s and the next
0.1 s (`benchmarks.workbench_store`, on two busy cores).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from memcore.domain.errors import StoreBusyError
from memcore.memory import Memory
from memcore.store import wanted_since

WAIT_SECONDS = 4.0
"""How long a call waits for a store that another process holds: a command line's command is often shorter,
and assistants give a call up after about a minute."""
KEEP_SECONDS = 60.0
LOOK_SECONDS = 0.1
"""How often an idle store is looked after; shorter than a process asks for a store (`store.database`)."""


class LentStore:
    """A `Memory` that is there for the time of a call. Safe to use from several threads."""

    def __init__(
        self,
        open_memory: Callable[[], Memory],
        directory: Path,
        *,
        wait: float = WAIT_SECONDS,
        keep: float = KEEP_SECONDS,
    ) -> None:
        self._open_memory = open_memory
        self._directory = directory
        self._wait = wait
        self._keep = keep
        self._lock = threading.Lock()
        self._memory: Memory | None = None
        self._opened_at = 0.0
        self._calls = 0
        self._idle_since = 0.0

    @contextmanager
    def memory(self) -> Iterator[Memory]:
        """The open store. Raises what opening it raises, StoreBusyError after waiting."""
        with self._lock:
            memory = self._memory or self._open()
            self._calls += 1
        try:
            yield memory
        finally:
            with self._lock:
                self._calls -= 1
                self._idle_since = time.monotonic()

    @property
    def held(self) -> bool:
        """Whether this process holds the store now."""
        return self._memory is not None

    def close(self) -> None:
        """Give the store up now."""
        with self._lock:
            self._give_up()

    def _open(self) -> Memory:
        deadline = time.monotonic() + self._wait
        while True:
            try:
                self._memory = self._open_memory()
            except StoreBusyError:
                if time.monotonic() >= deadline:
                    raise
                continue  # opening pauses between its own attempts
            self._opened_at = time.time()  # what this process itself asked before is answered
            threading.Thread(target=self._look_after, name="mcp store", daemon=True).start()
            return self._memory

    def _look_after(self) -> None:
        """Until the store is given up: give it up once no call uses it and somebody else wants it, or nobody
        has for long."""
        while True:
            time.sleep(LOOK_SECONDS)
            with self._lock:
                if self._memory is None:
                    return
                if self._calls:
                    continue
                idle = time.monotonic() - self._idle_since
                if idle > self._keep or wanted_since(self._directory, self._opened_at):
                    self._give_up()
                    return

    def _give_up(self) -> None:
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()
