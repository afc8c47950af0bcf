"""Review: one proposed change at a time, with its evidence; nothing changes before a person approves."""

from __future__ import annotations

from itertools import groupby

import pandas as pd
import streamlit as st

from memcore.memory import Memory
from memcore.models import Proposal
from memcore.review.diff import show_hidden
from ui import deciding, links, opened, progress, proposal, timeline
from ui.frame import draw_error, needs_messages, note, page
from ui.jobs import board
from ui.text import count

PURPOSE = (
    "Proposed changes to memory wait here. Nothing changes before you approve it, "
    "and every decision can be undone."
)
VIEWS = ("One at a time", "Table", "History")
HISTORY_EVENTS = 300


def told() -> None:
    """What the last key or button did."""
    if message := st.session_state.pop(deciding.MESSAGE, None):
        st.toast(message)
    if error := st.session_state.pop(deciding.ERROR, None):
        draw_error(error)


def consolidation() -> None:
    job = board().get(st.query_params.get("job", ""))
    if job is not None and job.page == "Review":
        progress.follow(job, found)
    elif "job" in st.query_params:
        progress.vanished(0)


def look_button(memory: Memory, waiting: int) -> None:
    owner = opened.owner(memory)
    if st.button(
        "Look for changes to propose",
        key="consolidate",
        type="secondary" if waiting else "primary",
        disabled=board().running() is not None,
        help="Compares every memory with the similar ones said later: duplicates, refinements, "
        "contradictions. It only ever proposes.",
    ):
        job = board().start(
            "Review",
            "Consolidation",
            lambda tick, cancelled: memory.consolidate(owner=owner, progress=tick, cancelled=cancelled),
        )
        deciding.focus(None)
        st.query_params["job"] = job.id
        st.rerun()


def found(report: object) -> None:
    proposals = getattr(report, "proposals", 0)
    by_operation = getattr(report, "by_operation", {})
    parts = ", ".join(f"{n:,} {proposal.OPERATIONS.get(op, op).lower()}" for op, n in by_operation.items())
    note(f"{count(proposals, 'new proposal')}{': ' + parts if parts else ''}.")


def one_at_a_time(memory: Memory, queue: list[str]) -> None:
    wanted = st.query_params.get("proposal")
    if not wanted and not queue:
        if last := st.session_state.get(deciding.LAST):
            undo_button(memory, last)
        note(
            "No proposal is waiting.",
            "Look for changes after an import, or see what was decided under History.",
        )
        return
    current = wanted or queue[0]
    view = memory.proposal(current)
    pending = view.proposal.state == "pending"
    place = f"{queue.index(current) + 1} of {len(queue)}" if current in queue else f"{len(queue)} waiting"
    st.html(proposal.head(view.proposal, place))
    keys(memory, view.proposal, queue, pending)
    if pending and st.session_state.get(deciding.EDITING) == current:
        editor(memory, view.proposal)
    proposal.draw(view)
    if not pending:
        st.html(timeline.table(view.events))


def keys(memory: Memory, current: Proposal, queue: list[str], pending: bool) -> None:
    editing = st.session_state.get(deciding.EDITING) == current.id
    with st.container(horizontal=True, key="review_keys"):
        if pending:
            args = (memory, "approve", current.id, queue)
            st.button(
                "Approve", key="approve", shortcut="A", type="primary", on_click=deciding.decide, args=args
            )
            args = (memory, "reject", current.id, queue)
            st.button("Reject", key="reject", shortcut="X", on_click=deciding.decide, args=args)
            st.button(
                "Edit",
                key="edit",
                shortcut="E",
                on_click=deciding.begin_edit,
                args=(current.id,),
                disabled=editing or current.operation not in ("update", "merge"),
            )
        if last := st.session_state.get(deciding.LAST):
            undo_button(memory, last)
        elif not pending:
            decision = next((e for e in reversed(memory.proposal(current.id).events) if not e.undo_of), None)
            if decision:
                undo_button(memory, (decision.id, current.id))
        st.button(
            "Previous",
            key="previous",
            shortcut="K",
            on_click=deciding.move,
            args=(queue, current.id, -1),
            disabled=not queue,
        )
        st.button(
            "Next",
            key="next",
            shortcut="J",
            on_click=deciding.move,
            args=(queue, current.id, 1),
            disabled=not queue,
        )


