"""What people and their rules decided, step by step, and the whole history of one object; undo at each."""

from __future__ import annotations

from itertools import groupby, islice

import streamlit as st

from memcore.memory import Memory
from ui.components import timeline
from ui.components.evidence import snapshot_text
from ui.review import decision
from ui.shell import access, links, opened, templates
from ui.shell.frame import meta, note
from ui.shell.marked import block

_READ, _SHOWN = 2_000, 50


def draw(memory: Memory) -> None:
    """Of the object that the URL names; else all decisions, newest first."""
    if wanted := st.query_params.get("object"):
        _object(memory, wanted)
    else:
        _decisions(memory)


def _object(memory: Memory, object_id: str) -> None:
    links.within("All decisions", "all_decisions", object=None)
    events = memory.review.history(object_id, owner=opened.owner(memory))
    if not events:
        note("Nothing is recorded of this object.", "The link may be of another owner or store.")
        return
    now = snapshot_text(events[-1].after) or snapshot_text(events[-1].before)
    templates.draw("review.object", text=block(now, 600), place=timeline.named(events[-1]))
    timeline.draw(memory, events)


def _decisions(memory: Memory) -> None:
    events = memory.review.decisions(owner=opened.owner(memory), limit=_READ)
    if not events:
        note("Nothing was decided yet.")
        return
    taken_back = {e.undo_of for e in events}
    for batch, group in islice(groupby(events, key=lambda e: e.batch), _SHOWN):
        members = list(group)
        with st.container(
            border=True, horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
        ):
            templates.show(timeline.table(members, with_object=True))
            if members[0].id not in taken_back and members[0].object_type != "grant":
                args = (memory, members[0].id)
                grey = access.greyed("review")
                st.button("Undo", key=f"undo_{batch}", on_click=decision.undo, args=args, **grey)
    meta(
        f"The last {_SHOWN} steps at most, newest first, times in UTC. An object’s link leads to its "
        "whole history."
    )
