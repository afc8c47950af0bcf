"""SimpleMem's online synthesis on screen: what was merged into what, what waits, what was refused and why."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from memcore.systems.simplemem.synthesize import SynthesisRow, SynthesisTrace
from ui.shell import links
from ui.shell.marked import block
from ui.shell.templates import render
from ui.shell.text import count

OUTCOMES = {"merged": "merged", "proposed": "waits for you", "refused": "refused"}


def summary(traces: Sequence[SynthesisTrace]) -> list[str]:
    """Each round in a line: how many units there were, how many were near each other, how many are left."""
    lines = [
        f"{count(trace.before, 'new unit')}, {trace.related:,} near others (cosine {trace.threshold:.2f}), "
        f"{trace.after:,} kept; merges by {trace.made_by}."
        for trace in traces
    ]
    return [*lines, *(note for trace in traces for note in trace.notes)]


def table(traces: Sequence[SynthesisTrace]) -> Markup:
    """Every merge: its outcome, its parts, the one text for them, and why."""
    rows = [
        (OUTCOMES[row.outcome], _fragments(row), _became(row), _why(row))
        for trace in traces
        for row in trace.rows
    ]
    return render("shell.table", heads=("outcome", "parts", "one text for them", "why"), rows=rows)


def _fragments(row: SynthesisRow) -> Markup:
    rows = [
        (_memory(one.id, one.text) if one.stored else block(one.text, 300), one.stored)
        for one in row.fragments
    ]
    return render("buffers.fragments", rows=rows)


def _became(row: SynthesisRow) -> Markup:
    return _memory(row.unit, row.text) if row.unit else block(row.text, 300)


def _why(row: SynthesisRow) -> Markup:
    return render("buffers.with_small", text=block(row.reason, 300), small=row.made_by)


def _memory(memory_id: str, text: str) -> Markup:
    """A text that leads to the memory, and there to all the words it came from."""
    return render("buffers.memory", link=links.href("Memories", memory=memory_id), text=block(text, 300))
