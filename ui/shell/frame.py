"""The frame every page stands in: title, purpose, navigation, what is active, errors as cause and fix.

A page is `with page(title, purpose) as memory:`; whatever MemcoreError its body raises is drawn, so
no page shows a traceback for something a person can act on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memcore.domain.errors import ConflictError, MemcoreError, StoreBusyError, StoreError
from memcore.memory import Memory
from memcore.runtime.projects import Project
from memcore.server.holder import find_holder
from memcore.server.served import Served
from memcore.systems import registry
from ui.shell import (
    access,
    address,
    chosen,
    links,
    live,
    opened,
    params,
    recorded_sample,
    sample,
    serving,
    tab,
    who,
)
from ui.shell.jobs import board, busy
from ui.shell.templates import Width, draw, stylesheet
from ui.shell.text import label, shorten

GROUPS = (
    ("", ("Home", "Import")),
    ("What each stage made", ("Compression", "Topics", "Buffers", "Memories", "Graph")),
    ("Decide and ask", ("Update queue", "Review", "Ask", "Compare", "Evaluate")),
    ("System", ("Runs and cost", "Settings")),
)
TITLES = {"Runs and cost": "Runs & cost"}
_OWNER = "whose_memory"


@contextmanager
def page(title: str, purpose: str) -> Iterator[Memory]:
    """Draw the frame and hand over the open store; stop after the error when it cannot be opened."""
    with errors_shown():
        memory, owner = _memory(_begin(title, purpose))
        with live.shown(), _then_served(memory):
            _state(memory, owner, title)
            yield memory


@contextmanager
def _then_served(memory: Memory | None) -> Iterator[None]:
    """Other programs may work with the store, if one is open, once the page is drawn."""
    try:
        yield
    finally:
        if memory is not None:
            serving.begin(memory)


@contextmanager
def page_without_store(title: str, purpose: str) -> Iterator[Memory | None]:
    """The same for a page that must work while the store cannot be opened: the error is drawn, and
    None handed over."""
    with errors_shown():
        project = _begin(title, purpose)
        memory: Memory | None = None
        try:
            memory, owner = _memory(project)
        except MemcoreError as error:
            draw_error(error)
        with live.shown(), _then_served(memory):
            if memory is not None:
                _state(memory, owner, title)
            yield memory


def _memory(project: Project) -> tuple[Memory, str]:
    """The open store, and whose memory is shown, unless another tab has switched to another project since
    the page began."""
    memory = opened.opened()
    if memory.settings.store_dir.resolve() != project.directory:
        st.rerun()
    _need_a_role(memory)
    owner = opened.owner(memory)
    access.settle(memory, owner)
    if access.refused("read"):
        links.within("Show what is shared with you", "show_shared", owner=None)
        memory.people.require("read", owner)
    return memory, owner


def _need_a_role(memory: Memory) -> None:
    """Go no further with whoever nothing is shared with, unless they come first and are at the machine."""
    if not memory.people.me or memory.people.my_roles():
        return
    if who.at_the_machine() and memory.people.claim():
        st.toast("You are the first who logs in, at the machine itself: you administer this store.")
        return
    note(
        f"You are logged in as {memory.people.me}. Nothing in this store is shared with you yet.",
        "Who administers it can share a memory with you under Settings. On the machine it runs on: "
        f"python -m memcore people grant {memory.people.me} --role read --owner NAME",
    )
    st.stop()


def _begin(title: str, purpose: str) -> Project:
    st.set_page_config(page_title=f"{title} · Memscope", layout="wide", menu_items={})
    stylesheet("shell")
    who.let_in()
    params.catch_up()
    address.begin()
    project: Project | MemcoreError
    before = ""
    try:
        project = opened.project()
        before = tab.left_behind(project)
    except MemcoreError as error:
        project = error
    _navigation(project)
    st.title(title, anchor=False)
    draw("shell.purpose", text=purpose)
    tab.tell_news()
    if isinstance(project, MemcoreError):
        raise project
    if before:
        _another_project(before, project.name)
    return project


def _another_project(before: str, now: str) -> None:
    """Draw nothing of the page, so that the browser forgets as well what stood in it."""
    note(
        f"This tab showed “{before}”. Another tab opened “{now}”, which is shown from now on.",
        f"Nothing was changed in “{now}”. What was typed or chosen here belonged to “{before}” and is gone.",
    )
    st.button(f"Show {label(now)}", key="show_project", type="primary")
    st.stop()


@contextmanager
def errors_shown() -> Iterator[None]:
    """Draw a MemcoreError as cause and fix instead of failing, and go no further."""
    try:
        yield
    except MemcoreError as error:
        draw_error(error)
        st.stop()


def draw_error(error: MemcoreError) -> None:
    """Cause, fix, and for a store that cannot be opened a way to look again."""
    if isinstance(error, StoreBusyError) and (holder := find_holder(opened.directory())):
        _elsewhere(holder.served)
        return
    place = " · ".join(p for p in (getattr(error, "file", ""), getattr(error, "where", "")) if p)
    draw("shell.error", cause=error.cause, fix=error.fix, place=place)
    if isinstance(error, StoreBusyError):
        st.button("Try again", key="retry_open")
    elif isinstance(error, StoreError):
        links.link("Settings", "Open Settings")
    elif isinstance(error, ConflictError):
        st.button("Show it as it is now", key="reload_conflict")


def _elsewhere(served: Served) -> None:
    """Where the store is open, and how one gets there."""
    if served.workbench:
        note("This store is open in another workbench.", "Both would show the same; go on in that one.")
        st.link_button("Open that workbench", served.workbench, type="primary")
    else:
        note(
            f"A command has this store (process {served.process}) and serves it at {served.address}: others, "
            "and assistants, work with it there.",
            "To see it here, end that command. The workbench serves the store as well.",
        )
    st.button("Try again", key="retry_open")


def note(*lines: str) -> None:
    """A quiet box with a message; each line is plain text."""
    draw("shell.note", lines=lines)


def meta(text: str, *, css: str = "", width: Width = "stretch", into: DeltaGenerator | None = None) -> None:
    """A line of small print."""
    draw("shell.meta", text=text, css=css, width=width, into=into)


def needs_messages(memory: Memory, what: str) -> None:
    """The empty state: while nothing is stored, say what will be here and how to begin."""
    owner = opened.owner(memory)
    if memory.evidence.stats(owner)["messages"]:
        return
    note("Nothing is stored yet.", what)
    begin(memory)
    st.stop()


def begin(memory: Memory) -> None:
    """The ways to begin: the sample, read by the language pipeline or as a language model reads it, or a log
    of one's own."""
    with st.container(horizontal=True, vertical_alignment="center"):
        grey = access.greyed("review", help=sample.ABOUT)
        if st.button("Load sample", type="primary", key="load_sample", **grey):
            job = sample.start(memory, opened.owner(memory))
            links.go("Import", job=job.id)
        offer_recorded_sample()
        links.link("Import", "Import a conversation log")


