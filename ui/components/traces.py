"""Stage traces out of the store, as the dataclasses their stages wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pydantic import TypeAdapter

from memcore.domain.extraction import ExtractionTrace
from memcore.domain.models import StageTrace
from memcore.stages.buffer import BufferTrace
from memcore.stages.compress import CompressionTrace, MessageCompression
from memcore.stages.segmentation.segment import SegmentationTrace
from memcore.systems.licomemory.dedupe_entities import DedupeTrace
from memcore.systems.licomemory.session_summary import SummaryVersion
from memcore.systems.lightmem.sensory import SensoryTrace
from memcore.systems.mem0.conversation_summary import SummaryTrace
from memcore.systems.mem0.update import UpdateTrace
from memcore.systems.mem0_graph.conflicts import ConflictTrace
from memcore.systems.mem0_graph.match_nodes import MatchTrace
from memcore.systems.simplemem.synthesize import SynthesisTrace

Trace = TypeVar("Trace")


def compression(traces: Sequence[StageTrace]) -> list[CompressionTrace]:
    """Oldest first: a session worked on in several steps has one trace for each."""
    return _read(traces, CompressionTrace)


def segmentation(traces: Sequence[StageTrace]) -> list[SegmentationTrace]:
    """As `compression`."""
    return _read(traces, SegmentationTrace)


def extraction(traces: Sequence[StageTrace]) -> list[ExtractionTrace]:
    """As `compression`."""
    return _read(traces, ExtractionTrace)


def sensory(traces: Sequence[StageTrace]) -> list[SensoryTrace]:
    """As `compression`; one for each emptying of the buffer."""
    return _read(traces, SensoryTrace)


def buffers(traces: Sequence[StageTrace]) -> list[BufferTrace]:
    """As `compression`."""
    return _read(traces, BufferTrace)


def synthesis(traces: Sequence[StageTrace]) -> list[SynthesisTrace]:
    """As `compression`."""
    return _read(traces, SynthesisTrace)


def updates(traces: Sequence[StageTrace]) -> list[UpdateTrace]:
    """As `compression`; one for each message pair (Mem0)."""
    return _read(traces, UpdateTrace)


def refreshes(traces: Sequence[StageTrace]) -> list[SummaryTrace]:
    """As `compression`; one for each refresh of the conversation summary S (Mem0)."""
    return _read(traces, SummaryTrace)


def matches(traces: Sequence[StageTrace]) -> list[MatchTrace]:
    """As `compression`; one for each message pair (Mem0-graph)."""
    return _read(traces, MatchTrace)


def conflicts(traces: Sequence[StageTrace]) -> list[ConflictTrace]:
    """As `compression`; one for each message pair (Mem0-graph)."""
    return _read(traces, ConflictTrace)


def dedupes(traces: Sequence[StageTrace]) -> list[DedupeTrace]:
    """As `compression`; one for each turn whose names were found equal to others (LiCoMemory)."""
    return _read(traces, DedupeTrace)


def versions(traces: Sequence[StageTrace]) -> list[SummaryVersion]:
    """As `compression`; the session summary after each turn (LiCoMemory)."""
    return _read(traces, SummaryVersion)


def by_message(traces: Sequence[CompressionTrace]) -> dict[str, MessageCompression]:
    """Message id → its newest compression."""
    return {row.message_id: row for trace in traces for row in trace.messages}


def _read(traces: Sequence[StageTrace], kind: type[Trace]) -> list[Trace]:
    adapter = TypeAdapter(kind)
    return [adapter.validate_python(trace.payload) for trace in traces]
