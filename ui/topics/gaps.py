"""The gaps between turns: where each method would start a topic, and the scores that say so, aligned.

One figure over the turns of a trace: a row of marks for every method, the boundaries that stand and a
draft, and below it a strip of bars for every score. It draws what the stage's trace holds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from plotly.subplots import make_subplots

from memcore.stages.segmentation.trace import Column, SegmentationTrace
from ui.components import charts, terms
from ui.components.segments import DECIDES, METHODS, SHORT
from ui.shell.templates import render
from ui.shell.text import charted

ROW_HEIGHT, STRIP_HEIGHT, EDGES = 26, 96, 64
FIRST_GAPS = 3


@dataclass(frozen=True, slots=True)
class Segmentation:
    """One way to divide the turns: the messages at which topics start. `kind` is how it is drawn."""

    name: str
    about: str
    starts: tuple[str, ...]
    kind: str = "method"


@dataclass(frozen=True, slots=True)
class Strip:
    """One score of every gap, what it is compared with, and the gaps where it speaks for a topic. `about`
    says what the score is and when it speaks."""

    name: str
    about: str
    values: Column
    threshold: float | None
    fired: tuple[int, ...]


MARKS: dict[str, dict[str, Any]] = {
    "method": {"color": charts.QUIET, "size": 9, "line_width": 2},
    "decided": {"color": charts.COLOURS[0], "size": 12, "line_width": 4},
    "person": {"color": charts.COLOURS[2], "size": 12, "line_width": 4},
    "draft": {"color": charts.FIRED, "size": 12, "line_width": 4},
}


def by_method(trace: SegmentationTrace) -> list[Segmentation]:
    """What every method would do with these turns; the one that decided stands out."""
    ids = trace.message_ids
    found = trace.by_method or {
        "attention": trace.attention_maxima,
        "similarity": trace.similarity_low,
        trace.method: trace.boundaries[1:],
    }
    return [
        Segmentation(
            SHORT.get(name, name),
            METHODS.get(name, name),
            tuple(ids[at] for at in places),
            "decided" if name == trace.method else "method",
        )
        for name, places in sorted(found.items(), key=lambda item: (item[0] == trace.method, _place(item[0])))
    ]


def _place(method: str) -> int:
    """Where among the methods: LightMem's two ingredients, what it makes of them, then others."""
    order = list(SHORT)
    return order.index(method) if method in order else len(order)


def strips(trace: SegmentationTrace) -> list[Strip]:
    """The scores that were read, those that decide first."""
    fired = dict(trace.by_method) or {trace.method: trace.boundaries[1:]}
    low, deep, likely = trace.similarity_threshold, trace.depth_threshold, trace.shift_threshold
    scored = [
        Strip("attention", "M[i, i−1], B1 at local maxima", trace.attention, None, trace.attention_maxima),
        Strip("similarity", f"B2 below τ = {low:.2g}", trace.similarity, low, trace.similarity_low),
        Strip("depth", f"TextTiling, above {deep:.2g}", trace.depth, deep, fired.get("texttiling", ())),
        Strip("topic shift", f"above {likely or 0:.2g}", trace.shift, likely, fired.get("topic_shift", ())),
    ]
    deciding = DECIDES.get(trace.method, ())
    return sorted(
        (strip for strip in scored if any(value is not None for value in strip.values)),
        key=lambda strip: strip.name not in deciding,
    )


