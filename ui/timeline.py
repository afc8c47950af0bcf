"""An object's history: what happened, when, by whom, and what it undid."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.models import Event
from ui.evidence import snapshot_text
from ui.links import href
from ui.text import block, clock, safe

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
}


def wording(event: Event) -> str:
    """An event's kind in plain words; an undo says so."""
    if event.undo_of:
        return "Undone"
    return _WORDS.get(event.kind, event.kind.replace(".", " ").replace("_", " ").capitalize())


def table(events: Sequence[Event], *, with_object: bool = False) -> str:
    """Events as an HTML table, in the order given."""
    rows = "".join(_row(event, with_object) for event in events)
    head = "<th>object</th>" if with_object else ""
    return (
        f'<table class="ms"><tr><th>when</th><th>what</th>{head}<th>text</th><th>by</th></tr>{rows}</table>'
    )


def _row(event: Event, with_object: bool) -> str:
    text = snapshot_text(event.after) or snapshot_text(event.before)
    by = safe(event.actor)
    if event.run_id:
        by += f' · <a href="{href("Runs and cost", run=event.run_id)}" target="_self">run</a>'
    subject = ""
    if with_object:
        name = f"{event.object_type.replace('_', ' ')} {event.object_id[-6:]}"
        pages = {"memory": "Memories", "proposal": "Review"}
        subject = safe(name)
        if page := pages.get(event.object_type):
            link = href(page, **{event.object_type: event.object_id})
            subject = f'<a href="{link}" target="_self">{safe(name)}</a>'
        subject = f"<td>{subject}</td>"
    return (
        f'<tr><td style="white-space:nowrap">{safe(clock(event.at))}</td><td>{safe(wording(event))}</td>'
        f'{subject}<td class="ms-text">{block(text, 200)}</td><td>{by}</td></tr>'
    )
