"""The projects of the Settings page: which there are and which is open; made, opened, renamed, removed."""

from __future__ import annotations

import hashlib
from typing import Literal

import streamlit as st

from memcore.domain.errors import MemcoreError
from memcore.memory import Memory
from memcore.runtime import projects
from memcore.runtime.project_places import MOST_CHARACTERS
from memcore.runtime.projects import Project
from memcore.runtime.store_place import data_directory
from ui.shell import links, live, opened, tab, templates, who
from ui.shell.frame import meta, note
from ui.shell.jobs import busy
from ui.shell.text import count, day, megabytes

_FORM, _TOLD = "project_form", "project_told"
Form = Literal["rename", "remove"]


def draw(memory: Memory | None) -> None:
    """The section of the Settings page; `memory` is the open project's, if it could be opened."""
    st.header("Projects", anchor=False)
    meta("Each project is a store of its own: conversations, memories, settings. One is open, in all tabs.")
    if who.name():
        note("Projects are opened, made and removed on the machine that Memscope runs on.")
        return
    if told := live.once(_TOLD):
        note(*told)
    for project in opened.listed():
        with st.container(border=True, key=f"project_at_{_key(project)}"):
            _row(project, memory)
    new, existing = st.columns(2, gap="large")
    with new:
        _new()
    with existing:
        _existing()


# --------------------------------------------------------------------------- one project


def _row(project: Project, memory: Memory | None) -> None:
    key, is_open = _key(project), project.directory == opened.project().directory
    tags = [
        *(["open now"] if is_open else []),
        *(["set by MEMSCOPE_STORE"] if _by_environment(project) else []),
    ]
    facts = _counted(memory) if is_open and memory else _on_disk(project)
    templates.draw(
        "settings.project", name=project.name, tags=tags, directory=str(projects.where(project)), facts=facts
    )
    with st.container(horizontal=True):
        if not is_open and st.button(
            "Switch to it", key=f"switch_{key}", disabled=bool(busy()), help=busy() or None
        ):
            _switch(project)
        st.button("Rename", key=f"rename_{key}", on_click=_open_form, args=("rename", project))
        why_not = _kept_because(project, is_open)
        st.button(
            "Remove",
            key=f"remove_{key}",
            disabled=bool(why_not),
            help=why_not or None,
            on_click=_open_form,
            args=("remove", project),
        )
    form = st.session_state.get(_FORM)
    if form == ("rename", project):
        _rename(project)
    elif form == ("remove", project) and not why_not:
        _remove(project)


def _key(project: Project) -> str:
    return hashlib.sha256(str(project.directory).encode("utf-8", "surrogateescape")).hexdigest()[:12]


def _by_environment(project: Project) -> bool:
    start = opened.started_with()
    return start.named_by == "MEMSCOPE_STORE" and start.directory.resolve() == project.directory


def _kept_because(project: Project, is_open: bool) -> str:
    """Why a project cannot be removed now; empty when it can."""
    if _by_environment(project):
        return "MEMSCOPE_STORE names it."
    return "It is open: switch to another project first." if is_open else ""


def _counted(memory: Memory) -> str:
    owners = memory.evidence.owners()
    messages = sum(memory.evidence.stats(owner)["messages"] for owner in owners)
    memories = sum(memory.memories.count(owner) for owner in owners)
    return f"{count(messages, 'message')}, {count(memories, 'memory', 'memories')}"


def _on_disk(project: Project) -> str:
    if projects.where(project) != project.directory:
        return "In PostgreSQL"
    found = projects.on_disk(project)
    if found is None:
        return "There is no store any more."
    return f"{megabytes(found.bytes)}, last changed {day(found.changed)}"


def _switch(project: Project, news: str = "") -> None:
    """Leave for the first page of another project, in every tab."""
    try:
        opened.switch(project)
    except MemcoreError as error:
        _failed(error)
    else:
        tab.arrive(project, news or f"“{project.name}” is open.")
        links.go("Home")


