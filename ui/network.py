"""The entity graph as a picture: pyvis with everything inline, positions computed once, no physics.

The document carries a Content-Security-Policy that forbids every request, and names reach it only as
JSON strings drawn on a canvas. Knows nothing of the store.
"""

from __future__ import annotations

import re
from typing import Literal

import networkx as nx  # type: ignore[import-untyped]
import streamlit as st
from pyvis.network import Network

from memcore.models import Entity, Triple
from memcore.review.diff import show_hidden
from memcore.views import GraphView
from ui.text import shorten

HEIGHT = 620
_SPREAD = 520
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
    ink, line = ("#e9e7e3", "#8b8f95") if theme == "dark" else ("#2b2e33", "#9aa0a6")
    net = Network(height=f"{HEIGHT - 12}px", width="100%", directed=True, cdn_resources="in_line")
    net.bgcolor = "transparent"
    net.toggle_physics(False)
    places = _positions(
        tuple(e.id for e in view.entities), tuple((t.subject_id, t.object_id) for t in view.triples)
    )
    degree = {e.id: 0 for e in view.entities}
    for triple in view.triples:
        degree[triple.subject_id] += 1
        degree[triple.object_id] += 1
    for entity in view.entities:
        x, y = places[entity.id]
        net.add_node(entity.id, **_node(entity, entity.id == centre, degree[entity.id], ink), x=x, y=y)
    for triple in view.triples:
        net.add_edge(triple.subject_id, triple.object_id, **_edge(triple, ink, line))
    net.set_options(
        '{"physics": {"enabled": false}, "interaction": {"hover": true},'
        ' "edges": {"smooth": {"type": "curvedCW", "roundness": 0.12},'
        ' "arrows": {"to": {"scaleFactor": 0.5}}}}'
    )
    page = _HEADING.sub("", _REMOTE.sub("", net.generate_html(notebook=False)))
    page = page.replace("border: 1px solid lightgray", "border: 0")
    return page.replace("<head>", f"<!doctype html><head>{_POLICY}", 1)


def _node(entity: Entity, chosen: bool, degree: int, ink: str) -> dict[str, object]:
    colour = _COLOURS.get(entity.type, _OTHER)
    return {
        "label": shorten(show_hidden(entity.name), 32),
        "shape": "dot",
        "size": (16 if chosen else 8) + min(degree, 12),
        "color": {"background": colour, "border": ink if chosen else colour},
        "borderWidth": 3 if chosen else 1,
        "font": {"color": ink, "size": 15 if chosen else 13},
    }


def _edge(triple: Triple, ink: str, line: str) -> dict[str, object]:
    gone = triple.invalidated_at is not None
    return {
        "label": shorten(show_hidden(triple.relation), 28) + (" (ended)" if gone else ""),
        "dashes": gone,
        "color": {"color": line, "opacity": 0.5 if gone else 0.9},
        "width": 1 + min(triple.mentions - 1, 4) * 0.6,
        "font": {"color": ink, "size": 10, "strokeWidth": 0, "align": "middle"},
    }


@st.cache_data(show_spinner=False, max_entries=200)
def _positions(nodes: tuple[str, ...], edges: Ends) -> dict[str, tuple[float, float]]:
    """A spring layout, the same for the same graph; the first node's component is centred."""
    graph = nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    spread = _SPREAD * max(1.0, (len(nodes) / 25) ** 0.5)
    layout = nx.spring_layout(graph, seed=7, k=1.6 / max(1, len(nodes)) ** 0.5, iterations=80)
    return {
        node: (round(float(x) * spread, 1), round(float(y) * spread, 1)) for node, (x, y) in layout.items()
    }
