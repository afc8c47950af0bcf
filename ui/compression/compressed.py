"""Compression on screen: the rate to try, kept and dropped words in the text, every message's ratio."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
from markupsafe import Markup

from memcore.domain.models import Message
from memcore.inspection.shares import in_percent
from memcore.memory.traces import kept_text
from memcore.stages.compress import DROPPED, FORCED, MessageCompression
from ui.components import charts, segments
from ui.components.report import figures
from ui.shell import links, params
from ui.shell.marked import Mark, block, marked
from ui.shell.templates import draw
from ui.shell.text import count

CAP = 2_500
MOST_PROTECTED = 40
LEAST_RATE = 10
"""Per cent, as Settings allow, so that the slider can stand at whatever is stored."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A compression a person wants to see, without storing it."""

    rate: float
    protect: bool


def controls(stored: float, *, protecting: bool) -> Trial | None:
    """The retention rate and the protection that the address asks for; None while they are what was
    stored."""
    per_cent = round(stored * 100)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        rate = st.slider(
            "Retention rate",
            LEAST_RATE,
            100,
            step=5,
            format="%d%%",
            help="The share of tokens to keep. Move it to see the effect; nothing stored changes.",
            width=360,
            **params.bound("rate", params.number("rate", per_cent, LEAST_RATE, 100), usual=per_cent),
        )
        protect = st.toggle(
            "Protect numbers, dates, negations and names",
            help="Without protection these words compete with all others.",
            **params.bound("protect", params.flag("protect", protecting), usual=protecting),
        )
        if rate == per_cent and protect == protecting:
            return None
        st.button(
            "Back to what is stored",
            key="try_reset",
            on_click=links.address,
            kwargs=dict.fromkeys(("rate", "protect")),
        )
    draw("shell.tag", text="A trial: nothing is stored", css="strong")
    return Trial(rate / 100, protect)


def summary(rows: Sequence[MessageCompression], requested: float) -> None:
    """Asked for and achieved, before and after, and how much was protected."""
    before, after = sum(row.tokens_before for row in rows), sum(row.tokens_after for row in rows)
    words = sum(len(row.marks) for row in rows)
    forced = sum(row.marks.count(FORCED) for row in rows)
    figures(
        (f"{requested:.0%}", "asked for"),
        (in_percent(100 * after / before, 1) if before else "–", "achieved"),
        (before, "tokens before"),
        (after, "tokens after"),
        (f"{forced:,} of {words:,}", "words protected"),
    )


def protected(messages: Sequence[Message], rows: Mapping[str, MessageCompression]) -> None:
    """The words of these messages that a rule kept, most frequent first."""
    found = Counter(
        message.text[mark.start : mark.end]
        for message in messages
        if (row := rows.get(message.id))
        for mark in _marks(row)
        if mark.css == "ms-forced"
    )
    if not found:
        return
    with st.expander(f"What was protected: {count(found.total(), 'word')}"):
        more = len(found) - MOST_PROTECTED
        draw("compression.protected", words=found.most_common(MOST_PROTECTED), more=more)


def turn(number: int, message: Message, row: MessageCompression | None, *, bare: bool = False) -> Markup:
    """One message with its words marked, or (`bare`) only those that were kept; without a row it was
    not compressed."""
    share = f"{row.tokens_after} of {row.tokens_before} tokens" if row else "not compressed"
    if bare and row:
        text = block(kept_text(message.text, row), CAP)
    else:
        text = marked(message.text, _marks(row) if row else [], CAP)
    return segments.turn(number, message, small=share, text=text)


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
    fig.update_xaxes(
        title="message", **charts.whole(len(numbers)), range=[0.4, max(numbers, default=1) + 0.6]
    )
    charts.show(fig, key="ratios", alt="Share of tokens kept, by message, as in the table below")
    with st.expander("The same as a table"):
        table = [
            (
                n,
                (
                    f"{row.tokens_before:,}",
                    f"{row.tokens_after:,}",
                    in_percent(100 * row.tokens_after / max(row.tokens_before, 1)),
                ),
            )
            for n, row in zip(numbers, rows, strict=True)
        ]
        draw("shell.figures_table", first="message", heads=("tokens", "kept", "share"), rows=table)


def record(number: int, message: Message, row: MessageCompression | None) -> dict[str, object]:
    """A message whole and as it was reduced, for a file; nothing where it was not compressed."""
    return {
        "message": number,
        "id": message.id,
        "said": message.said_at,
        "speaker": message.speaker,
        "text": message.text,
        "kept": kept_text(message.text, row) if row else None,
        "tokens": row.tokens_before if row else None,
        "tokens_kept": row.tokens_after if row else None,
    }
