"""What SimpleMem shows of its own steps: online synthesis, what was merged, what waits, what was refused."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.models import StageTrace
from memcore.systems.drawings import (
    Drawing,
    Explained,
    Lines,
    Piece,
    Shown,
    Small,
    Table,
    ToMemory,
    Words,
    read_traces,
)
from memcore.systems.simplemem.synthesize import Fragment, SynthesisRow, SynthesisTrace

OUTCOMES = {"merged": "merged", "proposed": "waits for you", "refused": "refused"}
EXPLAINED = (
    "Units of one session that tell of one thing become one before they are stored. A merge with a unit "
    "stored before waits for a person."
)


def synthesis(traces: Sequence[StageTrace], shown: Shown) -> list[Drawing]:
    """All rounds of a session together."""
    found = read_traces(traces, SynthesisTrace)
    if not found:
        return []
    rows = tuple(_merge(row) for trace in found for row in trace.rows)
    table = Table(("outcome", "parts", "one text for them", "why"), rows)
    notes = (note for trace in found for note in trace.notes)
    small = tuple(Small((Explained(line),)) for line in (EXPLAINED, *map(_round, found), *notes))
    return [
        Drawing(
            "Synthesis",
            (*small, *((table,) if rows else ())),
            waits=any(row.outcome == "proposed" for trace in found for row in trace.rows),
        )
    ]


def _round(trace: SynthesisTrace) -> str:
    units = "1 new unit" if trace.before == 1 else f"{trace.before:,} new units"
    return (
        f"{units}, {trace.related:,} near others (cosine {trace.threshold:.2f}), {trace.after:,} kept; "
        f"merges by {trace.made_by}."
    )


def _merge(row: SynthesisRow) -> tuple[tuple[Piece, ...], ...]:
    fragments = tuple(_fragment(fragment) for fragment in row.fragments)
    became: Piece = ToMemory(row.unit, row.text) if row.unit else Words(row.text)
    return (
        (OUTCOMES[row.outcome],),
        (Lines(fragments, shown=len(fragments)),),
        (became,),
        (Words(row.reason), Small((row.made_by,))),
    )


def _fragment(fragment: Fragment) -> tuple[Piece, ...]:
    if not fragment.stored:
        return (Words(fragment.text),)
    return ToMemory(fragment.id, fragment.text), Small(("stored before",))
