"""The buttons, the open form, and the preview that stands before every change."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from memcore.domain.errors import MemcoreError
from memcore.domain.models import Entity, MemoryEntry, Message
from memcore.memory import Memory
from memcore.memory.curation import Preview
from memcore.review.curate import acts
from memcore.review.curate.showing import ObjectChange
from ui.components.diff import diff_html
from ui.curation import forms, state
from ui.curation.state import Verb
from ui.shell import links
from ui.shell.frame import meta
from ui.shell.templates import draw, show
from ui.shell.text import count, label, shorten

WORDS: dict[Verb, tuple[str, str | None]] = {
    "edit": ("Edit", "E"),
    "wrong": ("Wrong", "W"),
    "end": ("Ended", "H"),
    "split": ("Split", "S"),
    "delete": ("Delete", "D"),
    "cite": ("Cite other words", "T"),
    "merge": ("Merge", "M"),
    "add": ("Add a memory", "A"),
    "rename": ("Rename", None),
    "retype": ("Change type", None),
    "join": ("Merge with another", None),
    "relation": ("Change a relation", None),
    "wrong_relation": ("A relation is wrong", None),
    "end_relation": ("A relation ended", None),
}
"""What each button says, and its key."""
PARTS = {"chosen": "", "made": "new: ", "follows": "with it: "}
NAMES = {"memory": "memory", "entity": "entity", "triple": "relation"}
FIELDS = {
    "event_at": "happened",
    "event_end": "happened until",
    "valid_from": "holds from",
    "valid_to": "held until",
    "invalidated_at": "held until",
    "superseded_by": "replaced by",
    "merged_into": "merged into",
    "memory_ids": "stated in",
    "subject_id": "subject",
    "object_id": "object",
}
MOST_OBJECTS = 8


def of_memory(memory: Memory, owner: str, one: MemoryEntry) -> None:
    """Everything a person can do to one memory, under it."""
    state.told(memory)
    verbs: tuple[Verb, ...] = ("edit", "wrong", "delete", "cite")
    if one.state == "active":
        verbs = ("edit", "wrong", "end", "split", "delete", "cite")
    if one.state != "deleted":
        _bar(verbs, (one.id,))
        _form(memory, owner, (one.id,), [one], said=lambda: forms.messages(memory, one.sources))


def of_several(memory: Memory, owner: str, ones: Sequence[MemoryEntry]) -> None:
    """What can be done to several memories at once."""
    ids = tuple(one.id for one in ones)
    state.told(memory)
    if ones:
        meta(f"{count(len(ones), 'memory', 'memories')} selected")
        merging: tuple[Verb, ...] = ("merge",) if len(ones) > 1 else ()
        _bar((*merging, "edit", "wrong", "end", "delete"), ids)
        _form(memory, owner, ids, ones)


def of_entity(
    memory: Memory, owner: str, entity: Entity, names: dict[str, str], said: dict[str, str]
) -> None:
    """What can be done to an entity and its relations: `names` are the other entities, `said` its relations
    in words, by id."""
    state.told(memory)
    verbs: tuple[Verb, ...] = ("rename", "retype", "join")
    if said:
        verbs = (*verbs, "relation", "wrong_relation", "end_relation")
    _bar(verbs, (entity.id,))
    verb = state.opened_for((entity.id,))
    makers = {
        "rename": lambda key: forms.rename(entity, key),
        "retype": lambda key: forms.retype(entity, key),
        "join": lambda key: forms.join(entity, names, key),
        "relation": lambda key: forms.relation(said, key),
        "wrong_relation": lambda key: forms.wrong_relation(said, key),
        "end_relation": lambda key: forms.end_relation(said, key),
    }
    if verb is not None:
        _asked(memory, owner, verb, (entity.id,), makers[verb])


def adding(memory: Memory, owner: str, recipe: str, said: Sequence[Message]) -> None:
    """A memory that no system made, on the words of one of these messages."""
    _bar(("add",), (recipe,))
    if state.opened_for((recipe,)) == "add":
        _asked(memory, owner, "add", (recipe,), lambda key: forms.add(recipe, said, key))


def _bar(verbs: Sequence[Verb], ids: tuple[str, ...]) -> None:
    with st.container(horizontal=True, key=f"curation_bar_{ids[0]}"):
        for verb in verbs:
            said, shortcut = WORDS[verb]
            st.button(
                said,
                key=f"curate_{verb}_{ids[0]}_{len(ids)}",
                shortcut=shortcut,
                on_click=state.begin,
                args=(verb, ids),
            )


def _form(
    memory: Memory,
    owner: str,
    ids: tuple[str, ...],
    ones: Sequence[MemoryEntry],
    said: Callable[[], Sequence[Message]] = tuple,
) -> None:
    verb = state.opened_for(ids)
    makers: dict[str, Callable[[str], forms.Built]] = {
        "edit": lambda key: forms.edit(ones, key),
        "wrong": lambda key: forms.wrong(ids, key),
        "end": lambda key: forms.end(ids, key),
        "split": lambda key: forms.split(ones[0], key),
        "merge": lambda key: forms.merge(ones, key),
        "cite": lambda key: forms.cite(ones[0], said(), key),
    }
    if verb == "delete":
        with st.container(border=True):
            if state.preview() is None:
                state.look(memory, owner, acts.Delete(ids))
            _previewed(memory, owner)
    elif verb in makers:
        _asked(memory, owner, verb, ids, makers[verb])


def _asked(
    memory: Memory, owner: str, verb: Verb, ids: tuple[str, ...], make: Callable[[str], forms.Built]
) -> None:
    """The form; once it is sent, what it would change, and only then the button that does it."""
    with st.container(border=True):
        with st.form(f"curation_form_{verb}", border=False):
            built = make(f"curation_{verb}_{ids[0]}_{len(ids)}")
            sent = st.form_submit_button("See what changes", type="primary")
        if sent:
            try:
                state.look(memory, owner, built())
            except MemcoreError as error:
                state.fail(error)
        _previewed(memory, owner)


def _previewed(memory: Memory, owner: str) -> None:
    state.told_error()
    preview = state.preview()
    if preview is not None:
        _objects(preview.objects)
        _questions(preview)
    with st.container(horizontal=True):
        if preview is not None:
            st.button(
                "Confirm",
                key="curation_confirm",
                shortcut="Y",
                type="primary",
                on_click=state.do,
                args=(memory, owner),
            )
        st.button("Leave it", key="curation_leave", shortcut="N", on_click=state.cancel)


def _objects(objects: Sequence[ObjectChange]) -> None:
    for one in objects[:MOST_OBJECTS]:
        gone = "" if one.after else ", no longer found"
        meta(f"{PARTS[one.part]}{NAMES[one.object_type]}{gone}")
        show(diff_html(one.diff))
        rows = [
            (FIELDS.get(change.field, change.field), f"{_value(change.before)} → {_value(change.after)}")
            for change in one.changes
        ]
        if rows:
            draw("shell.pairs", rows=rows)
    if len(objects) > MOST_OBJECTS:
        meta(f"and {count(len(objects) - MOST_OBJECTS, 'further object')}")


def _questions(preview: Preview) -> None:
    asked, changed = len(preview.questions), preview.affected
    if not asked:
        meta("No question has been asked lately; ask some to see here which ones this would change.")
        return
    meta(f"{len(changed)} of {count(asked, 'recent question')} would be answered differently.")
    for question in changed:
        links.link("Ask", label(question.question, 90), q=question.question)
        lines = [f"− {hit.rank}. {shorten(hit.text, 120)}" for hit in question.dropped]
        lines += [f"+ {hit.rank}. {shorten(hit.text, 120)}" for hit in question.entered]
        for before, after in question.reworded:
            lines += [
                f"− {before.rank}. {shorten(before.text, 120)}",
                f"+ {after.rank}. {shorten(after.text, 120)}",
            ]
        if question.moved:
            lines.append(f"{count(len(question.moved), 'other result')} would move")
        draw("shell.metas", lines=lines)


def _value(value: object) -> str:
    if value is None or value == "" or value == []:
        return "nothing"
    if isinstance(value, list):
        return shorten(", ".join(map(str, value)), 120)
    return shorten(str(value).removesuffix("T00:00:00"), 120)
