"""What LiCoMemory shows of its own steps: names found equal, and the summary as each turn left it."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.models import StageTrace
from memcore.systems.drawings import (
    Drawing,
    Label,
    Paragraph,
    Piece,
    Shown,
    Small,
    Table,
    Words,
    read_traces,
)
from memcore.systems.licomemory.dedupe_entities import DedupeTrace
from memcore.systems.licomemory.session_summary import SummaryVersion


def dedupes(traces: Sequence[StageTrace], shown: Shown) -> list[Drawing]:
    """Which names are an entity's already."""
    return [Drawing("Found equal", _equal(one), one.segment_id) for one in read_traces(traces, DedupeTrace)]


def versions(traces: Sequence[StageTrace], shown: Shown) -> list[Drawing]:
    """The session's summary after each turn."""
    return [
        Drawing("Summary after this turn", _version(one), one.segment_id)
        for one in read_traces(traces, SummaryVersion)
    ]


def _equal(trace: DedupeTrace) -> tuple[Piece, ...]:
    rows = tuple(
        ((Words(o.name),), (o.type,), (Words(o.entity),), (f"{o.overlap:.0%}",)) for o in trace.equal
    )
    names = "1 name" if trace.names == 1 else f"{trace.names:,} names"
    table = Table(("name", "type", "is the entity", "words shared"), rows, frozenset({3}))
    return table, Small((f"{len(trace.equal):,} of {names}",))


def _version(trace: SummaryVersion) -> tuple[Piece, ...]:
    text: Piece = Paragraph((Words(trace.text, 600),)) if trace.text else Small(("no summary",))
    labels = tuple(Label(word) for word in (*trace.themes, *trace.keywords))
    return text, Small((*labels, f" by {trace.made_by}"))