def draw(
    trace: SegmentationTrace,
    segmentations: Sequence[Segmentation],
    numbers: Mapping[str, int],
    *,
    lit: Collection[str],
    key: str,
    clicked: Callable[[str], None],
) -> None:
    """The figure; `clicked` gets the id of the message that begins the clicked gap's later side."""
    scored = strips(trace)
    marks = ROW_HEIGHT * len(segmentations) + 12
    height = marks + (STRIP_HEIGHT + 24) * len(scored) + EDGES
    deciding = DECIDES.get(trace.method, ())
    fig = make_subplots(
        rows=1 + len(scored),
        cols=1,
        shared_xaxes=True,
        row_heights=[marks, *[STRIP_HEIGHT] * len(scored)],
        vertical_spacing=30 / height,
        subplot_titles=["", *(_title(strip, strip.name in deciding) for strip in scored)],
    )
    fig.update_layout(charts.figure(height).layout)
    x = [numbers[i] for i in trace.message_ids]
    _marks(fig, segmentations, numbers, set(trace.message_ids))
    for row, strip in enumerate(scored, start=2):
        _bars(fig, row, strip, x, trace.message_ids)
    for message_id in lit:
        if message_id in trace.message_ids:
            at = numbers[message_id]
            fig.add_vrect(
                x0=at - 0.45, x1=at + 0.45, fillcolor=charts.QUIET, opacity=0.22, line_width=0, layer="below"
            )
    fig.update_annotations(font_size=12, xanchor="left", x=0)
    for title, strip in zip(fig.layout.annotations, scored, strict=False):
        title.hovertext = terms.in_chart(f"{strip.name}: {strip.about}").removeprefix("<br>")
    fig.update_xaxes(**charts.whole(len(x)), range=[x[0] - 0.6, x[-1] + 0.6], showgrid=False)
    fig.update_xaxes(title="turn; a mark or bar stands for the gap before it", row=1 + len(scored), col=1)
    charts.clickable(
        fig,
        key=key,
        clicked=clicked,
        alt="For every gap between turns: the methods that would start a topic there, and its scores",
    )


def _marks(
    fig: Any, segmentations: Sequence[Segmentation], numbers: Mapping[str, int], shown: Collection[str]
) -> None:
    for one in segmentations:
        starts: list[str | None] = [i for i in one.starts if i in shown] or [None]
        name, about, known = charted(one.name), charted(one.about), terms.in_chart(one.about)
        fig.add_scatter(
            x=[numbers[i] if i else None for i in starts],
            y=[name] * len(starts),
            customdata=starts,
            mode="markers",
            marker={"symbol": "line-ns", **_line(MARKS[one.kind])},
            selected_marker_opacity=1,
            unselected_marker_opacity=1,
            showlegend=False,
            hovertemplate=f"{name}: a topic starts at turn %{{x}}<br>{about}{known}<extra></extra>",
            row=1,
            col=1,
        )
    names = [
        f"<b>{charted(one.name)}</b>" if one.kind != "method" else charted(one.name) for one in segmentations
    ]
    fig.update_yaxes(
        autorange="reversed",
        tickmode="array",
        tickvals=[charted(one.name) for one in segmentations],
        ticktext=names,
        showgrid=True,
        title=None,
        row=1,
        col=1,
    )


def _line(style: Mapping[str, Any]) -> dict[str, Any]:
    """A tick is all line: its colour is the line's."""
    colour = style["color"]
    return {"size": style["size"], "color": colour, "line": {"color": colour, "width": style["line_width"]}}


def _bars(fig: Any, row: int, strip: Strip, x: Sequence[int], message_ids: Sequence[str]) -> None:
    fired = set(strip.fired)
    fig.add_bar(
        x=x,
        y=list(strip.values),
        customdata=list(message_ids),
        width=0.6,
        marker_color=[charts.FIRED if i in fired else charts.COLOURS[0] for i in range(len(x))],
        selected_marker_opacity=1,
        unselected_marker_opacity=1,
        showlegend=False,
        hovertemplate=f"before turn %{{x}}: {strip.name} %{{y:.3f}}{terms.in_chart(strip.about)}"
        "<extra></extra>",
        row=row,
        col=1,
    )
    rest = [value for value in strip.values[FIRST_GAPS:] if value is not None]
    if strip.name == "attention" and rest:  # the first turns have few to attend to: M[1, 0] is always 1
        fig.update_yaxes(range=[0, 1.2 * max(rest)], row=row, col=1)
    if strip.threshold is not None:
        fig.add_hline(
            y=strip.threshold,
            row=row,
            col=1,
            line_dash="dash",
            line_width=1.5,
            line_color=charts.QUIET,
        )


def _title(strip: Strip, decides: bool) -> str:
    return f"<b>{strip.name}</b> · {strip.about}{' · decides' if decides else ''}"


def table(segmentations: Sequence[Segmentation], numbers: Mapping[str, int]) -> Markup:
    """The same marks in words, for who cannot see or point."""
    rows = [
        (one.name, terms.explained(one.about), ", ".join(str(numbers[i]) for i in one.starts) or "nowhere")
        for one in segmentations
    ]
    return render("shell.table", heads=("found by", "rule", "topics start at turn"), rows=rows)
