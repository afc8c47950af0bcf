"""Memories beside the words they came from: rows, cards, quotes. What is rendered, no Streamlit state."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from memcore.domain.models import Grounding, MemoryEntry, Message
from memcore.inspection.grounding import Verdict, verdict_of
from memcore.retrieval.results import Quote
from memcore.review.audit import grant_in_words, rule_in_words, topics_in_words
from ui.components import erase, grounded
from ui.shell.marked import Mark, block, marked
from ui.shell.templates import joined, render
from ui.shell.text import clock, day, period

_STATES = {"superseded": "replaced", "invalidated": "no longer true", "deleted": "deleted"}


def memory_line(memory: MemoryEntry, told: Verdict | None = None) -> Markup:
    """A memory's text with when, what kind, whom and, where it is told, whether its words carry it; struck
    through when it no longer holds."""
    small = meta(memory, told)
    return render("components.memory_line", memory=memory, text=block(memory.text, 600), meta=small)


def meta(memory: MemoryEntry, told: Verdict | None = None) -> Markup:
    """The small print under a memory."""
    tags = [(memory.kind, "")]
    if told is not None:
        tags.append(grounded.tag(told))
    if memory.state != "active":
        tags.append((_STATES.get(memory.state, memory.state), "warn"))
    words = []
    if memory.mentioned_at:
        words.append(f"said {memory.weekday} {day(memory.mentioned_at)}")
    if memory.persons:
        words.append(", ".join(memory.persons))
    if memory.location:
        words.append(memory.location)
    happened = period(memory.event_at, memory.event_end)
    return render(
        "components.memory_meta",
        tags=tags,
        happened=happened,
        words=words,
        reasons=grounded.reasons(told) if told is not None else "",
    )


def record(memory: MemoryEntry, quotes: Sequence[Quote], found: Grounding | None = None) -> dict[str, object]:
    """A memory with its words and whether they carry it, for a file."""
    told = verdict_of(found)
    return {
        "id": memory.id,
        "text": memory.text,
        "kind": memory.kind,
        "state": memory.state,
        "speaker": memory.speaker,
        "said": memory.mentioned_at,
        "happened_from": memory.event_at,
        "happened_to": memory.event_end,
        "persons": memory.persons,
        "location": memory.location,
        "topic": memory.topic,
        "keywords": memory.keywords,
        "holds_from": memory.valid_from,
        "holds_to": memory.valid_to,
        "superseded_by": memory.superseded_by,
        "recipe": memory.recipe,
        "run": memory.run_id,
        **sources(quotes),
        "grounding": told.label,
        "doubts": told.reasons,
    }


def sources(quotes: Sequence[Quote]) -> dict[str, object]:
    """Exact words and where each stands, for a file."""
    return {
        "words": [quote.text for quote in quotes],
        "places": [f"{q.message.raw_ref.file}, {q.message.raw_ref.where}" for q in quotes],
    }


def tag(text: str, css: str = "") -> Markup:
    """A small label."""
    return render("shell.tag", text=text, css=css)


def quote_block(quotes: Sequence[Quote], cap: int = 700, *, stored: bool = True) -> Markup:
    """Source messages in order, each once, with the exact words highlighted, their place, and the way to
    erase them, unless they are not in the person's own store (`stored`)."""
    if not quotes:
        return render("components.no_source")
    grouped: dict[str, list[Quote]] = {}
    for quote in quotes:
        grouped.setdefault(quote.message.id, []).append(quote)
    return joined(_said(group, cap, stored) for group in grouped.values())


def said(message: Message, cap: int) -> Markup:
    """A whole message, up to `cap` characters, and its place."""
    return _render(message, block(message.text, cap))


def _said(quotes: list[Quote], cap: int, stored: bool) -> Markup:
    message = quotes[0].message
    text = marked(message.text, [Mark(q.start, q.end) for q in quotes], cap)
    return _render(message, text, erase.address(message.id) if stored else "")


def _render(message: Message, text: Markup, way: str = "") -> Markup:
    return render(
        "components.said",
        speaker=message.speaker,
        when=clock(message.said_at),
        text=text,
        place=f"{message.raw_ref.file}, {message.raw_ref.where}",
        erase=way,
    )


def pair(left: Markup, right: Markup) -> Markup:
    """A fact and its evidence, side by side."""
    return render("components.pair", left=left, right=right)


def snapshot_text(snapshot: dict[str, object] | None) -> str:
    """The readable part of an event's snapshot."""
    if snapshot is None:
        return ""
    if "segment_ids" in snapshot and "recipe" in snapshot:
        return topics_in_words(snapshot)
    if "rule" in snapshot:
        return rule_in_words(snapshot)
    if {"person", "role"} <= snapshot.keys():
        return grant_in_words(snapshot)
    for field in ("text", "name", "after", "before", "relation"):
        if value := snapshot.get(field):
            return str(value)
    return ""
