"""Memories beside the words they came from: rows, cards, quotes. HTML strings; no Streamlit state."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.models import MemoryEntry
from memcore.retrieval.results import Quote
from memcore.review.audit import rule_in_words, topics_in_words
from ui.shell.text import Mark, block, clock, day, marked, period, safe

_STATES = {"superseded": "replaced", "invalidated": "no longer true", "deleted": "deleted"}


def memory_line(memory: MemoryEntry) -> str:
    """A memory's text with when, what kind and whom; struck through when it no longer holds."""
    old = " ms-was" if memory.state != "active" else ""
    return (
        f'<div class="ms-fact{old}"><div class="ms-text">{block(memory.text, 600)}</div></div>{meta(memory)}'
    )


def meta(memory: MemoryEntry) -> str:
    """The small print under a memory."""
    parts = [tag(memory.kind)]
    if memory.state != "active":
        parts.append(tag(_STATES.get(memory.state, memory.state), "warn"))
    happened = period(memory.event_at, memory.event_end)
    words = []
    if happened:
        words.append(f"<b>{safe(happened)}</b>")
    if memory.mentioned_at:
        words.append(f"said {safe(memory.weekday)} {safe(day(memory.mentioned_at))}")
    if memory.persons:
        words.append(safe(", ".join(memory.persons)))
    if memory.location:
        words.append(safe(memory.location))
    return f'<div class="ms-meta" style="margin-top:.2rem">{"".join(parts)}{" · ".join(words)}</div>'


def record(memory: MemoryEntry, quotes: Sequence[Quote]) -> dict[str, object]:
    """A memory with its words, for a file."""
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
    }


def sources(quotes: Sequence[Quote]) -> dict[str, object]:
    """Exact words and where each stands, for a file."""
    return {
        "words": [quote.text for quote in quotes],
        "places": [f"{q.message.raw_ref.file}, {q.message.raw_ref.where}" for q in quotes],
    }


def tag(text: str, css: str = "") -> str:
    """A small label."""
    return f'<span class="ms-tag {css}">{safe(text)}</span>'


def quote_block(quotes: Sequence[Quote], cap: int = 700) -> str:
    """Source messages in order, each once, with the exact words highlighted, and their place."""
    if not quotes:
        return '<div class="ms-meta">No source is recorded.</div>'
    grouped: dict[str, list[Quote]] = {}
    for quote in quotes:
        grouped.setdefault(quote.message.id, []).append(quote)
    return "".join(_said(group, cap) for group in grouped.values())


def _said(quotes: list[Quote], cap: int) -> str:
    message = quotes[0].message
    text = marked(message.text, [Mark(q.start, q.end) for q in quotes], cap)
    place = f"{message.raw_ref.file}, {message.raw_ref.where}"
    return (
        f'<div class="ms-said"><span class="ms-who">{safe(message.speaker)}</span> '
        f'<span class="ms-meta">{safe(clock(message.said_at))}</span>\n{text}</div>'
        f'<div class="ms-meta" style="padding-left:.95rem">{safe(place)}</div>'
    )


def pair(left: str, right: str) -> str:
    """A fact and its evidence, side by side."""
    return f'<div class="ms-pair"><div>{left}</div><div>{right}</div></div>'


def snapshot_text(snapshot: dict[str, object] | None) -> str:
    """The readable part of an event's snapshot."""
    if snapshot is None:
        return ""
    if "segment_ids" in snapshot and "recipe" in snapshot:
        return topics_in_words(snapshot)
    if "rule" in snapshot:
        return rule_in_words(snapshot)
    for field in ("text", "name", "after", "relation"):
        if value := snapshot.get(field):
            return str(value)
    return ""
