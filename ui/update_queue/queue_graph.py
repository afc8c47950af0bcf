"""Update queues as a graph: from each target to the members of its queue, as wide as they are similar.

The same rows as a table stand below it. Draws what it is given, up to a number of memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import networkx as nx  # type: ignore[import-untyped]
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from memcore.domain.models import MemoryEntry
from memcore.inspection.update_queue import QueueRow
from memcore.review.cycles import Cycle
from memcore.review.diff import show_hidden
from ui.components import network
from ui.shell import templates
from ui.shell.text import count, day, shorten
from ui.update_queue.update_queue import ACTIONS, COLOURS

MOST_MEMORIES = 40
CIRCLE = "#d8362f"
_LABEL = 80
_WIDTH, _COLUMN, _ROW = 400, 680, 68


def draw(rows: Sequence[QueueRow], cycles: Sequence[Cycle], hidden: int) -> None:
    """The picture and its table; `hidden` queues more match than were handed over."""
    shown = within_cap(rows)
    theme: Literal["light", "dark"] = "dark" if st.context.theme.type == "dark" else "light"
    st.iframe(
        document(shown, cycles, theme),
        height=network.HEIGHT,
        alt=f"Graph of {len(shown)} update queues, as in the table below",
    )
    left_out = hidden + len(rows) - len(shown)
    colours = [
        (colour, ACTIONS[action])
        for action, colour in COLOURS.items()
        if any(row.decision.action == action for row in shown)
    ]
    more = f"; not drawn: {count(left_out, 'further queue')}, filter to see them" if left_out else ""
    templates.draw(
        "update_queue.legend",
        text=f"{count(len(shown), 'queue')}{more}. An arrow leads from a target to a member of its queue, as "
        "wide as they are similar; faint: not decisive.",
        colours=colours,
        circle=CIRCLE if cycles else "",
    )
    table(shown)


def within_cap(rows: Sequence[QueueRow]) -> list[QueueRow]:
    """The first queues that together have at most `MOST_MEMORIES` memories (at least one queue)."""
    shown: list[QueueRow] = []
    seen: set[str] = set()
    for row in rows:
        seen |= {row.target.id, *(memory.id for memory, _ in row.candidates)}
        if shown and len(seen) > MOST_MEMORIES:
            break
        shown.append(row)
    return shown


def document(rows: Sequence[QueueRow], cycles: Sequence[Cycle], theme: Literal["light", "dark"]) -> str:
    """The picture as one HTML document that asks no host for anything."""
    ink, line, paper = network.inks(theme)
    inside = {(step.target, other) for cycle in cycles for step in cycle.steps for other in step.to}
    circling = {memory_id for pair in inside for memory_id in pair}
    memories = {m.id: m for row in rows for m in (row.target, *(m for m, _ in row.candidates))}
    edges = tuple((row.target.id, memory.id) for row in rows for memory, _ in row.candidates)
    places = layered(tuple(memories), edges)
    actions = {row.target.id: row.decision.action for row in rows}
    net = network.canvas()
    for memory in memories.values():
        x, y = places[memory.id]
        node = _node(memory, actions.get(memory.id), memory.id in circling, ink, line, paper)
        net.add_node(memory.id, **node, x=x, y=y)
    for row in rows:
        for memory, score in row.candidates:
            pair = (row.target.id, memory.id)
            beside = places[row.target.id][0] == places[memory.id][0]
            net.add_edge(*pair, **_edge(row, memory.id, score, pair in inside, beside, ink))
    return network.rendered(net)


@st.cache_data(show_spinner=False, max_entries=200)
def layered(nodes: tuple[str, ...], edges: network.Ends) -> dict[str, tuple[float, float]]:
    """Places in columns from left to right: a member stands right of every target it is compared with
    (those of one circle of arrows in one column), as near as may be to the height of its targets."""
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(nodes)
    circles = nx.condensation(graph)
    column: dict[int, int] = {}
    for part in nx.topological_sort(circles):
        column[part] = max((column[before] + 1 for before in circles.predecessors(part)), default=0)
    columns: dict[int, list[str]] = {}
    for node in nodes:
        columns.setdefault(column[circles.graph["mapping"][node]], []).append(node)
    height: dict[str, float] = {}
    for number in sorted(columns):
        wanted = {
            node: sum(known) / len(known)
            if (known := [height[t] for t in graph.predecessors(node) if t in height])
            else float(place)
            for place, node in enumerate(columns[number])
        }
        ordered = sorted(columns[number], key=lambda node: (wanted[node], node))
        middle = sum(wanted.values()) / len(wanted)
        for place, node in enumerate(ordered):
            height[node] = middle + place - (len(ordered) - 1) / 2
    return {
        node: (number * _COLUMN, round(height[node] * _ROW, 1))
        for number, members in columns.items()
        for node in members
    }


def table(rows: Sequence[QueueRow]) -> None:
    """The drawn queues, one line an arrow."""
    lines = [(row, memory, score) for row in rows for memory, score in row.candidates]
    st.dataframe(
        pd.DataFrame(
            {
                "target": [show_hidden(row.target.text) for row, _, _ in lines],
                "decision": [ACTIONS.get(row.decision.action, row.decision.action) for row, _, _ in lines],
                "compared with": [show_hidden(memory.text) for _, memory, _ in lines],
                "similarity": [round(score, 3) for _, _, score in lines],
                "decisive": [memory.id in row.decision.against for row, memory, _ in lines],
                "said": [day(memory.mentioned_at) for _, memory, _ in lines],
                "proposal": [
                    f"/Review?proposal={row.decision.proposal}" if row.decision.proposal else None
                    for row, _, _ in lines
                ],
            }
        ),
        hide_index=True,
        width="stretch",
        key="queue_rows",
        column_config={"proposal": st.column_config.LinkColumn("proposal", display_text="open")},
    )


def _node(
    memory: MemoryEntry, action: str | None, circling: bool, ink: str, line: str, paper: str
) -> dict[str, object]:
    colour = COLOURS[action] if action else line
    return {
        "label": shorten(show_hidden(memory.text), _LABEL),
        "shape": "box",
        "margin": 8,
        "widthConstraint": {"minimum": 60, "maximum": _WIDTH},
        "color": {
            "background": _tinted(paper, colour, 0.22 if action else 0.06),
            "border": CIRCLE if circling else colour,
        },
        "borderWidth": 3 if circling else 2 if action else 1,
        "font": {"color": ink, "size": 17, "align": "left"},
    }


def _tinted(paper: str, colour: str, share: float) -> str:
    """Paper with a share of a colour, opaque: arrows end under the box."""
    mixed = (
        round(int(paper[i : i + 2], 16) * (1 - share) + int(colour[i : i + 2], 16) * share) for i in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _edge(
    row: QueueRow, memory_id: str, score: float, circling: bool, beside: bool, ink: str
) -> dict[str, object]:
    decisive = memory_id in row.decision.against
    bend: dict[str, object] = {"type": "cubicBezier", "forceDirection": "horizontal", "roundness": 0.35}
    return {
        "label": f"{score:.2f}",
        "color": {
            "color": CIRCLE if circling else COLOURS[row.decision.action],
            "opacity": 0.95 if decisive or circling else 0.4,
        },
        "width": 1 + 9 * max(0.0, score - 0.4) + (2 if circling else 0),
        "smooth": {"type": "curvedCW", "roundness": 0.6} if beside else bend,
        "font": {"color": ink, "size": 14, "strokeWidth": 0, "align": "middle"},
    }
