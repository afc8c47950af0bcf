"""Update queue: what each memory was compared with while nobody was talking, and what was decided."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from memcore.inspection.update_queue import CHANGES, QueuesView
from memcore.memory import Memory
from memcore.review.consolidate import ConsolidationReport
from memcore.runs.dry_run import ConsolidationPreview
from ui.shell import links, opened, params, progress
from ui.shell.frame import meta, needs_messages, note, page
from ui.shell.jobs import board, busy, found_again, in_address
from ui.shell.templates import stylesheet
from ui.shell.text import clock, count
from ui.update_queue import dry_run, queue_graph, update_queue

PURPOSE = (
    "Sleep-time update: every memory beside similar ones of the same time or later, and what was decided. "
    "A decision only ever becomes a proposal."
)
PAGE_SIZE, MOST_PAGES = 20, 1_000_000
VIEWS = ("List", "Graph", "Dry run")
SHOWN = {"changes": ("Changes", CHANGES), "all": ("All", None)} | {
    action: (name, (action,)) for action, name in update_queue.ACTIONS.items()
}


def consolidate_button(memory: Memory, *, first: bool) -> None:
    """Start a consolidation."""
    owner = opened.owner(memory)
    if st.button(
        "Consolidate",
        key="consolidate",
        type="primary" if first else "secondary",
        disabled=bool(busy()),
        help=busy()
        or "Compares every memory with similar ones of the same time or later: duplicates, refinements, "
        "contradictions. It only proposes.",
    ):
        job = board().start(
            dry_run.PAGE,
            "Consolidation",
            ConsolidationReport,
            lambda tick, cancelled: memory.consolidate(owner=owner, progress=tick, cancelled=cancelled),
        )
        links.address(job=job.id, run=None)
        st.rerun()


def consolidated(report: ConsolidationReport) -> None:
    """What the consolidation came to, in a sentence."""
    before, queues = report.decided_before, report.queues
    unchanged = f" {count(before, 'queue')} of {queues:,} had been decided before." if before else ""
    note(f"{count(report.proposals, 'new proposal')} from {count(queues - before, 'queue')}.{unchanged}")


def choose_run(memory: Memory) -> str | None:
    """The consolidation to look at; None: there was none."""
    runs = memory.review.consolidations(opened.owner(memory))
    names = {
        run.id: f"{clock(run.started_at)} UTC · {count(int(run.totals.get('queues', 0)), 'queue')}"
        + (f" · {run.recipe}" if run.recipe else "")
        for run in runs
    }
    if unknown := params.unknown("run", names):
        note(
            f"There is no consolidation with the id {unknown}.", "The newest that decided something is shown."
        )
    return params.choose("Run", names, "run", placeholder="the newest that decided something")


def filtered(memory: Memory, run: str | None, view: str) -> None:
    """The queues of a run that were decided as chosen."""
    owner = opened.owner(memory)
    whole = memory.review.queues(run, owner=owner, limit=0)
    assert whole is not None, "a run exists"
    update_queue.circles(whole)
    decided = sum(whole.by_action.values())
    counts = {"changes": decided - whole.by_action.get("ignore", 0), "all": decided} | whole.by_action
    offered = {k: f"{name} ({counts.get(k, 0):,})" for k, (name, _) in SHOWN.items() if counts.get(k)}
    offered = {"changes": f"Changes ({counts['changes']:,})"} | offered
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = params.choose("Decision", offered, "action", must=True, clears=("page",)) or "changes"
        given = st.query_params.get("words", "")
        written = st.text_input(
            "Text", placeholder="any words", **params.bound("words", given, clears=("page",))
        )
    words = written.strip()
    asked = partial(memory.review.queues, run, owner=owner, actions=SHOWN[chosen][1], contains=words)
    if view == "Graph":
        found = asked(limit=queue_graph.MOST_MEMORIES)
        assert found is not None, "a run exists"
        if found.rows:
            queue_graph.draw(found.rows, found.cycles, found.matching - len(found.rows))
    else:
        found = listed(asked)
    if not found.rows:
        note("No queue has this decision." if not words else "No queue matches.", *nothing(found))
    folded(found, chosen)
    with st.expander("How the queues were built", key="built"):
        update_queue.built(found)
        links.link("Runs and cost", "The run, with its time and cost", run=found.run.id)


def listed(asked: Callable[..., QueuesView | None]) -> QueuesView:
    """One page of queues."""
    number = params.number("page", 1, 1, MOST_PAGES)
    found = asked(limit=PAGE_SIZE, offset=(number - 1) * PAGE_SIZE)
    if found is not None and not found.rows and found.matching:
        number, found = 1, asked(limit=PAGE_SIZE)
    assert found is not None, "a run exists"
    threshold = min((trace.threshold for _, trace in found.compared), default=0.0)
    pages = -(-found.matching // PAGE_SIZE)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        meta(f"{count(found.matching, 'queue')}, closest first")
        if pages > 1:
            st.pagination(pages, **params.bound("page", number, usual=1))
    for one in found.rows:
        update_queue.row(one, threshold, named=len(found.compared) > 1)
    return found


def nothing(view: QueuesView) -> list[str]:
    """Why there may be no rows."""
    if not sum(view.by_action.values()):
        return ["No two memories were similar enough to be compared, or all were decided in an earlier run."]
    return []


def folded(view: QueuesView, chosen: str) -> None:
    """What the list leaves out, with a count."""
    ignored = view.by_action.get("ignore", 0)
    with st.container(horizontal=True, vertical_alignment="center"):
        if chosen == "changes" and ignored:
            meta(f"{count(ignored, 'queue')} decided to change nothing.")
            links.within("Show them", "show_ignored", action="ignore")
        if view.unchanged:
            text = f"{count(view.unchanged, 'further queue')} had been decided in an earlier run."
            meta(text)


def dry(memory: Memory) -> None:
    """What consolidation would change for questions of yours, without storing anything."""
    job = in_address(dry_run.PAGE, ConsolidationPreview)
    tried = job.future.result().questions if job is not None and job.state == "finished" else ()
    asked = [one.question for one in tried]
    dry_run.form(memory, memory.review.proposals(opened.owner(memory)), asked)
    if job is not None:
        progress.follow(job, dry_run.draw)


with page("Update queue", PURPOSE) as memory:
    needs_messages(memory, "Each memory will stand here beside the later ones that may change it.")
    stylesheet("update_queue")
    consolidation = found_again(dry_run.PAGE, ConsolidationReport)
    if consolidation is not None:
        progress.follow(consolidation, consolidated)
    elif "job" in st.query_params and in_address(dry_run.PAGE, ConsolidationPreview) is None:
        progress.vanished(0)
    runs = memory.review.consolidations(opened.owner(memory))
    if not memory.memories.count(opened.owner(memory)):
        note("No memory is active, so there is nothing to compare.", "Finish the import, or import more.")
        links.link("Import")
    elif not runs:
        note(
            "These memories were never consolidated.",
            "Each will be compared with similar ones of the same time or later: duplicates, refinements, "
            "contradictions. It only proposes; you decide.",
        )
        consolidate_button(memory, first=True)
        st.header("Dry run", anchor=False)
        dry(memory)
    else:
        with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
            view = params.one_of("view", VIEWS)
            st.segmented_control(
                "View",
                VIEWS,
                label_visibility="collapsed",
                required=True,
                **params.bound("view", view, usual=VIEWS[0]),
            )
            consolidate_button(memory, first=False)
        if view == "Dry run":
            dry(memory)
        else:
            filtered(memory, choose_run(memory), view)
