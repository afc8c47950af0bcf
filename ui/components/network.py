"""Graphs as pictures: pyvis with everything inline, positions computed once, no physics.

The document carries a Content-Security-Policy that forbids every request, and names reach it only as
JSON strings drawn on a canvas. Knows nothing of what the nodes and edges stand for.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Literal

import networkx as nx  # type: ignore[import-untyped]
import numpy as np
import streamlit as st
from numpy.typing import NDArray
from pyvis.network import Network

HEIGHT = 620
_WIDER = 1.2
_APART = 60.0
_ROUNDS = 80
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
Ends = tuple[tuple[str, str], ...]


def inks(theme: Literal["light", "dark"]) -> tuple[str, str, str]:
    """Colours of writing, of lines and of what they are drawn on."""
    return ("#e9e7e3", "#8b8f95", "#16181b") if theme == "dark" else ("#2b2e33", "#9aa0a6", "#ffffff")


def canvas() -> Network:
    """An empty picture of directed edges that lies still."""
    net = Network(height=f"{HEIGHT - 12}px", width="100%", directed=True, cdn_resources="in_line")
    net.templateEnv = _templates()
    net.bgcolor = "transparent"
    net.toggle_physics(False)
    return net


@cache
def _templates() -> Any:
    """pyvis's templates, compiled once instead of for every picture."""
    return Network(cdn_resources="in_line").templateEnv


def rendered(net: Network) -> str:
    """The picture as one HTML document that asks no host for anything."""
    net.set_options(
        '{"physics": {"enabled": false}, "interaction": {"hover": true},'
        ' "edges": {"arrows": {"to": {"scaleFactor": 0.5}}}}'
    )
    page = _HEADING.sub("", _REMOTE.sub("", net.generate_html(notebook=False)))
    page = page.replace("border: 1px solid lightgray", "border: 0")
    return page.replace("<head>", f"<!doctype html><head>{_POLICY}", 1)


@st.cache_data(show_spinner=False, max_entries=200)
def positions(nodes: tuple[str, ...], edges: Ends) -> dict[str, tuple[float, float]]:
    """A layout by stress (graph distance as distance on screen), the same for the same graph. Leaves of
    one node stand at three distances in turn, so that their names overlap less; parts that hang
    together are laid side by side, in as many rows as make a wide rectangle."""
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
        members = sorted(part)
        apart = nx.floyd_warshall_numpy(graph.subgraph(part), members, weight="weight")
        for node, (x, y) in zip(members, _by_stress(apart), strict=True):
            across = left + radius * _WIDER * (1 + float(x))
            placed[node] = (round(across, 1), round(top + radius * (1 + float(y)), 1))
        left += 2 * radius * _WIDER + _APART
        depth = max(depth, 2 * radius)
    return placed


def _by_stress(apart: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places, shape (n, 2), within -1 and 1, whose distances come near those asked for, the near ones
    before the far: stress majorization (Gansner, Koren and North, 2004), from a classical scaling. As good
    as Kamada and Kawai's layout in networkx, and ten times as fast (60 entities, 11 ms for 112)."""
    n = len(apart)
    if n == 1:
        return np.zeros((1, 2))
    centring = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centring @ apart**2 @ centring)
    places = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0.0))
    places = places + np.random.default_rng(0).normal(scale=0.01, size=(n, 2))  # twins begin at one place
    weights = 1.0 / (apart + np.eye(n)) ** 2 - np.eye(n)
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    for _ in range(_ROUNDS):
        gaps = np.linalg.norm(places[:, None] - places[None], axis=2)
        pull = weights * apart / np.maximum(gaps, 1e-9)
        places = inverse @ ((np.diag(pull.sum(axis=1)) - pull) @ places)
    places -= (places.max(axis=0) + places.min(axis=0)) / 2
    return np.asarray(places / max(float(np.abs(places).max()), 1e-9))