def undo_button(memory: Memory, last: tuple[str, str]) -> None:
    st.button("Undo", key="undo", shortcut="U", on_click=deciding.undo, args=(memory, *last))


def editor(memory: Memory, current: Proposal) -> None:
    key = f"text_{current.id}"
    with st.container(border=True):
        st.text_area("New text", value=current.after or "", key=key, height=110)
        with st.container(horizontal=True):
            st.button(
                "Save text",
                key="save_edit",
                type="primary",
                on_click=deciding.save_edit,
                args=(memory, current.id, key),
            )
            st.button("Leave it", key="leave_edit", on_click=deciding.end_edit)


def table(memory: Memory, waiting: list[Proposal]) -> None:
    if not waiting:
        note("No proposal is waiting.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        operations = sorted({p.operation for p in waiting})
        operation = st.selectbox(
            "Operation", operations, index=None, key="operation", bind="query-params", placeholder="any"
        )
        risk = st.selectbox(
            "Risk", ("low", "medium", "high"), index=None, key="risk", bind="query-params", placeholder="any"
        )
        words = st.text_input("Text", key="words", bind="query-params", placeholder="any words").casefold()
    rows = [
        p
        for p in waiting
        if (not operation or p.operation == operation)
        and (not risk or p.risk == risk)
        and words in f"{p.before} {p.after} {p.reason}".casefold()
    ]
    st.html(f'<div class="ms-meta">{len(rows)} of {len(waiting)}; choose a row to decide it</div>')
    frame = pd.DataFrame(
        {
            "operation": [p.operation for p in rows],
            "risk": [p.risk for p in rows],
            "before": [show_hidden(p.before) for p in rows],
            "after": [show_hidden(p.after or "") for p in rows],
            "reason": [show_hidden(p.reason) for p in rows],
            "made by": [p.made_by for p in rows],
        }
    )
    picked = st.dataframe(
        frame, hide_index=True, key="proposal_rows", on_select="rerun", selection_mode="single-row"
    )
    if chosen := picked.selection.rows:
        links.go("Review", proposal=rows[chosen[0]].id)


def history(memory: Memory) -> None:
    events = [
        e
        for e in memory.history(limit=HISTORY_EVENTS)
        if e.kind != "proposal.made" and (e.undo_of or e.object_type == "proposal" or not e.run_id)
    ]
    if not events:
        note("Nothing was decided yet.")
        return
    taken_back = {e.undo_of for e in events}
    for batch, group in groupby(events, key=lambda e: e.batch):
        members = list(group)
        with st.container(
            border=True, horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
        ):
            st.html(timeline.table(members, with_object=True), width="stretch")
            if members[0].id not in taken_back:
                st.button(
                    "Undo", key=f"undo_{batch}", on_click=deciding.undo, args=(memory, members[0].id, None)
                )
    st.html(
        f'<div class="ms-meta">Newest first, times in UTC; the last {count(len(events), "change")}.</div>'
    )


with page("Review", PURPOSE) as memory:
    needs_messages(
        memory, "When memories repeat, refine or contradict each other, a proposal will wait here."
    )
    told()
    waiting = memory.proposals(opened.owner(memory))
    consolidation()
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        chosen = st.segmented_control(
            "View",
            VIEWS,
            default=VIEWS[0],
            key="view",
            bind="query-params",
            label_visibility="collapsed",
            required=True,
        )
        look_button(memory, len(waiting))
    if chosen == "Table":
        table(memory, waiting)
    elif chosen == "History":
        history(memory)
    else:
        one_at_a_time(memory, [p.id for p in waiting])
