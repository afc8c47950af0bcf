"""Which project a tab shows. All tabs of a server show the same one, and each notices at its next page that
another was opened: what it remembers of the one before is then forgotten before anything is done with it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from memcore.runtime.projects import Project
from ui.shell import address
from ui.shell.text import label

_SHOWN, _NEWS = "tab_project", "tab_news"


def left_behind(now: Project) -> str:
    """The name of the project that this tab showed until now, if another is open; empty when it is the same.
    Then nothing is left of it: neither what was typed and chosen, nor what its address says."""
    shown: Project | None = st.session_state.get(_SHOWN)
    if shown is not None and shown.directory != now.directory:
        arrive(now)
        return shown.name
    st.session_state[_SHOWN] = now
    return ""


def arrive(now: Project, news: str = "") -> None:
    """Forget all of the project before; this tab shows another one, with `news` of it on the next page."""
    st.session_state.clear()
    address.clear()
    st.session_state[_SHOWN] = now
    if news:
        st.session_state[_NEWS] = news


def unless_forgotten(key: str, then: Callable[..., None]) -> Callable[..., None]:
    """What a widget of this key calls when it was changed: nothing once all of this tab is forgotten, for
    another project or another person. Streamlit still calls it for what the browser had sent before."""

    def follow(*args: object) -> None:
        if key in st.session_state:
            address.stand()
            then(*args)

    return follow


def tell_news() -> None:
    """Say once what has happened."""
    if news := st.session_state.pop(_NEWS, None):
        st.toast(label(news, 160))
