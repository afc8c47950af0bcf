"""Topic segmentation in words and turns: what each method is, why a topic starts, what was said in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from markupsafe import Markup

from memcore.domain.extraction import ExtractionTrace
from memcore.domain.models import BY_PERSON, Message, Segment
from memcore.stages.segmentation.trace import SegmentationTrace
from ui.components import erase
from ui.shell.marked import block
from ui.shell.templates import joined, render
from ui.shell.text import clock

DECIDES = {
    "topic_shift": ("topic shift",),
    "texttiling": ("depth",),
    "similarity": ("similarity",),
    "attention": ("attention",),
    "intersection": ("similarity", "attention"),
    "lightmem": ("similarity", "attention"),
}
METHODS = {
    "topic_shift": "local maxima of the trained probability of a topic shift",
    "texttiling": "TextTiling depth over smoothed embedding similarity",
    "similarity": "embedding similarity below a threshold (B2)",
    "attention": "local maxima of turn attention (B1)",
    "intersection": "B1 and B2 at the same gap (LightMem, the paper)",
    "lightmem": "B2 with a B1 at most three turns away (LightMem, the published code)",
}
SHORT = {
    "attention": "B1 attention",
    "similarity": "B2 similarity",
    "intersection": "B1 ∩ B2",
    "lightmem": "published ±3",
    "texttiling": "TextTiling",
    "topic_shift": "topic shift",
}
"""What a method is called where there is little room."""
COMPARED = (
    ("shift", "shift_threshold", ">"),
    ("depth", "depth_threshold", ">"),
    ("similarity", "similarity_threshold", "<"),
)
"""The scores in a boundary's evidence, with their limits and the side that speaks for a topic."""


def why(segment: Segment, trace: SegmentationTrace | None) -> str:
    """Why a segment starts where it does: the reason, and which scores fired there."""
    evidence = segment.boundary
    parts = [str(evidence.get("reason", "")), *map(str, evidence.get("because", ()))]
    for name, limit, sign in COMPARED:
        value, threshold = evidence.get(name), evidence.get(limit)
        if value is not None and threshold is not None:
            holds = value > threshold if sign == ">" else value < threshold
            parts.append(f"{name} {value:.2f}{f' {sign} {threshold:g}, fired' if holds else ''}")
    if evidence.get("attention") is not None:
        start = trace.message_ids.index(segment.message_ids[0]) if trace else -1
        fired = ", a local maximum, fired" if trace and start in trace.attention_maxima else ""
        parts.append(f"attention {evidence['attention']:.2f}{fired}")
    if evidence.get("method") == BY_PERSON:
        parts.append("a person set this boundary")
    return " · ".join(part for part in parts if part)


def turns(messages: Sequence[tuple[int, Message]], lit: Collection[str]) -> Markup:
    """A segment's messages with their numbers; those clicked in a chart are set off."""
    return joined(turn(number, message, lit=message.id in lit) for number, message in messages)


def turn(
    number: int, message: Message, *, lit: bool = False, small: str = "", text: Markup | None = None
) -> Markup:
    """A message with its number, who said it and when; `small` follows in small print."""
    return render(
        "components.turn",
        number=number,
        speaker=message.speaker,
        small=" · ".join(part for part in (clock(message.said_at), small) if part),
        text=block(message.text, 900) if text is None else text,
        lit=lit,
        erase=erase.address(message.id),
    )


def skipped(messages: Mapping[str, tuple[int, Message]], found: Sequence[ExtractionTrace]) -> Markup:
    """What nothing was remembered from, and why; empty when there is nothing of the kind. What was read
    twice is told once."""
    rows = []
    for part in dict.fromkeys(part for trace in found for part in trace.skipped):
        if part.message_id in messages:
            number, message = messages[part.message_id]
            rows.append((number, message.text[part.start : part.end], part.reason))
    if not rows:
        return Markup()
    found_rows = [(number, block(text, 300), reason) for number, text, reason in sorted(rows)]
    return render("components.skipped_words", rows=found_rows)
