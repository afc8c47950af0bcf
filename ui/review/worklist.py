"""All waiting proposals as a table: filter, choose rows, decide them together after confirmation."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from memcore.domain.models import Proposal
from memcore.memory import Memory
from memcore.review.diff import show_hidden
from ui.curation import state as correcting
from ui.review import decision
from ui.review.proposal import OPERATIONS, counted, decided
from ui.shell import access, opened
from ui.shell.frame import meta, note
from ui.shell.marked import block
from ui.shell.templates import draw
from ui.shell.text import label


def table(memory: Memory, rows: Sequence[Proposal], waiting: int) -> None:
    """Proposals as rows to choose from. Nothing chosen means all that are shown."""
    _left()
    if not rows:
        undo_button(memory)
        note("No proposal is waiting." if not waiting else "No waiting proposal fits these filters.")
        return
    by_id = {proposal.id: proposal for proposal in rows}
    asked = decision.asked()
    if asked is not None and by_id.keys() >= set(asked.ids):
        _confirm(memory, asked, [by_id[i] for i in asked.ids])
    else:
        decision.leave()
        _buttons(memory, rows, waiting)
    st.dataframe(
        pd.DataFrame(
            {
                "operation": [OPERATIONS.get(p.operation, p.operation) for p in rows],
                "risk": [p.risk for p in rows],
                "before": [show_hidden(p.before) for p in rows],
                "after": [show_hidden(p.after or "") for p in rows],
                "reason": [show_hidden(p.reason) for p in rows],
                "made by": [p.made_by for p in rows],
            }
        ),
        hide_index=True,
        key=_key(rows),
        on_select="rerun",
        selection_mode="multi-row",
        height=min(560, 38 + 35 * len(rows)),
    )


def undo_button(memory: Memory, proposal_id: str = "") -> None:
    """Takes back the decision on this proposal, if it is decided; else the last one that stands, wherever it
    was made. Its key takes back what was done last: after a correction by hand, that."""
    owner = opened.owner(memory)
    step = memory.review.to_undo(proposal_id, owner=owner)
    of_what = f"Takes back: {decided(step.proposal)}" if step else "There is no decision to take back."
    st.button(
        "Undo",
        key="undo",
        shortcut=None if correcting.last_step(owner) else "U",
        on_click=decision.undo,
        args=(memory, step.event_id, step.proposal.id) if step else None,
        **access.greyed("review", disabled=step is None, help=label(of_what, 300)),
    )


def _key(rows: Sequence[Proposal]) -> str:
    """A choice is by place, so other rows make it another table: nothing stays chosen by accident."""
    return f"rows_{hashlib.sha256(' '.join(p.id for p in rows).encode()).hexdigest()[:12]}"


def _chosen(rows: Sequence[Proposal]) -> list[Proposal]:
    state = st.session_state.get(_key(rows))
    return [rows[i] for i in state.selection.rows if i < len(rows)] if state else []


def _buttons(memory: Memory, rows: Sequence[Proposal], waiting: int) -> None:
    chosen = _chosen(rows)
    about = chosen or rows
    ids = [p.id for p in about]
    what = f"{len(chosen):,} chosen" if chosen else f"all {len(rows):,}"
    with st.container(horizontal=True, vertical_alignment="center", key="review_keys"):
        for verb, shortcut in (("approve", "A"), ("reject", "X")):
            st.button(
                f"{verb.capitalize()} {what} …",
                key=f"{verb}_many",
                shortcut=shortcut,
                on_click=decision.ask,
                args=(verb, ids),
                **access.greyed("review"),
            )
        undo_button(memory)
        if len(chosen) == 1:
            st.button("Open", key="open_row", on_click=_open, args=(ids[0],))
    kinds = counted([p.operation for p in about])
    meta(f"{len(rows):,} of {waiting:,} that wait; {what}: {kinds}")


def _open(proposal_id: str) -> None:
    decision.focus(proposal_id, view=None)


def _confirm(memory: Memory, asked: decision.Asked, about: Sequence[Proposal]) -> None:
    verb = asked.verb.capitalize()
    high = sum(p.risk == "high" for p in about)
    with st.container(border=True, key="review_confirm"):
        question = f"{verb} {len(about):,}: {counted([p.operation for p in about])}?"
        draw("shell.alert", text=question, css="ms-lead")
        risk = f"{high:,} of high risk. " if high else ""
        meta(f"{risk}One undo takes all of it back.")
        with st.container(horizontal=True):
            st.button(
                f"{label(verb)} {len(about):,}",
                key="confirm_many",
                type="primary",
                shortcut="Y",
                on_click=decision.decide_many,
                args=(memory,),
            )
            st.button("Keep them waiting", key="leave_many", shortcut="N", on_click=decision.leave)


def _left() -> None:
    """What the last decision on several could not decide, one by one."""
    if left := decision.left():
        rows = [
            (block(one.proposal.before or one.proposal.after or "", 120), block(one.conflict, 300))
            for one in left
        ]
        rest = "1 was left as it is" if len(left) == 1 else f"{len(left):,} were left as they are"
        draw("review.left", rest=rest, rows=rows)
