"""Sensory memory: full, it is cut; what stands before the last boundary goes on, the tail stays."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.extraction import Buffer
from memcore.domain.models import Message, RawRef, Segment
from memcore.domain.protocols import Compressed
from memcore.systems.lightmem.sensory import SensoryMemory, SensoryTurn


def turn(number: int, tokens: int = 10, session: str = "s") -> SensoryTurn:
    at = datetime(2024, 1, 1)
    message = Message(
        f"{session}{number}",
        session,
        number,
        "Ana",
        "person",
        "text",
        at,
        "message",
        RawRef("f", str(number)),
    )
    compressed = Compressed(f"text {number}", (), tokens * 2, tokens)
    return SensoryTurn(message, compressed, np.ones(2, dtype=np.float32), (session, 0))


def cutting_before(*first_messages: str):
    """A segmenter that finds boundaries before these messages."""

    def segmenter(turns: Sequence[SensoryTurn]) -> list[Segment]:
        starts = [0, *(i for i, t in enumerate(turns) if i and t.message.id in first_messages)]
        return [
            Segment(
                f"from {turns[a].message.id}",
                turns[a].message.session_id,
                tuple(t.message.id for t in turns[a:b]),
                boundary={"method": "test", "reason": "start" if a == 0 else "found", "at": a},
            )
            for a, b in zip(starts, [*starts[1:], len(turns)], strict=True)
        ]

    return segmenter


def held(*turns: SensoryTurn, capacity: int = 40) -> SensoryMemory:
    return SensoryMemory(capacity, turns)


def ids(topics: Sequence[Buffer]) -> list[list[str]]:
    return [[message.id for message in topic.messages] for topic in topics]


def test_there_is_room_until_the_next_message_would_overflow_it() -> None:
    memory = held(turn(0), turn(1), turn(2))
    assert memory.has_room(turn(3, tokens=10))
    assert not memory.has_room(turn(3, tokens=11))


def test_what_stands_before_the_last_boundary_goes_on_and_the_tail_stays() -> None:
    memory = held(*map(turn, range(4)))
    left, topics, (trace,) = memory.cut(cutting_before("s1", "s3"), turn(4))
    assert ids(topics) == [["s0"], ["s1", "s2"]]
    assert [t.message.id for t in left.turns] == ["s3"]
    assert (trace.released_by, trace.boundaries, trace.stayed) == ("overflow", (0, 1, 3), 3)
    assert (trace.tokens, trace.next_tokens, trace.capacity) == ((10, 10, 10, 10), 10, 40)


def test_a_tail_remembers_why_it_began_where_it_did() -> None:
    left, _, _ = held(*map(turn, range(4))).cut(cutting_before("s3"), turn(4))
    _, topics, _ = left.hold(turn(4)).cut(cutting_before("s4"), turn(5))
    assert topics[0].segments[0].boundary == {"method": "test", "reason": "found", "at": 3}


def test_without_a_boundary_all_of_it_goes_on_as_one_topic() -> None:
    left, topics, (trace,) = held(*map(turn, range(4))).cut(cutting_before(), turn(4))
    assert ids(topics) == [["s0", "s1", "s2", "s3"]]
    assert (left.turns, trace.released_by, trace.stayed) == ((), "full", 4)

    _, following, _ = left.hold(turn(4)).cut(cutting_before(), turn(5))
    assert following[0].segments[0].boundary["reason"] == "sensory memory was full"


def test_a_sessions_start_is_a_boundary_that_need_not_be_found() -> None:
    memory = held(turn(0), turn(1), turn(0, session="t"), turn(1, session="t"))
    left, topics, traces = memory.cut(cutting_before(), turn(2, session="t"))
    assert ids(topics) == [["s0", "s1"]]
    assert [t.message.id for t in left.turns] == ["t0", "t1"]
    assert [(t.session_id, t.stayed, t.other_tokens) for t in traces] == [("s", 2, 20), ("t", 0, 20)]


def test_nothing_stays_when_a_session_starts_next() -> None:
    left, topics, (trace,) = held(turn(0), turn(1)).cut(cutting_before("s1"), turn(0, session="t"))
    assert ids(topics) == [["s0"], ["s1"]]
    assert (left.turns, trace.released_by) == ((), "overflow")


def test_at_the_end_nothing_stays() -> None:
    left, topics, (trace,) = held(*map(turn, range(3))).cut(cutting_before("s1"), None)
    assert ids(topics) == [["s0"], ["s1", "s2"]]
    assert (left.turns, trace.released_by, trace.next_tokens) == ((), "end", 0)


def test_an_empty_buffer_has_room_for_a_message_larger_than_itself() -> None:
    memory = SensoryMemory(40)
    assert memory.has_room(turn(0, tokens=41))
    _, topics, (trace,) = memory.hold(turn(0, tokens=41)).cut(cutting_before(), turn(1))
    assert ids(topics) == [["s0"]]
    assert trace.released_by == "full"


def test_cutting_an_empty_buffer_changes_nothing() -> None:
    memory = SensoryMemory(40)
    assert memory.cut(cutting_before(), None) == (memory, (), ())


def test_a_topic_takes_its_compressed_texts_and_tokens_along() -> None:
    _, (topic,), _ = held(turn(0, tokens=3), turn(1, tokens=4)).cut(cutting_before(), None)
    assert (topic.tokens, dict(topic.compressed)) == (7, {"s0": "text 0", "s1": "text 1"})


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 30), st.booleans()), max_size=40),
    st.integers(10, 60),
)
def test_every_message_goes_on_exactly_once_and_the_buffer_never_overflows(said, capacity) -> None:
    turns = [turn(i, tokens, session) for i, (session, tokens, _) in enumerate(said)]
    segmenter = cutting_before(*(t.message.id for t, (_, _, cut) in zip(turns, said, strict=True) if cut))
    memory, topics = SensoryMemory(capacity), []
    for one in turns:
        while not memory.has_room(one):
            before = len(memory.turns)
            memory, found, traces = memory.cut(segmenter, one)
            topics += found
            assert len(memory.turns) < before
            assert all(
                sum(trace.tokens) + trace.other_tokens + trace.next_tokens > capacity for trace in traces
            )
        memory = memory.hold(one)
        assert memory.tokens <= capacity or len(memory.turns) == 1
    topics += memory.cut(segmenter, None)[1]
    assert [i for topic in ids(topics) for i in topic] == [t.message.id for t in turns]
    assert all(len({m.session_id for m in topic.messages}) == 1 for topic in topics)
