"""Questions to the server that do not wait for each other, each on a connection of its own.

Most of a search is waiting for one short answer after the other, while the server's other processors, and
ours, have nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context

THREADS = 4
"""Besides the one that asks: so many connections more does a process hold at most for this."""


class AtOnce:
    """Threads that ask, started when first needed. Thread-safe."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="asking")

    def do(self, asks: Sequence[Callable[[], object]]) -> None:
        """Do the first on this thread and the others beside it; here, too, those that no thread is free for.
        Raises what one that failed raised, when all that were begun have ended."""
        if not asks:
            return
        begun = [self._threads.submit(copy_context().run, ask) for ask in asks[1:]]
        try:
            asks[0]()
            for ask, other in reversed([*zip(asks[1:], begun, strict=True)]):
                if other.cancel():
                    ask()
        finally:
            # Of a cancelled one, `wait` would wait for a thread to take notice, and all may be busy.
            wait([other for other in begun if not other.cancel()])
        for other in begun:
            if not other.cancelled():
                other.result()

    def end(self) -> None:
        """Start nothing more."""
        self._threads.shutdown(wait=False)
