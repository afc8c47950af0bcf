"""What other programs and tabs did appears by itself: the page is drawn anew once the store has changed.

A person's own acts draw their page by themselves. What is being typed stays: the browser keeps it while the
page around it is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from ui.shell import opened, serving
from ui.shell.jobs import board

LOOK_SECONDS = 1.0
_SEEN = "live_generation"


@contextmanager
def shown() -> Iterator[None]:
    """Around the drawing of a page. What changes meanwhile without any other program having asked for it was
    changed by the page itself, which shows it."""
    st.session_state[_SEEN] = None
    before, asked = opened.generation(), serving.asked()
    _look()
    try:
        yield
    finally:
        alone = serving.asked() == asked and not asked[1]
        st.session_state[_SEEN] = opened.generation() if alone else before


@st.fragment(run_every=LOOK_SECONDS)
def _look() -> None:
    seen, now = st.session_state.get(_SEEN), opened.generation()
    if seen is not None and now is not None and seen != now and board().running() is None:
        st.rerun(scope="app")
