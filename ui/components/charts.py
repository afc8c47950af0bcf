"""Plotly figures, in one quiet style that follows Streamlit's theme. They draw numbers given to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

COLOURS = ("#2a7f78", "#c98a1b", "#6a5acd", "#b5562f", "#5f6b7a", "#9a4f7a")
PATTERNS = ("", "/", "x", ".")
"""What tells the second six parts of a bar from the first, and so on."""
QUIET = "#8a8f94"
FIRED = "#c8643a"
CONFIG: dict[str, Any] = {"displayModeBar": False, "displaylogo": False, "scrollZoom": False}


def figure(height: int, **layout: Any) -> go.Figure:
    """An empty figure with our margins and legend."""
    fig = go.Figure()
    fig.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 28, "b": 8},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        bargap=0.25,
        hoverlabel={"align": "left"},
        **layout,
    )
    return fig


def show(fig: go.Figure, *, key: str, alt: str, select: bool = False) -> list[int]:
    """Draw it; with `select`, the points a person clicked (by index)."""
    if not select:
        st.plotly_chart(fig, key=key, config=CONFIG, alt=alt)
        return []
    state: Any = st.plotly_chart(
        fig, key=key, config=CONFIG, alt=alt, on_select="rerun", selection_mode="points"
    )
    return [int(point["point_index"]) for point in state["selection"]["points"]]


def whole(number: int) -> dict[str, Any]:
    """The ticks of an axis that counts `number` things one by one; Plotly alone halves the steps of few."""
    return {"tickformat": "d", "dtick": 1 if number <= 10 else None}


def stacked(rows: Sequence[str], parts: Sequence[Mapping[str, float]], *, height: int) -> go.Figure:
    """Horizontal stacked bars, first row on top: one bar a row, one colour and pattern a part. Plotly reads
    some HTML in labels, so `rows` must have been through `safe`."""
    fig = figure(height, barmode="relative")
    names = list(dict.fromkeys(name for part in parts for name in part))
    for place, name in enumerate(names):
        fig.add_bar(
            y=list(rows),
            x=[part.get(name, 0.0) for part in parts],
            name=name,
            orientation="h",
            marker_color=COLOURS[place % len(COLOURS)],
            marker_pattern_shape=PATTERNS[place // len(COLOURS) % len(PATTERNS)],
            hovertemplate=f"{name}: %{{x:.3f}}<extra></extra>",
        )
    fig.update_yaxes(autorange="reversed", title=None, type="category")
    fig.update_xaxes(title=None)
    return fig


def clickable(fig: go.Figure, *, key: str, alt: str, clicked: Callable[[str], None]) -> None:
    """Draw it; a click on a point hands its `customdata` to `clicked`, before the page draws again."""

    def changed() -> None:
        if points := st.session_state[key]["selection"]["points"]:
            clicked(str(points[0]["customdata"]))

    st.plotly_chart(fig, key=key, config=CONFIG, alt=alt, on_select=changed, selection_mode="points")
