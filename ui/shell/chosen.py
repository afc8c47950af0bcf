"""What a person has chosen to look at and takes along from page to page: whose memory, which log, which
session, which system.

The URL says it, and every link carries it on: a link, a reload and the browser's Back show the same. A page
that cannot show a choice says so; a page that has no use for it leaves it for the next.

Nothing else goes along: a link of the sidebar opens a page without the filters, the question or the view that
it was left with, whichever page it is. The browser's Back opens it with them, since its address has them.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from memcore.memory import Memory
from ui.shell import address

OWNER, LOG, SESSION, SYSTEM = NAMES = ("owner", "log", "session", "recipe")
"""The query parameters that go along."""

_LOG_OF = "log_of_session"
_DROPS = {OWNER: (LOG, SESSION), LOG: (SESSION,), SESSION: (LOG,)}
"""What a new choice ends: a log is one owner's, a session one log's (`settle` finds the log of a session)."""


def get(name: str) -> str | None:
    """What the URL says is chosen; None: nothing. With a session, its log is."""
    address.stand()
    if name == LOG and (log := st.session_state.get(_LOG_OF, {}).get(st.query_params.get(SESSION))):
        return str(log)
    return st.query_params.get(name) or None


def with_what_ends(params: Mapping[str, str | None]) -> dict[str, str | None]:
    """These changes of the address, with what each new choice among them ends."""
    changes: dict[str, str | None] = {}
    for name, value in params.items():
        if name in NAMES and value is not None:
            if name not in changes and value == get(name):
                continue
            changes |= dict.fromkeys(_DROPS.get(name, ()))
        changes[name] = value
    return changes


def settle(memory: Memory, owner: str) -> None:
    """With a session of the owner's, its log is chosen. The URL is left as it is: an address that changes by
    itself is one from which the browser's Back leads nowhere."""
    session = get(SESSION)
    log = memory.evidence.log_of(session, owner=owner) if session else None
    st.session_state[_LOG_OF] = {session: log} if log else {}


def along(params: Mapping[str, str]) -> dict[str, str]:
    """Parameters of a link with what goes along, unless they name something that it does not fit."""
    ended = {other for name in params for other in _DROPS.get(name, ()) if params[name] != get(name)}
    going = {name: value for name in NAMES if name not in ended and (value := get(name))}
    return {**going, **params}


def others() -> list[str]:
    """The query parameters that are the page's own."""
    return [name for name in st.query_params if name not in NAMES]