# --------------------------------------------------------------------------- renaming and removing


def _open_form(form: Form, project: Project) -> None:
    st.session_state[_FORM] = (form, project)


def _done(*told: str) -> None:
    st.session_state.pop(_FORM, None)
    if told:
        st.session_state[_TOLD] = told
    st.rerun()


def _rename(project: Project) -> None:
    with st.form("rename_project", border=False):
        name = st.text_input(
            "New name", value=project.name, max_chars=MOST_CHARACTERS, key=f"new_name_{_key(project)}"
        )
        with st.container(horizontal=True):
            saved = st.form_submit_button("Save the name", type="primary")
            left = st.form_submit_button("Leave it")
    if saved:
        try:
            renamed = projects.rename(project, name)
        except MemcoreError as error:
            _failed(error)
        else:
            _done(f"“{project.name}” is now called “{renamed.name}”.")
    elif left:
        _done()


def _remove(project: Project) -> None:
    note(
        f"“{project.name}” goes from the list. It stays in {projects.where(project)}: "
        "as an existing store it can be opened again."
    )
    with st.container(horizontal=True):
        if st.button("Remove from the list", key="remove_project", type="primary"):
            _removed(project)
        if st.button("Leave it", key="leave_project"):
            _done()
    found = projects.on_disk(project)
    if found is None:
        return
    sure = st.checkbox(
        f"Delete its {count(found.files, 'file')} for good as well ({megabytes(found.bytes)}): "
        "conversations, memories, settings, kept evaluations",
        key=f"sure_{_key(project)}",
    )
    why = None if sure else "Confirm it first. It cannot be undone."
    if st.button("Remove and delete its files", key="delete_project", disabled=not sure, help=why):
        _deleted(project)


def _removed(project: Project) -> None:
    try:
        projects.remove(project)
    except MemcoreError as error:
        _failed(error)
    else:
        _done(f"“{project.name}” is no longer in the list. It is in {projects.where(project)}.")


def _deleted(project: Project) -> None:
    try:
        left = projects.delete(project)
    except MemcoreError as error:
        _failed(error)
        return
    names = ", ".join(path.name for path in left[:10])
    _done(
        f"“{project.name}” is no longer in the list, and its files are deleted.",
        *([f"Not Memscope’s, and left in {project.directory}: {names}"] if left else []),
    )


# --------------------------------------------------------------------------- further projects


def _new() -> None:
    with st.form("new_project"):
        st.subheader("New project", anchor=False)
        name = st.text_input("Its name", max_chars=MOST_CHARACTERS, key="project_name")
        place = st.text_input(
            "Where, if not in the usual place",
            placeholder=str(data_directory()),
            key="project_place",
            help="A directory that is empty or not there yet, written whole.",
        )
        wanted = st.form_submit_button("Create", disabled=bool(busy()), help=busy() or None)
    if wanted:
        try:
            project = projects.create(name, place, make=opened.make_store)
        except MemcoreError as error:
            _failed(error)
        else:
            _switch(project, f"“{project.name}” is made and open.")


def _existing() -> None:
    with st.form("existing_project"):
        st.subheader("Open an existing store", anchor=False)
        place = st.text_input(
            "Its directory, or its address in PostgreSQL",
            key="existing_place",
            help="The directory that holds memscope.duckdb, written whole; or postgresql://USER@HOST/DATABASE.",
        )
        name = st.text_input(
            "Name, if not that of the directory", max_chars=MOST_CHARACTERS, key="existing_name"
        )
        wanted = st.form_submit_button("Open", disabled=bool(busy()), help=busy() or None)
    if wanted:
        try:
            project = projects.add(place, name)
        except MemcoreError as error:
            _failed(error)
        else:
            _switch(project)


def _failed(error: MemcoreError) -> None:
    templates.draw("shell.error", cause=error.cause, fix=error.fix, place="")
