"""Erasing for good: what goes is counted and shown first, and confirmed by hand."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from memcore.domain.errors import MemcoreError
from memcore.domain.models.erasure import ErasedKind, ErasureReport
from memcore.memory import Memory
from ui.shell import opened, params
from ui.shell.frame import draw_error, meta, note
from ui.shell.jobs import board
from ui.shell.text import count, shorten

COUNTED = "erasure_counted"
WARNING = (
    "This cannot be undone. Exports and backups made earlier still hold the words, and so does the log: "
    "importing it again brings them back. A person whom others name stays in their messages."
)


def draw(memory: Memory) -> None:
    """The section of the Settings page."""
    st.header("Erase for good", anchor=False)
    if done := st.session_state.pop("erasure_done", None):
        note(f"Erased. {_sentence(done)}")
    owner = opened.owner(memory)
    if owner not in memory.evidence.owners():
        note("Nothing is stored yet.")
        return
    left, right = st.columns(2, gap="large")
    kinds = sorted(get_args(ErasedKind), key=lambda kind: kind != "conversation")
    asked = params.bound("erase", params.one_of("erase", kinds), usual=kinds[0])
    what: ErasedKind = left.selectbox("What to erase", kinds, **asked)
    with right:
        target = _target(memory, what, owner)
    busy = board().running() is not None
    why = "Wait for the running job first." if busy else None if target else "Name what to erase first."
    if st.button("Count what would go", disabled=why is not None, help=why, key="erase_count"):
        _count(memory, what, target, owner)
    counted: ErasureReport | None = st.session_state.get(COUNTED)
    if counted is None or (counted.what, counted.target, counted.owner) != (what, target, owner):
        return
    note(f"It would go: {_sentence(counted)}", WARNING)
    sure = st.checkbox("I have read what would go", key="erase_sure")
    why = "Wait for the running job first." if busy else None if sure else "Confirm the count first."
    if st.button("Erase for good", type="primary", disabled=why is not None, help=why, key="erase_now"):
        _erase(memory, counted)


def _target(memory: Memory, what: ErasedKind, owner: str) -> str:
    if what == "message":
        given = params.bound("message", st.query_params.get("message", ""))
        return str(st.text_input("Its id, as links to messages have it", **given)).strip()
    if what == "conversation":
        titles = {
            one.id: f"{shorten(one.title or one.source_file, 60)} ({one.id})"
            for one in memory.evidence.conversations(owner)
        }
        return params.choose("Which conversation", titles, "conversation", must=True) or ""
    if what == "person":
        speakers = {name: name for name in memory.evidence.speakers(owner)}
        return params.choose("Everything said by", speakers, "person", must=True) or ""
    meta(f"All that is remembered for {owner}: choose another owner in the sidebar.")
    return owner


def _count(memory: Memory, what: ErasedKind, target: str, owner: str) -> None:
    st.session_state.pop(COUNTED, None)
    st.session_state["erase_sure"] = False
    try:
        with st.spinner("Counting…"):
            st.session_state[COUNTED] = memory.preview_erasure(what, target, owner=owner)
    except MemcoreError as error:
        draw_error(error)


def _erase(memory: Memory, counted: ErasureReport) -> None:
    try:
        with st.spinner("Erasing…"):
            done = memory.erase(counted.what, counted.target, owner=counted.owner)
    except MemcoreError as error:
        draw_error(error)
        return
    del st.session_state[COUNTED]
    st.session_state["erasure_done"] = done
    st.rerun()


def _sentence(report: ErasureReport) -> str:
    """Rows by table, in words."""
    removed = ", ".join(f"{number:,} {table.replace('_', ' ')}" for table, number in report.removed.items())
    changed = sum(report.changed.values())
    return f"{removed}; {count(changed, 'row')} stay without the words."
