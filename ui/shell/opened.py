"""The one open `Memory` of this server process, and whose memory the person is looking at."""

from __future__ import annotations

import threading

import streamlit as st

from memcore.domain.models import DEFAULT_OWNER
from memcore.memory import Memory, open_settings
from memcore.runtime.backends import Backends, MakeBackends
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings, load_settings
from ui.shell import chosen, heap
from ui.shell.jobs import board

ONLY_READ = "This store can only be read: Memscope may not write to its directory."


class _Slot:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.settings: Settings | None = None
        self.memory: Memory | None = None
        self.backends: MakeBackends = ChosenBackends


@st.cache_resource(show_spinner=False)
def _slot() -> _Slot:
    heap.watch()
    return _Slot()


def opened() -> Memory:
    """The store that the settings name, opened once. Changed settings take effect here, as soon as
    no job needs the old ones. Raises MemcoreError when the store or the settings are unusable."""
    settings = load_settings()
    slot = _slot()
    with slot.lock:
        if slot.memory is not None and (slot.settings == settings or board().running()):
            return slot.memory
        if slot.memory is not None:
            slot.memory.close()
            slot.memory = None
        slot.memory, slot.settings = open_settings(settings, slot.backends), settings
        board().barred = ONLY_READ if slot.memory.store.read_only else ""
        return slot.memory


def backends(settings: Settings) -> Backends:
    """What this workbench works with under some settings."""
    return _slot().backends(settings)


def work_with(make: MakeBackends) -> None:
    """Close the store; from now on work with the backends that `make` makes of the settings."""
    close()
    _slot().backends = make


def close() -> None:
    """Close the store, so that another process may have it; the next page opens it again."""
    slot = _slot()
    with slot.lock:
        if slot.memory is not None:
            slot.memory.close()
        slot.memory = slot.settings = None


def owner(memory: Memory) -> str:
    """Whose memory: the URL says, else the last choice, else the default owner or the only one."""
    if picked := chosen.get(chosen.OWNER):
        return picked
    known = memory.evidence.owners()
    return DEFAULT_OWNER if DEFAULT_OWNER in known or not known else known[0]
