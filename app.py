"""Memscope's home: what this is, the state of the store, the next step; nothing else."""

from __future__ import annotations

import streamlit as st

from memcore.memory import Memory
from ui.components.report import figures
from ui.shell import links, opened
from ui.shell.frame import begin, meta, page
from ui.shell.templates import draw
from ui.shell.text import count

PURPOSE = (
    "See what an assistant remembers of its conversations, and correct it. "
    "Every memory shows the exact words it came from, and nothing changes without your approval."
)


def next_step(memory: Memory, stats: dict[str, int]) -> None:
    """The one thing to do next: begin, resume, decide, or look for changes."""
    if not stats["messages"]:
        st.header("Begin", anchor=False)
        begin(memory)
        return
    st.header("Next", anchor=False)
    if pending := memory.runs.unfinished(opened.owner(memory)):
        messages = count(max(pending.values()), "message")
        links.link("Import", f"Resume the import: {messages} not worked on yet")
    elif stats["proposals_pending"]:
        links.link("Review", f"Decide {count(stats['proposals_pending'], 'proposed change')}")
    else:
        links.link("Review", "Consolidate: find memories that repeat or contradict each other")
    links.link("Ask", "Ask a question")


with page("Memscope", PURPOSE) as memory:
    stats = memory.evidence.stats(opened.owner(memory))
    st.header("The store", anchor=False)
    if stats["messages"]:
        figures(
            (stats["conversations"], "conversations"),
            (stats["messages"], "messages"),
            (stats["memories"], "memories"),
            (stats["entities"], "entities"),
            (stats["triples"], "triples"),
            (stats["proposals_pending"], "open proposals"),
        )
    else:
        draw("shell.text", text="Empty.")
    meta(str(memory.settings.store_dir.resolve()))
    next_step(memory, stats)
