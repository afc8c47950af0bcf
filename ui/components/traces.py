"""Stage traces out of the store, as the dataclasses their stages wrote."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.extraction import ExtractionTrace
from memcore.domain.models import StageTrace
from memcore.stages.buffer import BufferTrace
from memcore.stages.compress import CompressionTrace, MessageCompression
from memcore.stages.segmentation.trace import SegmentationTrace
from memcore.systems.drawings import read_traces


def compression(traces: Sequence[StageTrace]) -> list[CompressionTrace]:
    """Oldest first: a session worked on in several steps has one trace for each."""
    return read_traces(traces, CompressionTrace)


def segmentation(traces: Sequence[StageTrace]) -> list[SegmentationTrace]:
    """As `compression`."""
    return read_traces(traces, SegmentationTrace)


def extraction(traces: Sequence[StageTrace]) -> list[ExtractionTrace]:
    """As `compression`."""
    return read_traces(traces, ExtractionTrace)


def buffers(traces: Sequence[StageTrace]) -> list[BufferTrace]:
    """As `compression`."""
    return read_traces(traces, BufferTrace)


def by_message(traces: Sequence[CompressionTrace]) -> dict[str, MessageCompression]:
    """Message id → its newest compression."""
    return {row.message_id: row for trace in traces for row in trace.messages}
