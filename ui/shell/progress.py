"""A job on screen: progress by stage while it runs, its outcome afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from memcore.domain.errors import MemcoreError
from ui.shell import address, links
from ui.shell.frame import draw_error, meta, note
from ui.shell.jobs import Job, board
from ui.shell.templates import draw
from ui.shell.text import count, label

T = TypeVar("T")


def follow(job: Job[T], draw_result: Callable[[T], None]) -> None:
    """Draw the job, now and every second until it has ended; then its result."""
    if job.state == "running":
        _running(job.id)
        return
    error = job.future.exception()
    if isinstance(error, MemcoreError):
        (note if job.state == "cancelled" else lambda *_: None)("Cancelled. Finished steps are kept.")
        draw_error(error)
    elif error is not None:
        note(
            f"{job.title} stopped on an unexpected error: {type(error).__name__}: {error}",
            "Finished steps are kept. Resume continues after them; if it stops again, please report it.",
        )
    else:
        draw_result(job.future.result())


def elsewhere(running: Job[Any]) -> None:
    """Why nothing else can be started here: a link to what is running, unless it is somebody else's."""
    if running.id:
        links.within(f"{label(running.title)} is running", "see_running", job=running.id)
    else:
        meta(f"{running.title} is running.")


@st.fragment(run_every=1.0)
def _running(job_id: str) -> None:
    address.stand()
    job = board().get(job_id)
    if job is None or job.state != "running":
        st.rerun(scope="app")
        return
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            draw("shell.lead", text=job.title, small=f"{job.seconds:.0f} s")
            if st.button("Cancel", key=f"cancel_{job_id}", disabled=job.stop.is_set()):
                job.stop.set()
        if job.stop.is_set():
            meta("Stopping after the step in progress. What is finished is kept.")
        elif not job.stages:
            meta("Loading models. The first time takes some seconds.")
        elif all(done >= total for done, total in list(job.stages.values())):
            meta("On to the next step. Loading models takes some seconds.")
        elif any(not done for done, _ in list(job.stages.values())):
            meta(
                "The first part takes longest: models are loaded as they are needed, and many messages are "
                "worked on at a time."
            )
        for stage, (done, total) in list(job.stages.items()):
            share = min(1.0, done / total) if total else 1.0
            st.progress(share, text=f"{label(stage)}: {done:,} of {total:,}{_left(job.seconds_left(stage))}")


def _left(seconds: float | None) -> str:
    """
    >>> _left(42.0), _left(200.0), _left(None)
    (' · about 42 s left', ' · about 3 min left', '')
    """
    if seconds is None:
        return ""
    return f" · about {seconds:.0f} s left" if seconds < 90 else f" · about {seconds / 60:.0f} min left"


def vanished(pending: int) -> None:
    """The URL names a job of an earlier server process."""
    left = f"{count(pending, 'message')} of it still to be worked on: resume below." if pending else ""
    note(
        "This job belonged to an earlier run of the server. What it had finished is in the store.",
        *([left] if left else []),
    )
