"""Entities of a graph that may be one thing: what waits for a decision, and a way to look for more.

Deciding is Review's; nothing is merged here.
"""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from memcore.inspection.graph import EntityGraph, EntityMerge
from memcore.memory import Memory
from ui.shell import links, live
from ui.shell.frame import meta
from ui.shell.jobs import busy
from ui.shell.marked import block
from ui.shell.templates import render, show
from ui.shell.text import count, shorten

_SHOWN = 8
_FOUND = "entity_merges_found"


def draw(memory: Memory, whole: EntityGraph) -> None:
    """The waiting proposals with both names and the reason, and the button that proposes them."""
    waiting = memory.graph.merges(whole.owner, recipe=whole.recipe)
    st.header("Names that may be one thing", anchor=False)
    found = live.once(_FOUND)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        state = count(len(waiting), "proposal waits", "proposals wait") if waiting else "No proposal waits"
        if found is not None:
            state = f"{count(found, 'new proposal')}. {state}"
        meta(f"{state} for your decision.", width="content")
        if st.button(
            "Look for them now",
            key="propose_merges",
            disabled=bool(busy()),
            help=busy() or "Compares the names of all entities of this graph. It only proposes; you decide.",
        ):
            made = memory.graph.propose_merges(whole.owner, recipe=whole.recipe)
            st.session_state[_FOUND] = len(made)
            st.rerun()
    for merge in waiting[:_SHOWN]:
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            show(_line(merge))
            links.link("Review", "Decide", proposal=merge.proposal.id)
    if len(waiting) > _SHOWN:
        links.link("Review", f"{count(len(waiting) - _SHOWN, 'further proposal')} in Review")


def _line(merge: EntityMerge) -> Markup:
    names = [shorten(entity.name, 80) for entity in merge.entities]
    return render("graph.merge", names=names, reason=block(merge.proposal.reason, 300))
