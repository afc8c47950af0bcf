"""Short-term memory: topic segments queue until they hold `th` tokens, then go to one extraction.

LightMem section 3.2: the queue holds {topic, turns}; reaching the threshold triggers one call that
extracts from everything queued. Larger thresholds mean fewer calls and more context per call. Every
buffer but the last holds at least th tokens, so that N turns of T tokens compressed to r cost about
N·r·T/th calls. Deliberate difference: talk between other people begins a buffer of its own, because
nobody could tell any more who "you" is. `queue_topics` is this rule; `queue_sessions` is memscope's,
which never needs more buffers. Knows no model and no store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from memcore.domain.extraction import Buffer, ReleasedBy
from memcore.domain.models import Message, Segment
from memcore.domain.protocols import Compressed

CONTEXT_MESSAGES = 3


@dataclass(frozen=True, slots=True)
class BufferTrace:
    """The buffers that a session's segments were in: segment ids (of a buffer that spans sessions also
    the other sessions'), compressed tokens, and why each was released (`Buffer.released_by`)."""

    session_id: str
    threshold: int
    segments: tuple[tuple[str, ...], ...]
    tokens: tuple[int, ...]
    released_by: tuple[ReleasedBy, ...]


def queue_topics(
    queue: Sequence[Buffer], arriving: Iterable[Buffer], *, threshold: int, last: bool
) -> tuple[tuple[Buffer, ...], tuple[Buffer, ...]]:
    """Topics, buffers of one segment each, join the queue in order; what still waits afterwards, and what was
    released. After the `last` nothing waits."""
    waiting = list(queue)
    released: list[Buffer] = []

    def release(by: ReleasedBy) -> None:
        released.append(joined(waiting, by))
        waiting.clear()

    for topic in arriving:
        if waiting and not _same_participants(topic.people, _people(waiting)):
            release("people")
        waiting.append(topic)
        if sum(topic.tokens for topic in waiting) >= threshold:
            release("threshold")
    if last and waiting:
        release("end")
    return tuple(waiting), tuple(released)


def queue_sessions(
    queue: Sequence[Buffer],
    arriving: Iterable[Buffer],
    *,
    threshold: int,
    most: int,
    goes_on: bool,
    last: bool,
) -> tuple[tuple[Buffer, ...], tuple[Buffer, ...]]:
    """What still waits, and what was released, by memscope's rule: a buffer is released where a session
    ends and it holds `threshold` tokens, within a session only at `most`; what is left then joins the
    buffer before it, or waits if there is none. `goes_on`: the last topic's session does.

    With `most` = th + LightMem's sensory memory these are never more buffers than `queue_topics` makes
    of the same messages, however either of them is divided into topics: LightMem's topics span no session
    and hold no more than sensory memory does, so wherever its queue stands, it has released once more
    by each of these points.
    """
    waiting: list[Buffer] = []
    filled: list[tuple[list[Buffer], ReleasedBy]] = []

    def release(by: ReleasedBy) -> None:
        filled.append((waiting.copy(), by))
        waiting.clear()

    def joins() -> bool:
        """Whether what waits could join the buffer before it."""
        if not filled or not _same_participants(_people(waiting), _people(filled[-1][0])):
            return False
        filled[-1][0].extend(waiting)
        waiting.clear()
        return True

    topics = [*queue, *arriving]
    for topic, following in zip_longest(topics, topics[1:]):
        if waiting and not _same_participants(topic.people, _people(waiting)) and not joins():
            release("people")
        waiting.append(topic)
        tokens = sum(topic.tokens for topic in waiting)
        ended = following.session_id != topic.session_id if following else not goes_on
        if ended and tokens >= threshold:
            release("session")
        elif tokens >= most:
            release("threshold")
    if waiting and not joins() and last:
        release("end")
    return tuple(waiting), tuple(joined(topics, by) for topics, by in filled)


def buffer_trace(session_id: str, released: Iterable[Buffer], threshold: int) -> BufferTrace:
    """The trace of one session: of those released, the buffers that hold something of it."""
    own = [buffer for buffer in released if session_id in buffer.session_ids]
    return BufferTrace(
        session_id,
        threshold,
        segments=tuple(tuple(segment.id for segment in buffer.segments) for buffer in own),
        tokens=tuple(buffer.tokens for buffer in own),
        released_by=tuple(buffer.released_by for buffer in own),
    )


def topics_of(
    segments: Sequence[Segment],
    messages: Sequence[Message],
    compressed: Mapping[str, Compressed],
    *,
    before: Sequence[Message] = (),
    people: Sequence[str] = (),
) -> list[Buffer]:
    """One session's segments, each a buffer with its messages. `compressed` is by message id; `before` are
    earlier messages of the session that only give context."""
    by_id = {message.id: message for message in messages}
    earlier = list(before)
    opening = next((message for message in (*before, *messages) if message.position == 0), None)
    topics = []
    for segment in segments:
        said = tuple(by_id[i] for i in segment.message_ids if i in by_id)
        topics.append(
            Buffer(
                session_id=segment.session_id,
                segments=(segment,),
                messages=said,
                compressed={message.id: compressed[message.id].text for message in said},
                tokens=sum(compressed[message.id].tokens_after for message in said),
                before=tuple(earlier[-CONTEXT_MESSAGES:]),
                opening=opening if opening in earlier[:-CONTEXT_MESSAGES] else None,
                people=tuple(people),
            )
        )
        earlier.extend(said)
    return topics


def joined(topics: Sequence[Buffer], released_by: ReleasedBy) -> Buffer:
    """One buffer of several, in order."""
    return Buffer(
        session_id=topics[0].session_id,
        segments=tuple(segment for topic in topics for segment in topic.segments),
        messages=tuple(message for topic in topics for message in topic.messages),
        compressed={i: text for topic in topics for i, text in topic.compressed.items()},
        before=topics[0].before,
        opening=topics[0].opening,
        people=_people(topics),
        tokens=sum(topic.tokens for topic in topics),
        released_by=released_by,
    )


def _people(topics: Sequence[Buffer]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for topic in topics for name in topic.people))


def _same_participants(some: Sequence[str], others: Sequence[str]) -> bool:
    """Whether all of one group belong to the other: a user with an assistant, and with its tool."""
    return set(some) <= set(others) or set(others) <= set(some)
