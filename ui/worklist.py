"""The Review page's other two views: all waiting proposals as a table, and past decisions with undo."""

from __future__ import annotations

from itertools import groupby, islice

import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from memcore.memory import Memory
from memcore.models import Proposal
from memcore.review.diff import show_hidden
from ui import deciding, timeline
from ui.frame import note

VIEWS = ("One at a time", "Table", "History")
_HISTORY, _SHOWN = 2_000, 100


def table(waiting: list[Proposal]) -> None:
    """Proposals as rows, filtered by the address; choosing one brings it into focus."""
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
    st.dataframe(
        frame,
        hide_index=True,
        key="proposal_rows",
        on_select=lambda: _open_row([p.id for p in rows]),
        selection_mode="single-row",
    )


def _open_row(ids: list[str]) -> None:
    if chosen := st.session_state["proposal_rows"].selection.rows:
        st.session_state["view"] = VIEWS[0]
        deciding.focus(ids[chosen[0]])


def history(memory: Memory) -> None:
    """What people decided, newest first, each with its undo."""
    events = memory.decisions(limit=_HISTORY)
    if not events:
        note("Nothing was decided yet.")
        return
    taken_back = {e.undo_of for e in events}
    batches = groupby(events, key=lambda e: e.batch)
    for batch, group in islice(batches, _SHOWN):
        members = list(group)
        with st.container(
            border=True, horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
        ):
            st.html(timeline.table(members, with_object=True), width="stretch")
            if members[0].id not in taken_back:
                st.button(
                    "Undo", key=f"undo_{batch}", on_click=deciding.undo, args=(memory, members[0].id, None)
                )
    st.html('<div class="ms-meta">Newest first, times in UTC.</div>')
