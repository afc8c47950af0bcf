"""A word diff as HTML: signs as well as colours, hidden characters visible, unchanged runs folded."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.review.diff import DiffPart, fold
from ui.shell.text import count, safe


def diff_html(parts: Sequence[DiffPart]) -> str:
    """Deleted words struck with −, inserted ones with +; a fold opens on a click.

    >>> diff_html([DiffPart("equal", "a "), DiffPart("delete", "b"), DiffPart("insert", "<c>")])
    '<div class="ms-lead">a <del class="ms">b</del><ins class="ms">&lt;c&gt;</ins></div>'
    """
    return f'<div class="ms-lead">{"".join(_part(part) for part in fold(parts))}</div>'


def _part(part: DiffPart) -> str:
    text = safe(part.text)
    if part.op == "insert":
        return f'<ins class="ms">{text}</ins>'
    if part.op == "delete":
        return f'<del class="ms">{text}</del>'
    if part.folded:
        words = count(part.folded, "unchanged word")
        return f'<details class="ms-fold"><summary>{words}</summary>{text}</details>'
    return text
