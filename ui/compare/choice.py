"""The Compare page's choices, which log and which systems, and the job that runs what was not run yet."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memcore.domain.protocols import Cancelled, Progress
from memcore.inspection.comparison import Comparison, LogProgress
from memcore.memory import Memory
from memcore.nlp.language.words.wording import listed
from memcore.runs.ingest import IngestReport
from memcore.systems.registry import SYSTEMS
from ui.components.recipes import ABOUT, TITLES, named
from ui.shell import links, opened, progress, readings, tab
from ui.shell.frame import meta, note
from ui.shell.jobs import Job, board, busy, in_address
from ui.shell.readings import PAGE, Readings
from ui.shell.templates import draw
from ui.shell.text import count, label

_SYSTEMS = "systems"


def choose_systems(read: LogProgress) -> list[str]:
    """The systems to compare, of all there are. While the URL names none, those that have worked on the
    log, and others up to two."""
    given = [name for name in st.query_params.get(_SYSTEMS, "").split(",") if name]
    if strangers := [name for name in given if name not in SYSTEMS]:
        note(f"There is no system called {', '.join(strangers)}.", f"There are: {', '.join(SYSTEMS)}.")
    chosen = [name for name in SYSTEMS if name in given]
    if _SYSTEMS not in st.query_params:
        ran = [name for name in SYSTEMS if read.done.get(name)]
        others = [name for name in SYSTEMS if name not in ran]
        chosen = ran + others[: max(0, 2 - len(ran))]
    key = "chosen_systems"
    st.session_state[key] = chosen

    def remember() -> None:
        picked = st.session_state[key]
        gone = [name for name in ("caught", "missed") if st.query_params.get(name) not in picked]
        links.address(
            **dict.fromkeys(gone), **{_SYSTEMS: ",".join(name for name in SYSTEMS if name in picked)}
        )

    follow = tab.unless_forgotten(key, remember)
    return list(st.multiselect("Systems", list(SYSTEMS), key=key, on_change=follow, format_func=named))


def about(systems: Sequence[str], *, model: bool) -> None:
    """What each of the systems does, and what stands in where no language model is chosen."""
    with st.expander("What these systems do"):
        rows = [
            (named(name), ABOUT[name].does, "" if model else ABOUT[name].without_model) for name in systems
        ]
        draw("compare.about", rows=rows)


def offer_run(memory: Memory, log: str, systems: Sequence[str], read: LogProgress) -> None:
    """Which systems have read the log already, and a button that runs the others."""
    waiting = [name for name in systems if read.left(name)]
    if done := [TITLES[name] for name in systems if name not in waiting]:
        have = "has" if len(done) == 1 else "have"
        text = f"{listed(done)} {have} read all {read.messages:,} messages already: not read again."
        meta(text)
    for name in waiting:
        left = f"has {read.left(name):,} of {read.messages:,} messages left to read."
        text = left if read.done.get(name) else "has not read this log."
        draw("compare.waits", name=TITLES[name], text=text)
    if not waiting or is_running():
        return
    names = label(listed([TITLES[name] for name in waiting]), 200)
    why = busy()
    if st.button(
        f"Read with {names}",
        key="run_systems",
        type="primary",
        disabled=bool(why),
        help=why or None,
    ):
        job = _start(memory, log, waiting)
        links.address(job=job.id)
        st.rerun()


def compared(memory: Memory, log: str, systems: Sequence[str], read: LogProgress) -> Comparison:
    """The comparison, made once; a page run that changes nothing counts no word again. While a job
    runs, it is made every time: how a run ended is written after its last message."""
    owner = opened.owner(memory)
    key = (log, tuple(systems), owner, read, tuple(memory.evidence.stats(owner).items()))
    working = board().running() is not None
    if working or st.session_state.get("compared_key") != key:
        st.session_state["compared"] = memory.compare(log, systems, owner=owner)
        st.session_state["compared_key"] = None if working else key
    found: Comparison = st.session_state["compared"]
    return found


def current_job() -> Job[Readings] | None:
    """The job the URL names, if it is one of this page."""
    return in_address(PAGE, Readings)


def is_running() -> bool:
    """Whether the job the URL names is at work."""
    return (job := current_job()) is not None and job.state == "running"


def follow() -> None:
    """The job the URL names: its progress by system, or what came of it."""
    if (job := current_job()) is not None:
        progress.follow(job, _ran)
    elif "job" in st.query_params:
        progress.vanished(0)


def _start(memory: Memory, log: str, systems: Sequence[str]) -> Job[Readings]:
    owner = opened.owner(memory)

    def read(system: str, tell: Progress, cancelled: Cancelled) -> IngestReport:
        return memory.resume(
            owner=owner, recipe=system, conversation_id=log, progress=tell, cancelled=cancelled
        )

    return readings.start(listed([TITLES[name] for name in systems]), systems, read)


def _ran(made: Readings) -> None:
    reports = made.by_system
    lines = [
        f"{TITLES[name]}: {count(r.messages, 'message')} in {r.seconds:.1f} s"
        f"{', cancelled' if r.state == 'cancelled' else ''}."
        for name, r in reports.items()
    ]
    note(*(lines or ["Cancelled before anything was read."]))
    for name, report in reports.items():
        if report.errors:
            failed = count(len(report.errors), "part")
            note(f"{TITLES[name]}: {failed} failed; their messages wait to be tried again:", *report.errors)
