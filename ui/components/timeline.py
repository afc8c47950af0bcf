"""An object's history: what happened, when, by whom, what it undid, and an undo at each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from memcore.domain.errors import MemcoreError
from memcore.domain.models import Event
from memcore.memory import Memory
from memcore.review.audit import audit
from ui.components.evidence import snapshot_text
from ui.review import decision
from ui.shell import access, opened, templates
from ui.shell.frame import meta
from ui.shell.links import href
from ui.shell.marked import block
from ui.shell.templates import render, show
from ui.shell.text import count

_WORDS = {
    "memory.added": "Memory made",
    "memory.superseded": "Replaced by a newer memory",
    "memory.invalidated": "Marked no longer true",
    "memory.deleted": "Deleted",
    "memory.updated": "Memory changed",
    "memory.edited": "Corrected by hand",
    "memory.wrong": "Marked wrong",
    "memory.ended": "Ended by hand",
    "memory.merged": "Merged by hand",
    "memory.split": "Split by hand",
    "memory.cited": "Other words cited",
    "memory.withheld": "Said again after a person removed it",
    "triple.withheld": "Said again after a person removed it",
    "entity.renamed": "Renamed",
    "entity.retyped": "Type changed",
    "curation.noted": "Decided by hand",
    "proposal.made": "Proposed",
    "proposal.approved": "Approved",
    "proposal.applied": "Approved and applied",
    "proposal.rejected": "Rejected",
    "proposal.edited": "Edited",
    "proposal.superseded": "Superseded by another change",
    "proposal.noted": "Linked to a related proposal",
    "entity.linked": "Entity found",
    "entity.merged": "Entities merged",
    "topics.moved": "Topic boundaries moved",
    "triple.linked": "Relation found",
    "triple.changed": "Relation ended or changed",
    "triple.edited": "Relation corrected by hand",
    "triple.wrong": "Relation marked wrong",
    "triple.ended": "Relation ended by hand",
    "triple.deleted": "Relation deleted",
    "entity.split": "Entity split by hand",
    "rule.switched": "Automatic rule switched",
    "grant.given": "Shared with a person",
    "grant.ended": "No longer shared with a person",
    "grant.claimed": "First login at the machine",
}
_ASKED = "timeline_asked"
_SHOWN = 8
_OBJECTS = {
    "memory": ("memory", "memories"),
    "entity": ("entity", "entities"),
    "triple": ("relation", ""),
    "summary": ("summary", "summaries"),
    "topic_cut": ("change of topic boundaries", "changes of topic boundaries"),
    "proposal": ("proposal", ""),
    "rule_switch": ("rule switch", "rule switches"),
    "grant": ("grant to a person", "grants to persons"),
    "curation": ("note of a correction", "notes of corrections"),
}


def wording(event: Event) -> str:
    """An event's kind in plain words; an undo says so."""
    if event.undo_of:
        return "Undone"
    return _WORDS.get(event.kind, event.kind.replace(".", " ").replace("_", " ").capitalize())


def draw(memory: Memory, events: Sequence[Event]) -> None:
    """One object's events, oldest first, each that still stands with its undo. A step that did more than
    this says what before it is undone; one that later steps rest on says which to undo first."""
    decision.told()
    undone = {entry.event_id for entry in audit(events) if entry.undone_by}
    asked = st.session_state.get(_ASKED)
    for event in events:
        with st.container(horizontal=True, vertical_alignment="top", gap="small"):
            show(_step(event, event.id in undone))
            if event.id not in undone and event.object_type != "grant":
                st.button(
                    "Undo",
                    key=f"undo_{event.id}",
                    type="tertiary",
                    on_click=_ask,
                    args=(memory, event),
                    **access.greyed(
                        "review", help="Puts everything this step changed back to what it was before."
                    ),
                )
        if asked == event.id:
            _confirm(memory, event)
    meta("Oldest first, times in UTC. An undo is a step of its own.")


def _ask(memory: Memory, event: Event) -> None:
    """Undo a person's step at once; ask first when a run took it, which may have done much in it."""
    st.session_state.pop(_ASKED, None)
    try:
        much = event.run_id and len(_step_of(memory, event)) > 1
    except MemcoreError as error:
        decision.refuse(error)
        return
    if much:
        st.session_state[_ASKED] = event.id
    else:
        decision.undo(memory, event.id)


def _confirm(memory: Memory, event: Event) -> None:
    objects = Counter({e.object_id: e.object_type for e in _step_of(memory, event)}.values())
    what = ", ".join(count(n, *_OBJECTS.get(name, (name, ""))) for name, n in objects.most_common())
    with st.container(border=True):
        templates.draw("shell.alert", text=f"The run changed all of this in one step: {what}.")
        with st.container(horizontal=True):
            st.button(
                f"Undo all {sum(objects.values()):,}",
                key="undo_step",
                type="primary",
                on_click=_undo_asked,
                args=(memory, event.id),
            )
            st.button("Leave it", key="leave_step", on_click=st.session_state.pop, args=(_ASKED, None))


def _step_of(memory: Memory, event: Event) -> list[Event]:
    return memory.review.step(event.batch, owner=opened.owner(memory))


def _undo_asked(memory: Memory, event_id: str) -> None:
    st.session_state.pop(_ASKED, None)
    decision.undo(memory, event_id)


def _step(event: Event, undone: bool) -> Markup:
    return render(
        "components.step", event=event, wording=wording(event), undone=undone, text=block(_text(event), 200)
    )


def _text(event: Event) -> str:
    return snapshot_text(event.after) or snapshot_text(event.before)


def table(events: Sequence[Event], *, with_object: bool = False) -> Markup:
    """Events in the order given; of many, the others wait behind "Show"."""
    if len(events) <= _SHOWN + 1:
        return _table(events, with_object)
    return render(
        "components.folded",
        first=_table(events[:_SHOWN], with_object),
        number=len(events) - _SHOWN,
        rest=_table(events[_SHOWN:], with_object),
    )


def _table(events: Sequence[Event], with_object: bool) -> Markup:
    rows = [(event, wording(event), named(event), block(_text(event), 200)) for event in events]
    return render("components.events", rows=rows, with_object=with_object)


def kind_of(event: Event) -> str:
    """What kind of object it is about, in words."""
    singular, _ = _OBJECTS.get(event.object_type, (event.object_type, ""))
    return singular


def named(event: Event) -> Markup:
    """The object of an event as a link to where it is shown: its page, or its history."""
    singular = kind_of(event)
    key = event.object_id
    places = {
        "memory": href("Memories", memory=key),
        "proposal": href("Review", proposal=key),
        "entity": href("Graph", entity=key),
    }
    link = places.get(event.object_type) or href("Review", view="History", object=key)
    return render("components.object", link=link, what=singular, key=key[-6:])