def offer_recorded_sample() -> None:
    """The button that opens the sample as a language model reads it."""
    why = recorded_sample.refused() or busy()
    if st.button(
        "Load sample as a language model reads it",
        key="load_recorded_sample",
        disabled=bool(why),
        help=why or recorded_sample.ABOUT,
    ):
        recorded_sample.load()


def _navigation(project: Project | MemcoreError) -> None:
    with st.sidebar:
        draw("shell.brand")
        who.draw_who()
        if isinstance(project, Project):
            links.link("Settings", f"Project: {label(project.name, 40)}")
        for heading, names in GROUPS:
            if heading:
                draw("shell.group", heading=heading)
            for name in names:
                links.link(name, links.numbered(name, TITLES.get(name, name)))


def _other_owner() -> None:
    links.address(**{chosen.OWNER: st.session_state[_OWNER]})


def _state(memory: Memory, owner: str, title: str) -> None:
    """In the sidebar: whose memory, how much of one system, which backends, and what is running."""
    chosen.settle(memory, owner)
    owners = list(dict.fromkeys([*memory.evidence.owners(), owner]))
    stats = memory.evidence.stats(owner)
    with st.sidebar:
        if job := board().running():
            done = "".join(
                f" · {stage} {at:,} of {of:,}" for stage, (at, of) in list(job.stages.items())[-1:]
            )
            text = f"Running: {label(job.title)}"
            if not job.id:
                meta(job.title)
            elif TITLES.get(job.page, job.page) == title:
                links.within(text, "running_job", job=job.id)
            else:
                links.link(job.page, text, job=job.id)
            meta(done.removeprefix(" · "))
        if len(owners) > 1:
            st.session_state[_OWNER] = owner
            st.selectbox(
                "Whose memory", owners, key=_OWNER, on_change=tab.unless_forgotten(_OWNER, _other_owner)
            )
        store = shorten(str(memory.settings.where), 60)
        system = chosen.get(chosen.SYSTEM) or memory.default_recipe(owner)
        draw(
            "shell.state",
            store=store,
            read_only=memory.read_only,
            stats=stats,
            memories=memory.memories.count(owner, recipe=system),
            system=registry.title(system),
            active=memory.backends.active(),
        )
