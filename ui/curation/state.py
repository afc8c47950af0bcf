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
from memcore.review.curate.showing import ObjectChange
from memcore.runs.dry_run import QuestionPreview
from ui.curation import changes, focus
from ui.shell import access, links, live, opened
from ui.shell.frame import draw_error
from ui.shell.templates import draw
from ui.shell.text import count, label

Verb = Literal[
    "edit", "wrong", "end", "split", "delete", "cite", "merge", "add",
    "rename", "retype", "join", "divide", "relation", "wrong_relations", "end_relations", "delete_relations",
]  # fmt: skip
_OPEN, _PREVIEW, _DONE, _ERROR, _AT_HAND, _NEWS = (
    f"curation_{name}" for name in ("open", "preview", "done", "error", "at_hand", "news")
)

_CHOOSING: tuple[Verb, ...] = ("join", "delete_relations")
"""Forms in which one only chooses from lists: a list that has the focus opens over the page."""


@dataclass(frozen=True, slots=True)
class Step:
    """What was done here last: in words, its event, an object to see in the history; and, unless it was an
    undo, what it changed and which questions it answers otherwise."""

    said: str
    event_id: str
    object_id: str
    owner: str
    objects: tuple[ObjectChange, ...] = ()
    questions: tuple[QuestionPreview, ...] = ()


def take_up(place: str, memory_id: str) -> None:
    """Show the controls of a memory in a list, and no other's there; once more puts them away."""
    cancel()
    if at_hand(place, memory_id):
        st.session_state.pop(_AT_HAND)
    else:
        st.session_state[_AT_HAND] = (place, memory_id)


def at_hand(place: str, memory_id: str) -> bool:
    """Whether this is the memory in a list whose controls show."""
    return bool(st.session_state.get(_AT_HAND) == (place, memory_id))


def begin(verb: Verb, ids: tuple[str, ...]) -> None:
    """Show the form for these objects; whatever else was open is closed."""
    cancel()
    st.session_state.pop(_DONE, None)
    st.session_state[_OPEN] = (verb, ids)
    first = "[data-testid=stFormSubmitButton] button" if verb in _CHOOSING else "textarea, input:not([role])"
    focus.to("form", f".st-key-curation_open_{verb} :is({first})")


def leave() -> None:
    """Close the form without doing anything."""
    verb, _ = st.session_state.get(_OPEN, (None, ()))
    cancel()
    focus.to("bar", f"[class*='st-key-curate_{verb}_'] button")


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
        fail(error)
    else:
        focus.to("form", ".st-key-curation_preview")


def fail(error: MemcoreError) -> None:
    """Keep an error to be drawn in the form."""
    st.session_state.pop(_PREVIEW, None)
    st.session_state[_ERROR] = error
    focus.to("form", "[class*='st-key-curation_open_']")


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
    st.session_state.pop(_AT_HAND, None)
    _keep(
        Step(
            f"Done: {count(done.changed, 'object')} changed.",
            done.event_id,
            wanted.objects[0].object_id,
            owner,
            tuple(one for one in wanted.objects if one.part != "follows"),
            wanted.affected,
        )
    )


def undo(memory: Memory) -> None:
    """Take back the last step made here."""
    step: Step = st.session_state.pop(_DONE)
    try:
        undone = memory.undo(step.event_id, owner=step.owner)
    except MemcoreError as error:
        fail(error)
        return
    objects = count(undone.objects, "object")
    _keep(Step(f"Undone: {objects} as before.", undone.event_id, step.object_id, step.owner))


def _keep(step: Step) -> None:
    st.session_state[_DONE] = step
    st.session_state[_NEWS] = step.said
    focus.to("told", ".st-key-curation_undo button")


def told_error() -> None:
    """Why the last step was not taken."""
    if error := live.once(_ERROR):
        draw_error(error)
        if isinstance(error, ConflictError) and error.object_id:
            links.link("Review", "See what happened to it", view="History", object=error.object_id)


def last_step(owner: str) -> Step | None:
    """What was done here last to this owner's memory, if its undo still stands on screen."""
    step: Step | None = st.session_state.get(_DONE)
    return step if step is not None and step.owner == owner else None


def forget() -> None:
    """Something else was done since, which now is what one undoes first."""
    st.session_state.pop(_DONE, None)


def told(memory: Memory, *, question: str | None = None) -> None:
    """The last step, with its undo and the way to its place in the history; or why it was not taken. With
    the `question` that is asked on this page, also what it changed, and which of the results."""
    if _OPEN not in st.session_state:
        told_error()
    step = last_step(opened.owner(memory))
    if step is None:
        return
    if news := st.session_state.pop(_NEWS, None):
        st.toast(f"{label(news)} U takes it back.")  # the note may be far from where one was
    with st.container(key="curation_told"):
        draw("shell.note", lines=(step.said,))
        if question is not None:
            changes.objects(step.objects)
            for answered in step.questions:
                if answered.question == question:
                    changes.results(answered)
    with st.container(horizontal=True, vertical_alignment="center"):
        redo = step.said.startswith("Undone")
        st.button(
            "Redo" if redo else "Undo",
            key="curation_undo",
            shortcut="U",
            on_click=undo,
            args=(memory,),
            **access.greyed("review"),
        )
        links.link("Review", "In the history", view="History", object=step.object_id)
    focus.arrive("told")
