"""What other programs and tabs did appears by itself: the page is drawn anew once the store has changed.

A person's own acts draw their page by themselves. What is being typed stays: the browser keeps it while the
page around it is drawn. What a model was asked stays as well (`stays`): nobody pays for an answer anew
because somebody else wrote something.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from ui.shell import opened, serving
from ui.shell.jobs import board
from ui.shell.templates import draw

LOOK_SECONDS = 1.0
CHANGED = "The memory has changed since this was asked. Ask again to see what it finds now."
_SEEN, _CHANGED, _BY_ITSELF = "live_generation", "live_changed", "live_by_itself"


@contextmanager
def shown() -> Iterator[None]:
    """Around the drawing of a page. What changes meanwhile without any other program having asked for it was
    changed by the page itself, which shows it."""
    st.session_state[_SEEN] = None
    st.session_state[_BY_ITSELF] = st.session_state.pop(_CHANGED, False)
    before, asked = opened.generation(), serving.asked()
    _look()
    try:
        yield
    finally:
        alone = serving.asked() == asked and not asked[1]
        st.session_state[_SEEN] = opened.generation() if alone else before


def stays(before: tuple[Any, ...] | None, key: tuple[Any, ...]) -> bool:
    """Whether what was found for `before` is to be shown for `key`: it is the same; or the page is drawn by
    itself and the same is asked (their first two parts), which is said."""
    if before == key:
        return True
    if not st.session_state.get(_BY_ITSELF) or before is None or before[:2] != key[:2]:
        return False
    draw("shell.meta", text=CHANGED)
    return True


@st.fragment(run_every=LOOK_SECONDS)
def _look() -> None:
    seen, now = st.session_state.get(_SEEN), opened.generation()
    if seen is not None and now is not None and seen != now and board().running() is None:
        st.session_state[_CHANGED] = True
        st.rerun(scope="app")
