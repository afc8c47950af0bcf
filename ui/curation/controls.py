"""The buttons, the open form, and the preview that stands before every change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from memcore.domain.errors import MemcoreError
from memcore.domain.models import Entity, MemoryEntry, Message
from memcore.memory import Memory
from memcore.review.curate import acts
from ui.curation import changes, focus, forms, state
from ui.curation.state import Verb
from ui.shell import access
from ui.shell.frame import meta
from ui.shell.text import count

WORDS: dict[Verb, tuple[str, str | None]] = {
    "edit": ("Edit", "E"),
    "wrong": ("Wrong", "W"),
    "end": ("Ended", "H"),
    "split": ("Split", "S"),
    "delete": ("Delete", "D"),
    "cite": ("Cite other words", "T"),
    "merge": ("Merge", "M"),
    "add": ("Add a memory", "A"),
    "rename": ("Rename", "E"),
    "retype": ("Change type", "T"),
    "join": ("Merge with others", "M"),
    "divide": ("Split", "S"),
    "relation": ("Change a relation", "L"),
    "wrong_relations": ("Relations are wrong", "W"),
    "end_relations": ("Relations ended", "H"),
    "delete_relations": ("Delete relations", "D"),
}
"""What each button says, and its key."""


def of_memory(memory: Memory, owner: str, one: MemoryEntry) -> None:
    """Everything a person can do to one memory, under it."""
    state.told(memory)
    _of_one(memory, owner, one, keys=True)


def correct_button(memory_id: str, place: str, *, key: str | None = None) -> None:
    """What shows the controls of a memory in a list, and puts them away. `place` names the list, so that a
    memory may stand in two; `key` presses the button."""
    args = (place, memory_id)
    st.button(
        "Correct",
        key=f"correct_{place}_{memory_id}",
        type="tertiary",
        shortcut=key,
        on_click=state.take_up,
        args=args,
        **access.greyed("review"),
    )


def of_listed(memory: Memory, owner: str, memory_id: str, place: str, *, keys: bool = True) -> None:
    """Everything a person can do to a memory in a list, once its button was pressed. Without `keys`, the page
    has other uses for those of the controls. What was done last the page tells, by `state.told`."""
    if state.at_hand(place, memory_id):
        _of_one(memory, owner, memory.memories.by_id([memory_id], owner=owner)[memory_id], keys=keys)


def _of_one(memory: Memory, owner: str, one: MemoryEntry, *, keys: bool) -> None:
    verbs: tuple[Verb, ...] = ("edit", "wrong", "delete", "cite")
    if one.state == "active":
        verbs = ("edit", "wrong", "end", "split", "delete", "cite")
    if one.state != "deleted":
        _bar(verbs, (one.id,), keys=keys)
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
    memory: Memory,
    owner: str,
    entity: Entity,
    entities: Mapping[str, str],
    triples: Mapping[str, str],
    first: str = "",
) -> None:
    """What can be done to an entity and its relations: `entities` are all of its graph and `triples` its
    relations, in words by id; forms for relations begin with the one whose id is `first`."""
    state.told(memory)
    verbs: tuple[Verb, ...] = ("rename", "retype", "join")
    if triples or entity.aliases:
        verbs = (*verbs, "divide")
    if triples:
        verbs = (*verbs, "relation", "wrong_relations", "end_relations", "delete_relations")
    _bar(verbs, (entity.id,))
    verb = state.opened_for((entity.id,))
    others = {i: name for i, name in entities.items() if i != entity.id}
    makers: dict[Verb, Callable[[str], forms.Built]] = {
        "rename": lambda key: forms.rename(entity, key),
        "retype": lambda key: forms.retype(entity, others, key),
        "join": lambda key: forms.join(entity, others, key),
        "divide": lambda key: forms.divide(entity, triples, key),
        "relation": lambda key: forms.relation(triples, entities, first, key),
        "wrong_relations": lambda key: forms.wrong_relations(triples, first, key),
        "end_relations": lambda key: forms.end_relations(triples, first, key),
        "delete_relations": lambda key: forms.delete_relations(triples, first, key),
    }
    if verb in makers:
        _asked(memory, owner, verb, (entity.id,), lambda key: makers[verb](f"{key}_{first}"))


def adding(
    memory: Memory, owner: str, recipe: str, said: Sequence[Message], *, text: str = "", keys: bool = True
) -> None:
    """A memory that no system made, on the words of one of these messages; `text` is there to begin with."""
    ids = (said[0].id,)
    _bar(("add",), ids, keys=keys)
    if state.opened_for(ids) == "add":
        _asked(memory, owner, "add", ids, lambda key: forms.add(recipe, said, key, text))


def _bar(verbs: Sequence[Verb], ids: tuple[str, ...], *, keys: bool = True) -> None:
    with st.container(horizontal=True, key=f"curation_bar_{ids[0]}"):
        for verb in verbs:
            said, shortcut = WORDS[verb]
            st.button(
                said,
                key=f"curate_{verb}_{ids[0]}_{len(ids)}",
                shortcut=shortcut if keys else None,
                on_click=state.begin,
                args=(verb, ids),
                **access.greyed("review"),
            )
    focus.arrive("bar", ids[0])


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
        with st.container(border=True, key=f"curation_open_{verb}"):
            if state.preview() is None:
                state.look(memory, owner, acts.Delete(ids))
            _previewed(memory, owner)
    elif verb in makers:
        _asked(memory, owner, verb, ids, makers[verb])


def _asked(
    memory: Memory, owner: str, verb: Verb, ids: tuple[str, ...], make: Callable[[str], forms.Built]
) -> None:
    """The form; once it is sent, what it would change, and only then the button that does it."""
    with st.container(border=True, key=f"curation_open_{verb}"):
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
        with st.container(key="curation_preview"):
            changes.objects(preview.objects)
            changes.questions(preview)
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
        st.button("Leave it", key="curation_leave", shortcut="N", on_click=state.leave)
    focus.arrive("form")
