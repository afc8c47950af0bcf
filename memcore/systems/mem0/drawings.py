"""What Mem0 shows of its own steps: the update of each message pair, and the summary S."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.models import StageTrace
from memcore.systems.drawings import (
    Drawing,
    Failure,
    Label,
    Lines,
    Paragraph,
    Piece,
    Shown,
    Small,
    Table,
    ToMemory,
    Words,
    read_traces,
)
from memcore.systems.mem0.conversation_summary import SummaryTrace
from memcore.systems.mem0.update import TracedVerdict, UpdateTrace


def updates(traces: Sequence[StageTrace], shown: Shown) -> list[Drawing]:
    """What was decided about each candidate fact."""
    return [
        Drawing("Update", (_decisions(one), Failure(one.error)), one.segment_id)
        for one in read_traces(traces, UpdateTrace)
    ]


def refreshes(traces: Sequence[StageTrace], shown: Shown) -> list[Drawing]:
    """S as each refresh left it, where that was taken over."""
    return [
        Drawing(
            "Summary S from here on",
            (*_text(one), Small((_told(one, shown),)), Failure(one.error)),
            one.taken_over_after,
            late=True,
        )
        for one in read_traces(traces, SummaryTrace)
    ]


def _decisions(trace: UpdateTrace) -> Piece:
    if not trace.decisions:
        return Small(("no candidate fact",))
    head = ("operation", "fact", "about", "compared with", "why")
    return Table(head, tuple(_decision(one) for one in trace.decisions))


def _decision(one: TracedVerdict) -> tuple[tuple[Piece, ...], ...]:
    compared = tuple((f"{c.score:.2f} ", ToMemory(c.memory_id)) for c in one.compared)
    return (
        (Label(one.operation, strong=True),),
        (Words(one.fact),),
        (ToMemory(one.memory_id) if one.memory_id else "none",),
        (Lines(compared) if compared else "none",),
        (Words(one.reason), Small((one.made_by,))),
    )


def _text(trace: SummaryTrace) -> tuple[Piece, ...]:
    return (Paragraph((Words(trace.text, 600),)),) if trace.text else ()


def _told(trace: SummaryTrace, shown: Shown) -> str:
    when = ""
    if trace.taken_over_after not in shown.segment_ids:
        when = ", after a part that is not here" if trace.taken_over_after else ", at the end"
    pairs = "1 pair" if len(trace.added) == 1 else f"{len(trace.added):,} pairs"
    return f"{pairs} {'not added' if trace.error else 'added'}{when}; by {trace.made_by}"
