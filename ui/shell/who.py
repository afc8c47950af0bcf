"""Who is looking at a page: whoever has logged in, where login is configured; else whoever runs Memscope.

Login is Streamlit's own (OpenID Connect, `[auth]` in .streamlit/secrets.toml). Without that section nobody is
asked, and nothing of it is loaded. What somebody may do is the library's (`memory.people`).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from streamlit.errors import StreamlitAuthError, StreamlitSecretNotFoundError

from memcore.domain.errors import MemcoreError, NotPermittedError, UsageError
from memcore.domain.models.people import logged_in_as
from ui.shell import address
from ui.shell.templates import draw
from ui.shell.text import label

_SHOWN_TO, _FAILED = "tab_person", "login_failed"
_FORWARDED = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip")
"""What a proxy adds to the requests that it passes on."""


def _login() -> Mapping[str, Any] | None:
    """What is configured; None: nobody has to log in. Raises UsageError where that cannot be read: then
    nobody may be taken for whoever runs Memscope."""
    try:
        found = st.secrets.get("auth")
    except StreamlitSecretNotFoundError as error:
        files = [file for file in st.get_option("secrets.files") if Path(file).exists()]
        if files:
            raise UsageError(
                f"{files[0]} cannot be read, so that nobody can log in.", "Correct it, and reload this page."
            ) from error
        return None
    if found is not None and not isinstance(found, Mapping):
        raise UsageError("“auth” in secrets.toml is no section.", "Write it as docs/people.md shows.")
    return found


def name() -> str:
    """The stable name of who has logged in; empty where nobody has to: that is the operator. Raises
    NotPermittedError where somebody has to and has not, UsageError as `_login` and `logged_in_as`."""
    if _login() is None:
        return ""
    claims = st.user.to_dict()
    if claims.get("is_logged_in") is not True:
        raise NotPermittedError("Nobody is logged in.", "Log in first.")
    return logged_in_as(claims)


def let_in() -> None:
    """Go on with who has logged in; else draw the way to log in, and nothing of the page."""
    try:
        login = _login()
        if login is None:
            return
        if st.user.to_dict().get("is_logged_in") is not True:
            _ask(login)
            st.stop()
        _forget_another(name())
    except MemcoreError as error:
        draw("shell.error", cause=error.cause, fix=error.fix, place="")
        st.stop()


def _forget_another(person: str) -> None:
    """What this tab remembers was somebody else's, if that is who it was shown to before."""
    if st.session_state.get(_SHOWN_TO, person) != person:
        st.session_state.clear()
        address.clear()
    st.session_state[_SHOWN_TO] = person


def _ask(login: Mapping[str, Any]) -> None:
    st.title("Log in", anchor=False)
    draw("shell.purpose", text="What is remembered here is shown to those with whom it is shared.")
    if importlib.util.find_spec("authlib") is None:
        raise UsageError(
            "Login is configured, and the package for it is not installed.",
            "On the machine: pip install -r requirements-people.txt",
        )
    if failed := st.session_state.pop(_FAILED, ""):
        raise UsageError(f"Login is not configured completely. {failed}", "See docs/people.md.")
    named = [key for key, value in login.items() if isinstance(value, Mapping)]
    for provider in (["default"] if "client_id" in login else []) + named:
        text = "Log in" if provider == "default" else f"Log in with {label(provider, 40)}"
        st.button(text, key=f"login_{provider}", type="primary", on_click=_log_in, args=(provider,))


def _log_in(provider: str) -> None:
    try:
        st.login(provider if provider != "default" else None)
    except StreamlitAuthError as error:
        st.session_state[_FAILED] = " ".join(str(error).split())


def draw_who() -> None:
    """In the sidebar: who is logged in, and the way out."""
    if _login() is None:
        return
    draw("shell.person", person=name())
    st.button("Log out", key="log_out", on_click=st.logout)


def at_the_machine() -> bool:
    """Whether who has logged in sits at the machine that Memscope runs on (`comes_from_here`)."""
    login = _login() or {}
    return comes_from_here(
        st.context.ip_address, st.context.headers.to_dict(), str(login.get("redirect_uri", ""))
    )


def comes_from_here(address: str | None, headers: Mapping[str, str], redirect_uri: str) -> bool:
    """Whether a browser is on this machine: it connects from a loopback `address` (Streamlit says None), no
    proxy has passed it on, it asked for a loopback host, and the login leads back to one. The last stands in
    the configuration and cannot be forged from outside: where others log in, it names the address by which
    they come.

    >>> here = {"Host": "localhost:8501", "Origin": "http://localhost:8501"}
    >>> comes_from_here(None, here, "http://localhost:8501/oauth2callback")
    True
    >>> comes_from_here(None, here, "https://memory.example.org/oauth2callback")
    False
    """
    given = {name.lower(): value for name, value in headers.items()}
    asked = [f"http://{given.get('host', '')}", given.get("origin", "null:"), redirect_uri]
    return (
        (address is None or _is_loopback(address))
        and not any(name.lower() in given for name in _FORWARDED)
        and all(_is_loopback(urlsplit(one).hostname or "") for one in asked)
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
