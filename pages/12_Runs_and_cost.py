"""Runs & cost: every piece of work, the time of its stages, and every call to a language model."""

from __future__ import annotations

import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from memcore.memory import Memory
from ui.components.downloads import downloads
from ui.components.report import figures
from ui.runs import runs, unfinished
from ui.shell import links, opened
from ui.shell.frame import meta, needs_messages, note, page

PURPOSE = (
    "Every piece of work: how long its stages took, what was asked of a language model, and what failed."
)
SHOWN = 200


def overview(memory: Memory) -> None:
    """All runs, what they cost together, and what they left unfinished."""
    owner = opened.owner(memory)
    found = memory.runs.all(owner=owner, limit=SHOWN)
    if not found:
        note("No work was done yet.")
        return
    unfinished.everywhere(memory)
    figures(*runs.totals(found))
    spent = memory.runs.token_statistics(owner=owner)
    runs.cost(spent, whose=f"Everything done for {owner}", key="download_all")
    st.header("Runs", anchor=False)
    rows = [runs.record(run) for run in found]
    meta("Choose a row to look inside a run.")
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        key="run_rows",
        on_select=lambda: open_row([r.id for r in found]),
        selection_mode="single-row",
        column_config={"seconds": st.column_config.NumberColumn(format="%.1f"), "run": None},
    )
    downloads("runs", lambda: rows, about="These runs with their ids, times and totals")


def open_row(ids: list[str]) -> None:
    """The run of the row that was chosen, in the address."""
    if rows := st.session_state["run_rows"].selection.rows:
        links.address(run=ids[rows[0]])


def detail(memory: Memory, run_id: str) -> None:
    """One run: its stages, its calls of a model, and what it left unfinished."""
    links.within("All runs", "all_runs", run=None)
    owner = opened.owner(memory)
    view = memory.runs.view(run_id, owner=owner)
    runs.head(view.run)
    unfinished.of_run(memory, view)
    runs.stages(view)
    spent = memory.runs.token_statistics(owner=owner, run_id=run_id)
    runs.cost(spent, whose="This run", key="download_run")
    runs.calls(view)
    runs.settings(view.run)


with page("Runs & cost", PURPOSE) as memory:
    needs_messages(
        memory, "Imports, consolidations and questions will be listed here with their time and cost."
    )
    unfinished.follow(memory)
    if wanted := st.query_params.get("run"):
        detail(memory, wanted)
    else:
        overview(memory)
