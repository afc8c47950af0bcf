"""The address of the page one is on, which says what is chosen there.

The browser sends the address along with whatever a person does, and may not show yet what was written into it
a moment before: a button that is pressed as soon as a text was typed comes with the address from before the
text. So what was written stands while a person acts on a page; where they go to one, by a link, Back or a
reload, the browser says what its address is.
"""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_WRITTEN, _COME_TO = "address_written", "address_come_to"
_NEEDED = ("_new_widget_state", "_widget_changed")
"""What is used of a session's state in Streamlit."""


def begin() -> None:
    """Settle what the address of the page that is being drawn is, before anything of it is read.

    The browser is told where it may say something else: Streamlit leaves the address as it is when a link of
    the sidebar leads to the page one is on (measured on 1.67). Where it says the same, or goes back, nothing
    is added to its history. As a page is come to, it is told nothing: it may not show that page yet, and
    would take what it is told for the address of the one before, to which Back would lead then."""
    _read()
    page, now = _page(), st.query_params.to_dict()
    before, written = st.session_state.get(_WRITTEN, (page, now))
    st.session_state[_COME_TO] = page != before
    if page == before and written != now:
        _write(written if _acted() else now)
    else:
        _note(now)


def stand() -> None:
    """Let the address be what was last written on this page. What reads the address before the page is drawn,
    or while only a part of it is, begins with this.

    While callbacks run, `begin` is left to tell the browser: Streamlit may end a run as it sends something,
    if the person has done something else meanwhile, and never calls its callback again."""
    page, params = st.session_state.get(_WRITTEN, ("", {}))
    context = get_script_run_ctx()
    if context is None or page != _page() or st.query_params.to_dict() == params:
        return
    if context.has_script_started:
        st.query_params.from_dict(params)
    else:
        _set(params)


def change(**params: str | None) -> None:
    """Set query parameters of the page one is on or, with None, drop them. A change of a page that was left
    meanwhile changes nothing. One that is made as a page is come to, the browser hears of with the next."""
    if st.session_state.get(_WRITTEN, (_page(),))[0] != _page():
        return
    stand()
    before = st.query_params.to_dict()
    after = {name: value for name, value in {**before, **params}.items() if value is not None}
    if after != before:
        _write(after)


def clear() -> None:
    """Let it say nothing."""
    _write({})


def leave() -> None:
    """Go where the address is another one, be it the page one is on."""
    st.session_state.pop(_WRITTEN, None)


def _write(params: dict[str, str]) -> None:
    _note(params)  # first: Streamlit may end this run as it tells the browser; what is noted stands
    if st.session_state.get(_COME_TO):
        _set(params)
    else:
        st.query_params.from_dict(params)


def _set(params: dict[str, str]) -> None:
    """Without telling the browser."""
    if (context := get_script_run_ctx()) is not None:
        with context.session_state.query_params() as address:
            address.clear_with_no_forward_msg(preserve_embed=True)
            for name, value in params.items():
                address.set_with_no_forward_msg(name, value)


def _note(params: dict[str, str]) -> None:
    st.session_state[_WRITTEN] = (_page(), params)


def _read() -> None:
    """Let it be what this run was asked for with. All that a session draws has the same address: a page that
    was left a moment ago and still is being drawn may have set its own."""
    if (context := get_script_run_ctx()) is not None:
        with context.session_state.query_params() as address:
            address.populate_from_query_string(context.query_string)


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
