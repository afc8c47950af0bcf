"""Choosing one session and the system that worked on it, on the pages that look at one."""

from __future__ import annotations

import streamlit as st

from memcore.inspection.objects import SessionView
from memcore.memory import Memory
from memcore.systems.registry import SYSTEMS
from ui.components import traces
from ui.components.recipes import TITLES, nobody_heard, not_shown
from ui.shell import links, opened, params
from ui.shell.frame import note
from ui.shell.text import shorten

_WITHIN = ("segment", "turn", "part", "page", "rate", "protect")
"""What the address says of the session in view, as one system read it: it ends with that."""


def names(memory: Memory, log: str | None = None) -> dict[str, str]:
    """Session id → its name, for the owner in view (of one log, if it is named)."""
    owner = opened.owner(memory)
    titles = {c.id: c.title or shorten(c.source_file, 28) for c in memory.evidence.conversations(owner)}
    found = memory.evidence.sessions(owner)
    return params.session_names([s for s in found if log in (None, s.conversation_id)], titles)


def choose_log(memory: Memory, *, always: bool = False) -> str:
    """The log in view, offered where there are several (or `always`); the page stops with an explanation
    when the URL names an unknown one."""
    owner = opened.owner(memory)
    logs = {c.id: shorten(c.title or c.source_file, 70) for c in memory.evidence.conversations(owner)}
    if wrong := params.unknown("log", logs):
        note(f"There is no log with the id {wrong}.", "It may belong to another owner or store.")
        links.within("Show the first log", "first_log", log=None)
        st.stop()
    if len(logs) < 2 and not always:
        return next(iter(logs))
    picked = params.choose("Log", logs, "log", must=True, clears=_WITHIN)
    if picked is None:
        st.stop()
    return picked


def choose(memory: Memory) -> str:
    """The session in view, of the log in view; the page stops with an explanation when the URL names an
    unknown one of either."""
    side_by_side = st.container(horizontal=True, vertical_alignment="bottom")
    with side_by_side:
        log = choose_log(memory)
    known = names(memory, log)
    if wrong := params.unknown("session", known):
        note(f"There is no session with the id {wrong}.", "It may belong to another owner or store.")
        links.within("Show the first session", "first_session", session=None)
        st.stop()
    with side_by_side:
        picked = params.choose("Session", known, "session", must=True, clears=_WITHIN)
    if picked is None:
        st.stop()
    return picked


def view(memory: Memory, *, topics: bool = False) -> SessionView:
    """The session in view, as the chosen recipe worked on it; the choice is offered when several did. With
    `topics`, only those that divide sessions into topics; the page stops with an explanation where none
    did."""
    session_id = choose(memory)
    owner = opened.owner(memory)
    first = memory.evidence.session(session_id, owner=owner)
    names = [
        name
        for name in dict.fromkeys((first.recipe, *first.recipes))
        if not topics or divides_into_topics(name)
    ]
    if first.recipes and not names:
        others = ", ".join(TITLES.get(name, name) for name in first.recipes)
        both = " and ".join(title for name, title in TITLES.items() if divides_into_topics(name))
        note(
            f"Only {others} worked on this session, without compressing it or dividing it into topics.",
            f"{both} do both: Import lets either read what is stored.",
        )
        links.link("Import", "Read it with another system")
        st.stop()
    picked = next(iter(names), first.recipe)
    if len(names) > 1:
        options = {name: TITLES.get(name, name) for name in names}
        picked = params.choose("System", options, "recipe", must=True, clears=_WITHIN) or picked
    if first.recipes:
        why = "has not read this session"
        not_shown(names, picked, f"{why}, or divides none into topics" if topics else why)
    if picked == first.recipe:
        return first
    return memory.evidence.session(session_id, owner=owner, recipe=picked)


def divides_into_topics(recipe: str) -> bool:
    """Whether a system divides sessions into topics."""
    return recipe not in SYSTEMS or SYSTEMS[recipe].topics


def nothing_made(memory: Memory, view: SessionView, what: str) -> None:
    """Why there is nothing to show: nobody in the session is read, or (`what`) the work is not done yet."""
    found = traces.extraction(memory.traces.of(view.session.id, "extract", recipe=view.recipe))
    skipped = {part.message_id for trace in found for part in trace.skipped}
    if view.messages and all(message.id in skipped for message in view.messages):
        note(*nobody_heard(view.recipe))
        links.link("Settings", "Whose messages are read")
    else:
        note(what, "Finish the import; it continues where it stopped.")
        links.link("Import", "Resume the import")
