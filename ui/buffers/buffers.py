"""Short-term memory on screen: how each buffer filled, what released it, and what was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
from markupsafe import Markup

from memcore.domain.extraction import ExtractionTrace
from memcore.domain.models import MemoryEntry, Segment
from memcore.stages.buffer import BufferTrace
from memcore.stages.compress import MessageCompression
from ui.components import charts
from ui.shell.templates import render
from ui.shell.text import charted, count, shorten

RELEASED = {
    "threshold": "the threshold was reached",
    "session": "it held enough and a session ended",
    "people": "what follows is said between other people",
    "end": "nothing more was to come",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A topic segment in a buffer. `here` is false for one of another session."""

    segment_id: str
    title: str
    turns: int
    tokens: int
    memories: int
    here: bool


@dataclass(frozen=True, slots=True)
class FilledBuffer:
    """One filling of short-term memory, with what extraction made of it."""

    parts: tuple[Part, ...]
    tokens: int
    threshold: int
    released_by: str
    extraction: ExtractionTrace | None


def joined(
    found: Sequence[BufferTrace],
    segments: Sequence[Segment],
    memories: Sequence[MemoryEntry],
    rows: Mapping[str, MessageCompression],
    extractions: Sequence[ExtractionTrace],
) -> list[FilledBuffer]:
    """The session's buffers in order, each beside its segments and its extraction."""
    by_id = {segment.id: segment for segment in segments}
    place = {segment.id: n for n, segment in enumerate(segments, start=1)}
    flat = [
        (trace.threshold, *filled)
        for trace in found
        for filled in zip(trace.segments, trace.tokens, trace.released_by, strict=True)
    ]
    read = extractions if len(extractions) == len(flat) else [None] * len(flat)

    def part(segment_id: str) -> Part:
        segment = by_id.get(segment_id)
        if segment is None:
            return Part(segment_id, "a topic of another session, or resegmented since", 0, 0, 0, here=False)
        title = f"{place[segment_id]}. {segment.topic or 'no label'}"
        tokens = sum(rows[i].tokens_after for i in segment.message_ids if i in rows)
        told = sum(memory.segment_id == segment_id for memory in memories)
        return Part(segment_id, title, len(segment.message_ids), tokens, told, here=True)

    return [
        FilledBuffer(tuple(part(i) for i in ids), tokens, threshold, reason, extraction)
        for (threshold, ids, tokens, reason), extraction in zip(flat, read, strict=True)
    ]


def short_term(buffers: Sequence[FilledBuffer]) -> None:
    """A bar per buffer, its segments one after the other; the line is the threshold th."""
    fig = charts.figure(130 + 30 * len(buffers), barmode="stack")
    names = [f"buffer {n}" for n in range(1, len(buffers) + 1)]
    for row, buffer in zip(names, buffers, strict=True):
        elsewhere = buffer.tokens - sum(part.tokens for part in buffer.parts if part.here)
        for place, part in enumerate(buffer.parts):
            tokens = part.tokens if part.here else elsewhere
            if not part.here:
                elsewhere = 0
            fig.add_bar(
                y=[row],
                x=[tokens],
                orientation="h",
                showlegend=False,
                marker_color=charts.COLOURS[place % 2] if part.here else charts.QUIET,
                hovertemplate=f"{charted(shorten(part.title, 60))}: {tokens:,} tokens<extra>{row}</extra>",
            )
    _limit(
        fig,
        buffers[0].threshold,
        "threshold",
        "compressed tokens; a part is a topic, a grey one of another session",
    )
    charts.show(fig, key="short_term", alt="Tokens of each short-term buffer by topic, with the threshold")


def _limit(fig: go.Figure, tokens: int, name: str, axis: str) -> None:
    """The line that a buffer fills up to; first bar on top."""
    fig.add_vline(
        x=tokens,
        line_dash="dash",
        line_width=1.5,
        line_color=charts.FIRED,
        annotation={"text": f"{name} {tokens:,}", "yanchor": "bottom", "xanchor": "center"},
    )
    fig.update_yaxes(autorange="reversed", title=None, type="category")
    fig.update_xaxes(title=axis, automargin=True)


def short_term_table(buffers: Sequence[FilledBuffer], session_id: str) -> Markup:
    """What filled each buffer, why it was released, and what extraction made of it."""
    rows = [
        (
            n,
            render(
                "buffers.topics",
                parts=[part for part in buffer.parts if part.here],
                session_id=session_id,
                elsewhere=sum(not part.here for part in buffer.parts),
            ),
            f"{buffer.tokens:,} of {buffer.threshold:,}",
            RELEASED.get(buffer.released_by, buffer.released_by),
            _made(buffer),
        )
        for n, buffer in enumerate(buffers, start=1)
    ]
    head = ("buffer", "filled by", "tokens", "released because", "extraction")
    return render("buffers.table", head=head, rows=rows, numbers={0, 2})


def _made(buffer: FilledBuffer) -> Markup:
    told = count(sum(part.memories for part in buffer.parts), "memory", "memories")
    read = buffer.extraction
    took = f", {read.milliseconds / 1000:.1f} s" if read and read.milliseconds >= 100 else ""
    by = f"{read.made_by}{took}" if read else ""
    return render("buffers.extraction", told=told, error=read.error if read else "", by=by)
