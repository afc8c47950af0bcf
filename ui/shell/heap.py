"""Streamlit looks through the whole heap for garbage after every page run (`gc.collect(2)`, 1.67).

With an encoder and a large store's indexes loaded that takes 0.3 s of every click, although none of it is
garbage. Whatever survives a collection that took long is set aside here and not looked through again.
Decides nothing about what is kept; a cycle that was set aside and dies later is not freed.
"""

from __future__ import annotations

import atexit
import gc
import time
from typing import Any

LONG = 0.05
"""Processor seconds of one collection from which on the heap is worth setting aside."""


class Watch:
    """A `gc.callbacks` entry that times full collections."""

    def __init__(self) -> None:
        self._begun = 0.0

    def __call__(self, phase: str, about: dict[str, Any]) -> None:
        """Time a full collection; after a long one, what is there is not looked through again."""
        if about["generation"] < 2:
            return
        if phase == "start":
            self._begun = time.thread_time()
        elif time.thread_time() - self._begun > LONG:
            gc.freeze()


def watch() -> None:
    """Begin watching, until the process ends: bindings report as leaked what is still set aside then."""
    watching = Watch()
    gc.callbacks.append(watching)

    def end() -> None:
        gc.callbacks.remove(watching)
        gc.unfreeze()

    atexit.register(end)
