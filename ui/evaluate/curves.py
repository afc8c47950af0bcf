"""An evaluation's curves: recall against the tokens delivered, as a figure, a table and a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
import streamlit as st

from memcore.evaluation.retrieval_result import CurvePoint, token_curve
from memcore.exporting.csv_file import csv_file
from memcore.systems.registry import title
from ui.components import charts
from ui.evaluate.evaluation import Evaluation
from ui.evaluate.result import BASELINES, categories
from ui.shell import params
from ui.shell.templates import render, show
from ui.shell.text import charted

_LINES: Mapping[str, tuple[str, str, str]] = {
    "bm25": ("#c98a1b", "dash", "square"),
    "dense": ("#6a5acd", "dot", "diamond"),
    "z-sum": ("#b5562f", "dashdot", "triangle-up"),
    "random": (charts.QUIET, "dot", "x"),
    "oracle": (charts.QUIET, "solid", "star"),
}
_DASHES = ("solid", "dash", "dot", "dashdot")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star")


def draw(found: Evaluation) -> None:
    """Recall against the tokens delivered, of all systems or of the recipe by category, also as a table."""
    st.header("Recall against tokens delivered", anchor=False)
    titles = categories(found.result)
    options = {
        "all": f"All questions ({len(found.result.questions):,}), by system",
        "categories": f"{title(found.result.recipe)}, by category",
        **{f"category {name}": f"{title}, by system" for name, title in titles.items()},
    }
    chosen = params.choose("Curves", options, "curve", must=True, width=420) or "all"
    lines = _lines(found, chosen)
    charts.show(
        _figure(found, lines, chosen == "categories"),
        key="token_curve",
        alt=f"Recall against tokens delivered: {options[chosen]}. The same numbers are in the table below.",
    )
    rows = [
        (name, point.budget, round(point.tokens), round(point.recall, 1))
        for name, points in lines.items()
        for point in points
    ]
    header = ("line", "budget in tokens", "tokens delivered", "recall in %")
    with st.expander("The curves as a table"):
        figures = [
            (name, (f"{budget:,}", f"{tokens:,}", f"{recall:.1f}")) for name, budget, tokens, recall in rows
        ]
        table = render("shell.figures_table", first=header[0], heads=header[1:], rows=figures)
        show(render("shell.scroll", content=table))
    st.download_button(
        "Download the curves as CSV",
        csv_file(header, rows),
        "recall_at_tokens.csv",
        "text/csv",
        key="download_curves",
        on_click="ignore",
    )


def _lines(found: Evaluation, chosen: str) -> dict[str, tuple[CurvePoint, ...]]:
    """Points by the name of their line."""
    result = found.result
    if chosen == "categories":
        titles = categories(result)
        return {titles[name]: token_curve(result, None, of) for name, of in result.categories().items()}
    questions = result.questions if chosen == "all" else result.categories()[chosen.partition(" ")[2]]
    return {title(result.recipe): token_curve(result, None, questions)} | {
        BASELINES[system]: token_curve(result, system, questions) for system in result.baselines
    }


def _figure(found: Evaluation, lines: Mapping[str, Sequence[CurvePoint]], by_category: bool) -> go.Figure:
    fig = charts.figure(400)
    for place, (name, points) in enumerate(lines.items()):
        if by_category:
            style = (charts.COLOURS[place % 6], _DASHES[place % 4], _SYMBOLS[place % 6])
        elif place == 0:
            style = (charts.COLOURS[0], "solid", "circle")
        else:
            style = _LINES[found.result.baselines[place - 1]]
        colour, dash, symbol = style
        main = by_category or place == 0
        fig.add_scatter(
            x=[point.tokens for point in points],
            y=[point.recall for point in points],
            customdata=[point.budget for point in points],
            name=charted(name),
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 3 if main else 1.6},
            marker={"symbol": symbol, "size": 8 if main else 6},
            hovertemplate=f"{charted(name)}: %{{y:.1f}} % in %{{x:,.0f}} tokens (budget %{{customdata:,}})"
            "<extra></extra>",
        )
    over = found.result.yardstick.tokens_over
    fig.update_xaxes(title="tokens delivered, mean", rangemode="tozero", tickformat=",d")
    fig.update_yaxes(title=f"evidence {over} delivered, %", range=[0, 104])
    return fig
