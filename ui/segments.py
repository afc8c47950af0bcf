"""Topic segmentation on screen: the scores of every gap with their thresholds, and the segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plotly.subplots import make_subplots

from memcore.models import Message, Segment
from memcore.stages.facts import ExtractionTrace
from memcore.stages.segment import Column, SegmentationTrace
from ui import charts
from ui.text import block, clock, safe

DECIDES = {
    "texttiling": ("depth",),
    "similarity": ("similarity",),
    "attention": ("attention",),
    "intersection": ("similarity", "attention"),
    "lightmem": ("similarity", "attention"),
}
METHODS = {
    "texttiling": "TextTiling depth over smoothed embedding similarity",
    "similarity": "embedding similarity below a threshold (B2)",
    "attention": "local maxima of turn attention (B1)",
    "intersection": "B1 and B2 at the same gap (LightMem, the paper)",
    "lightmem": "B2 with a B1 at most three turns away (LightMem, the published code)",
}


def strips(trace: SegmentationTrace, offset: int, key: str) -> int | None:
    """Depth, similarity and attention of every gap, one above the other; returns the clicked
    message's place in the trace. `offset` is the number of the trace's first message."""
    scored: tuple[tuple[str, Column, float | None, tuple[int, ...]], ...] = (
        ("depth", trace.depth, trace.depth_threshold, trace.boundaries[1:]),
        ("similarity", trace.similarity, trace.similarity_threshold, trace.similarity_low),
        ("attention", trace.attention, None, trace.attention_maxima),
    )
    rows = [row for row in scored if any(v is not None for v in row[1])]
    deciding = DECIDES.get(trace.method, ())
    titles = [f"{name} (decides)" if name in deciding else name for name, *_ in rows]
    fig = make_subplots(
        rows=len(rows), cols=1, shared_xaxes=True, subplot_titles=titles, vertical_spacing=0.09
    )
    fig.update_layout(charts.figure(150 * len(rows) + 60).layout)
    x = [offset + i for i in range(len(trace.message_ids))]
    for place, (name, values, threshold, fired) in enumerate(rows, start=1):
        chosen = set(fired)
        fig.add_bar(
            x=x,
            y=list(values),
            row=place,
            col=1,
            name=name,
            showlegend=False,
            width=0.6,
            marker_color=[charts.FIRED if i in chosen else charts.COLOURS[0] for i in range(len(x))],
            hovertemplate=f"before message %{{x}}: {name} %{{y:.3f}}<extra></extra>",
        )
        if threshold is not None:
            fig.add_hline(
                y=threshold,
                row=place,
                col=1,
                line_dash="dash",
                line_width=1.5,
                line_color=charts.QUIET,
                annotation_position="top left",
                annotation_text=f"threshold {threshold:g}",
                annotation_font_size=11,
            )
        for start in trace.boundaries[1:]:
            fig.add_vline(x=offset + start - 0.5, row=place, col=1, line_width=1, line_color=charts.QUIET)
    fig.update_annotations(font_size=12)
    fig.update_xaxes(tickformat="d", range=[x[0] - 0.6, x[-1] + 0.6])
    fig.update_xaxes(title="message; a bar scores the gap before it", row=len(rows), col=1)
    clicked = charts.show(
        fig,
        key=key,
        select=True,
        alt="Boundary scores of every gap: depth, similarity and attention, with thresholds and boundaries",
    )
    return clicked[0] if clicked else None


def why(segment: Segment, trace: SegmentationTrace | None) -> str:
    """Why a segment starts where it does: the reason, and which scores fired there."""
    evidence = segment.boundary
    parts = [str(evidence.get("reason", ""))]
    for name, limit, sign in (("depth", "depth_threshold", ">"), ("similarity", "similarity_threshold", "<")):
        value, threshold = evidence.get(name), evidence.get(limit)
        if value is not None and threshold is not None:
            holds = value > threshold if sign == ">" else value < threshold
            parts.append(f"{name} {value:.2f}{f' {sign} {threshold:g}, fired' if holds else ''}")
    if evidence.get("attention") is not None:
        start = trace.message_ids.index(segment.message_ids[0]) if trace else -1
        fired = ", a local maximum, fired" if trace and start in trace.attention_maxima else ""
        parts.append(f"attention {evidence['attention']:.2f}{fired}")
    return " · ".join(part for part in parts if part)


def turns(messages: Sequence[tuple[int, Message]], lit: str | None) -> str:
    """A segment's messages with their numbers; the one clicked in the chart is set off."""
    return "".join(
        f'<div class="ms-turn{" lit" if m.id == lit else ""}"><div class="ms-no">{n}</div>'
        f'<div><span class="ms-who">{safe(m.speaker)}</span> '
        f'<span class="ms-meta">{safe(clock(m.said_at))}</span>'
        f'<div class="ms-text">{block(m.text, 900)}</div></div></div>'
        for n, m in messages
    )


def passed_over(messages: Mapping[str, tuple[int, Message]], found: Sequence[ExtractionTrace]) -> str:
    """What nothing was remembered from, and why; empty when there is nothing of the kind."""
    rows = []
    for part in (part for trace in found for part in trace.passed_over):
        if part.message_id in messages:
            number, message = messages[part.message_id]
            rows.append((number, message.text[part.start : part.end], part.reason))
    if not rows:
        return ""
    lines = "".join(
        f'<tr><td>{number}</td><td class="ms-text">{block(text, 300)}</td><td>{safe(reason)}</td></tr>'
        for number, text, reason in sorted(rows)
    )
    return f'<table class="ms"><tr><th>message</th><th>words</th><th>why</th></tr>{lines}</table>'
