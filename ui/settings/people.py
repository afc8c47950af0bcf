"""The people of the Settings page: who is logged in, what they may do, with whom else a memory is shared."""

from __future__ import annotations

import streamlit as st

from memcore.domain.errors import MemcoreError
from memcore.domain.models import EVERY_OWNER, Grant, Role
from memcore.domain.models.people import LONGEST_NAME, ROLES
from memcore.memory import Memory
from ui.shell import live, opened, templates, who
from ui.shell.frame import draw_error, meta, note
from ui.shell.text import clock, label, shorten

_TOLD, _FAILED = "people_told", "people_failed"
_PERSON, _ROLE, _WHOLE = "share_with", "share_role", "share_everything"
_EVENTS = 10
_DOES: dict[Role, str] = {
    "read": "read: see, search, ask, export",
    "review": "review: also decide, correct, import, consolidate",
    "administer": "administer: also erase, switch rules, share",
}
_WHAT = {"grant.given": "shared with", "grant.ended": "no longer shared with", "grant.claimed": "claimed by"}


def draw(memory: Memory) -> None:
    """The section; nothing where nobody logs in and nothing was ever shared."""
    owner = opened.owner(memory)
    administers = [of for of in (owner, EVERY_OWNER) if memory.people.may("administer", of)]
    standing = [one for of in administers for one in memory.people.grants(of)]
    if not (who.name() or standing):
        return
    st.header("People", anchor=False)
    if told := live.once(_TOLD):
        note(told)
    if failed := live.once(_FAILED):
        draw_error(failed)
    if memory.people.me:
        mine = [f"{role}, {_whose(of)}" for of, role in memory.people.my_roles().items()]
        meta(f"You are logged in as {memory.people.me}: {'; '.join(mine)}.")
    if not administers:
        note("Who administers a memory shares it here. You may not.")
        return
    for grant in standing:
        _row(memory, grant)
    _share(memory, owner)
    _history(memory, administers)


def _whose(owner: str) -> str:
    return f"memory of {shorten(owner, 60)}" if owner != EVERY_OWNER else "everyone’s memory and this store"


def _row(memory: Memory, grant: Grant) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", border=True
    ):
        templates.draw(
            "settings.grant", person=grant.person, role=grant.role or "", whose=_whose(grant.owner)
        )
        st.button("Take back", key=f"revoke_{grant.id}", on_click=_revoke, args=(memory, grant))


def _share(memory: Memory, owner: str) -> None:
    with st.form("share", border=True):
        st.subheader("Share", anchor=False)
        st.text_input(
            "With whom",
            key=_PERSON,
            max_chars=LONGEST_NAME,
            help="The e-mail address they log in with, if it is verified; else what their sidebar says.",
        )
        st.selectbox("What they may do", ROLES, key=_ROLE, format_func=lambda role: _DOES[role])
        whole = memory.people.may("administer")
        st.checkbox(
            "Everyone’s memory, and with “administer” this store itself",
            key=_WHOLE,
            disabled=not whole,
            help=None if whole else "You administer this memory, not the store.",
        )
        st.form_submit_button(
            f"Share the memory of {label(owner, 40)}",
            type="primary",
            on_click=_grant,
            args=(memory, owner),
            key="share_send",
        )


def _grant(memory: Memory, owner: str) -> None:
    state = st.session_state
    try:
        of = EVERY_OWNER if state[_WHOLE] else owner
        given = memory.people.grant(state[_PERSON], state[_ROLE], owner=of)
    except MemcoreError as error:
        state[_FAILED] = error
        return
    state[_TOLD] = f"{given.person} may {given.role}: {_whose(given.owner)}."
    state[_PERSON] = ""


def _revoke(memory: Memory, grant: Grant) -> None:
    try:
        memory.people.revoke(grant.person, owner=grant.owner)
    except MemcoreError as error:
        st.session_state[_FAILED] = error
        return
    st.session_state[_TOLD] = f"Taken back from {grant.person}: {_whose(grant.owner)}."


def _history(memory: Memory, administers: list[str]) -> None:
    events = sorted(
        (event for of in administers for event in memory.people.history(of)), key=lambda event: -event.seq
    )
    for event in events[:_EVENTS]:
        after = event.after or {}
        person = shorten(str(after.get("person", "")), 80)
        role = f" ({after['role']})" if after.get("role") else ""
        what = f"{_whose(event.owner)} {_WHAT.get(event.kind, event.kind)} {person}{role}"
        meta(f"{clock(event.at)} UTC: {what}, by {shorten(event.actor, 80)}")
