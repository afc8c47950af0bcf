"""What stands open on screen: which form, its preview, and the last step, which one button undoes.

The changes are the library's (`memory.curation`); the functions here are callbacks, called before the page
draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from memcore.domain.errors import ConflictError, MemcoreError
from memcore.memory import Memory
from memcore.memory.curation import Preview
from memcore.review.curate.acts import Act
from ui.shell import links
from ui.shell.frame import draw_error
from ui.shell.templates import draw
from ui.shell.text import count

Verb = Literal[
    "edit", "wrong", "end", "split", "delete", "cite", "merge", "add",
    "rename", "retype", "join", "relation", "wrong_relation", "end_relation",
]  # fmt: skip
_OPEN, _PREVIEW, _DONE, _ERROR = (f"curation_{name}" for name in ("open", "preview", "done", "error"))


@dataclass(frozen=True, slots=True)
class Step:
    """What was done here last: in words, its event, an object to see in the history, and whether it was
    undone since."""

    said: str
    event_id: str
    object_id: str


def begin(verb: Verb, ids: tuple[str, ...]) -> None:
    """Show the form for these objects; whatever else was open is closed."""
    cancel()
    st.session_state.pop(_DONE, None)
    st.session_state[_OPEN] = (verb, ids)


def cancel() -> None:
    """Close the form; what was typed is dropped."""
    for key in (_OPEN, _PREVIEW, _ERROR):
        st.session_state.pop(key, None)


def opened_for(ids: tuple[str, ...]) -> Verb | None:
    """Which form stands open for exactly these objects."""
    verb, of = st.session_state.get(_OPEN, (None, ()))
    return verb if of == ids else None


def look(memory: Memory, owner: str, act: Act) -> None:
    """Work out what an act would change, for the person to look at."""
    st.session_state.pop(_PREVIEW, None)
    try:
        st.session_state[_PREVIEW] = memory.curation.preview(act, owner=owner)
    except MemcoreError as error:
        st.session_state[_ERROR] = error


def fail(error: MemcoreError) -> None:
    """Keep an error to be drawn in the form."""
    st.session_state.pop(_PREVIEW, None)
    st.session_state[_ERROR] = error


def preview() -> Preview | None:
    """What was worked out last for the open form."""
    found: Preview | None = st.session_state.get(_PREVIEW)
    return found


def do(memory: Memory, owner: str) -> None:
    """Do what was looked at, if it still is what it was."""
    wanted = preview()
    if wanted is None:
        return
    try:
        done = memory.curation.do(wanted.act, owner=owner, expected=wanted.expected)
    except MemcoreError as error:
        fail(error)
        return
    cancel()
    object_id = wanted.objects[0].object_id
    st.session_state[_DONE] = Step(
        f"Done: {count(done.changed, 'object')} changed.", done.event_id, object_id
    )


def undo(memory: Memory) -> None:
    """Take back the last step made here."""
    step: Step = st.session_state.pop(_DONE)
    try:
        undone = memory.undo(step.event_id)
    except MemcoreError as error:
        fail(error)
        return
    objects = count(undone.objects, "object")
    st.session_state[_DONE] = Step(f"Undone: {objects} as before.", undone.event_id, step.object_id)


def told_error() -> None:
    """Why the last step was not taken."""
    if error := st.session_state.pop(_ERROR, None):
        draw_error(error)
        if isinstance(error, ConflictError) and error.object_id:
            links.link("Review", "See what happened to it", view="History", object=error.object_id)


def told(memory: Memory) -> None:
    """The last step, with its undo and the way to its place in the history; or why it was not taken."""
    if _OPEN not in st.session_state:
        told_error()
    step: Step | None = st.session_state.get(_DONE)
    if step is None:
        return
    draw("shell.note", lines=(step.said,))
    with st.container(horizontal=True, vertical_alignment="center"):
        redo = step.said.startswith("Undone")
        st.button(
            "Redo" if redo else "Undo", key="curation_undo", shortcut="U", on_click=undo, args=(memory,)
        )
        links.link("Review", "In the history", view="History", object=step.object_id)
