"""Everything remembered, as one Markdown document that a person can read, print and keep.

By owner and recipe: the memories by the session they were read in, each with its dates, the words it came
from and their place, what it replaced or what replaced it; then people, things and how they relate.
What was deleted is counted and left out. Texts of logs and models go through `markdown_text.inline`.
Times are written as ISO 8601 has them, without zone, as the log stated them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import BinaryIO

from memcore.domain.models import Entity, MemoryEntry, RawRef, Session, Triple
from memcore.domain.protocols import Store
from memcore.exporting.markdown_text import code, inline
from memcore.exporting.selection import Part, Selection
from memcore.inspection.graph import entity_graph, whole_graph
from memcore.inspection.objects import quotes_by_id
from memcore.retrieval.results import Quote


@dataclass(frozen=True, slots=True)
class _Remembered:
    """One part's memories by id, in the order of the log, with the words they came from, and by the session
    of the first of these (empty: none is known); `replaced` leads from a memory to those that it replaced."""

    by_id: dict[str, MemoryEntry]
    quotes: dict[str, tuple[Quote, ...]]
    by_session: dict[str, list[MemoryEntry]]
    replaced: dict[str, list[MemoryEntry]]
    deleted: int


def write_markdown(store: Store, selection: Selection, file: BinaryIO) -> int:
    """The document; returns how many memories it has."""
    count = 0
    for owner in selection.owners:
        file.write(f"# Memory of {inline(owner)}\n".encode())
        parts = [part for part in selection.parts if part.owner == owner]
        if not parts:
            file.write(b"\nNothing is remembered yet.\n")
        for part in parts:
            remembered = _remembered(store, part)
            count += len(remembered.by_id)
            for line in _part(store, part, remembered):
                file.write(f"{line}\n".encode())
        file.write(b"\n")
    return count


def _remembered(store: Store, part: Part) -> _Remembered:
    memories = store.memories(part.owner, states=None, recipe=part.recipe)
    kept = [memory for memory in memories if memory.state != "deleted"]
    quotes = quotes_by_id(store, kept)
    by_session: dict[str, list[MemoryEntry]] = {}
    replaced: dict[str, list[MemoryEntry]] = {}
    for memory in kept:
        session = next((quote.message.session_id for quote in quotes[memory.id]), "")
        by_session.setdefault(session, []).append(memory)
        if memory.superseded_by:
            replaced.setdefault(memory.superseded_by, []).append(memory)
    return _Remembered({m.id: m for m in kept}, quotes, by_session, replaced, len(memories) - len(kept))


def _part(store: Store, part: Part, remembered: _Remembered) -> Iterator[str]:
    active = sum(memory.state == "active" for memory in remembered.by_id.values())
    ended = len(remembered.by_id) - active
    yield from ("", f"## As {inline(part.recipe)} remembers it", "")
    deleted = f" Deleted and left out: {remembered.deleted}." if remembered.deleted else ""
    yield f"Memories that hold: {active}. That no longer do: {ended}.{deleted}"
    summaries = {one.session_id: one.text for one in store.summaries(part.owner, recipe=part.recipe)}
    for session in store.sessions(owner=part.owner):
        memories = remembered.by_session.get(session.id, ())
        if memories or session.id in summaries:
            yield from ("", f"### {_heading(session)}", "")
            if summary := summaries.get(session.id):
                yield from (f"Summary: {inline(summary)}", "")
            yield from _entries(memories, remembered)
    if unplaced := remembered.by_session.get(""):
        yield from ("", "### Without a source", "")
        yield from _entries(unplaced, remembered)
    entities, triples = whole_graph(store, entity_graph(store, part.owner, part.recipe))
    if entities:
        yield from ("", "### People, things and how they relate", "")
        yield from _relations(entities, triples)


def _heading(session: Session) -> str:
    return ", ".join(filter(None, (_time(session.started_at) or "No date", inline(session.title))))


def _entries(memories: Iterable[MemoryEntry], remembered: _Remembered) -> Iterator[str]:
    for memory in memories:
        yield f"- {_ended(memory)}{inline(memory.text)}"
        if when := _period(memory.event_at, memory.event_end):
            yield f"  - happened {when}"
        for quote in remembered.quotes[memory.id]:
            said = quote.message
            parts = (inline(said.speaker), _time(said.said_at), _place(said.raw_ref))
            yield f"  - “{inline(quote.text)}” {', '.join(filter(None, parts))}"
        for older in remembered.replaced.get(memory.id, ()):
            until = f" (held until {_time(older.valid_to)})" if older.valid_to else ""
            yield f"  - replaces “{inline(older.text)}”{until}"
        if newer := remembered.by_id.get(memory.superseded_by or ""):
            yield f"  - replaced by “{inline(newer.text)}”"


def _ended(memory: MemoryEntry) -> str:
    if memory.state == "active":
        return ""
    since = f" since {_time(memory.valid_to)}" if memory.valid_to else ""
    return f"*No longer holds{since}:* "


def _relations(entities: Iterable[Entity], triples: Iterable[Triple]) -> Iterator[str]:
    """Each entity that something is said of, with that; then the names of all others."""
    names = {entity.id: entity.name for entity in entities}
    said: dict[str, list[Triple]] = {}
    for triple in triples:
        said.setdefault(triple.subject_id, []).append(triple)
    linked = {triple.object_id for relations in said.values() for triple in relations}
    for entity in entities:
        if entity.id not in said:
            continue
        known = [entity.type.lower(), *(f"also called {name}" for name in entity.aliases)]
        yield f"- {inline(entity.name)} ({inline(', '.join(filter(None, known)))})"
        for triple in said[entity.id]:
            held = _held(triple)
            relation = inline(triple.relation.replace("_", " "))
            yield f"  - {relation} {inline(names[triple.object_id])}{f' ({held})' if held else ''}"
    others = [inline(entity.name) for entity in entities if entity.id not in said and entity.id not in linked]
    if others:
        yield f"- Also named: {', '.join(others)}"


def _held(triple: Triple) -> str:
    begun = f"since {_time(triple.valid_from)}" if triple.valid_from else ""
    ended = f"ended {_time(triple.invalidated_at)}" if triple.invalidated_at else ""
    return ", ".join(filter(None, (begun, ended)))


def _place(place: RawRef) -> str:
    return f"{code(place.file)} {inline(place.where)}" if place.file else inline(place.where)


def _period(begin: datetime | None, end: datetime | None) -> str:
    """The days of something (`end` is exclusive), or its minute."""
    if begin is None:
        return ""
    if end is None or end - begin <= timedelta(days=1):
        return _time(begin)
    return f"{_time(begin)} to {_time(end - timedelta(days=1))}"


def _time(moment: datetime | None) -> str:
    """Date and minute; a midnight is a date alone."""
    if moment is None:
        return ""
    return f"{moment:%Y-%m-%d}" if (moment.hour, moment.minute) == (0, 0) else f"{moment:%Y-%m-%d %H:%M}"
