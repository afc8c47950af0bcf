"""Choices that live in the URL by id, so that a link shows what was chosen whatever it is called.

Streamlit's own binding writes the shown words into the URL; ours writes the id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from memcore.domain.models import Session
from memcore.review.diff import show_hidden
from ui.shell import chosen, links
from ui.shell.text import day, shorten


def choose(
    label: str,
    options: Mapping[str, str],
    param: str,
    *,
    must: bool = False,
    clears: Sequence[str] = (),
    **widget: Any,
) -> str | None:
    """A select box over id → words, bound to the query parameter `param`. With `must`, the first
    option is chosen when the URL names none; otherwise nothing is. An unknown id counts as none. A choice
    drops the parameters `clears` from the URL: they were about the choice before."""
    wanted = chosen.get(param)
    key = f"chosen_{param}"
    default = next(iter(options), None) if must else None
    st.session_state[key] = wanted if wanted in options else default
    same = Counter(options.values())
    names = {i: show_hidden(n if same[n] == 1 else f"{n} · {i[-4:]}") for i, n in options.items()}

    def remember() -> None:
        links.address(**dict.fromkeys(clears), **{param: st.session_state[key]})

    picked = st.selectbox(
        label,
        list(options),
        index=0 if must else None,
        key=key,
        on_change=remember,
        format_func=names.__getitem__,
        **widget,
    )
    return str(picked) if picked is not None else None


def bound(param: str, value: str | int) -> dict[str, Any]:
    """What binds a widget, which shows `value`, to a query parameter: its `key` and `on_change`.

    For pages that follow a job: once a fragment has run on a page, Streamlit's own binding no longer
    writes into the URL (measured on Streamlit 1.67)."""
    key = f"bound_{param}"
    st.session_state[key] = value

    def remember() -> None:
        if st.session_state[key]:
            st.query_params[param] = str(st.session_state[key])
        else:
            st.query_params.pop(param, None)

    return {"key": key, "on_change": remember}


def unknown(param: str, options: Mapping[str, str]) -> str | None:
    """The id the URL names although there is no such thing."""
    wanted = chosen.get(param)
    return wanted if wanted and wanted not in options else None


def session_names(sessions: list[Session], titles: Mapping[str, str]) -> dict[str, str]:
    """Session id → how to call it; `titles` are conversation titles by id."""
    several = len({s.conversation_id for s in sessions}) > 1
    names = {}
    for session in sessions:
        name = session.title or f"Session {session.position + 1}"
        where = f"{shorten(titles.get(session.conversation_id, ''), 28)} · " if several else ""
        names[session.id] = f"{where}{shorten(name, 44)} · {day(session.started_at)}"
    return names
