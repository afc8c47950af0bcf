"""SimpleMem's online synthesis on screen: what was merged into what, what waits, what was refused and why."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.systems.simplemem.synthesize import Fragment, SynthesisRow, SynthesisTrace
from ui.shell import links
from ui.shell.marked import block
from ui.shell.text import count, safe

OUTCOMES = {"merged": "merged", "proposed": "waits for you", "refused": "refused"}


def summary(traces: Sequence[SynthesisTrace]) -> str:
    """Each round in a line: how many units there were, how many were near each other, how many are left."""
    lines = [
        f"{count(trace.before, 'new unit')}, {trace.related:,} near others (cosine {trace.threshold:.2f}), "
        f"{trace.after:,} kept; merges by {safe(trace.made_by)}."
        for trace in traces
    ]
    notes = [safe(note) for trace in traces for note in trace.notes]
    return "".join(f'<div class="ms-meta">{line}</div>' for line in (*lines, *notes))


def table(traces: Sequence[SynthesisTrace]) -> str:
    """Every merge: its outcome, its parts, the one text for them, and why."""
    rows = "".join(
        f"<tr><td>{OUTCOMES[row.outcome]}</td><td>{'<br>'.join(map(_fragment, row.fragments))}</td>"
        f"<td>{_became(row)}</td>"
        f'<td>{block(row.reason, 300)}<div class="ms-meta">{safe(row.made_by)}</div></td></tr>'
        for trace in traces
        for row in trace.rows
    )
    head = "<tr><th>outcome</th><th>parts</th><th>one text for them</th><th>why</th></tr>"
    return f'<table class="ms">{head}{rows}</table>'


def _fragment(fragment: Fragment) -> str:
    if not fragment.stored:
        return block(fragment.text, 300)
    return f'{_memory(fragment.id, fragment.text)} <span class="ms-meta">stored before</span>'


def _became(row: SynthesisRow) -> str:
    return _memory(row.unit, row.text) if row.unit else block(row.text, 300)


def _memory(memory_id: str, text: str) -> str:
    """A text that leads to the memory, and there to all the words it came from."""
    return f'<a href="{links.href("Memories", memory=memory_id)}" target="_self">{block(text, 300)}</a>'
