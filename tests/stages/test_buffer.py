"""Short-term memory: segments queue until the threshold, in order, losing none."""

from __future__ import annotations

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from memcore.models import Message, RawRef, Segment
from memcore.stages.buffer import (
    CONTEXT_MESSAGES,
    BufferTrace,
    Released,
    Topic,
    buffer_trace,
    fill_buffers,
    queue_topics,
)


def talk(sizes: list[int]) -> tuple[list[Segment], list[Message], dict[str, int]]:
    """One segment of one message per size (tokens)."""
    at = datetime(2024, 1, 1)
    messages = [
        Message(f"m{i}", "s", i, "Ana", "person", f"text {i}", at, "message", RawRef("f", str(i)))
        for i in range(len(sizes))
    ]
    segments = [Segment(f"g{i}", "s", (f"m{i}",)) for i in range(len(sizes))]
    return segments, messages, {f"m{i}": size for i, size in enumerate(sizes)}


def fill(sizes: list[int], threshold: int, before: list[Message] | None = None):
    segments, messages, tokens = talk(sizes)
    compressed = {m.id: m.text for m in messages}
    return fill_buffers("s", segments, messages, compressed, tokens, threshold=threshold, before=before or [])


def test_passing_the_threshold_releases_the_queue() -> None:
    buffers, trace = fill([100, 100, 100, 50], threshold=200)
    assert [[s.id for s in b.segments] for b in buffers] == [["g0", "g1"], ["g2", "g3"]]
    assert trace.released_by == ("threshold", "end")
    assert trace.tokens == (200, 150)


def test_a_later_buffer_sees_the_messages_before_it_as_context() -> None:
    buffers, _ = fill([300, 300], threshold=200)
    assert [m.id for m in buffers[1].before] == ["m0"]


def test_context_reaches_back_before_the_session_part() -> None:
    _, earlier, _ = talk([1] * 5)
    buffers, _ = fill([10], threshold=200, before=earlier)
    assert len(buffers[0].before) == CONTEXT_MESSAGES


@given(st.lists(st.integers(0, 700), max_size=30), st.integers(64, 1024))
def test_every_message_is_in_exactly_one_buffer_in_order(sizes: list[int], threshold: int) -> None:
    buffers, trace = fill(sizes, threshold)
    assert [m.id for b in buffers for m in b.messages] == [f"m{i}" for i in range(len(sizes))]
    assert sum(trace.tokens) == sum(sizes)
    released = zip(trace.tokens, trace.released_by, strict=True)
    assert all(size >= threshold for size, why in released if why == "threshold")


# ---------------------------------------------------------------- a queue that outlives its session


def topic(name: str, tokens: int, session: str = "s", people: tuple[str, ...] = ("Ana", "Ben")) -> Topic:
    message = Message(name, session, 0, "Ana", "person", name, None, "none", RawRef("f", name))
    return Topic(Segment(f"g{name}", session, (name,)), (message,), {name: name}, tokens, people=people)


def test_below_the_threshold_topics_wait_and_the_next_ones_join_them() -> None:
    waiting, released = queue_topics((), [topic("a", 60)], threshold=100, last=False)
    assert released == ()
    waiting, (buffer,) = queue_topics(waiting, [topic("b", 60, session="t")], threshold=100, last=False)
    assert (waiting, buffer.by, buffer.tokens) == ((), "threshold", 120)
    assert [m.session_id for m in buffer.buffer.messages] == ["s", "t"]
    assert buffer.buffer.session_id == "s"


def test_at_the_end_nothing_waits() -> None:
    waiting, (released,) = queue_topics([topic("a", 60)], [], threshold=100, last=True)
    assert (waiting, released.by) == ((), "end")


def test_talk_between_other_people_begins_a_buffer_of_its_own() -> None:
    company = ("User", "Assistant")
    waiting, released = queue_topics(
        [topic("a", 10, people=company)],
        [topic("b", 10, people=(*company, "Tool")), topic("c", 10, people=("Ana", "Ben"))],
        threshold=100,
        last=False,
    )
    assert [(r.by, [m.id for m in r.buffer.messages]) for r in released] == [("people", ["a", "b"])]
    assert released[0].buffer.people == ("User", "Assistant", "Tool")
    assert [t.messages[0].id for t in waiting] == ["c"]


def test_a_sessions_trace_names_the_buffers_it_was_in() -> None:
    topics = [topic("a", 60, "s"), topic("b", 60, "t"), topic("c", 60, "u")]
    _, released = queue_topics((), topics, threshold=100, last=True)
    assert buffer_trace("t", released, 100).segments == (("ga", "gb"),)
    assert buffer_trace("u", released, 100) == BufferTrace("u", 100, (("gc",),), (60,), ("end",))


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 300)), max_size=40),
    st.integers(64, 512),
    st.integers(1, 7),
)
def test_calls_depend_on_tokens_not_on_sessions_nor_on_portions(
    said: list[tuple[str, int]], threshold: int, portion: int
) -> None:
    topics = [topic(f"m{i}", tokens, session) for i, (session, tokens) in enumerate(said)]
    waiting: tuple[Topic, ...] = ()
    released: list[Released] = []
    for begin in range(0, len(topics), portion):
        waiting, more = queue_topics(
            waiting, topics[begin : begin + portion], threshold=threshold, last=False
        )
        released += more
    released += queue_topics(waiting, (), threshold=threshold, last=True)[1]

    assert [m.id for r in released for m in r.buffer.messages] == [t.messages[0].id for t in topics]
    assert len(released) <= sum(t.tokens for t in topics) / threshold + 1
    assert released == list(queue_topics((), topics, threshold=threshold, last=True)[1])
