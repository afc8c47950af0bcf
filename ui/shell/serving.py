"""The store that this workbench holds, served to other programs of this machine.

It begins after the first page was drawn and on a thread of its own, for what it takes is not loaded before.
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from memcore.domain.errors import MemcoreError
from memcore.memory import Memory
from ui.shell import background, opened

if TYPE_CHECKING:
    from memcore.server.serving import Serving


@dataclass(frozen=True)
class _Lender:
    """The workbench's store, as `memcore.server.lending` has it."""

    directory: Path

    def memory(self) -> AbstractContextManager[Memory]:
        """The open store, while this project is open."""
        return opened.lent(self.directory)

    def close(self) -> None:
        """Close it; the next page or call opens it again."""
        opened.close()


@dataclass
class _Desk:
    """What is served, of which directory, and what was last wanted: the store of a directory, or none.
    `refused` is why it is not."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    wanted: Path | None = None
    serving: Serving | None = None
    served: Path | None = None
    refused: MemcoreError | None = None


@st.cache_resource(show_spinner=False)
def _desk() -> _Desk:
    return _Desk()


def begin(memory: Memory) -> None:
    """Serve the store of the project from now on, unless it is served, or is not to be."""
    desk = _desk()
    wanted = to_be_served(memory)
    if desk.wanted == wanted:
        return
    desk.wanted, desk.refused = wanted, None
    background.threads().begin(partial(_settle, desk, opened.held(), _address()), "begin serving")


def end() -> None:
    """Serve no longer, and begin no more."""
    desk = _desk()
    desk.wanted = None
    with desk.lock:
        _close(desk)


def to_be_served(memory: Memory) -> Path | None:
    """The directory of the store, if its settings have it served."""
    return memory.settings.store_dir.resolve() if memory.settings.serve and not memory.read_only else None


def is_settled(memory: Memory) -> bool:
    """Whether what its settings say has come to be, or was refused: it begins once the page is drawn."""
    desk, wanted = _desk(), to_be_served(memory)
    return desk.served == wanted or (desk.wanted == wanted and desk.refused is not None)


def address() -> str:
    """Where the store is served; empty while it is not."""
    serving = _desk().serving
    return serving.served.address if serving is not None else ""


def refused() -> MemcoreError | None:
    """Why the store cannot be served, if it should be and is not."""
    return _desk().refused


def _settle(desk: _Desk, memory: Memory, address: str) -> None:
    with desk.lock:
        _close(desk)
        desk.refused = None
        if (directory := desk.wanted) is None:
            return
        from memcore.server.serving import Serving

        try:
            owner = opened.owner_of(memory)
            desk.serving = Serving(
                directory, _Lender(directory), opened.backends, owner=owner, workbench=address
            )
            desk.served = directory
        except MemcoreError as error:
            desk.refused = error


def _close(desk: _Desk) -> None:
    if desk.serving is not None:
        desk.serving.close()
        desk.serving = desk.served = None


def _address() -> str:
    """Where a browser of this machine finds this workbench."""
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{scheme}://127.0.0.1:{st.get_option('server.port')}/{base}"
