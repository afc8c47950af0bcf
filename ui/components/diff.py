"""A word diff: signs as well as colours, hidden characters visible, unchanged runs folded."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from memcore.review.diff import DiffPart, fold
from ui.shell.templates import render


def diff_html(parts: Sequence[DiffPart]) -> Markup:
    """Deleted words struck with −, inserted ones with +; a fold opens on a click.

    >>> print(diff_html([DiffPart("equal", "a "), DiffPart("delete", "b"), DiffPart("insert", "<c>")]))
    <div class="ms-lead">a <del class="ms">b</del><ins class="ms">&lt;c&gt;</ins></div>
    """
    return render("components.diff", parts=list(fold(parts)))
