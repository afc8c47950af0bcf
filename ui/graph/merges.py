"""Entities of a graph that may be one thing: what waits for a decision, and a way to look for more.

Deciding is Review's; nothing is merged here.
"""

from __future__ import annotations

import streamlit as st

from memcore.inspection.graph import EntityGraph, EntityMerge
from memcore.memory import Memory
from ui.shell import links
from ui.shell.jobs import board
from ui.shell.text import block, count, safe, shorten

_SHOWN = 8
_FOUND = "entity_merges_found"


def draw(memory: Memory, whole: EntityGraph) -> None:
    """The waiting proposals with both names and the reason, and the button that proposes them."""
    waiting = memory.entity_merges(whole.owner, recipe=whole.recipe)
    st.header("Names that may be one thing", anchor=False)
    found = st.session_state.pop(_FOUND, None)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        state = count(len(waiting), "proposal waits", "proposals wait") if waiting else "No proposal waits"
        if found is not None:
            state = f"{count(found, 'new proposal')}. {state}"
        st.html(f'<div class="ms-meta">{safe(state)} for your decision.</div>', width="content")
        if st.button(
            "Look for them now",
            key="propose_merges",
            disabled=board().running() is not None,
            help="Compares the names of all entities of this graph. It only proposes; you decide.",
        ):
            made = memory.propose_entity_merges(whole.owner, recipe=whole.recipe)
            st.session_state[_FOUND] = len(made)
            st.rerun()
    for merge in waiting[:_SHOWN]:
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.html(_line(merge), width="stretch")
            links.link("Review", "Decide", proposal=merge.proposal.id)
    if len(waiting) > _SHOWN:
        links.link("Review", f"{count(len(waiting) - _SHOWN, 'further proposal')} in Review")


def _line(merge: EntityMerge) -> str:
    names = " = ".join(f"<b>{safe(shorten(entity.name, 80))}</b>" for entity in merge.entities)
    return f'<div>{names}</div><div class="ms-meta">{block(merge.proposal.reason, 300)}</div>'
