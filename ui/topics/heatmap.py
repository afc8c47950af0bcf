"""Turn attention as a heatmap: how much each turn attends to each turn before it (LightMem's M).

The sub-diagonal M[i, i-1] is outlined, its local maxima (B1) are filled. Plotly does not let one
click on a heatmap, so an invisible point lies on every cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memcore.domain.models import Message
from ui.components import charts
from ui.shell.text import charted, shorten

HIDDEN = {"marker": {"opacity": 0}}
CHARACTERS = 56
FIRST_ROWS = 5
"""Turns whose row spreads over fewer turns than this say little and would outshine the rest."""


def draw(
    matrix: Sequence[Sequence[float]],
    maxima: Sequence[int],
    messages: Sequence[Message],
    numbers: Mapping[str, int],
    *,
    dark: bool,
    key: str,
    clicked: Callable[[str], None],
) -> None:
    """M over `messages`, lower triangle; `clicked` gets the two turns' message ids, later first, with a
    space between."""
    count = len(messages)
    x = [numbers[message.id] for message in messages]
    cells = [(i, j) for i in range(1, count) for j in range(i)]
    brightest = max((matrix[i][j] for i, j in cells if i >= FIRST_ROWS), default=1.0)
    size = max(4, min(15, 250 // count))
    fig = charts.figure(430)
    fig.add_heatmap(
        x=x,
        y=x,
        z=[[matrix[i][j] if j < i else None for j in range(count)] for i in range(count)],
        zmin=0,
        zmax=brightest,
        colorscale=_scale("111,214,201" if dark else "31,111,104"),
        hoverinfo="skip",
        xgap=1,
        ygap=1,
        colorbar={"thickness": 8, "len": 0.42, "x": 0.97, "y": 0.98, "xanchor": "right", "yanchor": "top"},
    )
    for name, places, marker in (
        (
            "attention to the turn before, M[i, i−1]",
            range(1, count),
            {"color": "rgba(0,0,0,0)", "line": _edge(charts.QUIET, 1)},
        ),
        ("local maximum (B1)", maxima, {"color": charts.FIRED, "line": _edge(charts.FIRED, 1)}),
    ):
        fig.add_scatter(
            x=[x[i - 1] for i in places],
            y=[x[i] for i in places],
            mode="markers",
            name=name,
            marker={"symbol": "square", "size": size, **marker},
            hoverinfo="skip",
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 1}},
        )
    fig.add_scatter(
        x=[x[j] for _, j in cells],
        y=[x[i] for i, _ in cells],
        customdata=[f"{messages[i].id} {messages[j].id}" for i, j in cells],
        text=[_words(matrix[i][j], messages[i], messages[j], x[i], x[j]) for i, j in cells],
        mode="markers",
        marker={"opacity": 0, "size": size},
        selected=HIDDEN,
        unselected=HIDDEN,
        showlegend=False,
        hovertemplate="%{text}<extra></extra>",
    )
    edges = x[0] - 0.6, x[-1] + 0.6
    fig.update_xaxes(
        range=edges,
        title="to this turn",
        **charts.whole(count),
        showgrid=False,
        zeroline=False,
        constrain="domain",
    )
    fig.update_yaxes(
        title="from this turn",
        **charts.whole(count),
        showgrid=False,
        zeroline=False,
        range=edges[::-1],
        scaleanchor="x",
        constrain="domain",
    )
    charts.clickable(
        fig,
        key=key,
        clicked=clicked,
        alt="Attention of every turn to every turn before it, with the sub-diagonal and its local maxima",
    )


def _scale(rgb: str) -> list[tuple[float, str]]:
    """From see-through to solid: what is low fades into the page, light or dark."""
    return [(0.0, f"rgba({rgb},0.03)"), (0.4, f"rgba({rgb},0.45)"), (1.0, f"rgba({rgb},1)")]


def _edge(colour: str, width: int) -> dict[str, object]:
    return {"color": colour, "width": width}


def _words(value: float, later: Message, earlier: Message, i: int, j: int) -> str:
    said = "<br>".join(
        f"{n} {charted(m.speaker)}: {charted(shorten(m.text, CHARACTERS))}"
        for n, m in ((i, later), (j, earlier))
    )
    return f"<b>{value:.3f}</b> from turn {i} to turn {j}<br>{said}"
