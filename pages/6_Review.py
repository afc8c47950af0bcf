"""Review: one proposed change at a time, with its evidence; nothing changes before a person approves."""

from __future__ import annotations

import streamlit as st

from memcore.memory import Memory
from memcore.models import Proposal
from ui import deciding, opened, params, progress, proposal, timeline, worklist
from ui.frame import draw_error, needs_messages, note, page
from ui.jobs import board
from ui.recipes import TITLES
from ui.text import count

PURPOSE = (
    "Proposed changes to memory wait here. Nothing changes before you approve it, "
    "and every decision can be undone."
)


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


def of_one_system(waiting: list[Proposal]) -> list[Proposal]:
    """What waits of the chosen system's memories; of all, while none is chosen."""
    systems = {p.recipe: TITLES.get(p.recipe, p.recipe) for p in waiting}
    if len(systems) < 2 and "recipe" not in st.query_params:
        return waiting
    chosen = params.choose("Memory of", systems, "recipe", placeholder="every system")
    return [p for p in waiting if chosen in (None, p.recipe)]


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


with page("Review", PURPOSE) as memory:
    needs_messages(
        memory, "When memories repeat, refine or contradict each other, a proposal will wait here."
    )
    told()
    waiting = of_one_system(memory.proposals(opened.owner(memory)))
    consolidation()
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        chosen = st.segmented_control(
            "View",
            worklist.VIEWS,
            default=worklist.VIEWS[0],
            key="view",
            bind="query-params",
            label_visibility="collapsed",
            required=True,
        )
        look_button(memory, len(waiting))
    if chosen == "Table":
        worklist.table(waiting)
    elif chosen == "History":
        worklist.history(memory)
    else:
        one_at_a_time(memory, [p.id for p in waiting])
