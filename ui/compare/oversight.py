"""What oversight was worth, where it was measured and kept in this store."""

from __future__ import annotations

import streamlit as st

from memcore.evaluation.records import EvaluationRecord, Evaluations
from memcore.memory import Memory
from memcore.systems.registry import title
from ui.components.oversight import draw_oversight
from ui.shell import links
from ui.shell.text import clock, label


def draw(memory: Memory) -> None:
    """The newest result for each system, and the way to the whole of it; nothing where none is kept."""
    newest: dict[str, EvaluationRecord] = {}
    for record in Evaluations(memory.settings.store_dir).all().records:
        if record.kind == "oversight":
            before = newest.get(record.recipe)
            if before is None or record.at > before.at:
                newest[record.recipe] = record
    if not newest:
        return
    st.header("What oversight is worth", anchor=False)
    for record in newest.values():
        files = ", ".join(file.name for file in record.files)
        links.link(
            "Evaluate", label(f"{title(record.recipe)} on {files}, {clock(record.at)} UTC"), job=record.id
        )
        draw_oversight(record.document)
