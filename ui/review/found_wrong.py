"""What people marked wrong, or corrected and said why, by the stage at which it came about: so one sees what
a system gets wrong. The filters stand in the URL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

import streamlit as st
from markupsafe import Markup

from memcore.memory import Memory
from memcore.review.curate.mistakes import Mistake
from ui.components import evidence
from ui.components.downloads import downloads
from ui.components.recipes import TITLES
from ui.curation.forms import STAGES
from ui.review import filters
from ui.shell import links, opened, params
from ui.shell.frame import meta, note
from ui.shell.marked import block
from ui.shell.templates import render, show
from ui.shell.text import clock, count

SHOWN = 50
"""Of each stage, the newest that many are drawn; the files have all."""
ACTS = {"wrong": "marked wrong", "edited": "corrected"}
OBJECTS = {"memory": "memory", "triple": "relation"}


def draw(memory: Memory) -> None:
    """How much of what, then each with its words, its reason, and the way to it."""
    found = memory.curation.wrong(opened.owner(memory)).rows
    if not found:
        note(
            "Nothing is marked wrong.",
            "Mark a memory or relation wrong, or correct it and say why, where you read it: on Memories, "
            "Graph, Ask or here.",
        )
        return
    rows = _chosen(found)
    if not rows:
        note("Nothing that was found wrong fits these filters.")
        return
    show(_counts(rows))
    of_stage = {stage: list(group) for stage, group in groupby(rows, key=lambda row: row.stage)}
    for stage in sorted(of_stage, key=lambda one: (-len(of_stage[one]), one)):
        _stage(memory, STAGES[stage], of_stage[stage])
    downloads(
        "found_wrong",
        lambda: [_record(memory, row) for row in rows],
        about="All that was found wrong and passes the filters, with its words and reason",
    )


def _chosen(found: Sequence[Mistake]) -> list[Mistake]:
    stages: dict[str, str] = {row.stage: STAGES[row.stage].capitalize() for row in found}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stage = params.choose("What went wrong", stages, "stage", placeholder="any stage")
        recipe = filters.of_system(sorted({row.recipe for row in found}))
    rows = [row for row in found if stage in (None, row.stage) and recipe in ("", row.recipe)]
    if len(rows) < len(found):
        with st.container(horizontal=True, vertical_alignment="center"):
            meta(f"{len(rows):,} of {len(found):,} that were found wrong", width="content")
            links.within("Show all", "clear_wrong", stage=None, recipe=None)
    return rows


def _counts(rows: Sequence[Mistake]) -> Markup:
    number = Counter((row.recipe, row.stage) for row in rows)
    recipes = sorted({row.recipe for row in rows}, key=lambda one: TITLES.get(one, one))
    stages = [stage for stage, _ in Counter(row.stage for row in rows).most_common()]
    lines = [
        (TITLES.get(recipe, recipe), [f"{n:,}" for n in (*(number[recipe, one] for one in stages), total)])
        for recipe in recipes
        for total in [sum(number[recipe, one] for one in stages)]
    ]
    table = render("shell.figures_table", first="system", heads=[*stages, "all"], rows=lines)
    return render("shell.scroll", content=table, label="Found wrong, by system and stage")


def _stage(memory: Memory, name: str, rows: Sequence[Mistake]) -> None:
    st.header(name.capitalize(), anchor=False)
    newest = sorted(rows, key=lambda row: row.at, reverse=True)
    beyond = f", the newest {SHOWN} of them here" if len(rows) > SHOWN else ""
    meta(f"{count(len(rows), 'time')}{beyond}")
    for row in newest[:SHOWN]:
        with st.container(border=True):
            _one(memory, row)


def _one(memory: Memory, row: Mistake) -> None:
    what = f"{OBJECTS.get(row.object_type, row.object_type)} {ACTS.get(row.act, row.act)}"
    made = f"{TITLES.get(row.recipe, row.recipe)}: {what} by {row.actor}, {clock(row.at)} UTC"
    said = render("review.mistake", text=block(row.text, 600), reason=block(row.reason, 600), made=made)
    show(evidence.pair(said, evidence.quote_block(memory.evidence.quotes(row.sources), 500)))
    with st.container(horizontal=True, vertical_alignment="center"):
        if row.object_type == "memory":
            links.link("Memories", "Details", memory=row.object_id)
        links.within(
            "In the history", f"wrong_{row.object_id}", view="History", object=row.object_id, stage=None
        )


def _record(memory: Memory, row: Mistake) -> dict[str, object]:
    return {
        "stage": row.stage,
        "system": row.recipe,
        "act": row.act,
        "kind": OBJECTS.get(row.object_type, row.object_type),
        "id": row.object_id,
        "said": row.text,
        "reason": row.reason,
        "by": row.actor,
        "at": row.at,
        **evidence.sources(memory.evidence.quotes(row.sources)),
    }
