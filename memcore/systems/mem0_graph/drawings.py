"""What Mem0-graph shows of its own steps: node matching and conflicts of each message pair."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.models import StageTrace
from memcore.systems.drawings import (
    Drawing,
    Failure,
    Lines,
    Piece,
    Shown,
    Small,
    Table,
    ToMemory,
    Words,
    read_traces,
)
from memcore.systems.mem0_graph.conflicts import ConflictTrace
from memcore.systems.mem0_graph.match_nodes import EndTrace, MatchTrace

CREATED = {"both": "both nodes are new", "one": "one node is new", "none": "both nodes were known"}


def matches(traces: Sequence[StageTrace], shown: Shown) -> list[Drawing]:
    """Which nodes the ends of each relation stand for."""
    return [
        Drawing(f"Node matching (t = {one.threshold:g})", (_relations(one),), one.segment_id)
        for one in read_traces(traces, MatchTrace)
    ]


def conflicts(traces: Sequence[StageTrace], shown: Shown) -> list[Drawing]:
    """Which relations a new one makes obsolete."""
    return [
        Drawing("Conflicts", _resolved(one), one.segment_id) for one in read_traces(traces, ConflictTrace)
    ]


def _relations(trace: MatchTrace) -> Piece:
    if not trace.relations:
        return Small(("no relation",))
    return Table(
        ("subject", "relation", "object", "created"),
        tuple(
            (_end(one.subject), (Words(one.relation),), _end(one.object), (CREATED[one.created],))
            for one in trace.relations
        ),
    )


def _end(end: EndTrace) -> tuple[Piece, ...]:
    if end.created:
        how = "new node"
    elif end.similarity is None:
        how = f"found by name: {end.node}"
    else:
        how = f"found at {end.similarity:.2f}: {end.node}"
    apart = tuple((f"kept apart from {o.node} ({o.similarity:.2f}): {o.reason}",) for o in end.apart)
    return Words(end.name), Small((how, Lines(apart)))


def _resolved(trace: ConflictTrace) -> tuple[Piece, ...]:
    rows = tuple(
        ((ToMemory(o.memory),), (ToMemory(o.because_of),), (f"{o.similarity:.2f}",), (Words(o.reason),))
        for o in trace.obsolete
    )
    table = Table(("obsolete", "because of", "cosine", "why"), rows, frozenset({2}))
    pairs = "1 pair" if trace.compared == 1 else f"{trace.compared:,} pairs"
    told = f"{pairs} of relations compared, {len(trace.obsolete):,} obsolete; by {trace.made_by}"
    notes = tuple(Small((Words(note),)) for note in trace.notes)
    return (*((table,) if rows else ()), Small((told,)), *notes, Failure(trace.error))
