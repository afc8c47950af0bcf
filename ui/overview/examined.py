"""Whether what is stored is sound, found out beside the page: the whole history is read for it.

A small store is examined before the page is drawn on; of a larger one the page says that it is being
examined, and tells the result when it is there. It is kept for every tab until something else is stored, and
not looked for anew while a job stores one thing after the other.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from memcore.domain.errors import StoreError
from memcore.inspection.overview import Problem
from memcore.memory import Memory
from ui.shell import address, background, opened
from ui.shell.frame import meta
from ui.shell.jobs import board

MOST_EVENTS = 100_000
"""A longer history is not read: it takes many seconds of a processor, and memory for all it tells of."""
WAITED_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Examined:
    """What does not pass the checks; `whole`: the store was examined, too, and not only packages."""

    problems: tuple[Problem, ...]
    whole: bool


@dataclass
class _Last:
    """The last examination: of which open store, at which change of it, and what comes of it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    memory: Callable[[], Memory | None] = lambda: None
    change: opened.Change | None = None
    found: Future[Examined] = field(default_factory=Future)


@st.cache_resource(show_spinner=False)
def _last() -> _Last:
    return _Last()


def examine() -> Future[Examined]:
    """What is wrong with packages and the open store. Done already, where it takes no longer than a
    moment."""
    last, memory, newest = _last(), opened.held(), opened.newest_change()
    with last.lock:
        if last.memory() is not memory or not (
            last.change == newest or board().at_work or not last.found.done()
        ):
            last.memory, last.change, last.found = weakref.ref(memory), newest, Future()
            background.threads().begin(partial(_examine, memory, last.found), "examine store")
        found = last.found
    wait([found], timeout=WAITED_SECONDS)
    return found


def _examine(memory: Memory, found: Future[Examined]) -> None:
    try:
        newest = memory.store.events(limit=1, newest_first=True)
        whole = not newest or newest[0].seq <= MOST_EVENTS
        found.set_result(Examined(memory.problems(history=whole), whole))
    except StoreError as error:  # it cannot be read, or was closed meanwhile
        found.set_result(Examined((Problem(error.cause, error.fix),), whole=True))
    except BaseException as error:  # noqa: BLE001 - raised where the page asks for the result
        found.set_exception(error)


@st.fragment(run_every=1.0)
def told_when_done() -> None:
    """Say that the store is being examined, until that has ended."""
    address.stand()
    if _last().found.done():
        st.rerun(scope="app")
    meta("The store is being examined: its history is compared with what is stored.")
