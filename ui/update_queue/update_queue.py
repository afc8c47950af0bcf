"""Update queues on screen: a target beside what it was compared with, the decision, circles, and how
the queues were built. They draw what a run recorded; nothing is computed or decided here."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from markupsafe import Markup

from memcore.domain.models import MemoryEntry
from memcore.inspection.update_queue import QueueRow, QueuesView
from memcore.review.cycles import Cycle
from memcore.review.queues import HISTOGRAM_BIN, QueueTrace
from ui.components import charts, evidence
from ui.components.recipes import TITLES
from ui.components.report import figures
from ui.shell import links
from ui.shell.frame import meta
from ui.shell.marked import block
from ui.shell.templates import draw, render, show
from ui.shell.text import count, day, shorten

ACTIONS = {
    "update": "Update",
    "merge": "Merge",
    "invalidate": "No longer true",
    "delete": "Delete",
    "ignore": "Ignore",
}
COLOURS = {
    "update": "#2a8f86",
    "merge": "#7d6fe0",
    "invalidate": "#c98a1b",
    "delete": "#c8503a",
    "ignore": charts.QUIET,
}
_OUTCOMES = {
    "known": "Proposed or turned down before.",
    "deferred": "Deferred: a proposal about it is waiting already; asked again after that is decided.",
    "changed": "A memory of it was changed meanwhile; it will be decided again.",
}


def row(one: QueueRow, threshold: float, *, named: bool = False) -> None:
    """One queue: the target and the decision left, its members right. With `named` the system whose
    memories these are is told: two that read the same messages remember much the same."""
    decision = one.decision
    said = f"Target, said {day(one.target.mentioned_at)}" if one.target.mentioned_at else "Target, no date"
    if named:
        said += f" · {TITLES.get(one.target.recipe, one.target.recipe)}"
    left = render(
        "update_queue.target",
        said=said,
        was=one.target.state != "active",
        text=block(one.target.text, 400),
        action=action_tag(decision.action),
        made_by=decision.made_by,
        reason=block(decision.reason, 400),
        told=_OUTCOMES.get(decision.outcome, ""),
        error=decision.error,
    )
    heading = (
        f"Its queue: {count(len(one.candidates), 'memory', 'memories')} of the same time or later, "
        f"similarity from {threshold:.2f}, or a value of the same thing"
    )
    members = [
        _member(memory, score, decision.action, memory.id in decision.against)
        for memory, score in one.candidates
    ]
    right = render("update_queue.members", heading=heading, rows=members)
    with st.container(border=True):
        show(evidence.pair(left, right))
        with st.container(horizontal=True):
            if decision.proposal:
                text = (
                    "The proposal it was deferred for" if decision.outcome == "deferred" else "Its proposal"
                )
                links.link("Review", text, proposal=decision.proposal)
            links.link("Memories", "The target", memory=one.target.id)


def action_tag(action: str) -> Markup:
    """A decision in its colour."""
    colour = COLOURS.get(action, charts.QUIET)
    return render("update_queue.action", name=ACTIONS.get(action, action), colour=colour)


def _member(memory: MemoryEntry, score: float, action: str, decisive: bool) -> Markup:
    return render(
        "update_queue.member",
        score=score,
        share=f"{max(0.0, min(score, 1.0)):.0%}",
        colour=COLOURS[action],
        decisive=decisive,
        was=memory.state != "active",
        text=block(memory.text, 300),
        said=day(memory.mentioned_at),
    )


def circles(view: QueuesView) -> None:
    """Decisions that depend on each other in a cycle, and which of them waits for a person."""
    if not view.cycles:
        return
    pairs = sum(cycle.is_mutual for cycle in view.cycles)
    longer = len(view.cycles) - pairs
    parts = [count(pairs, "pair") + " that would replace each other"] if pairs else []
    parts += [count(longer, "longer cycle")] if longer else []
    each = [_circle(cycle, view.memories) for cycle in view.cycles[:5]]
    draw("update_queue.circles", what=" and ".join(parts), each=each)
    shown = [step.proposal for cycle in view.cycles[:5] for step in cycle.steps if step.proposal]
    with st.container(horizontal=True):
        for number, proposal in enumerate(dict.fromkeys(shown), start=1):
            links.link("Review", f"The proposal that waits ({number:d})", proposal=proposal)
    if len(view.cycles) > 5:
        meta(f"and {count(len(view.cycles) - 5, 'more cycle')}")


def _circle(cycle: Cycle, memories: Mapping[str, MemoryEntry]) -> list[tuple[Markup, str, list[str], bool]]:
    """Its steps: what is decided, about which memory, because of which, and whether it waits."""

    def named(memory_id: str) -> str:
        return f"“{shorten(memories[memory_id].text, 90)}”" if memory_id in memories else memory_id

    return [
        (action_tag(step.operation), named(step.target), [named(i) for i in step.to], bool(step.proposal))
        for step in cycle.steps
    ]


def built(view: QueuesView) -> None:
    """How the queues of the run came to be: limits, counts, and the similarities by recipe."""
    for recipe, trace in view.compared:
        figures(
            (trace.memories, f"memories of {recipe}"),
            (trace.queues, "queues"),
            (trace.candidates, "members"),
            (trace.by_value, "members for their value alone"),
            (trace.same_words, "left out: same words"),
            (trace.undated, "without a date"),
        )
        meta(
            f"Of the k = {trace.k} most similar memories of the same time or later, the best n = {trace.n} "
            f"with a similarity of at least {trace.threshold:.2f}, and those that give a value to the same "
            "thing. A memory with none of them has no queue."
        )
        _histogram(recipe, trace)


def _histogram(recipe: str, trace: QueueTrace) -> None:
    starts = [i * HISTOGRAM_BIN for i in range(len(trace.histogram))]
    fig = charts.figure(210)
    fig.add_bar(
        x=[start + HISTOGRAM_BIN / 2 for start in starts],
        y=list(trace.histogram),
        width=HISTOGRAM_BIN * 0.92,
        marker_color=[
            charts.COLOURS[0] if start + 1e-9 >= trace.threshold else charts.QUIET for start in starts
        ],
        customdata=[f"{start:.2f} to {start + HISTOGRAM_BIN:.2f}" for start in starts],
        hovertemplate="%{y} memories with their nearest at %{customdata}<extra></extra>",
    )
    fig.add_vline(x=trace.threshold, line_dash="dash", line_color=charts.FIRED, annotation_text="threshold")
    fig.update_xaxes(title="similarity of the nearest memory of the same time or later", range=[0, 1])
    fig.update_yaxes(title="memories")
    charts.show(fig, key=f"histogram_{recipe}", alt=f"How similar the nearest memories of {recipe} are")
