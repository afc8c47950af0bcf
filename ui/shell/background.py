"""Work beside the pages, on threads that the process waits for before it ends.

A thread that is inside DuckDB or torch when the interpreter ends makes the process abort, and one that still
holds what it got from DuckDB lets its binding report leaks. So each is asked to stop and waited for, for a
while: what takes longer does not keep a person at Ctrl-C.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import streamlit as st

END_SECONDS = 10.0
"""How long the end of the process waits for all of them together."""


@dataclass
class Threads:
    """Those that were begun and have not ended, each with what asks it to stop."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    begun: WeakKeyDictionary[threading.Thread, Callable[[], None]] = field(default_factory=WeakKeyDictionary)

    def begin(self, work: Callable[[], None], name: str, stop: Callable[[], None] = lambda: None) -> None:
        """Begin a thread of this name. `stop` asks it to stop; without it, it is soon done by itself."""
        thread = threading.Thread(target=work, name=name, daemon=True)
        with self.lock:
            self.begun[thread] = stop
        thread.start()

    def end(self) -> None:
        """Ask all to stop, and wait for them."""
        with self.lock:
            begun = list(self.begun.items())
        for _, stop in begun:
            stop()
        until = time.monotonic() + END_SECONDS
        for thread, _ in begun:
            thread.join(max(0.0, until - time.monotonic()))


@st.cache_resource(show_spinner=False)
def threads() -> Threads:
    """Those of this server."""
    made = Threads()
    atexit.register(made.end)
    return made
