"""Erasing for good: what goes is named here or by a link, shown, counted, and confirmed by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast, get_args

import streamlit as st

from memcore.domain.errors import MemcoreError
from memcore.domain.models.erasure import LEFT_ELSEWHERE, ErasedKind, ErasureReport
from memcore.memory import Memory
from ui.components import evidence
from ui.components.erase import WHAT, WHICH
from ui.shell import access, chosen, links, live, opened, params
from ui.shell.frame import draw_error, meta, note
from ui.shell.jobs import board
from ui.shell.templates import run_script, show
from ui.shell.text import count, shorten

COUNTED, DONE, SECTION = "erasure_counted", "erasure_done", "erasing"
KINDS: tuple[ErasedKind, ...] = ("conversation", *(k for k in get_args(ErasedKind) if k != "conversation"))
_TABLES: dict[str, tuple[str, ...]] = {
    "conversations": ("conversation",),
    "sessions": ("session",),
    "messages": ("message",),
    "segments": ("topic segment",),
    "memories": ("memory", "memories"),
    "triples": ("relation",),
    "entities": ("entity", "entities"),
    "summaries": ("summary", "summaries"),
    "proposals": ("proposal",),
    "events": ("entry of the history", "entries of the history"),
    "llm_calls": ("model call",),
    "traces": ("trace of a stage", "traces of stages"),
}
"""What the rows of a table are called; those of any other are further records."""
_SHOWN = 4_000
"""Characters of a message that are shown before it is erased."""


@dataclass(frozen=True, slots=True)
class _Counted:
    """What was counted, of a store as it then was."""

    report: ErasureReport
    store: tuple[object, ...]


def draw(memory: Memory) -> None:
    """The section of the Settings page; a link that names something leads down to it."""
    with st.container(key=SECTION):
        st.header("Erase for good", anchor=False)
        if done := live.once(DONE):
            note(f"Erased. {_sentence(done)}")
        owner = opened.owner(memory)
        if owner not in memory.evidence.owners():
            note("Nothing is stored yet.")
            return
        _section(memory, owner)
    if WHAT in st.query_params:
        run_script("settings.seek", section=SECTION)


def _section(memory: Memory, owner: str) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        kinds: dict[str, str] = {kind: kind for kind in KINDS}
        what = cast(ErasedKind, params.choose("What to erase", kinds, WHAT, must=True, clears=(WHICH,)))
    with right:
        which = _which(memory, what, owner)
    _shown(memory, what, which, owner)
    busy = board().running() is not None
    why = "Wait for the running job first." if busy else None if which else "Name what to erase first."
    grey = access.greyed("administer", disabled=why is not None, help=why)
    if st.button("Count what would go", key="erase_count", **grey):
        _count(memory, what, which, owner)
    counted: _Counted | None = st.session_state.get(COUNTED)
    if counted is None or not which or counted.store != _as_it_is(memory, owner):
        return
    report = counted.report
    if (report.what, report.target, report.owner) != (what, which, owner):
        return
    note(f"It would go: {_sentence(report)}", f"This cannot be undone. {LEFT_ELSEWHERE}")
    sure = st.checkbox("I have read what would go", key="erase_sure")
    why = "Wait for the running job first." if busy else None if sure else "Confirm the count first."
    grey = access.greyed("administer", disabled=why is not None, help=why)
    if st.button("Erase for good", type="primary", key="erase_now", **grey):
        _erase(memory, report)


def _which(memory: Memory, what: ErasedKind, owner: str) -> str:
    """Its id or name, as it is chosen here or in the address."""
    if what == "message":
        given = st.query_params.get(WHICH, "")
        words = "Its id, as links to messages have it"
        return str(st.text_input(words, **params.bound(WHICH, given))).strip()
    if what == "conversation":
        return _chosen("Which conversation", _conversations(memory, owner))
    if what == "person":
        return _chosen("Everything said by", {name: name for name in memory.evidence.speakers(owner)})
    meta(f"All that is remembered for {owner}: choose another owner in the sidebar.")
    return owner


def _chosen(label: str, options: Mapping[str, str]) -> str:
    """One of them; none before a person or a link has named it."""
    picked = params.choose(label, options, WHICH, placeholder="choose one") or ""
    if wrong := params.unknown(WHICH, options):
        meta(_no_such(wrong))
    return picked


def _no_such(which: str) -> str:
    return f"There is no {shorten(which, 60)} here: it was erased, or belongs to another owner."


def _conversations(memory: Memory, owner: str) -> dict[str, str]:
    return {
        one.id: f"{shorten(one.title or one.source_file, 60)} ({one.id})"
        for one in memory.evidence.conversations(owner)
    }


def _shown(memory: Memory, what: ErasedKind, which: str, owner: str) -> None:
    """The words of what is named, so that nobody erases another."""
    if what == "message" and which:
        message = memory.evidence.message(which, owner=owner)
        if message is None:
            meta(_no_such(which))
        else:
            show(evidence.said(message, _SHOWN))
    if what == "conversation" and which:
        said = memory.evidence.said_in(which)
        meta(f"{count(len(said), 'message')}, the first and the last:" if len(said) > 1 else "1 message:")
        for message in said[:1] + said[1:][-1:]:
            show(evidence.said(message, 300))


def _as_it_is(memory: Memory, owner: str) -> tuple[object, ...]:
    """Differs when anything was stored or decided since."""
    newest = tuple(event.id for event in memory.review.history(owner=owner, limit=1))
    runs = tuple(run.id for run in memory.runs.all(limit=1))
    return (newest, runs, *memory.evidence.stats(owner).items())


def _count(memory: Memory, what: ErasedKind, which: str, owner: str) -> None:
    st.session_state.pop(COUNTED, None)
    st.session_state["erase_sure"] = False
    try:
        with st.spinner("Counting…"):
            report = memory.preview_erasure(what, which, owner=owner)
    except MemcoreError as error:
        draw_error(error)
    else:
        st.session_state[COUNTED] = _Counted(report, _as_it_is(memory, owner))


def _erase(memory: Memory, counted: ErasureReport) -> None:
    try:
        with st.spinner("Erasing…"):
            done = memory.erase(counted.what, counted.target, owner=counted.owner)
    except MemcoreError as error:
        draw_error(error)
        return
    _forget(memory, done)
    st.rerun()


def _forget(memory: Memory, done: ErasureReport) -> None:
    """What this browser session and finished jobs still hold of it, and what the address says of it."""
    board().forget_ended()
    for key in list(st.session_state):
        del st.session_state[key]
    st.session_state[DONE] = done
    gone = [WHICH]
    if done.owner not in memory.evidence.owners():
        gone.append(chosen.OWNER)
    if chosen.get(chosen.LOG) not in {one.id for one in memory.evidence.conversations(done.owner)}:
        gone.append(chosen.LOG)
    if chosen.get(chosen.SESSION) not in {one.id for one in memory.evidence.sessions(done.owner)}:
        gone.append(chosen.SESSION)
    links.address(**dict.fromkeys(gone))


def _sentence(report: ErasureReport) -> str:
    """What goes, in words: first what was said and remembered, last what only a program reads.

    >>> _sentence(ErasureReport("message", "m", "me", {"embeddings": 2, "memories": 1}, {"events": 3}, False))
    '1 memory, 2 further records; 3 records stay without the words.'
    """
    named = [
        count(report.removed[table], *words) for table, words in _TABLES.items() if table in report.removed
    ]
    further = sum(number for table, number in report.removed.items() if table not in _TABLES)
    if further:
        named.append(count(further, "further record"))
    changed = sum(report.changed.values())
    stay = f"{count(changed, 'record')} {'stays' if changed == 1 else 'stay'} without the words."
    return f"{', '.join(named)}; {stay}"
