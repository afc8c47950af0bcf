"""A part of the entity graph as a picture: who and what, their relations, and if asked for the sessions and
chunks they come from. What ended is dashed. No more is drawn at first than can be read; a click opens more,
and shows the card of what was clicked (`graph.panel`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from math import cos, pi, sin
from typing import Literal

from memcore.domain.models import Entity
from memcore.inspection.graph import EntityGraph, GraphView
from memcore.inspection.graph_layers import ChunkLayer, GraphLayers
from ui.components import network
from ui.graph import cards
from ui.graph.lines import Line, drawn_first, lines_of
from ui.graph.panel import Card, Opening, shown, with_panel
from ui.shell.text import count, day

MOST_ENTITIES, MOST_TRIPLES = 60, 150
HINT = "Click a circle or a line to see what it stands for. The wheel zooms; drag to move."
_NAMED = 2
"""How many relations of one line are written at it; its card has the others."""
_TYPES = {
    "PERSON": ("person", "#2a7f78"),
    "PLACE": ("place", "#8a6d1d"),
    "ORG": ("organisation", "#7a4f9a"),
    "EVENT": ("event", "#b5562f"),
    "ANIMAL": ("animal", "#9c4668"),
    "FOOD": ("food", "#5d7d2b"),
    "DATE": ("date or time", "#5f6b7a"),
    "TIME": ("date or time", "#5f6b7a"),
}
_OTHER = ("thing", "#4a6fa5")
_SESSION, _CHUNK = "#b08a2e", "#8f6aa8"
_RING, _SLOT = 110.0, 74.0
"""How far one ring is from the next, and how much of a ring each thing on it takes."""


def document(
    view: GraphView,
    layers: GraphLayers,
    *,
    graph: EntityGraph,
    centre: str | None,
    as_of: datetime | None,
    theme: Literal["light", "dark"],
) -> str:
    """The picture with its panel as one HTML document that asks no host for anything."""
    address = {"owner": graph.owner, "recipe": graph.recipe}
    inks = network.inks(theme)
    net = network.canvas()
    lines = lines_of(view.triples)
    entities, drawn = drawn_first(view, lines)
    names = cards.names_of(graph)
    whole = _places(tuple(e.id for e in view.entities), lines, layers)
    first = [line for line in lines if line.id in drawn]
    places = whole | _places(tuple(e.id for e in view.entities if e.id in entities), first, layers)
    degree = Counter(end for line in lines for end in line.ends)
    told: dict[str, list[Card]] = {}

    def place(node: str, told_of: Card, **look: object) -> None:
        net.add_node(node, **look, x=places[node][0], y=places[node][1])
        told[node] = [told_of]

    for entity in view.entities:
        look = _node(entity, entity.id == centre, degree[entity.id], inks[0])
        card = cards.of_entity(entity, names, view, address)
        place(entity.id, card, **look, hidden=entity.id not in entities)
    for session in layers.sessions:
        box = _box(cards.session_title(session), "box", _SESSION, inks[0])
        place(session.session.id, cards.of_session(session, address), **box)
    for chunk in layers.chunks:
        box = _box(cards.chunk_title(chunk), "square", _CHUNK, inks[0])
        place(chunk.segment.id, cards.of_chunk(chunk, address), **box)
    for line in lines:
        net.add_edge(*line.ends, id=line.id, **_edge(line, as_of, *inks), hidden=line.id not in drawn)
        told[line.id] = [
            cards.of_relation(triple, cards.ended(triple, as_of), names, view, address)
            for triple in line.triples
        ]
    for a, b in _layer_edges(view, layers):
        net.add_edge(a, b, arrows="", dashes=[1, 4], color={"color": inks[1], "opacity": 0.55}, width=1)
    left = len(view.entities) - len(entities), len(lines) - len(drawn)
    opening = Opening(HINT, _not_drawn(*left), legend(view, layers, as_of), whole if any(left) else {})
    return with_panel(network.rendered(net), told, opening, theme)


def _places(
    entities: tuple[str, ...], lines: Sequence[Line], layers: GraphLayers
) -> dict[str, tuple[float, float]]:
    """Where everything stands when these are drawn."""
    places = network.positions(entities, tuple(line.ends for line in lines))
    return {**places, **_around(places, layers)}


def _not_drawn(entities: int, lines: int) -> str:
    """What a person can open beyond what is drawn; nothing where all is."""
    if not entities and not lines:
        return ""
    parts = [count(entities, "entity", "entities")] if entities else []
    return " and ".join([*parts, count(lines, "line")])


def legend(view: GraphView, layers: GraphLayers, as_of: datetime | None) -> list[tuple[str, str, str]]:
    """What the marks of this picture stand for, as (shape, colour, meaning)."""
    there = dict.fromkeys(_TYPES.get(entity.type, _OTHER) for entity in view.entities)
    found = [("dot", colour, meaning) for meaning, colour in sorted(there)]
    if layers.sessions:
        found.append(("box", _SESSION, "session"))
    if layers.chunks:
        found.append(("box", _CHUNK, "chunk"))
    if any(cards.ended(triple, as_of) for triple in view.triples):
        found.append(("dashed", "", "ended"))
    return found


def _layer_edges(view: GraphView, layers: GraphLayers) -> network.Ends:
    """From each session to its chunks, and from each chunk to the entities of its triples; from a session
    straight to those of its triples of which no chunk is drawn."""
    ends = {t.id: (t.subject_id, t.object_id) for t in view.triples}
    edges: dict[tuple[str, str], None] = {}

    def lead(place: str, triple_ids: Iterable[str]) -> None:
        edges.update(dict.fromkeys((place, end) for i in triple_ids for end in ends[i]))

    for chunk in layers.chunks:
        lead(chunk.segment.id, chunk.triple_ids)
    for session in layers.sessions:
        own = [chunk for chunk in layers.chunks if chunk.segment.session_id == session.session.id]
        edges.update(dict.fromkeys((session.session.id, chunk.segment.id) for chunk in own))
        held = {i for chunk in own for i in chunk.triple_ids}
        lead(session.session.id, [i for i in session.triple_ids if i not in held])
    return tuple(edges)


def _around(places: dict[str, tuple[float, float]], layers: GraphLayers) -> dict[str, tuple[float, float]]:
    """Chunks on a ring around the entities and sessions on one around that, by time as on a clock face;
    each session stands before its chunks."""
    begun = {chunk.segment.session_id: _said(chunk) for chunk in layers.chunks}
    begun |= {layer.session.id: layer.session.started_at for layer in layers.sessions}
    shown_sessions = {layer.session.id for layer in layers.sessions}
    slots: list[tuple[str, list[str]]] = []
    for session_id in sorted(begun, key=lambda i: (begun[i] or datetime.max, i)):
        own = [chunk for chunk in layers.chunks if chunk.segment.session_id == session_id]
        own.sort(key=lambda chunk: chunk.messages[0].position if chunk.messages else 0)
        slots.append((session_id, [chunk.segment.id for chunk in own]))
    number = sum(max(1, len(chunk_ids)) for _, chunk_ids in slots)
    across, down = ([place[axis] for place in places.values()] for axis in (0, 1))
    middle = ((max(across) + min(across)) / 2, (max(down) + min(down)) / 2)
    least = number * _SLOT / (2 * pi)
    reach = [max((max(side) - min(side)) / 2 + _RING, least) for side in (across, down)]

    def at(slot: float, ring: float) -> tuple[float, float]:
        turn = 2 * pi * slot / number
        return middle[0] + (reach[0] + ring) * sin(turn), middle[1] - (reach[1] + ring) * cos(turn)

    placed: dict[str, tuple[float, float]] = {}
    first = 0
    for session_id, chunk_ids in slots:
        wide = max(1, len(chunk_ids))
        placed |= {chunk_id: at(first + n, 0.0) for n, chunk_id in enumerate(chunk_ids)}
        if session_id in shown_sessions:
            placed[session_id] = at(first + (wide - 1) / 2, _RING if layers.chunks else 0.0)
        first += wide
    return placed


def _said(chunk: ChunkLayer) -> datetime | None:
    return chunk.messages[0].said_at if chunk.messages else None


def _node(entity: Entity, chosen: bool, degree: int, ink: str) -> dict[str, object]:
    _, colour = _TYPES.get(entity.type, _OTHER)
    return {
        "label": shown(entity.name, 32),
        "shape": "dot",
        "size": (16 if chosen else 8) + min(degree, 12),
        "color": {"background": colour, "border": ink if chosen else colour},
        "borderWidth": 3 if chosen else 1,
        "font": {"color": ink, "size": 17 if chosen else 15},
    }


def _box(name: str, shape: str, colour: str, ink: str) -> dict[str, object]:
    return {
        "label": shown(name, 26),
        "shape": shape,
        "size": 9,
        "color": {"background": f"{colour}33", "border": colour},
        "font": {"color": ink, "size": 13},
    }


def _edge(line: Line, as_of: datetime | None, ink: str, colour: str, paper: str) -> dict[str, object]:
    """A line is dashed where all that it stands for has ended."""
    gone = all(cards.ended(triple, as_of) for triple in line.triples)
    written = list(dict.fromkeys(shown(cards.words(triple.relation), 28) for triple in line.triples))
    label = ", ".join(written[:_NAMED])
    if len(written) > _NAMED:
        label += f" +{len(written) - _NAMED}"
    if gone and len(line.triples) == 1:
        label += f" (until {day(line.triples[0].invalidated_at)})"
    return {
        "label": label,
        "dashes": gone,
        "smooth": {"type": "curvedCW", "roundness": 0.12},
        "color": {"color": colour, "opacity": 0.5 if gone else 0.9},
        "width": 1 + min(sum(triple.mentions for triple in line.triples) - 1, 4) * 0.6,
        "font": {"color": ink, "size": 12, "strokeWidth": 4, "strokeColor": paper, "align": "horizontal"},
    }
