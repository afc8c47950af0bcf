"""What whoever looks at a page may not do with the memory that it shows: why, for what is greyed.

The library refuses it (`memory.people`); here it only shows.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from memcore.domain.models import EVERY_OWNER, Role
from memcore.domain.models.people import ROLES
from memcore.memory import Memory

_REFUSED = "refused_here"
_MAY: dict[Role, str] = {
    "read": "see this memory",
    "review": "decide about this memory or add to it",
    "administer": "administer this memory",
}


def settle(memory: Memory, owner: str) -> None:
    """Note what may not be done with the owner's memory, and with the whole store, on this page."""
    st.session_state[_REFUSED] = {
        (role, whole)
        for whole, of in ((False, owner), (True, EVERY_OWNER))
        for role in set(ROLES) - memory.people.allowed(of)
    }


def refused(need: Role, *, whole: bool = False) -> str:
    """Why what needs this role for the memory on this page (`whole`: the whole store) cannot be done; empty
    when it can."""
    if (need, whole) not in st.session_state.get(_REFUSED, ()):
        return ""
    what = "administer this store" if whole else _MAY[need]
    return f"You may not {what}. Who administers it can share it with you under Settings."


def greyed(
    need: Role, *, help: str | None = None, disabled: bool = False, whole: bool = False
) -> dict[str, Any]:
    """`disabled` and `help` of a widget for what needs this role: with the reason where it is refused, else
    as given."""
    why = refused(need, whole=whole)
    return {"disabled": disabled or bool(why), "help": why or help}
