"""Asking a browser session to draw its page anew, from a thread of ours.

Beside `address`, the one place that uses what Streamlit keeps to itself: it does what
`AppSession._on_source_file_changed` does when a source file was saved (Streamlit 1.67). No widget's state
goes along, so that no callback is called and nothing of an earlier page is taken for this one's. Where
Streamlit has become another, nobody is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from streamlit import runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx

NEEDED = ("_client_state", "_event_loop", "_scriptrunner")
"""What is used of a session beside its public `request_rerun`."""


def this_session() -> AppSession | None:
    """The session whose page is being drawn; None where there is none that can be asked."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return None
    session = runtime.get_instance().get_app_session(context.session_id)
    known = isinstance(session, AppSession) and all(hasattr(session, name) for name in NEEDED)
    return session if known else None


def is_open(session: AppSession) -> bool:
    """Whether a browser is connected to it."""
    return runtime.exists() and runtime.get_instance().is_active_session(session.id)


def draw_anew(session: AppSession, begun: Callable[[], None]) -> None:
    """Ask it, unless it is drawing: `begun` is called before it begins. Returns at once."""

    def ask() -> None:  # where the session also hears its browser, so that nothing comes between
        if session._scriptrunner is None and is_open(session):
            begun()
            session.request_rerun(session._client_state)

    with suppress(RuntimeError):  # the server has ended
        session._event_loop.call_soon_threadsafe(ask)
