"""Home's four parts: what is stored, what changed lately, what waits, what looks wrong. Each line leads to
where one acts."""

from __future__ import annotations

import streamlit as st

from memcore.domain.models import Event, Run
from memcore.inspection.overview import Change, Overview
from memcore.memory import Memory
from memcore.systems.registry import title
from ui.components import erase, timeline
from ui.components.evidence import snapshot_text
from ui.components.report import figures
from ui.overview import examined
from ui.review.proposal import OPERATIONS
from ui.runs import runs
from ui.shell import links
from ui.shell.frame import begin, meta
from ui.shell.jobs import board
from ui.shell.templates import draw
from ui.shell.text import clock, count, label

_PAGES = {"memory": "Memories", "proposal": "Review", "entity": "Graph"}
"""Where an object is shown; its kind is the query parameter."""


def how_to_begin(memory: Memory) -> None:
    """The empty store: three lines and two ways."""
    draw("overview.steps")
    begin(memory)


def stored(found: Overview) -> None:
    """How much was said, and what each system remembers of it."""
    st.header("What is stored", anchor=False)
    figures(
        (found.logs, "log" if found.logs == 1 else "logs"),
        (found.sessions, "session" if found.sessions == 1 else "sessions"),
        (found.messages, "message" if found.messages == 1 else "messages"),
    )
    for system in found.systems:
        past = f", {system.past:,} no longer active" if system.past else ""
        unread = f", {count(system.unread, 'message')} not read yet" if system.unread else ""
        text = f"{title(system.recipe)}: {count(system.memories, 'memory', 'memories')}{past}{unread}"
        links.link("Memories", label(text, 160), recipe=system.recipe)
    if not found.systems:
        meta("No system has read it yet.")
    erase.link("Erase a conversation, a message or a person…", "conversation")


def waits(found: Overview) -> None:
    """What a person has to decide or to start."""
    st.header("What waits", anchor=False)
    drawn = 0
    if number := sum(found.proposals.values()):
        kinds = ", ".join(
            f"{n:,} × {OPERATIONS.get(name, name).lower()}" for name, n in found.proposals.items()
        )
        links.link("Review", f"Decide {count(number, 'proposed change')}")
        meta(kinds)
        drawn += 1
    for system in found.systems:
        if system.unread:
            text = f"Resume the import: {count(system.unread, 'message')} not read by {title(system.recipe)}"
            links.link("Import", label(text, 160), recipe=system.recipe)
            drawn += 1
    if found.consolidate:
        links.link("Update queue", "Consolidate: compare what was remembered since the last time")
        drawn += 1
    for run in found.open_runs:
        if runs.state(run) in ("cancelled", "interrupted"):
            links.link("Runs and cost", label(f"Go on with what was {_ended(run)}", 160), run=run.id)
            drawn += 1
    if not drawn:
        meta("Nothing waits.")


def _ended(run: Run) -> str:
    return f"{runs.state(run)}: {_named(run)}, {clock(run.started_at)} UTC"


def _named(run: Run) -> str:
    what = runs.KINDS.get(run.kind, run.kind)
    return f"{what} by {title(run.recipe)}" if run.recipe else what


def wrong(memory: Memory, found: Overview) -> None:
    """What failed, and, for who administers the store, what is not sound."""
    st.header("What looks wrong", anchor=False)
    for part in found.failed:
        text = f"{count(part.messages, 'message')} could not be read: {_named(part.run)}, "
        links.link("Runs and cost", label(f"{text}{clock(part.run.started_at)} UTC", 160), run=part.run.id)
    ended = [run for run in found.open_runs if run.state == "failed"]
    for run in ended:
        links.link("Runs and cost", label(f"{_ended(run)}: {run.error}", 200), run=run.id)
    if number := sum(found.marked_wrong.values()):
        stages = ", ".join(f"{n:,} by {stage}" for stage, n in found.marked_wrong.items())
        links.link("Review", label(f"Found wrong by people: {number:,} ({stages})", 160), view="Found wrong")
    something = bool(found.failed or ended or number)
    if memory.people.may("administer"):
        unsound(something)
    elif not something:
        meta("Nothing.")


def unsound(something: bool) -> None:
    """What the checks found, once they have ended; `something` else looks wrong already."""
    found = examined.examine()
    if not found.done():
        examined.told_when_done()
        return
    checked = found.result()
    for problem in checked.problems:
        links.link("Settings", label(problem.what, 200))
        meta(problem.fix)
    if not checked.whole:
        meta(
            f"Of more than {examined.MOST_EVENTS:,} events the store is not examined here. To examine it: "
            "python -m memcore doctor"
        )
    elif not (something or checked.problems):
        meta("Nothing. Packages and the store were examined; models load when they are needed.")


def changed(found: Overview) -> None:
    """The last runs and decisions, newest first."""
    st.header("What changed lately", anchor=False)
    for place, change in enumerate(found.changes):
        with st.container(
            horizontal=True, vertical_alignment="center", gap="small", key=f"overview_change_{place}"
        ):
            meta(f"{clock(change.at)} UTC", width="content")
            _change(change)
    if not found.changes:
        meta("Nothing yet.")


def _change(change: Change) -> None:
    if change.run is not None:
        run = change.run
        took = f" in {run.seconds:.1f} s" if run.seconds is not None else ""
        made = runs.made(run) or "nothing new"
        ended = "" if run.state == "finished" else f" ({run.state})"
        links.link("Runs and cost", label(f"{_named(run)}{ended}: {made}{took}", 160), run=run.id)
        return
    if (event := change.event) is None:
        return
    more = f", and {count(change.events - 1, 'further change')}" if change.events > 1 else ""
    text = label(f"{_did(change, event)} by {event.actor}{more}: {_about(event)}", 200)
    if event.object_type in _PAGES:
        links.link(_PAGES[event.object_type], text, **{event.object_type: event.object_id})
    else:
        links.link("Review", text, view="History", object=event.object_id)


def _did(change: Change, event: Event) -> str:
    """What was done; of an undo, what that took back, and of an undo's undo, what is so again."""
    if not change.undone:
        return timeline.wording(event)
    again = "Redone" if len(change.undone) % 2 == 0 else "Undone"
    return f"{again} (“{timeline.wording(change.undone[-1])}”)"


def _about(event: Event) -> str:
    """What it was done to, in its words; of a proposal, what that would do."""
    snapshot = event.after or event.before or {}
    words = snapshot_text(event.after) or snapshot_text(event.before)
    if event.object_type == "proposal":
        return f"{OPERATIONS.get(snapshot['operation'], snapshot['operation'])}: {words}"
    return words or timeline.kind_of(event)


def draw_all(memory: Memory, owner: str) -> None:
    """The whole page of a store that holds something."""
    found = memory.overview(owner)
    stored(found)
    left, right = st.columns(2, gap="large")
    with left:
        waits(found)
    with right:
        wrong(memory, found)
    changed(found)
    if job := board().running():
        meta(f"{job.title} is running.")
