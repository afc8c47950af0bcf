"""What work left undone: parts that failed, runs that were interrupted, and the buttons that go on with them.

Everything starts a job on the Runs page; the job stands in the URL, so a reload finds it again.
"""

from __future__ import annotations

from typing import Literal, TypeVar

import streamlit as st

from memcore.domain.models import Run
from memcore.domain.protocols import Cancelled, Progress
from memcore.inspection.objects import RunView
from memcore.memory import Memory
from memcore.review.consolidate import ConsolidationReport
from memcore.runs.ingest import IngestReport
from memcore.runs.retry import FAILED_STAGE, RETRY_OF, WaitingPart
from memcore.systems.registry import title
from ui.runs import runs
from ui.shell import links, opened, params, progress
from ui.shell.frame import meta, note
from ui.shell.jobs import Work, board, busy, found_again
from ui.shell.marked import block
from ui.shell.templates import draw
from ui.shell.text import count

T = TypeVar("T")
PAGE = "Runs and cost"
_LISTED = 20


def follow(memory: Memory) -> None:
    """The job the URL names: its progress, or what came of it."""
    if (reading := found_again(PAGE, IngestReport)) is not None:
        progress.follow(reading, _read)
    elif (consolidation := found_again(PAGE, ConsolidationReport)) is not None:
        progress.follow(consolidation, _consolidated)
    elif "job" in st.query_params:
        progress.vanished(sum(memory.runs.unfinished(opened.owner(memory)).values()))


def everywhere(memory: Memory) -> None:
    """For each system, the messages that wait, with a way to go on."""
    owner = opened.owner(memory)
    if board().running():
        return
    for recipe, waiting in memory.runs.unfinished(owner).items():
        words = f"{count(waiting, 'message')} stored, but not read by {title(recipe)} yet."
        _offer(
            words,
            "Resume",
            f"resume_{recipe}",
            f"Reading with {title(recipe)}",
            IngestReport,
            _resuming(memory, owner, recipe),
        )


def of_run(memory: Memory, view: RunView) -> None:
    """What one run left undone: what it failed on, and what it did not reach."""
    run = view.run
    if retried := str(run.settings.get(RETRY_OF, "")):
        links.within("The run whose failed parts this one read again", "retried_run", run=retried)
    parts = memory.runs.failed_parts(run.id, owner=run.owner)
    if parts:
        _failed(memory, run, parts)
    elif any(trace.stage == FAILED_STAGE for trace in view.traces):
        note("Some parts failed in this run. Their messages were read since.")
    elif errors := runs.failures(view):
        note("Some parts failed in this run:", *errors)
    if runs.state(run) in ("interrupted", "cancelled", "failed") and not board().running():
        _rest(memory, run)


def _failed(memory: Memory, run: Run, parts: tuple[WaitingPart, ...]) -> None:
    st.header("What failed", anchor=False)
    messages = sum(len(part.messages) for part in parts)
    words = (
        f"{count(messages, 'message')} of {count(len(parts), 'session')} could not be read and still wait."
    )
    _offer(words, "Retry these", "retry_all", "Retry", IngestReport, _retrying(memory, run))
    titles = {c.id: c.title or c.source_file for c in memory.evidence.conversations(run.owner)}
    names = params.session_names([part.session for part in parts], titles)
    for number, part in enumerate(parts):
        with st.container(border=True):
            errors = [block(error, 600) for error in part.errors]
            draw("runs.part", name=names[part.session.id], errors=errors)
            rows = [(m.speaker, block(m.text, 240)) for m in part.messages[:_LISTED]]
            draw("runs.messages", rows=rows)
            if len(part.messages) > _LISTED:
                more = count(len(part.messages) - _LISTED, "message")
                meta(f"and {more} more")
            if len(parts) > 1:
                words = count(len(part.messages), "message")
                work = _retrying(memory, run, part.session.id)
                _offer(words, "Retry this one", f"retry_{number}", "Retry", IngestReport, work, main=False)


def _rest(memory: Memory, run: Run) -> None:
    """A run that ended early goes on where it stopped."""
    if run.kind == "consolidate":
        words = "It ended early. What it had decided is kept and is not decided again."
        work = _consolidating(memory, run)
        _offer(words, "Resume", "resume_run", "Consolidation", ConsolidationReport, work)
    elif run.kind == "ingest" and (waiting := memory.runs.pending(run.owner, recipe=run.recipe)):
        words = f"It ended early. {count(waiting, 'message')} wait to be read by {title(run.recipe)}."
        again = _resuming(memory, run.owner, run.recipe)
        _offer(words, "Resume", "resume_run", "Import", IngestReport, again)


def _consolidating(memory: Memory, run: Run) -> Work[ConsolidationReport]:
    def work(tick: Progress, cancelled: Cancelled) -> ConsolidationReport:
        return memory.consolidate(
            owner=run.owner, recipe=run.recipe or None, progress=tick, cancelled=cancelled
        )

    return work


def _resuming(memory: Memory, owner: str, recipe: str) -> Work[IngestReport]:
    def work(tick: Progress, cancelled: Cancelled) -> IngestReport:
        return memory.resume(owner=owner, recipe=recipe, progress=tick, cancelled=cancelled)

    return work


def _retrying(memory: Memory, run: Run, *session_ids: str) -> Work[IngestReport]:
    def work(tick: Progress, cancelled: Cancelled) -> IngestReport:
        return memory.retry(
            run.id, owner=run.owner, session_ids=session_ids or None, progress=tick, cancelled=cancelled
        )

    return work


def _offer(
    words: str, button: str, key: str, title: str, makes: type[T], work: Work[T], *, main: bool = True
) -> None:
    """A line that says what waits, and the button that starts the work."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.text(words, width="content")
        kind: Literal["primary", "secondary"] = "primary" if main else "secondary"
        if st.button(button, key=key, type=kind, disabled=bool(busy()), help=busy() or None):
            links.address(job=board().start(PAGE, title, makes, work).id)
            st.rerun()


def _read(report: IngestReport) -> None:
    """What reading made, with the run it was."""
    ended = "Cancelled" if report.state == "cancelled" else "Finished"
    made = count(report.memories, "new memory", "new memories")
    note(f"{ended} in {report.seconds:.1f} s: {count(report.messages, 'message')} to read, {made}.")
    if report.errors:
        note(f"{count(len(report.errors), 'part')} failed again:", *report.errors)
    links.within("Open the new run", "open_new_run", run=report.run_id, job=None)


def _consolidated(report: ConsolidationReport) -> None:
    note(f"{count(report.proposals, 'new proposal')}.")
