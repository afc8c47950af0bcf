"""What the command line prints: one JSON document, or text and tables for a person.

Texts of logs and models are data here: they are never read as markup, control and direction
characters are made visible, and a text of several lines cannot look like lines of ours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO

import typer

from memcore.cli.streams import streams
from memcore.runtime.caller import environment

if TYPE_CHECKING:
    from rich.console import Console

Document = dict[str, Any]

UNLIMITED = 100_000
"""Columns of a table that goes to a file or another program: it is cut off nowhere."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a header: the first `left` columns to the left, the others to the right."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    lines: str | None = None
    """How it reads where no terminal draws it; None: as aligned columns."""


Block = str | Table
Show = Callable[[Document], Sequence[Block]]
"""How a document looks to a person."""


def write(document: Document, show: Show, *, as_json: bool) -> None:
    """Print a command's document, and exit with 1 if it is `failed` (which is not printed)."""
    if as_json:
        print_json(document)
    else:
        for block in show(document):
            print_block(block)
    if document.get("failed"):
        raise typer.Exit(1)


def spaced(parts: Iterable[Sequence[Block]]) -> list[Block]:
    """Parts with an empty line between them."""
    blocks: list[Block] = []
    for part in parts:
        blocks += [*([""] if blocks else []), *part]
    return blocks


def print_block(block: Block) -> None:
    """A text or table on stdout."""
    if isinstance(block, str):
        print(visible(block), file=streams().out)
    elif block.lines is not None and not streams().out.isatty():
        print(visible(block.lines), file=streams().out)
    else:
        _draw(block, console(streams().out))


def console(stream: TextIO) -> Console:
    """Where rich draws: in colour and as wide as the terminal, or plain and as wide as it takes."""
    from rich.console import Console

    on_terminal = stream.isatty()
    return Console(
        file=stream,
        force_terminal=on_terminal,
        width=None if on_terminal else UNLIMITED,
        markup=False,
        emoji=False,
        highlight=False,
        _environ=environment(),
    )


def _draw(block: Table, to: Console) -> None:
    from rich import box
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn = Drawn(
        box=box.SIMPLE_HEAD if to.is_terminal else None,
        pad_edge=False,
        padding=(0, 2, 0, 0) if not to.is_terminal else (0, 1),
        header_style="bold" if to.is_terminal else "",
    )
    for place, name in enumerate(block.header):
        drawn.add_column(
            Text(visible(name)), justify="left" if place < block.left else "right", overflow="fold"
        )
    for row in block.rows:
        drawn.add_row(*(Text(visible(cell)) for cell in row))
    to.print(drawn)


def plain_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns, the first to the left and the others to the right.

    >>> print(plain_table(["name", "f1"], [["every 4", "9.5"], ["[none]", "0"]]))
    name      f1
    every 4  9.5
    [none]     0
    """
    from io import StringIO

    written = StringIO()
    _draw(Table(header, rows), console(written))
    return written.getvalue().rstrip("\n")


def iso(moment: datetime | None) -> str | None:
    """ISO 8601, or None for an unknown time."""
    return moment.isoformat() if moment else None


def one_line(text: str) -> str:
    """A text of a log must not look like lines of ours."""
    return " ".join(text.split())


def visible(text: str) -> str:
    """Control and direction characters in logs must not drive the terminal."""
    return "".join(c if c.isprintable() or c in "\n\u00a0" else f"⟨U+{ord(c):04X}⟩" for c in text)


def tell(text: str) -> None:
    """A line on stderr, beside the document."""
    print(visible(text), file=streams().err)


def fail(cause: str, fix: str, *, as_json: bool) -> None:
    """An error's cause and fix on stderr, and as the document with `--json`."""
    tell(f"error: {cause}\nfix:   {fix}")
    if as_json:
        print_json({"error": cause, "fix": fix})


def jsonable(value: Any) -> Any:
    """Dataclasses, tuples and times as what JSON has."""
    if is_dataclass(value) and not isinstance(value, type):
        return jsonable(asdict(value))
    if isinstance(value, dict):
        return {key: jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    return iso(value) if isinstance(value, datetime) else value


def print_json(document: Document) -> None:
    """The one document on stdout."""
    shown = {key: value for key, value in document.items() if key != "failed"}
    print(json.dumps(jsonable(shown), ensure_ascii=True), file=streams().out)
