"""A kept measurement of what oversight is worth, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memcore.inspection.shares import figure
from ui.shell.frame import meta
from ui.shell.templates import render, show
from ui.shell.text import count

HEADS = (
    "applied",
    "memories",
    "no longer active",
    "% unsupported",
    "% of evidence in 10",
    "% in 1,000 tokens",
    "right as of a date",
)


def draw_oversight(document: Mapping[str, Any]) -> None:
    """A row for each way of deciding, and what was asked."""
    rows = [
        (
            arm["name"],
            [
                f"{arm['approved']:,} of {arm['proposals']:,}",
                f"{arm['active']:,}",
                f"{arm['past']:,}",
                figure(100 * arm["unsupported"], 1),
                f"{100 * arm['recall_at_k']:.1f}",
                f"{100 * arm['recall_at_budget']:.1f}",
                f"{arm['dated_right']:,} of {document['dated']:,}",
            ],
        )
        for arm in document["arms"]
    ]
    table = render("shell.figures_table", first="decided", heads=list(HEADS), rows=rows)
    show(render("shell.scroll", content=table, label="What oversight is worth"))
    meta(
        f"{count(document['questions'], 'question')} whose evidence is known, and "
        f"{count(document['dated'], 'question')} asked as of a date. Each row is a copy of the same memory."
    )
