"""Update queues on screen: a target beside what it was compared with, the decision, circles, and how
the queues were built. They draw what a run recorded; nothing is computed or decided here."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from memcore.domain.models import MemoryEntry
from memcore.inspection.update_queue import QueueRow, QueuesView
from memcore.review.cycles import Cycle
from memcore.review.queues import HISTOGRAM_BIN, QueueTrace
from ui.components import charts, evidence
from ui.components.recipes import TITLES
from ui.components.report import figures
from ui.shell import links
from ui.shell.text import block, count, day, safe, shorten

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
    "gave way": "Gave way to a proposal that waits already; asked again after it is decided.",
    "changed": "A memory of it was changed meanwhile; it will be decided again.",
}
CSS = """<style>
.ms-q { display: grid; grid-template-columns: 3rem 5.5rem minmax(0, 1fr); gap: .15rem .7rem;
  align-items: baseline; padding: .16rem 0; }
.ms-q .ms-bar { height: .5rem; border-radius: 3px; background: var(--ms-soft); align-self: start;
  margin-top: .5rem; }
.ms-q .ms-bar i { display: block; height: 100%; border-radius: 3px; background: var(--ms-line); }
.ms-q .ms-num { text-align: right; font-variant-numeric: tabular-nums; font-size: .86rem; }
.ms-q.quiet { color: var(--ms-mute); } .ms-q.quiet .ms-meta { color: inherit; }
.ms-q.why .ms-num { font-weight: 650; }
.ms-act { display: inline-block; border-radius: 999px; padding: 0 .65em; font-size: .8rem; line-height: 1.6;
  font-weight: 600; border: 1.5px solid; margin-right: .4em; }
.ms-circle { border-left: 4px solid #d8362f; }
</style>"""


def row(one: QueueRow, threshold: float, *, named: bool = False) -> None:
    """One queue: the target and the decision left, its members right. With `named` the system whose
    memories these are is told: two that read the same messages remember much the same."""
    decision = one.decision
    said = (
        f"Target, said {safe(day(one.target.mentioned_at))}" if one.target.mentioned_at else "Target, no date"
    )
    if named:
        said += f" · {safe(TITLES.get(one.target.recipe, one.target.recipe))}"
    told = _OUTCOMES.get(decision.outcome, "")
    left = (
        f'<div class="ms-meta">{said}</div>'
        f'<div class="ms-fact{_was(one.target)}">'
        f'<div class="ms-text">{block(one.target.text, 400)}</div></div>'
        f'<div style="margin:.45rem 0 .2rem">{action_tag(decision.action)}'
        f'<span class="ms-meta">{safe(decision.made_by)}</span></div>'
        f'<div class="ms-meta">{block(decision.reason, 400)}{" " + safe(told) if told else ""}</div>'
    )
    if decision.error:
        left += f'<div class="ms-note ms-error">{safe(decision.error)}</div>'
    members = "".join(
        _member(memory, score, decision.action, memory.id in decision.against)
        for memory, score in one.candidates
    )
    right = (
        f'<div class="ms-meta">Its queue: {count(len(one.candidates), "memory", "memories")} said no '
        f"earlier, similarity from {threshold:.2f}</div>{members}"
    )
    with st.container(border=True):
        st.html(evidence.pair(left, right))
        with st.container(horizontal=True):
            if decision.proposal:
                text = "The proposal it gave way to" if decision.outcome == "gave way" else "Its proposal"
                links.link("Review", text, proposal=decision.proposal)
            links.link("Memories", "The target", memory=one.target.id)


def action_tag(action: str) -> str:
    """A decision in its colour."""
    colour = COLOURS.get(action, charts.QUIET)
    return f'<span class="ms-act" style="border-color:{colour}">{safe(ACTIONS.get(action, action))}</span>'


def _member(memory: MemoryEntry, score: float, action: str, decisive: bool) -> str:
    colour = f' style="width:{max(0.0, min(score, 1.0)):.0%};background:{COLOURS[action]}"'
    quiet = f' style="width:{max(0.0, min(score, 1.0)):.0%}"'
    return (
        f'<div class="ms-q {"why" if decisive else "quiet"}"><span class="ms-num">{score:.2f}</span>'
        f'<span class="ms-bar"><i{colour if decisive else quiet}></i></span>'
        f'<span class="{_was(memory).strip()}"><span class="ms-text">{block(memory.text, 300)}</span> '
        f'<span class="ms-meta">{safe(day(memory.mentioned_at))}'
        f"{', decisive' if decisive else ''}</span></span></div>"
    )


def _was(memory: MemoryEntry) -> str:
    return " ms-was" if memory.state != "active" else ""


def circles(view: QueuesView) -> None:
    """Decisions that lean on each other in a circle, and which of them waits for a person."""
    if not view.cycles:
        return
    pairs = sum(cycle.is_mutual for cycle in view.cycles)
    longer = len(view.cycles) - pairs
    parts = [count(pairs, "pair") + " that would replace each other"] if pairs else []
    parts += [count(longer, "longer circle")] if longer else []
    st.html(
        '<div class="ms-note ms-circle" role="alert">'
        f"<p><b>Decisions in a circle: {safe(' and '.join(parts))}"
        "</b></p><p>Queues are decided independently, so memories can be told to give way to each other. One "
        "decision of each circle waits for you; the others are mentioned there and asked again after it, so "
        "nothing is lost.</p>" + "".join(_circle(c, view.memories) for c in view.cycles[:5]) + "</div>"
    )
    shown = [step.proposal for cycle in view.cycles[:5] for step in cycle.steps if step.proposal]
    with st.container(horizontal=True):
        for number, proposal in enumerate(dict.fromkeys(shown), start=1):
            links.link("Review", f"The proposal that waits ({number})", proposal=proposal)
    if len(view.cycles) > 5:
        st.html(f'<div class="ms-meta">and {count(len(view.cycles) - 5, "more circle")}</div>')


def _circle(cycle: Cycle, memories: Mapping[str, MemoryEntry]) -> str:
    def named(memory_id: str) -> str:
        return (
            f"“{safe(shorten(memories[memory_id].text, 90))}”" if memory_id in memories else safe(memory_id)
        )

    lines = "".join(
        f"<li>{action_tag(step.operation)}{named(step.target)} <b>because of</b> "
        f"{' and '.join(named(i) for i in step.to)}{' — <b>waits</b>' if step.proposal else ''}</li>"
        for step in cycle.steps
    )
    return f'<ul style="margin:.3rem 0 .3rem 1.1rem">{lines}</ul>'


def built(view: QueuesView) -> None:
    """How the queues of the run came to be: limits, counts, and the similarities by recipe."""
    for recipe, trace in view.compared:
        figures(
            (trace.memories, f"memories of {recipe}"),
            (trace.queues, "queues"),
            (trace.candidates, "members"),
            (trace.same_words, "left out: same words"),
            (trace.undated, "without a date"),
        )
        st.html(
            f'<div class="ms-meta">Of the k = {trace.k} most similar memories said no earlier, the best '
            f"n = {trace.n} with a similarity of at least {trace.threshold:.2f}. Who has none of them has no "
            "queue.</div>"
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
    fig.update_xaxes(title="similarity of the nearest memory said no earlier", range=[0, 1])
    fig.update_yaxes(title="memories")
    charts.show(fig, key=f"histogram_{recipe}", alt=f"How similar the nearest memories of {recipe} are")
