"""The one open `Memory` of this server process, of which project, and whose memory the person is looking at.

All tabs show the same project: the one that the server started with, until a person switches.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from memcore.domain.errors import StoreBusyError
from memcore.domain.models import DEFAULT_OWNER, EVERY_OWNER
from memcore.memory import Memory, open_settings
from memcore.runtime import projects
from memcore.runtime.backends import Backends, MakeBackends
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings, load_settings
from memcore.runtime.projects import Project, Start
from memcore.store import store_exists
from ui.shell import chosen, heap, who
from ui.shell.jobs import board


@dataclass
class _Slot:
    """`start` is None until somebody asks, `directory` until somebody switches, `settings` and `memory` while
    no store is open. `lent` counts the calls of other programs that use it now."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    start: Start | None = None
    directory: Path | None = None
    settings: Settings | None = None
    memory: Memory | None = None
    lent: int = 0
    backends: MakeBackends = ChosenBackends


@dataclass(frozen=True, slots=True)
class Change:
    """The newest change of a store: their number grows, whoever makes them."""

    store: Path
    number: int


@st.cache_resource(show_spinner=False)
def _slot() -> _Slot:
    heap.watch()
    return _Slot()


def started_with() -> Start:
    """The store that this server opened first. What another process opens later changes nothing here."""
    slot = _slot()
    with slot.lock:
        if slot.start is None:
            slot.start = projects.start()
        return slot.start


def directory() -> Path:
    """Of the store of the project that is open, or that is to be opened."""
    return _slot().directory or started_with().directory


def project() -> Project:
    """The project that is open, or that is to be opened. Raises UsageError for a damaged list of projects."""
    return projects.named(directory())


def listed() -> tuple[Project, ...]:
    """Every project that one can switch to, by name: those of the list, the open one and the one that
    MEMSCOPE_STORE names."""
    found = list(projects.known())
    here = [directory()]
    if started_with().named_by == "MEMSCOPE_STORE":
        here.append(started_with().directory)
    for one in map(projects.named, here):
        if one not in found:
            found.append(one)
    return tuple(sorted(found, key=lambda one: one.name.casefold()))


def settings() -> Settings:
    """Those of the project as they are now, in force from the next page on. Raises UsageError."""
    return load_settings(directory())


def opened() -> Memory:
    """The store of the project, opened once (`held`), for whoever is looking (`who.name`). Raises
    MemcoreError when the store or the settings are unusable."""
    memory, person = held(), who.name()
    return memory.acting_for(person) if person else memory


def held() -> Memory:
    """The same for the operator, whoever is looking. Changed settings take effect here, as soon as no job and
    no other program needs the old ones."""
    slot = _slot()
    with slot.lock:
        now = settings()
        if slot.memory is not None and (slot.settings == now or board().at_work or slot.lent):
            return slot.memory
        _close(slot)
        if (slot.directory or started_with().named_by == "projects") and not store_exists(now.where):
            projects.require_store(project())
        slot.memory, slot.settings = open_settings(now, slot.backends), now
        board().barred = slot.memory.read_only
        if slot.directory:
            projects.note_opened(slot.directory)
        return slot.memory


@contextmanager
def lent(to_be: Path) -> Iterator[Memory]:
    """The store of the project for a call of another program, which wants the one in this directory. Raises
    StoreBusyError where another project is open by now."""
    slot = _slot()
    with slot.lock:
        memory = held()
        if memory.settings.store_dir.resolve() != to_be:
            raise StoreBusyError(
                f"The workbench that had the store {to_be} shows another project now.", "Ask again."
            )
        slot.lent += 1
    try:
        yield memory
    finally:
        with slot.lock:
            slot.lent -= 1


def wait_for_change(seconds: float) -> bool:
    """Wait until the open store may have changed since this was last called, at most so long; whether it may
    have. While none is open, it is waited for."""
    memory = _slot().memory
    if memory is None:
        time.sleep(seconds)
        return True
    return memory.store.wait_for_change(seconds)


def newest_change() -> Change | None:
    """The newest change of the open store; None while none is open. Raises StoreError."""
    memory = _slot().memory
    return Change(memory.settings.store_dir, memory.store.generation) if memory is not None else None


def switch(to: Project) -> None:
    """Let every tab show another project from its next page on. Nothing of the one before stays open. Raises
    ConflictError while a job runs, StoreError where the project has no store any more."""
    projects.require_store(to)
    slot = _slot()
    with slot.lock, board().idle():
        if started_with().named_by == "default" and store_exists(started_with().directory):
            _list(started_with().directory)
        _close(slot)
        slot.directory = to.directory


def _list(place: Path) -> None:
    """The store of the directory one happened to start in: listed, so that one finds back to it."""
    here = projects.named(place)
    if here not in projects.known():
        projects.add(str(here.directory), here.name)


def backends(settings: Settings) -> Backends:
    """What this workbench works with under some settings."""
    return _slot().backends(settings)


def make_store(place: Path) -> None:
    """Make a new store in a directory."""
    open_settings(load_settings(place), _slot().backends).close()


def work_with(make: MakeBackends) -> None:
    """As a server that starts now: nothing is open, no project was switched to. From now on work with the
    backends that `make` makes of the settings."""
    slot = _slot()
    with slot.lock:
        _close(slot)
        slot.start = slot.directory = None
        slot.backends = make


def close() -> None:
    """Close the store, so that another process may have it; the next page opens it again."""
    slot = _slot()
    with slot.lock:
        _close(slot)


def _close(slot: _Slot) -> None:
    if slot.memory is None:
        return
    memory, slot.memory, slot.settings = slot.memory, None, None
    memory.close()
    gc.unfreeze()  # what `heap` set aside of this store can go


def owner(memory: Memory) -> str:
    """Whose memory: the URL says, else the last choice, else as `owner_of`."""
    return chosen.get(chosen.OWNER) or owner_of(memory)


def owner_of(memory: Memory) -> str:
    """Whose memory it is where nobody chose: the default owner's or that of the only one; for whom not
    everybody's is shared, the first of those that are."""
    known = memory.evidence.owners()
    if not known and not memory.people.may("read"):
        known = [name for name in memory.people.my_roles() if name != EVERY_OWNER]
    return DEFAULT_OWNER if DEFAULT_OWNER in known or not known else known[0]
