"""The address of the page one is on, which says what is chosen there.

The browser sends the address along with whatever a person does, and may not show yet what was written into it
a moment before: a button that is pressed as soon as a text was typed comes with the address from before the
text. So what was written stands while a person acts on a page; where they go to one, by a link, Back or a
reload, the browser says what its address is.
"""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_WRITTEN = "address_written"
_NEEDED = ("_new_widget_state", "_widget_changed")
"""What is used of a session's state in Streamlit."""


def begin() -> None:
    """Settle what the address of the page that is being drawn is, before anything of it is read.

    The browser is told where it may say something else: Streamlit leaves the address as it is when a link of
    the sidebar leads to the page one is on (measured on 1.67), and a change of the page before may reach the
    browser late. Where it says the same, or goes back, nothing is added to its history."""
    now = (_page(), st.query_params.to_dict())
    page, params = written = st.session_state.get(_WRITTEN, now)
    if written != now:
        st.query_params.from_dict(params if page == now[0] and _acted() else now[1])
    _note()


def stand() -> None:
    """Let the address be what was last written on this page. What reads the address before the page is drawn,
    or while only a part of it is, begins with this."""
    page, params = st.session_state.get(_WRITTEN, ("", {}))
    if page == _page() and st.query_params.to_dict() != params:
        st.query_params.from_dict(params)


def change(**params: str | None) -> None:
    """Set query parameters of the page one is on or, with None, drop them. A change of a page that was left
    meanwhile changes nothing."""
    if st.session_state.get(_WRITTEN, (_page(),))[0] != _page():
        return
    stand()
    before = st.query_params.to_dict()
    after = {name: value for name, value in {**before, **params}.items() if value is not None}
    if after != before:
        st.query_params.from_dict(after)
    _note()


def clear() -> None:
    """Let it say nothing."""
    st.query_params.clear()
    _note()


def leave() -> None:
    """Go where the address is another one, be it the page one is on."""
    st.session_state.pop(_WRITTEN, None)


def _note() -> None:
    st.session_state[_WRITTEN] = (_page(), st.query_params.to_dict())


def _page() -> str:
    context = get_script_run_ctx()
    return context.page_script_hash if context is not None else ""


def _acted() -> bool:
    """Whether the page is drawn because of something on it that was pressed, typed or chosen, or anew after
    that (`st.rerun`). Only Streamlit knows (1.67); where Streamlit has become another, the browser's address
    counts."""
    context = get_script_run_ctx()
    if context is None or context.is_history_navigation:
        return False
    state = getattr(context.session_state, "_state", None)
    if state is None or not all(hasattr(state, name) for name in _NEEDED):
        return False
    return any(state._widget_changed(widget) for widget in state._new_widget_state)
