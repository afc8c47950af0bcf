"""An object's history: what happened, when, by whom, what it undid, and an undo at each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from memcore.domain.models import Event
from memcore.memory import Memory
from memcore.review.audit import audit
from ui.components.evidence import snapshot_text
from ui.review import decision
from ui.shell.links import href
from ui.shell.text import block, clock, count, safe

_WORDS = {
    "memory.added": "Memory made",
    "memory.superseded": "Replaced by a newer memory",
    "memory.invalidated": "Marked no longer true",
    "memory.deleted": "Deleted",
    "memory.updated": "Memory changed",
    "proposal.made": "Proposed",
    "proposal.approved": "Approved",
    "proposal.applied": "Approved and applied",
    "proposal.rejected": "Rejected",
    "proposal.edited": "Edited",
    "proposal.superseded": "Overtaken by another change",
    "proposal.noted": "Linked to a related proposal",
    "entity.linked": "Entity found",
    "entity.merged": "Entities merged",
    "topics.moved": "Topic boundaries moved",
    "triple.linked": "Relation found",
    "triple.changed": "Relation ended or changed",
    "rule.switched": "Automatic rule switched",
}
_ASKED = "timeline_asked"
_SHOWN = 8
_OBJECTS = {
    "memory": ("memory", "memories"),
    "entity": ("entity", "entities"),
    "triple": ("relation", ""),
    "summary": ("summary", "summaries"),
    "topic_cut": ("cut into topics", "cuts into topics"),
    "proposal": ("proposal", ""),
    "rule_switch": ("rule switch", "rule switches"),
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
            st.html(_step(event, event.id in undone), width="stretch")
            if event.id not in undone:
                st.button(
                    "Undo",
                    key=f"undo_{event.id}",
                    type="tertiary",
                    on_click=_ask,
                    args=(memory, event),
                    help="Puts everything this step changed back to what it was before.",
                )
        if asked == event.id:
            _confirm(memory, event)
    st.html('<div class="ms-meta">Oldest first, times in UTC. An undo is a step of its own.</div>')


def _ask(memory: Memory, event: Event) -> None:
    """Undo a person's step at once; ask first when a run took it, which may have done much in it."""
    st.session_state.pop(_ASKED, None)
    if event.run_id and len(memory.step(event.batch)) > 1:
        st.session_state[_ASKED] = event.id
    else:
        decision.undo(memory, event.id)


def _confirm(memory: Memory, event: Event) -> None:
    objects = Counter({e.object_id: e.object_type for e in memory.step(event.batch)}.values())
    what = ", ".join(count(n, *_OBJECTS.get(name, (name, ""))) for name, n in objects.most_common())
    with st.container(border=True):
        st.html(f'<div role="alert"><b>The run changed all of this in one step: {safe(what)}.</b></div>')
        with st.container(horizontal=True):
            st.button(
                f"Undo all {sum(objects.values()):,}",
                key="undo_step",
                type="primary",
                on_click=_undo_asked,
                args=(memory, event.id),
            )
            st.button("Leave it", key="leave_step", on_click=st.session_state.pop, args=(_ASKED, None))


def _undo_asked(memory: Memory, event_id: str) -> None:
    st.session_state.pop(_ASKED, None)
    decision.undo(memory, event_id)


def _step(event: Event, undone: bool) -> str:
    text = snapshot_text(event.after) or snapshot_text(event.before)
    taken_back = ' <span class="ms-tag">undone</span>' if undone else ""
    return (
        f'<div><b>{safe(wording(event))}</b>{taken_back} <span class="ms-meta">{safe(clock(event.at))} · '
        f'{_by(event)}</span></div><div class="ms-text">{block(text, 200)}</div>'
    )


def table(events: Sequence[Event], *, with_object: bool = False) -> str:
    """Events as an HTML table, in the order given; of many, the others wait behind "Show"."""
    if len(events) <= _SHOWN + 1:
        return _table(events, with_object)
    more = f'<summary class="ms-more">Show {len(events) - _SHOWN:,} more changes of this step</summary>'
    rest = _table(events[_SHOWN:], with_object)
    return f"{_table(events[:_SHOWN], with_object)}<details>{more}{rest}</details>"


def _table(events: Sequence[Event], with_object: bool) -> str:
    rows = "".join(_row(event, with_object) for event in events)
    head = "<th>object</th>" if with_object else ""
    return (
        f'<table class="ms"><tr><th>when</th><th>what</th>{head}<th>text</th><th>by</th></tr>{rows}</table>'
    )


def named(event: Event) -> str:
    """The object of an event as a link to where it is shown: its page, or its history."""
    singular, _ = _OBJECTS.get(event.object_type, (event.object_type, ""))
    key = event.object_id
    places = {
        "memory": href("Memories", memory=key),
        "proposal": href("Review", proposal=key),
        "entity": href("Graph", entity=key),
    }
    link = places.get(event.object_type) or href("Review", view="History", object=key)
    return f'<a href="{safe(link)}" target="_self">{safe(singular)} {safe(key[-6:])}</a>'


def _by(event: Event) -> str:
    if not event.run_id:
        return safe(event.actor)
    link = safe(href("Runs and cost", run=event.run_id))
    return f'{safe(event.actor)} · <a href="{link}" target="_self">run</a>'


def _row(event: Event, with_object: bool) -> str:
    text = snapshot_text(event.after) or snapshot_text(event.before)
    subject = f"<td>{named(event)}</td>" if with_object else ""
    return (
        f'<tr><td style="white-space:nowrap">{safe(clock(event.at))}</td><td>{safe(wording(event))}</td>'
        f'{subject}<td class="ms-text">{block(text, 200)}</td><td>{_by(event)}</td></tr>'
    )
