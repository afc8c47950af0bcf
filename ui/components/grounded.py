"""Whether the words that something cites carry it, as the core says: a label, and the reasons as text."""

from __future__ import annotations

from markupsafe import Markup

from memcore.inspection.grounding import Verdict
from ui.shell.marked import block
from ui.shell.templates import render

_REASONS, _LENGTH = 4, 300


def tag(told: Verdict) -> tuple[str, str]:
    """The label, and how it looks: only what is doubtful stands out."""
    return told.label, "warn" if told.doubtful else ""


def reasons(told: Verdict) -> Markup:
    """The first reasons, one under the other; nothing where there are none."""
    shown = [block(reason, _LENGTH) for reason in told.reasons[:_REASONS]]
    return render("components.reasons", reasons=shown, beyond=len(told.reasons) - len(shown))
