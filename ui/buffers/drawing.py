"""What a system shows of its own steps (`memcore.systems.drawings`), as HTML and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch

from markupsafe import Markup

from memcore.domain.models import MemoryEntry
from memcore.systems.drawings import (
    Bars,
    Drawing,
    Explained,
    Failure,
    Label,
    Lines,
    Paragraph,
    Piece,
    Small,
    Table,
    ToMemory,
    Words,
)
from ui.components import charts, terms
from ui.components.evidence import tag
from ui.shell.marked import block
from ui.shell.templates import joined, render
from ui.shell.text import charted, shorten

CAP = 300
Named = Mapping[str, MemoryEntry]


def step(drawing: Drawing, named: Named) -> Markup:
    """A step in its part: its heading and what is below it. `named` are the memories it names by id."""
    return below(drawing.heading, pieces(drawing.pieces, named))


def below(title: str, body: Markup) -> Markup:
    """Something with its heading; nothing where there is nothing."""
    return render("buffers.step", title=title, body=body) if body else Markup()


def pieces(several: Sequence[Piece], named: Named) -> Markup:
    """Pieces one after the other."""
    return joined(_piece(one, named) for one in several)


def folded(rows: Sequence[Markup], shown: int) -> Markup:
    """The first rows; the others wait behind "Show more"."""
    if len(rows) <= shown + 1:
        return joined(rows)
    summary = f"Show {len(rows) - shown:,} more"
    return render("buffers.folded", first=joined(rows[:shown]), summary=summary, rest=joined(rows[shown:]))


def memory(memory_id: str, text: str) -> Markup:
    """A text that leads to the memory, and there to all the words it came from."""
    return render("buffers.memory", id=memory_id, text=shorten(text, CAP))


def bars(drawn: Bars, key: str) -> None:
    """Bars as a chart; the line is their limit."""
    fig = charts.figure(130 + 30 * len(drawn.bars), barmode="stack")
    for name, parts in drawn.bars:
        for part in parts:
            colour = charts.QUIET if part.shade is None else charts.COLOURS[part.shade % 2]
            fig.add_bar(
                y=[name],
                x=[part.size],
                orientation="h",
                showlegend=False,
                marker={"color": colour, "opacity": 0.35 if part.faint else 1.0, "line": {"width": 1}},
                hovertemplate=f"{charted(part.says)}<extra></extra>",
            )
    fig.add_vline(
        x=drawn.limit,
        line_dash="dash",
        line_width=1.5,
        line_color=charts.FIRED,
        annotation={"text": f"{drawn.limit_name} {drawn.limit:,}", "yanchor": "bottom", "xanchor": "center"},
    )
    fig.update_yaxes(autorange="reversed", title=None, type="category")
    fig.update_xaxes(title=drawn.axis, automargin=True)
    charts.show(fig, key=key, alt=drawn.in_words)


@singledispatch
def _piece(one: Piece, named: Named) -> Markup:
    raise TypeError(f"{type(one).__name__} cannot be drawn.")


@_piece.register
def _(one: str, named: Named) -> Markup:
    return render("buffers.plain", text=one)


@_piece.register
def _(one: Words, named: Named) -> Markup:
    return block(one.text, one.most)


@_piece.register
def _(one: Explained, named: Named) -> Markup:
    return terms.explained(one.text)


@_piece.register
def _(one: ToMemory, named: Named) -> Markup:
    text = one.text or (named[one.id].text if one.id in named else "")
    return memory(one.id, text) if text else render("buffers.plain", text=f"{one.id} (no longer stored)")


@_piece.register
def _(one: Label, named: Named) -> Markup:
    return tag(shorten(one.text), "strong" if one.strong else "")


@_piece.register
def _(one: Small, named: Named) -> Markup:
    return render("shell.meta", text=pieces(one.pieces, named))


@_piece.register
def _(one: Paragraph, named: Named) -> Markup:
    return render("shell.text", text=pieces(one.pieces, named))


@_piece.register
def _(one: Lines, named: Named) -> Markup:
    return folded([render("buffers.line", body=pieces(line, named)) for line in one.lines], one.shown)


@_piece.register
def _(one: Failure, named: Named) -> Markup:
    return render("shell.failed", text=block(one.text)) if one.text else Markup()


@_piece.register
def _(one: Table, named: Named) -> Markup:
    rows = [[pieces(cell, named) for cell in row] for row in one.rows]
    return render("buffers.table", head=one.head, rows=rows, numbers=one.numbers)
