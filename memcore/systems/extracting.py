"""From released buffers to what was read in them: the step that LightMem and memscope share.

One extraction a buffer, side by side. A buffer that spans sessions leaves its traces with each of them.
It knows no rule for filling buffers and stores nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, ReadsAhead, ReadsMuch
from memcore.stages.buffer import buffer_trace
from memcore.systems.steps import SPOKEN, Step, Tools, Tracer

Extracted = tuple[Buffer, Extraction]
"""A buffer that was read, its segments labelled where the extractor gave labels, and all it yielded."""


def extract(
    buffers: Sequence[Buffer], tools: Tools, tracer: Tracer
) -> tuple[tuple[Extracted, ...], tuple[str, ...]]:
    """The buffers that could be read, and the errors of those that could not: their messages stay
    unprocessed."""
    for session_id in dict.fromkeys(i for buffer in buffers for i in buffer.session_ids):
        tracer.add("buffer", session_id, buffer_trace(session_id, buffers, tools.buffer_tokens))
    with tracer.timing("extract"):
        results = tools.extractor.extract(buffers)
    for buffer, (_, trace) in zip(buffers, results, strict=True):
        for session_id in buffer.session_ids:
            tracer.add("extract", session_id, _share(trace, session_id, buffer))
    extracted = tuple(
        (_labelled(buffer, extraction.topics), extraction)
        for buffer, (extraction, trace) in zip(buffers, results, strict=True)
        if not trace.error
    )
    return extracted, tuple(trace.error for _, trace in results if trace.error)


def begin(step: Step, tools: Tools) -> None:
    """Let the extractor prepare for what a run will read, and read ahead in a run of one step. Beside a
    second step it would only take the core that this one computes on."""
    extractor = tools.extractor
    if step.position > 0:
        return
    if isinstance(extractor, ReadsMuch):
        extractor.expect(step.run_messages)
    if step.last and isinstance(extractor, ReadsAhead):
        extractor.begin(
            [
                Buffer(part.session.id, (), said, before=part.before, people=part.people)
                for part in step.parts
                if (said := tuple(m for m in part.messages if m.role in SPOKEN))
            ]
        )


def _labelled(buffer: Buffer, topics: Mapping[str, str]) -> Buffer:
    return replace(buffer, segments=tuple(replace(s, topic=topics.get(s.id, "")) for s in buffer.segments))


def _share(trace: ExtractionTrace, session_id: str, buffer: Buffer) -> ExtractionTrace:
    """A buffer's trace for one of its sessions: its own rows; error, notes and time are the buffer's."""
    own = {message.id for message in buffer.messages if message.session_id == session_id}
    rows = tuple(row for row in trace.skipped if row.message_id in own)
    return replace(trace, session_id=session_id, skipped=rows)
