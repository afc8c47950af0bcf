"""Short-term memory: topic segments queue until they hold `th` tokens, then go to one extraction.

LightMem section 3.2: the queue holds {topic, turns}; passing the threshold triggers one call that
extracts from everything queued. Larger thresholds mean fewer calls and more context per call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memcore.models import Message, Segment
from memcore.stages.facts import TopicBuffer

CONTEXT_MESSAGES = 3


@dataclass(frozen=True, slots=True)
class BufferTrace:
    """What filled each buffer (segment ids and compressed tokens) and why it was released:
    `threshold` (it passed th) or `end` (nothing more to come)."""

    session_id: str
    threshold: int
    segments: tuple[tuple[str, ...], ...]
    tokens: tuple[int, ...]
    released_by: tuple[str, ...]


def fill_buffers(
    session_id: str,
    segments: Sequence[Segment],
    messages: Sequence[Message],
    compressed: Mapping[str, str],
    tokens: Mapping[str, int],
    *,
    threshold: int,
    before: Sequence[Message] = (),
    people: Sequence[str] = (),
    summary: str = "",
) -> tuple[tuple[TopicBuffer, ...], BufferTrace]:
    """Queue one session's segments in order. `compressed` and `tokens` are by message id;
    `before` are earlier messages of the session that only give context."""
    by_id = {message.id: message for message in messages}
    buffers, sizes, reasons = [], [], []
    earlier = list(before)
    for group, size, reason in _groups(segments, tokens, threshold):
        said = tuple(by_id[i] for segment in group for i in segment.message_ids if i in by_id)
        buffers.append(
            TopicBuffer(
                session_id=session_id,
                segments=tuple(group),
                messages=said,
                compressed={message.id: compressed[message.id] for message in said},
                before=tuple(earlier[-CONTEXT_MESSAGES:]),
                people=tuple(people),
                summary=summary,
            )
        )
        earlier.extend(said)
        sizes.append(size)
        reasons.append(reason)
    names = tuple(tuple(segment.id for segment in buffer.segments) for buffer in buffers)
    return tuple(buffers), BufferTrace(session_id, threshold, names, tuple(sizes), tuple(reasons))


def _groups(
    segments: Sequence[Segment], tokens: Mapping[str, int], threshold: int
) -> Iterator[tuple[list[Segment], int, str]]:
    queue: list[Segment] = []
    size = 0
    for segment in segments:
        queue.append(segment)
        size += sum(tokens.get(i, 0) for i in segment.message_ids)
        if size >= threshold:
            yield queue, size, "threshold"
            queue, size = [], 0
    if queue:
        yield queue, size, "end"
