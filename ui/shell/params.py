"""Choices that live in the URL, ids by id: a link, a reload and the browser's Back show what was chosen.

A widget is filled from the URL each time the page is drawn and writes into it when a person changes it, so
that the two never differ. Streamlit's own binding (`bind="query-params"`) is not used: it writes the shown
words, it stops writing once a fragment has run on a page, and it brings a page's last filters back into
whatever link leads there next (measured on Streamlit 1.67).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

import streamlit as st

from memcore.domain.models import Session
from memcore.review.diff import show_hidden
from ui.shell import chosen, links, live, tab, text

_SHOWN = "params_shown"
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2199, 12, 31)
"""What a date input takes: Streamlit's own bounds are ten years from today."""


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
    names = told_apart(options)

    def remember() -> None:
        links.address(**dict.fromkeys(clears), **{param: st.session_state[key]})

    picked = st.selectbox(
        label,
        list(options),
        index=0 if must else None,
        key=key,
        on_change=_followed(key, remember),
        format_func=names.__getitem__,
        **widget,
    )
    return str(picked) if picked is not None else None


def told_apart(options: Mapping[str, str]) -> dict[str, str]:
    """What options say, by id: no two the same, since Streamlit takes those for one.

    >>> told_apart({"ent_1": "Ann", "ent_2": "Ann", "ent_3": "Ben"})
    {'ent_1': 'Ann · nt_1', 'ent_2': 'Ann · nt_2', 'ent_3': 'Ben'}
    """
    same = Counter(options.values())
    return {i: show_hidden(n if same[n] == 1 else f"{n} · {i[-4:]}") for i, n in options.items()}


def bound(
    param: str, value: str | int | bool | None, *, usual: str | int | bool = "", clears: Sequence[str] = ()
) -> dict[str, Any]:
    """What binds a widget, which shows `value`, to a query parameter: its `key` and `on_change`. What is
    `usual` is not written. A change drops the parameters `clears`."""
    key = f"bound_{param}"
    if not live.shows(key, value):
        st.session_state[key] = value

    def remember() -> None:
        now = st.session_state[key]
        written = str(now).lower() if isinstance(now, bool) else str(now or "")
        links.address(**dict.fromkeys(clears), **{param: None if now == usual else written or None})

    return {"key": key, "on_change": _followed(key, remember)}


def _followed(key: str, remember: Callable[[], None]) -> Callable[..., None]:
    """What the widget of this key calls when a person changes it."""
    st.session_state.setdefault(_SHOWN, {})[key] = (st.session_state[key], remember)

    def follow() -> None:
        remember()
        st.session_state.get(_SHOWN, {}).pop(key, None)

    return tab.unless_forgotten(key, follow)


def catch_up() -> None:
    """Before a page is drawn: let the address say what was typed or chosen since it was. Streamlit ends a
    callback if the person does something else meanwhile, and does not call it again (measured on 1.67)."""
    for key, (shown, remember) in st.session_state.pop(_SHOWN, {}).items():
        if key in st.session_state and st.session_state[key] != shown:
            remember()


def number(param: str, usual: int, least: int, most: int) -> int:
    """A whole number from the URL, brought within its bounds; `usual` where the URL has none."""
    given = st.query_params.get(param, "")
    return min(max(int(given), least), most) if given.isdecimal() and len(given) < 10 else usual


def one_of(param: str, options: Sequence[str]) -> str:
    """One of the options from the URL; the first where the URL names none of them."""
    given = st.query_params.get(param, "")
    return given if given in options else options[0]


def flag(param: str, usual: bool) -> bool:
    """On or off, from the URL."""
    return {"true": True, "false": False}.get(st.query_params.get(param, ""), usual)


def day(param: str) -> date | None:
    """The day that the URL names; None: it names none between `FIRST_DAY` and `LAST_DAY`."""
    try:
        named = date.fromisoformat(st.query_params.get(param, ""))
    except ValueError:
        return None
    return named if FIRST_DAY <= named <= LAST_DAY else None


def written(day: date | None) -> str | None:
    """A day as the URL names it."""
    return day.isoformat() if day else None


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
        where = f"{text.shorten(titles.get(session.conversation_id, ''), 28)} · " if several else ""
        names[session.id] = f"{where}{text.shorten(name, 44)} · {text.day(session.started_at)}"
    return names
