"""Graphs as pictures, the entity graph first: pyvis with everything inline, positions computed once, no
physics.

The document carries a Content-Security-Policy that forbids every request, and names reach it only as
JSON strings drawn on a canvas. Knows nothing of the store.
"""

from __future__ import annotations

import re
from typing import Literal

import networkx as nx  # type: ignore[import-untyped]
import streamlit as st
from pyvis.network import Network

from memcore.graph_view import GraphView
from memcore.models import Entity, Triple
from memcore.review.diff import show_hidden
from ui.text import shorten

HEIGHT = 620
LABELLED = 45
"""With more relations than this, their names are left out: they would cover each other."""
_WIDER = 1.5
_APART = 60.0
_ROW = 1.9
"""How wide a row of parts is, times the side of the square they would fill."""
_POLICY = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">"
)
_REMOTE = re.compile(
    r"<link\b[^>]*\bhref=\"https?://[^>]*>|<script\b[^>]*\bsrc=\"https?://[^>]*>\s*</script>", re.DOTALL
)
_HEADING = re.compile(r"<center>.*?</center>", re.DOTALL)
_COLOURS = {
    "PERSON": "#2a7f78",
    "PLACE": "#8a6d1d",
    "ORG": "#7a4f9a",
    "EVENT": "#b5562f",
    "DATE": "#5f6b7a",
    "TIME": "#5f6b7a",
}
_OTHER = "#4a6fa5"

Ends = tuple[tuple[str, str], ...]


def document(view: GraphView, *, centre: str | None, theme: Literal["light", "dark"]) -> str:
    """The picture as one HTML document that asks no host for anything."""
    ink, line = inks(theme)
    net = canvas()
    places = positions(
        tuple(e.id for e in view.entities), tuple((t.subject_id, t.object_id) for t in view.triples)
    )
    degree = {e.id: 0 for e in view.entities}
    for triple in view.triples:
        degree[triple.subject_id] += 1
        degree[triple.object_id] += 1
    for entity in view.entities:
        x, y = places[entity.id]
        net.add_node(entity.id, **_node(entity, entity.id == centre, degree[entity.id], ink), x=x, y=y)
    beside: dict[tuple[str, str], int] = {}
    for triple in view.triples:
        pair = (triple.subject_id, triple.object_id)
        beside[pair] = beside.get(pair, -1) + 1
        edge = _edge(triple, beside[pair], ink, line)
        if len(view.triples) > LABELLED:
            del edge["label"]
        net.add_edge(*pair, **edge)
    return rendered(net)


def inks(theme: Literal["light", "dark"]) -> tuple[str, str]:
    """Colours of writing and of lines."""
    return ("#e9e7e3", "#8b8f95") if theme == "dark" else ("#2b2e33", "#9aa0a6")


def canvas() -> Network:
    """An empty picture of directed edges that lies still."""
    net = Network(height=f"{HEIGHT - 12}px", width="100%", directed=True, cdn_resources="in_line")
    net.bgcolor = "transparent"
    net.toggle_physics(False)
    return net


def rendered(net: Network) -> str:
    """The picture as one HTML document that asks no host for anything."""
    net.set_options(
        '{"physics": {"enabled": false}, "interaction": {"hover": true},'
        ' "edges": {"arrows": {"to": {"scaleFactor": 0.5}}}}'
    )
    page = _HEADING.sub("", _REMOTE.sub("", net.generate_html(notebook=False)))
    page = page.replace("border: 1px solid lightgray", "border: 0")
    return page.replace("<head>", f"<!doctype html><head>{_POLICY}", 1)


def words(relation: str) -> str:
    """A relation as one reads it: `work_at` as "work at"."""
    return show_hidden(relation.replace("_", " "))


def _node(entity: Entity, chosen: bool, degree: int, ink: str) -> dict[str, object]:
    colour = _COLOURS.get(entity.type, _OTHER)
    return {
        "label": shorten(show_hidden(entity.name), 32),
        "shape": "dot",
        "size": (16 if chosen else 8) + min(degree, 12),
        "color": {"background": colour, "border": ink if chosen else colour},
        "borderWidth": 3 if chosen else 1,
        "font": {"color": ink, "size": 17 if chosen else 15},
    }


def _edge(triple: Triple, beside: int, ink: str, line: str) -> dict[str, object]:
    """`beside` counts the edges between the same two nodes before it: each bends further."""
    gone = triple.invalidated_at is not None
    return {
        "label": shorten(words(triple.relation), 28) + (" (ended)" if gone else ""),
        "dashes": gone,
        "smooth": {"type": "curvedCW", "roundness": 0.12 + 0.16 * beside},
        "color": {"color": line, "opacity": 0.5 if gone else 0.9},
        "width": 1 + min(triple.mentions - 1, 4) * 0.6,
        "font": {"color": ink, "size": 12, "strokeWidth": 0, "align": "middle"},
    }


@st.cache_data(show_spinner=False, max_entries=200)
def positions(nodes: tuple[str, ...], edges: Ends) -> dict[str, tuple[float, float]]:
    """Kamada and Kawai's layout (graph distance as distance on screen), the same for the same graph.
    Leaves of one node stand at three distances in turn, so that their names overlap less; parts
    that hang together are laid side by side, in as many rows as make a wide rectangle."""
    graph = nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    for place, (a, b) in enumerate(sorted(graph.edges)):
        graph.edges[a, b]["weight"] = (
            1.0 + 0.35 * (place % 3) if 1 in (graph.degree[a], graph.degree[b]) else 1.2
        )
    parts = sorted(nx.connected_components(graph), key=lambda part: (-len(part), min(part)))
    radii = [70.0 + 42.0 * len(part) ** 0.5 for part in parts]
    row = max([_ROW * sum((2 * r + _APART) ** 2 for r in radii) ** 0.5, *(2 * r * _WIDER for r in radii)])
    placed: dict[str, tuple[float, float]] = {}
    left = top = depth = 0.0
    for part, radius in zip(parts, radii, strict=True):
        if left and left + 2 * radius * _WIDER > row:
            left, top, depth = 0.0, top + depth + _APART, 0.0
        layout = nx.kamada_kawai_layout(graph.subgraph(part))
        for node, (x, y) in layout.items():
            across = left + radius * _WIDER * (1 + float(x))
            placed[node] = (round(across, 1), round(top + radius * (1 + float(y)), 1))
        left += 2 * radius * _WIDER + _APART
        depth = max(depth, 2 * radius)
    return placed
