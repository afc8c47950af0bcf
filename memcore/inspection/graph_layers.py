"""The other two layers of LiCoMemory's CogniGraph around a part of the entity graph: the chunks its triples
were read in, and the sessions these belong to with their summaries.

Linked both ways through the messages that a triple cites, so every recipe has them; a recipe that writes no
summaries has sessions without. Read-only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memcore.domain.models import BY_PERSON, Message, Segment, Session, SessionSummary
from memcore.domain.protocols import Store
from memcore.inspection.graph import GraphView
from memcore.inspection.objects import standing_segments


@dataclass(frozen=True, slots=True)
class SessionLayer:
    """A session with its summary, if the recipe wrote one, and the shown triples said in it."""

    session: Session
    summary: SessionSummary | None
    triple_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChunkLayer:
    """A segment as it now stands, its messages in order, and the shown triples said in it."""

    segment: Segment
    messages: tuple[Message, ...]
    triple_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphLayers:
    """Sessions and chunks, those with the most triples first; `hidden_*` count what the caps left out."""

    sessions: tuple[SessionLayer, ...] = ()
    chunks: tuple[ChunkLayer, ...] = ()
    hidden_sessions: int = 0
    hidden_chunks: int = 0


def graph_layers(
    store: Store,
    view: GraphView,
    *,
    owner: str,
    recipe: str,
    sessions: bool,
    chunks: bool,
    max_sessions: int = 12,
    max_chunks: int = 30,
) -> GraphLayers:
    """The sessions and chunks, each if asked for, that the triples of a view come from."""
    cited = {
        triple.id: dict.fromkeys(quote.message.id for quote in view.quotes.get(triple.id, ()))
        for triple in view.triples
    }
    session_of = {q.message.id: q.message.session_id for quotes in view.quotes.values() for q in quotes}
    told = _sessions(store, owner, recipe, _grouped(cited, session_of)) if sessions else ()
    segments = _standing(store, recipe, list(session_of)) if chunks else {}
    holder = {i: segment.id for segment in segments.values() for i in segment.message_ids}
    read_in = _grouped(cited, holder)
    return GraphLayers(
        told[:max_sessions],
        _chunks(store, segments, dict(list(read_in.items())[:max_chunks])),
        max(0, len(told) - max_sessions),
        max(0, len(read_in) - max_chunks),
    )


def _grouped(cited: Mapping[str, Iterable[str]], home: Mapping[str, str]) -> dict[str, list[str]]:
    """What messages stand in → the triples that cite them, most triples first."""
    groups: dict[str, dict[str, None]] = {}
    for triple_id, message_ids in cited.items():
        for message_id in message_ids:
            if message_id in home:
                groups.setdefault(home[message_id], {})[triple_id] = None
    return {place: list(groups[place]) for place in sorted(groups, key=lambda p: (-len(groups[p]), p))}


def _sessions(
    store: Store, owner: str, recipe: str, said_in: Mapping[str, list[str]]
) -> tuple[SessionLayer, ...]:
    summaries = {s.session_id: s for s in store.summaries(owner, recipe=recipe) if s.text}
    known = {session.id: session for session in store.sessions(owner=owner)}
    return tuple(
        SessionLayer(known[session_id], summaries.get(session_id), tuple(triple_ids))
        for session_id, triple_ids in said_in.items()
        if session_id in known
    )


def _standing(store: Store, recipe: str, message_ids: Sequence[str]) -> dict[str, Segment]:
    """The segments that now hold the messages; where a person has moved a boundary, theirs."""
    found = store.segments(recipe=recipe, message_ids=message_ids)
    resegmented = {s.session_id for s in found if s.boundary.get("method") == BY_PERSON}
    standing = {
        segment.id for session_id in resegmented for segment in standing_segments(store, session_id, recipe)
    }
    return {s.id: s for s in found if s.session_id not in resegmented or s.id in standing}


def _chunks(
    store: Store, segments: Mapping[str, Segment], read_in: Mapping[str, list[str]]
) -> tuple[ChunkLayer, ...]:
    messages = store.messages_by_id([i for segment_id in read_in for i in segments[segment_id].message_ids])
    return tuple(
        ChunkLayer(
            segments[segment_id],
            tuple(messages[i] for i in segments[segment_id].message_ids if i in messages),
            tuple(triple_ids),
        )
        for segment_id, triple_ids in read_in.items()
    )
