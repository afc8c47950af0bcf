"""What a person has chosen to look at and takes along from page to page: whose memory, which log, which
session, which system.

On each page the URL says it, so a link or a reload shows the same. Between pages the session state remembers
it, and `arrive` writes into the URL what it does not say. A page that cannot show a choice says so; a page
that has no use for it leaves it for the next.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from memcore.memory import Memory

OWNER, LOG, SESSION, SYSTEM = NAMES = ("owner", "log", "session", "recipe")
"""The query parameters that go along."""

_KEPT = "going_along"
_DROPS = {OWNER: (LOG, SESSION), LOG: (SESSION,), SESSION: (LOG,)}
"""What a new choice ends: a log is one owner's, a session one log's (`settle` finds the log of a session)."""


def _kept() -> dict[str, str]:
    kept: dict[str, str] = st.session_state.setdefault(_KEPT, {})
    return kept


def get(name: str) -> str | None:
    """What is chosen, by the URL or before; None: nothing."""
    return st.query_params.get(name) or _kept().get(name)


def put(name: str, value: str | None) -> None:
    """Choose one of `NAMES`, or with None nothing, from now on and on every page."""
    if value != get(name) and value is not None:
        for other in _DROPS.get(name, ()):
            put(other, None)
    if value is None:
        _kept().pop(name, None)
        st.query_params.pop(name, None)
    else:
        _kept()[name] = value
        st.query_params[name] = value


def arrive() -> None:
    """Let URL and memory say the same, the URL first: what it names ends what was chosen before and does
    not go with it."""
    told = {name: value for name in NAMES if (value := st.query_params.get(name))}
    kept = _kept()
    for name, value in told.items():
        if value != kept.get(name):
            for other in _DROPS.get(name, ()):
                if other not in told:
                    kept.pop(other, None)
    kept.update(told)
    for name, value in kept.items():
        if name not in told:
            st.query_params[name] = value


def settle(memory: Memory) -> None:
    """With a session, its log is chosen."""
    session = get(SESSION)
    if session and (log := memory.evidence.log_of(session)) and log != get(LOG):
        _kept()[LOG] = log
        st.query_params[LOG] = log


def along(params: Mapping[str, str]) -> dict[str, str]:
    """Parameters of a link with what goes along, unless they name something that it does not fit."""
    ended = {other for name in params for other in _DROPS.get(name, ()) if params[name] != get(name)}
    kept = _kept()
    going = {name: kept[name] for name in NAMES if name in kept and name not in ended | params.keys()}
    return {**going, **params}


def others() -> list[str]:
    """The query parameters that are the page's own."""
    return [name for name in st.query_params if name not in NAMES]
