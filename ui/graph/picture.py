"""A part of the entity graph as a picture: who and what, their relations, and if asked for the sessions and
chunks they come from. What ended is dashed. Each thing drawn has a card with its evidence (`graph_panel`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from math import cos, pi, sin
from typing import Literal

from memcore.domain.models import Entity, Link, Triple, triple_text
from memcore.inspection.graph import EntityGraph, GraphView
from memcore.inspection.graph_layers import ChunkLayer, GraphLayers, SessionLayer
from memcore.review.diff import show_hidden
from ui.components import network
from ui.graph.panel import Card, Said, said, shown, with_panel
from ui.shell import links
from ui.shell.text import clock, count, day, shorten

MOST_ENTITIES, MOST_TRIPLES = 60, 150
LABELLED, BUNDLED = 45, 3
"""With more relations than this, or more between two entities, their names are left out of the picture:
they would cover each other."""
HINT = "Click a circle or a line to see the words it comes from. The wheel zooms; drag to move."
MOST_MESSAGES = 6
CORRECT = "correct"
"""The query parameter that names what a person came to correct: an entity, or a relation of it."""
_COLOURS = {
    "PERSON": "#2a7f78",
    "PLACE": "#8a6d1d",
    "ORG": "#7a4f9a",
    "EVENT": "#b5562f",
    "DATE": "#5f6b7a",
    "TIME": "#5f6b7a",
}
_OTHER, _SESSION, _CHUNK = "#4a6fa5", "#b08a2e", "#8f6aa8"
_RING, _SLOT = 110.0, 74.0
"""How far one ring is from the next, and how much of a ring each thing on it takes."""
_BESIDE, _WIDEST = 0.16, 0.9
"""How much further each of several edges between two nodes bends, and the furthest."""


def correct_link(address: dict[str, str], entity_id: str, object_id: str) -> str:
    """The address at which an entity, or a relation of it, is corrected."""
    return links.href("Graph", **address, entity=entity_id, **{CORRECT: object_id})


def sentence(link: Link, graph: EntityGraph) -> str:
    """What a relation says, and until when."""
    subject, object_ = (shorten(graph.entities[i].name, 40) for i in (link.subject_id, link.object_id))
    said = triple_text(subject, link.relation, object_)
    return f"{said} (until {day(link.invalidated_at)})" if link.invalidated_at else said


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
    ink, line = network.inks(theme)
    net = network.canvas()
    below = _layer_edges(view, layers)
    relations = tuple((t.subject_id, t.object_id) for t in view.triples)
    names = {e.id: e.name for e in view.entities}
    sessions = {layer.session.id: layer for layer in layers.sessions}
    chunks = {layer.segment.id: layer for layer in layers.chunks}
    places = network.positions(tuple(names), relations)
    places = {**places, **_around(places, layers)}
    degree = Counter(end for pair in relations for end in pair)
    cards: dict[str, Card] = {}
    for entity in view.entities:
        x, y = places[entity.id]
        net.add_node(entity.id, **_node(entity, entity.id == centre, degree[entity.id], ink), x=x, y=y)
        cards[entity.id] = _entity_card(entity, degree[entity.id], address)
    for session_id, session in sessions.items():
        x, y = places[session_id]
        net.add_node(session_id, **_box(_title(session), "box", _SESSION, ink), x=x, y=y)
        cards[session_id] = _session_card(session, address)
    for chunk_id, chunk in chunks.items():
        x, y = places[chunk_id]
        net.add_node(chunk_id, **_box(_topic(chunk), "square", _CHUNK, ink), x=x, y=y)
        cards[chunk_id] = _chunk_card(chunk, address)
    between = Counter(relations)
    written = labelled(view)
    beside: Counter[tuple[str, str]] = Counter()
    for triple in view.triples:
        pair = (triple.subject_id, triple.object_id)
        bend = min(_BESIDE, _WIDEST / between[pair]) * beside[pair]
        gone = ended(triple, as_of)
        net.add_edge(*pair, id=triple.id, **_edge(triple, gone, bend, triple.id in written, ink, line))
        beside[pair] += 1
        cards[triple.id] = _triple_card(triple, gone, names, view, address)
    for a, b in below:
        net.add_edge(a, b, arrows="", dashes=[1, 4], color={"color": line, "opacity": 0.55}, width=1)
    return with_panel(network.rendered(net), cards, HINT, theme)


def labelled(view: GraphView) -> set[str]:
    """The triples whose relation is written at its line."""
    if len(view.triples) > LABELLED:
        return set()
    between = Counter(frozenset((t.subject_id, t.object_id)) for t in view.triples)
    return {t.id for t in view.triples if between[frozenset((t.subject_id, t.object_id))] <= BUNDLED}


def ended(triple: Triple, as_of: datetime | None) -> bool:
    """Whether it had ceased to hold at a moment (None: by now)."""
    return triple.invalidated_at is not None and (as_of is None or triple.invalidated_at <= as_of)


def words(relation: str) -> str:
    """A relation as one reads it: `work_at` as "work at"."""
    return show_hidden(relation.replace("_", " "))


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
    colour = _COLOURS.get(entity.type, _OTHER)
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


def _edge(triple: Triple, gone: bool, bend: float, written: bool, ink: str, line: str) -> dict[str, object]:
    label = shown(words(triple.relation), 28) if written else ""
    if gone and written:
        label += f" (until {day(triple.invalidated_at)})"
    return {
        **({"label": label} if label else {}),
        "dashes": gone,
        "smooth": {"type": "curvedCW", "roundness": 0.12 + bend},
        "color": {"color": line, "opacity": 0.5 if gone else 0.9},
        "width": 1 + min(triple.mentions - 1, 4) * 0.6,
        "font": {"color": ink, "size": 12, "strokeWidth": 0, "align": "middle"},
    }


def _triple_card(
    triple: Triple, gone: bool, names: dict[str, str], view: GraphView, address: dict[str, str]
) -> Card:
    quotes, more = said(view.quotes.get(triple.id, ()))
    title = f"{shown(names[triple.subject_id], 80)} {words(triple.relation)} {names[triple.object_id]}"
    facts = [("since", day(triple.valid_from))]
    if triple.invalidated_at:
        facts.append(("until", day(triple.invalidated_at)))
    facts.append(("said", count(triple.mentions, "time")))
    remembered = triple.memory_ids[:3]
    return Card(
        "Ended relation" if gone else "Relation",
        shown(title, 240),
        tuple(facts),
        quotes,
        more or ("" if quotes else "No source is recorded."),
        (
            *(
                (
                    "Its memory" if len(remembered) == 1 else f"Memory {n}",
                    links.href("Memories", memory=memory_id),
                )
                for n, memory_id in enumerate(remembered, start=1)
            ),
            ("Correct it", correct_link(address, triple.subject_id, triple.id)),
        ),
    )


def _entity_card(entity: Entity, degree: int, address: dict[str, str]) -> Card:
    facts = [("relations", f"{degree} shown")]
    if entity.aliases:
        beyond = len(entity.aliases) - 8
        also = "; ".join(shown(alias, 60) for alias in entity.aliases[:8])
        facts.append(("also called", f"{also} and {beyond} more" if beyond > 0 else also))
    facts += [("first seen", day(entity.first_seen)), ("last seen", day(entity.last_seen))]
    around = links.href("Graph", **address, entity=entity.id)
    return Card(
        shown(entity.type.capitalize(), 40),
        shown(entity.name, 200),
        tuple(facts),
        links=(("Its neighbourhood", around), ("Correct it", correct_link(address, entity.id, entity.id))),
    )


def _session_card(layer: SessionLayer, address: dict[str, str]) -> Card:
    summary = layer.summary
    facts = [("began", day(layer.session.started_at)), ("relations", f"{len(layer.triple_ids)} shown")]
    if summary and summary.keywords:
        facts.append(("keywords", shown(", ".join(summary.keywords), 200)))
    if summary and summary.themes:
        facts.append(("themes", shown(", ".join(summary.themes), 200)))
    return Card(
        "Session",
        shown(_title(layer), 120),
        tuple(facts),
        more=shown(summary.text, 1_200) if summary else "This system wrote no summary of it.",
        links=(("Its topics", links.href("Topics", **address, session=layer.session.id)),),
    )


def _chunk_card(layer: ChunkLayer, address: dict[str, str]) -> Card:
    segment = layer.segment
    spoken = tuple(
        Said(shown(m.speaker, 60), clock(m.said_at), shown(m.text, 240), "", "")
        for m in layer.messages[:MOST_MESSAGES]
    )
    beyond = len(layer.messages) - len(spoken)
    return Card(
        "Chunk",
        shown(_topic(layer), 120),
        (("relations", f"{len(layer.triple_ids)} shown"),),
        spoken,
        f"and {count(beyond, 'further message')}" if beyond else "",
        (
            (
                "Its topic segment",
                links.href("Topics", **address, session=segment.session_id, segment=segment.id),
            ),
        ),
    )


def _topic(layer: ChunkLayer) -> str:
    """What a chunk is called: its topic, or where the system names none how it begins."""
    return layer.segment.topic or (layer.messages[0].text if layer.messages else "chunk")


def _title(layer: SessionLayer) -> str:
    return layer.session.title or f"Session {layer.session.position + 1}"
