"""What LightMem shows of its own steps: how sensory memory filled, and what each emptying let go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memcore.domain.models import StageTrace
from memcore.systems.drawings import BarPart, Bars, Drawing, Piece, Shown, Small, Table, read_traces
from memcore.systems.lightmem.sensory import SensoryTrace

BECAUSE = {
    "end": "nothing more was to come",
    "overflow": "the next message did not fit",
    "full": "it was full and no topic had ended",
}
EXPLAINED = (
    "Compressed messages gather here. When the next one does not fit, they are divided into topics: those "
    "that ended go on to short-term memory; the last one stays, for it may go on."
)


def sensory(traces: Sequence[StageTrace], shown: Shown) -> list[Drawing]:
    """A round per emptying, as bars and in words."""
    found = read_traces(traces, SensoryTrace)
    if not found:
        return []
    bars = Bars(
        tuple((f"round {n}", _bar(trace, shown.numbers)) for n, trace in enumerate(found, start=1)),
        found[0].capacity,
        "holds",
        "compressed tokens; a part is a message",
        "Tokens in sensory memory at each emptying, by message and topic",
    )
    head = ("round", "messages", "tokens", "emptied because", "went on", "stayed")
    rows = tuple(_round(n, trace, shown.numbers) for n, trace in enumerate(found, start=1))
    return [
        Drawing(
            "Sensory memory", (Small((EXPLAINED,)), bars, Table(head, rows, frozenset({0, 2}))), first=True
        )
    ]


def _bar(trace: SensoryTrace, numbers: Mapping[str, int]) -> tuple[BarPart, ...]:
    parts = []
    if trace.other_tokens:
        says = f"{trace.other_tokens:,} tokens of other sessions"
        parts.append(BarPart(trace.other_tokens, says, faint=True))
    topic = 0
    for at, (message_id, tokens) in enumerate(zip(trace.message_ids, trace.tokens, strict=True)):
        topic += at in trace.boundaries and at > 0
        stays = at >= trace.stayed
        fate = "stayed for the next round" if stays else f"topic {topic + 1} of this round"
        says = f"message {numbers.get(message_id, '?')}: {tokens:,} tokens, {fate}"
        parts.append(BarPart(tokens, says, None if stays else topic))
    return tuple(parts)


def _round(n: int, trace: SensoryTrace, numbers: Mapping[str, int]) -> tuple[tuple[Piece, ...], ...]:
    stayed = len(trace.message_ids) - trace.stayed
    went = sum(at < trace.stayed for at in {0, *trace.boundaries}) if trace.stayed else 0
    why = BECAUSE.get(trace.released_by, trace.released_by)
    if trace.released_by == "overflow":
        why += f" ({trace.next_tokens:,} tokens)"
    held: tuple[Piece, ...] = (f"{sum(trace.tokens) + trace.other_tokens:,} of {trace.capacity:,}",)
    if trace.other_tokens:
        held = (*held, Small((f"{trace.other_tokens:,} of other sessions",)))
    return (
        (str(n),),
        (_range([numbers[i] for i in trace.message_ids if i in numbers]),),
        held,
        (why,),
        ("1 topic" if went == 1 else f"{went:,} topics",),
        ("1 message" if stayed == 1 else f"{stayed:,} messages",),
    )


def _range(numbers: Sequence[int]) -> str:
    if not numbers:
        return "–"
    return str(numbers[0]) if len(numbers) == 1 else f"{min(numbers)} to {max(numbers)}"
