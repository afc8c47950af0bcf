"""A text with some of its characters marked, and a long one behind "Show all"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ui.shell.templates import render

CAP = 1_200
_AROUND = 240


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters `start:end` of a text, drawn inside `<tag class=css>`."""

    start: int
    end: int
    tag: str = "mark"
    css: str = ""
    title: str = ""


def block(text: str, cap: int = CAP) -> Markup:
    """A whole text; what exceeds `cap` characters waits behind "Show all".

    >>> block("<b>not bold</b>")
    Markup('&lt;b&gt;not bold&lt;/b&gt;')
    """
    return marked(text, (), cap)


def marked(text: str, marks: Iterable[Mark], cap: int = CAP) -> Markup:
    """A text with some characters marked. Beyond `cap` characters, the surroundings of the first mark are
    shown and the whole waits behind "Show all".

    >>> marked("to Lisbon", [Mark(3, 9)])
    Markup('to <mark>Lisbon</mark>')
    """
    ordered = sorted((m for m in marks if m.start < m.end), key=lambda m: (m.start, m.end))
    whole = _pieces(text, ordered, 0, len(text))
    if len(text) <= cap:
        return render("shell.pieces", parts=whole)
    start = max(0, ordered[0].start - _AROUND) if ordered else 0
    if start < cap // 2:
        start = 0
    end = min(len(text), max(start + cap, min(ordered[0].end + _AROUND, start + 2 * cap) if ordered else 0))
    return render(
        "shell.excerpt",
        before=start > 0,
        parts=_pieces(text, ordered, start, end),
        after=end < len(text),
        whole=whole,
        characters=len(text),
    )


def _pieces(text: str, marks: Sequence[Mark], start: int, end: int) -> list[tuple[str, Mark | None]]:
    pieces: list[tuple[str, Mark | None]] = []
    at = start
    for mark in marks:
        begin, stop = max(mark.start, at), min(mark.end, end)
        if begin < stop:
            pieces += [(text[at:begin], None), (text[begin:stop], mark)]
            at = stop
    return [*pieces, (text[at:end], None)]
