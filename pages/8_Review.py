"""Review: one proposed change at a time, with its evidence; nothing changes before a person approves."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memcore.domain.models import Proposal
from memcore.inspection.objects import ProposalView
from memcore.memory import Memory
from memcore.review.consolidate import ConsolidationReport
from memcore.review.decide import WRITING
from ui.components import timeline
from ui.curation import state as correcting
from ui.review import corrections, decision, proposal, worklist
from ui.review import filters as review_filters
from ui.review import found_wrong as review_found_wrong
from ui.review import history as review_history
from ui.review import rules as review_rules
from ui.shell import access, links, opened, params, progress
from ui.shell.frame import needs_messages, note, page
from ui.shell.jobs import board, busy, found_again
from ui.shell.templates import show
from ui.shell.text import count

PURPOSE = (
    "Proposed changes to memory wait here. Nothing changes before you approve it, "
    "and every decision can be undone."
)
ONE, TABLE, HISTORY, WRONG, RULES = VIEWS = ("One at a time", "Table", "History", "Found wrong", "Rules")


def consolidation() -> None:
    """The consolidation, or the corrections, that the address names: its progress, then its result."""
    if corrections.outcome("Review"):
        return
    if (job := found_again("Review", ConsolidationReport)) is not None:
        progress.follow(job, found)
    elif "job" in st.query_params:
        progress.vanished(0)


def look_button(memory: Memory, waiting: int) -> None:
    """Start a consolidation."""
    owner = opened.owner(memory)
    if st.button(
        "Consolidate",
        key="consolidate",
        type="secondary" if waiting else "primary",
        disabled=bool(busy()),
        help=busy()
        or "Compares every memory with similar ones of the same time or later: duplicates, refinements, "
        "contradictions. It only proposes.",
    ):
        job = board().start(
            "Review",
            "Consolidation",
            ConsolidationReport,
            lambda tick, cancelled: memory.consolidate(owner=owner, progress=tick, cancelled=cancelled),
        )
        decision.focus(None)
        links.address(job=job.id)
        st.rerun()


def found(report: ConsolidationReport) -> None:
    """What the consolidation came to, in a sentence."""
    parts = ", ".join(
        f"{n:,} {proposal.OPERATIONS.get(op, op).lower()}" for op, n in report.by_operation.items()
    )
    note(f"{count(report.proposals, 'new proposal')}{': ' + parts if parts else ''}.")


def view_chosen() -> str:
    """One at a time, many at once, what was decided, or what people found wrong."""
    return str(
        st.segmented_control(
            "View",
            VIEWS,
            label_visibility="collapsed",
            required=True,
            **params.bound("view", params.one_of("view", VIEWS)),
        )
    )


def one_at_a_time(memory: Memory, waiting: Sequence[Proposal]) -> None:
    """The proposal at hand, with the keys that decide it."""
    filters = review_filters.in_address()
    kept = filters.keep(waiting)
    review_filters.summary(filters, len(kept), len(waiting))
    queue = [p.id for p in kept]
    wanted = st.query_params.get("proposal")
    if not wanted and not queue:
        worklist.undo_button(memory)
        note(
            "No proposal is waiting." if not waiting else "No waiting proposal fits these filters.",
            "Consolidate after an import, or see what was decided under History.",
        )
        return
    current = wanted or decision.in_front(queue)
    view = memory.review.proposal(current, owner=opened.owner(memory))
    pending = view.proposal.state == "pending"
    place = f"{queue.index(current) + 1} of {len(queue)}" if current in queue else f"{len(queue)} waiting"
    show(proposal.head(view.proposal, place))
    keys(memory, view, queue, pending)
    if pending and st.session_state.get(decision.EDITING) == current:
        editor(memory, view.proposal, queue)
    proposal.draw(memory, opened.owner(memory), view)
    with st.expander("History", expanded=not pending):
        timeline.draw(memory, view.events)


def keys(memory: Memory, view: ProposalView, queue: list[str], pending: bool) -> None:
    """The buttons of the decision, each with its key."""
    current = view.proposal
    editing = st.session_state.get(decision.EDITING) == current.id
    with st.container(horizontal=True, key="review_keys"):
        if pending:
            why_not = "This change writes no text: approve or reject it as it is."
            if current.operation in WRITING:
                why_not = "Its text is open below." if editing else ""
            shown_by = st.query_params.get("proposal")
            args = (memory, "approve", current.id, queue, shown_by)
            st.button(
                "Approve",
                key="approve",
                shortcut="A",
                type="primary",
                on_click=decision.decide,
                args=args,
                **access.greyed("review"),
            )
            args = (memory, "reject", current.id, queue, shown_by)
            grey = access.greyed("review")
            st.button("Reject", key="reject", shortcut="X", on_click=decision.decide, args=args, **grey)
            st.button(
                "Edit",
                key="edit",
                shortcut="E",
                on_click=decision.begin_edit,
                args=(current.id,),
                **access.greyed("review", disabled=bool(why_not), help=why_not or None),
            )
        worklist.undo_button(memory, "" if pending else current.id)
        for label, key, shortcut, steps in (("Next", "next", "J", 1), ("Previous", "previous", "K", -1)):
            st.button(
                label,
                key=key,
                shortcut=shortcut,
                on_click=decision.move,
                args=(queue, current.id, steps),
                disabled=not queue,
                help=None if queue else "No other proposal waits.",
            )


def editor(memory: Memory, current: Proposal, queue: list[str]) -> None:
    """The text to be stored instead, to write."""
    key = f"text_{current.id}"
    with st.container(border=True):
        st.text_area("New text", value=current.after or "", key=key, height=110)
        with st.container(horizontal=True):
            st.button(
                "Save and approve",
                key="save_approve",
                type="primary",
                on_click=decision.save_edit,
                args=(memory, current.id, key, queue),
            )
            st.button(
                "Save text", key="save_edit", on_click=decision.save_edit, args=(memory, current.id, key)
            )
            st.button("Leave it", key="leave_edit", on_click=decision.end_edit)


with page("Review", PURPOSE) as memory:
    needs_messages(
        memory, "When memories repeat, refine or contradict each other, a proposal will wait here."
    )
    decision.told()
    correcting.told(memory)
    waiting = memory.review.proposals(opened.owner(memory))
    consolidation()
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        chosen = view_chosen()
        with st.container(horizontal=True, width="content"):
            corrections.button(memory, "Review")
            look_button(memory, len(waiting))
    if chosen == TABLE:
        rows = review_filters.draw(waiting).keep(waiting)
        worklist.table(memory, rows, len(waiting))
    elif chosen == HISTORY:
        review_history.draw(memory)
    elif chosen == WRONG:
        review_found_wrong.draw(memory)
    elif chosen == RULES:
        review_rules.draw(memory)
    else:
        one_at_a_time(memory, waiting)
