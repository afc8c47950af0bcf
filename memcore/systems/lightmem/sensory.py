"""Sensory memory: compressed messages wait until they fill the buffer, then are divided into topics.

LightMem section 3.1: a buffer of 512 compressed tokens; when the next message would overflow it, the
buffer is segmented, the segments before the last boundary go on to short-term memory, and the tail
after it stays, because its topic may go on. Where no boundary is found everything goes on, as in the
published code. Deliberate difference: a session's start is a boundary that need not be found, so a
segment never spans sessions. Knows no model and no store; how a run of turns is segmented is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby
from typing import Any, Literal

from memcore.domain.extraction import Buffer
from memcore.domain.models import Message, Segment
from memcore.domain.protocols import Compressed, Vectors

Release = Literal["overflow", "full", "end"]


@dataclass(frozen=True, slots=True)
class SensoryTurn:
    """A message as sensory memory holds it: compressed, with its compressed text's unit vector, shape (d,).

    Turns with the same `contiguous_from` (session id, position of the first) follow each other with
    nothing between them that is in a segment already. `before` are a few messages before it in its
    session, `people` everyone who speaks in its conversation.
    """

    message: Message
    compressed: Compressed
    vector: Vectors = field(compare=False)
    contiguous_from: tuple[str, int]
    before: tuple[Message, ...] = ()
    people: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """How much of the buffer it takes: its tokens after compression."""
        return self.compressed.tokens_after


Segmenter = Callable[[Sequence[SensoryTurn]], Sequence[Segment]]
"""Topic segmentation of one contiguous run of turns, in order and without gaps."""


@dataclass(frozen=True, slots=True)
class SensoryTrace:
    """One emptying of the buffer, for a session whose messages it held (one each where it held several).

    `message_ids` and their compressed `tokens` are what the buffer held of the session, `other_tokens`
    what it held of other sessions; `released_by` says why it was emptied: `overflow` (the next message, of
    `next_tokens`, did not fit), `full` (the same, but no boundary was found, so all of it was released,
    or one message alone exceeds it), `end` (nothing more to come). `boundaries` are positions in
    `message_ids` where segments start, 0 included, and from position `stayed` on messages stayed
    (len(message_ids): none did).
    """

    session_id: str
    capacity: int
    message_ids: tuple[str, ...]
    tokens: tuple[int, ...]
    released_by: Release
    next_tokens: int
    boundaries: tuple[int, ...]
    stayed: int
    other_tokens: int = 0


@dataclass(frozen=True, slots=True)
class SensoryMemory:
    """The buffer. `opening` is the evidence for the boundary at its first turn, where an earlier emptying
    found it."""

    capacity: int
    turns: tuple[SensoryTurn, ...] = ()
    opening: Mapping[str, Any] | None = None

    @property
    def tokens(self) -> int:
        """How full the buffer is."""
        return sum(turn.tokens for turn in self.turns)

    def has_room(self, turn: SensoryTurn) -> bool:
        """An empty buffer has room for any message, also for one that could not be compressed to fit."""
        return not self.turns or self.tokens + turn.tokens <= self.capacity

    def hold(self, turn: SensoryTurn) -> SensoryMemory:
        """The buffer with one more turn."""
        return replace(self, turns=(*self.turns, turn))

    def cut(
        self, segmenter: Segmenter, following: SensoryTurn | None
    ) -> tuple[SensoryMemory, tuple[Buffer, ...], tuple[SensoryTrace, ...]]:
        """What stays, the topics that go on, and a trace for each run. `following` is the turn that
        found no room (None: nothing more will come, and nothing stays)."""
        if not self.turns:
            return self, (), ()
        runs = [tuple(run) for _, run in groupby(self.turns, key=lambda turn: turn.contiguous_from)]
        cut = [tuple(_topics(run, segmenter(run))) for run in runs]
        topics = [topic for topics in cut for topic in topics]
        if self.opening is not None:
            first = replace(topics[0].segments[0], boundary=dict(self.opening))
            topics[0] = replace(topics[0], segments=(first,))
        goes_on = following is not None and following.contiguous_from == self.turns[-1].contiguous_from
        tail = topics.pop() if goes_on and len(topics) > 1 else None
        why: Release = "end" if following is None else "full" if goes_on and tail is None else "overflow"
        traces = tuple(
            SensoryTrace(
                session_id=run[0].message.session_id,
                capacity=self.capacity,
                message_ids=tuple(turn.message.id for turn in run),
                tokens=tuple(turn.tokens for turn in run),
                released_by=why,
                next_tokens=following.tokens if following else 0,
                boundaries=tuple(accumulate((len(topic.messages) for topic in found[:-1]), initial=0)),
                stayed=len(run) - (len(tail.messages) if tail and run is runs[-1] else 0),
                other_tokens=self.tokens - sum(turn.tokens for turn in run),
            )
            for run, found in zip(runs, cut, strict=True)
        )
        if tail is not None:
            left = replace(self, turns=self.turns[-len(tail.messages) :], opening=tail.segments[0].boundary)
        elif why == "full":
            method = topics[0].segments[0].boundary.get("method", "")
            opening = {"method": method, "reason": "sensory memory was full"}
            left = replace(self, turns=(), opening=opening)
        else:
            left = replace(self, turns=(), opening=None)
        return left, tuple(topics), traces


def _topics(run: Sequence[SensoryTurn], segments: Sequence[Segment]) -> Iterator[Buffer]:
    """Each segment with its turns."""
    begin = 0
    for segment in segments:
        turns = run[begin : begin + len(segment.message_ids)]
        begin += len(turns)
        yield Buffer(
            session_id=segment.session_id,
            segments=(segment,),
            messages=tuple(turn.message for turn in turns),
            compressed={turn.message.id: turn.compressed.text for turn in turns},
            tokens=sum(turn.tokens for turn in turns),
            before=turns[0].before,
            people=turns[0].people,
        )
