"""Compression on screen: kept and dropped words in the text, and the ratio of every message."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.models import Message
from memcore.stages.compress import DROPPED, FORCED, MessageCompression
from ui import charts
from ui.text import Mark, clock, marked, safe

LEGEND = (
    '<div class="ms-meta">kept · <span class="ms-dropped">dropped</span> · '
    '<span class="ms-forced">kept because it is a number, name or negation</span> · '
    "the speaker’s name is never compressed</div>"
)
CAP = 2_500


def turn(number: int, message: Message, row: MessageCompression | None) -> str:
    """One message with its words marked; without a row it was not compressed."""
    marks = _marks(row) if row else []
    share = f"{row.tokens_after} of {row.tokens_before} tokens" if row else "not compressed"
    text = marked(message.text, marks, CAP)
    return (
        f'<div class="ms-turn"><div class="ms-no">{number}</div><div>'
        f'<span class="ms-who">{safe(message.speaker)}</span> '
        f'<span class="ms-meta">{safe(clock(message.said_at))} · {share}</span>'
        f'<div class="ms-text">{text}</div></div></div>'
    )


def _marks(row: MessageCompression) -> list[Mark]:
    marks = []
    for start, end, score, mark in zip(row.starts, row.ends, row.scores, row.marks, strict=True):
        title = f"keep {score:.2f}"
        if mark == DROPPED:
            marks.append(Mark(start, end, "del", "ms-dropped", title))
        elif mark == FORCED:
            marks.append(Mark(start, end, "span", "ms-forced", f"{title}, protected"))
    return marks


def ratios(numbers: Sequence[int], rows: Sequence[MessageCompression], requested: float) -> None:
    """A bar per message: the share of its tokens that was kept; the line is what was asked for."""
    fig = charts.figure(230)
    fig.add_bar(
        x=list(numbers),
        y=[row.tokens_after / row.tokens_before if row.tokens_before else 1.0 for row in rows],
        marker_color=charts.COLOURS[0],
        width=0.6,
        customdata=[[row.tokens_after, row.tokens_before] for row in rows],
        hovertemplate="message %{x}: %{y:.0%}, %{customdata[0]} of %{customdata[1]} tokens<extra></extra>",
        name="kept",
        showlegend=False,
    )
    fig.add_hline(
        y=requested,
        line_dash="dash",
        line_width=1.5,
        line_color=charts.QUIET,
        annotation_text=f"asked for {requested:.0%}",
    )
    fig.update_yaxes(range=[0, 1.05], tickformat=".0%", title=None)
    fig.update_xaxes(title="message", tickformat="d", range=[0.4, max(numbers, default=1) + 0.6])
    charts.show(fig, key="ratios", alt="Share of tokens kept, by message")
