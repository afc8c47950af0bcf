"""A command that holds its store for long serves it as soon as another process wants it.

Nothing of a server is loaded before: whoever works alone pays nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memcore.store import wanted_since

if TYPE_CHECKING:
    from memcore.memory import Memory
    from memcore.runtime.backends import MakeBackends
    from memcore.server.serving import Serving

LOOK_SECONDS = 0.2
LEAST_SECONDS = 2.0
"""What takes no longer is waited for sooner than it could be asked."""


@contextmanager
def served_when_wanted(memory: Memory, backends: MakeBackends) -> Iterator[None]:
    """In the block, serve the store of a memory from when another process asks for it. In the end, what was
    asked is waited for."""
    if memory.store.read_only:  # nobody keeps others from reading it as well
        yield
        return
    on_demand = _OnDemand(memory, backends)
    thread = threading.Thread(target=on_demand.watch, name="serving on demand", daemon=True)
    thread.start()
    try:
        yield
    finally:
        on_demand.ended.set()
        thread.join()
        if on_demand.serving is not None:
            on_demand.serving.close(wait=None)


class _OnDemand:
    def __init__(self, memory: Memory, backends: MakeBackends) -> None:
        self._memory, self._backends = memory, backends
        self._since = time.time()
        self.ended = threading.Event()
        self.serving: Serving | None = None

    def watch(self) -> None:
        """Until the end, or until the store is served."""
        directory = self._memory.settings.store_dir
        while not self.ended.wait(LOOK_SECONDS):
            long = time.time() - self._since > LEAST_SECONDS
            if long and wanted_since(directory, self._since):
                from memcore.server.lending import Lent
                from memcore.server.serving import Serving

                self.serving = Serving(directory, Lent(self._memory), self._backends)
                return
