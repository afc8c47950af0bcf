"""What other programs and tabs did appears by itself: a page is drawn anew once the store has changed.

One thread of this server compares the number of the newest change with the one that each page was drawn from,
as soon as the store tells of one, or as often as it has to be asked.
A person's own acts draw their page by themselves, and what is being typed stays: the browser keeps it while
the page around it is drawn. What a model was asked stays as well (`stays`): nobody pays for an answer anew
because somebody else wrote something.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import streamlit as st
from streamlit.runtime.app_session import AppSession

from memcore.domain.errors import MemcoreError
from ui.shell import background, opened, pushing
from ui.shell.jobs import board
from ui.shell.templates import draw

LOOK_SECONDS = 0.5
"""How often it is seen whether pages have rested, and whether the store has changed if it does not tell."""
RESTS, RESTS_BESIDE_A_JOB = 1, 9
"""A page rests after it was drawn, this many times as long as that took: a slow one leaves the processor to
others, above all to a job of this server, whose every step is a change."""
SETTLES_SECONDS = 1.0
"""A page rests at least so long. A widget that is drawn twice before the browser has shown it takes what the
second time tells of its value: nothing."""
_TOLD = "live_told"
CHANGED = "The memory has changed since this was asked. Ask again to see what it finds now."


@dataclass
class _Page:
    """What a session shows, drawn from this change of a store. `ended` is None while it is being drawn;
    `asked`: it is to be drawn anew by itself, `by_itself`: it was."""

    seen: opened.Change | None
    by_itself: bool
    begun: float = field(default_factory=time.monotonic)
    ended: float | None = None
    asked: bool = False

    def can_be_asked(self, rests: int) -> bool:
        """Whether it has rested since it was drawn, and was not asked yet."""
        if self.ended is None or self.asked:
            return False
        rest = max(SETTLES_SECONDS, rests * (self.ended - self.begun))
        return time.monotonic() - self.ended >= rest

    def is_behind(self, newest: opened.Change) -> bool:
        """Whether its store has changed since."""
        return self.seen is not None and self.seen.store == newest.store and self.seen.number < newest.number

    def ask(self) -> None:
        """Note that it is to be drawn anew."""
        self.asked = True


@dataclass
class _Watch:
    """The pages of this server, each of a session that a browser may come back to."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    pages: WeakKeyDictionary[AppSession, _Page] = field(default_factory=WeakKeyDictionary)
    looks: bool = False
    ended: threading.Event = field(default_factory=threading.Event)


@st.cache_resource(show_spinner=False)
def _watch() -> _Watch:
    return _Watch()


@contextmanager
def shown() -> Iterator[None]:
    """Around the drawing of a page, before anything of the store is read for it."""
    with _followed():
        _tell_again()
        yield


@contextmanager
def _followed() -> Iterator[None]:
    session = pushing.this_session()
    if session is None:
        yield
        return
    watch = _watch()
    with watch.lock:
        before = watch.pages.get(session)
        page = watch.pages[session] = _Page(opened.newest_change(), before is not None and before.asked)
    try:
        yield
    finally:
        page.ended = time.monotonic()
        with watch.lock:
            begins, watch.looks = not watch.looks, True
        if begins:
            background.threads().begin(partial(_look, watch), "live pages", watch.ended.set)


def _page() -> _Page | None:
    session = pushing.this_session()
    return _watch().pages.get(session) if session is not None else None


def by_itself() -> bool:
    """Whether this page is drawn because something else changed the store, and not for the person."""
    page = _page()
    return page is not None and page.by_itself


def acted() -> None:
    """Note that what was written while this page is drawn is its own: no reason to draw it anew."""
    if (page := _page()) is not None:
        page.seen = opened.newest_change()


def fill(key: str, value: object) -> None:
    """Let a widget show a value, over what was typed and not sent; not so while the page is drawn by
    itself."""
    if not (by_itself() and shows(key, value)):
        st.session_state[key] = value


def shows(key: str, value: object) -> bool:
    """Whether a widget shows this already. What is set is sent to the browser, which takes it over what was
    typed or chosen since."""
    return key in st.session_state and bool(st.session_state[key] == value)


def stays(before: tuple[Any, ...] | None, key: tuple[Any, ...]) -> bool:
    """Whether what was found for `before` is to be shown for `key`: it is the same; or the page is drawn by
    itself and the same is asked (their first two parts), which is said."""
    if before == key:
        return True
    if not by_itself() or before is None or before[:2] != key[:2]:
        return False
    draw("shell.meta", text=CHANGED)
    return True


def once(key: str) -> Any:
    """What the session has under a key, to be told once; None: nothing. A page that is drawn by itself tells
    it again: it may not have been read yet."""
    told = st.session_state.pop(key, None)
    if told is not None:
        st.session_state.setdefault(_TOLD, {})[key] = told
    return told


def _tell_again() -> None:
    told: dict[str, Any] = st.session_state.pop(_TOLD, {})
    if by_itself():
        for key in told.keys() - st.session_state.keys():
            st.session_state[key] = told[key]


def _look(watch: _Watch) -> None:
    newest: opened.Change | None = None
    while not watch.ended.is_set():
        if opened.wait_for_change(LOOK_SECONDS):
            newest = None
        newest = _ask(watch, newest)


def _ask(watch: _Watch, newest: opened.Change | None) -> opened.Change | None:
    """Ask the pages that are behind to be drawn anew. `newest`: the newest change; None: it is not known, and
    looked for if there is a page that can be asked. Returns what is known then."""
    rests = RESTS_BESIDE_A_JOB if board().at_work else RESTS
    with watch.lock:
        there = list(watch.pages.items())
    pages = [(session, page) for session, page in there if page.can_be_asked(rests)]
    pages = [(session, page) for session, page in pages if pushing.is_open(session)]
    if newest is None and pages:
        with suppress(MemcoreError):  # whoever draws a page next is told; the store is looked at again
            newest = opened.newest_change()
    for session, page in pages:
        if newest is not None and page.is_behind(newest):
            pushing.draw_anew(session, page.ask)
    return newest
