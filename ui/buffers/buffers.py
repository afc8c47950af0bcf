"""Buffers on screen: how sensory and short-term memory filled, what released them, and what was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
from markupsafe import Markup

from memcore.domain.extraction import ExtractionTrace
from memcore.domain.models import MemoryEntry, Segment
from memcore.stages.buffer import BufferTrace
from memcore.stages.compress import MessageCompression
from memcore.systems.lightmem.sensory import SensoryTrace
from ui.components import charts
from ui.shell import links
from ui.shell.templates import render
from ui.shell.text import count, safe, shorten

RELEASED = {
    "threshold": "the threshold was reached",
    "session": "it held enough and a session ended",
    "people": "what follows is said between other people",
    "end": "nothing more was to come",
    "overflow": "the next message did not fit",
    "full": "it was full and no topic had ended",
}
STAYED = "stayed for the next round"


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
class Buffer:
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
) -> list[Buffer]:
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
        Buffer(tuple(part(i) for i in ids), tokens, threshold, reason, extraction)
        for (threshold, ids, tokens, reason), extraction in zip(flat, read, strict=True)
    ]


def short_term(buffers: Sequence[Buffer]) -> None:
    """A bar per buffer, its segments one after the other; the line is the threshold th."""
    fig = charts.figure(_height(len(buffers)), barmode="stack")
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
                hovertemplate=f"{safe(shorten(part.title, 60))}: {tokens:,} tokens<extra>{row}</extra>",
            )
    _limit(fig, buffers[0].threshold, "threshold", "compressed tokens; a part is a topic")
    charts.show(fig, key="short_term", alt="Tokens of each short-term buffer by topic, with the threshold")


def sensory(traces: Sequence[SensoryTrace], numbers: Mapping[str, int]) -> None:
    """A bar per emptying of sensory memory, a part per message; those that stayed are grey."""
    fig = charts.figure(_height(len(traces)), barmode="stack")
    for n, trace in enumerate(traces, start=1):
        topic = 0
        if trace.other_tokens:
            fig.add_bar(
                y=[f"round {n}"],
                x=[trace.other_tokens],
                orientation="h",
                showlegend=False,
                marker={"color": charts.QUIET, "opacity": 0.35},
                hovertemplate=f"{trace.other_tokens:,} tokens of other sessions<extra></extra>",
            )
        for at, (message_id, tokens) in enumerate(zip(trace.message_ids, trace.tokens, strict=True)):
            topic += at in trace.boundaries and at > 0
            fate = STAYED if at >= trace.stayed else f"topic {topic + 1} of this round"
            fig.add_bar(
                y=[f"round {n}"],
                x=[tokens],
                orientation="h",
                showlegend=False,
                marker_color=charts.QUIET if at >= trace.stayed else charts.COLOURS[topic % 2],
                marker_line_width=1,
                hovertemplate=f"message {numbers.get(message_id, '?')}: {tokens:,} tokens, {fate}"
                "<extra></extra>",
            )
    _limit(fig, traces[0].capacity, "holds", "compressed tokens; a part is a message")
    charts.show(fig, key="sensory", alt="Tokens in sensory memory at each emptying, by message and topic")


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


def sensory_table(traces: Sequence[SensoryTrace], numbers: Mapping[str, int]) -> Markup:
    """The same in words: what each round held, why it was emptied, and what went on."""
    rows = []
    for n, trace in enumerate(traces, start=1):
        held = _range([numbers[i] for i in trace.message_ids if i in numbers])
        stayed = len(trace.message_ids) - trace.stayed
        went = sum(at < trace.stayed for at in {0, *trace.boundaries}) if trace.stayed else 0
        why = RELEASED.get(trace.released_by, trace.released_by)
        if trace.released_by == "overflow":
            why += f" ({trace.next_tokens:,} tokens)"
        rows.append((n, held, _held(trace), why, count(went, "topic"), count(stayed, "message")))
    heads = ("round", "messages", "tokens", "emptied because", "went on", "stayed")
    return render("shell.table", heads=heads, rows=rows, numbers=(0, 2))


def short_term_table(buffers: Sequence[Buffer], session_id: str) -> Markup:
    """What filled each buffer, why it was released, and what extraction made of it."""
    rows = [
        (
            n,
            _topics(buffer, session_id),
            f"{buffer.tokens:,} of {buffer.threshold:,}",
            RELEASED.get(buffer.released_by, buffer.released_by),
            _made(buffer),
        )
        for n, buffer in enumerate(buffers, start=1)
    ]
    heads = ("buffer", "filled by", "tokens", "released because", "extraction")
    return render("shell.table", heads=heads, rows=rows, numbers=(0, 2))


def _topics(buffer: Buffer, session_id: str) -> Markup:
    parts = [
        (
            links.href("Topics", session=session_id, segment=part.segment_id),
            shorten(part.title, 60),
            f"{count(part.turns, 'turn')}, {part.tokens:,} tokens",
        )
        for part in buffer.parts
        if part.here
    ]
    return render("buffers.topics", parts=parts, elsewhere=sum(not part.here for part in buffer.parts))


def _held(trace: SensoryTrace) -> Markup:
    held = f"{sum(trace.tokens) + trace.other_tokens:,} of {trace.capacity:,}"
    small = f"{trace.other_tokens:,} of other sessions" if trace.other_tokens else ""
    return render("buffers.with_small", text=held, small=small)


def _made(buffer: Buffer) -> Markup:
    told = count(sum(part.memories for part in buffer.parts), "memory", "memories")
    found = buffer.extraction
    if found is not None and found.error:
        return render("buffers.failure", text=found.error)
    took = f", {found.milliseconds / 1000:.1f} s" if found and found.milliseconds >= 100 else ""
    return render("buffers.with_small", text=told, small=f"{found.made_by}{took}" if found else "")


def _height(bars: int) -> int:
    return 130 + 30 * bars


def _range(numbers: Sequence[int]) -> str:
    if not numbers:
        return "–"
    return str(numbers[0]) if len(numbers) == 1 else f"{min(numbers)} to {max(numbers)}"
