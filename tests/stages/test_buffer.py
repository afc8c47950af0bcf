"""Short-term memory: segments queue until the threshold, in order, losing none."""

from __future__ import annotations

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.extraction import Buffer
from memcore.domain.models import Message, RawRef, Segment
from memcore.domain.protocols import Compressed
from memcore.stages.buffer import (
    CONTEXT_MESSAGES,
    BufferTrace,
    buffer_trace,
    queue_sessions,
    queue_topics,
    topics_of,
)


def talk(sizes: list[int]) -> tuple[list[Segment], list[Message], dict[str, Compressed]]:
    """One segment of one message per size (tokens)."""
    at = datetime(2024, 1, 1)
    messages = [
        Message(f"m{i}", "s", i, "Ana", "person", f"text {i}", at, "message", RawRef("f", str(i)))
        for i in range(len(sizes))
    ]
    segments = [Segment(f"g{i}", "s", (f"m{i}",)) for i in range(len(sizes))]
    compressed = {f"m{i}": Compressed(f"text {i}", (), size, size) for i, size in enumerate(sizes)}
    return segments, messages, compressed


def fill(sizes: list[int], threshold: int, before: list[Message] | None = None) -> tuple[Buffer, ...]:
    topics = topics_of(*talk(sizes), before=before or [])
    return queue_topics((), topics, threshold=threshold, last=True)[1]


def test_passing_the_threshold_releases_the_queue() -> None:
    released = fill([100, 100, 100, 50], threshold=200)
    assert [[s.id for s in r.segments] for r in released] == [["g0", "g1"], ["g2", "g3"]]
    assert [(r.released_by, r.tokens) for r in released] == [("threshold", 200), ("end", 150)]


def test_a_later_buffer_sees_the_messages_before_it_as_context() -> None:
    _, later = fill([300, 300], threshold=200)
    assert [m.id for m in later.before] == ["m0"]


def test_a_later_buffer_knows_the_message_with_which_its_session_began() -> None:
    buffers = fill([300] * 6, threshold=200)
    began = [buffer.opening.id if buffer.opening else "" for buffer in buffers]
    assert began == ["", "", "", "", "m0", "m0"]  # up to the fourth it is among those before


def test_context_reaches_back_before_the_session_part() -> None:
    _, earlier, _ = talk([1] * 5)
    (only,) = fill([10], threshold=200, before=earlier)
    assert len(only.before) == CONTEXT_MESSAGES


@given(st.lists(st.integers(0, 700), max_size=30), st.integers(64, 1024))
def test_every_message_is_in_exactly_one_buffer_in_order(sizes: list[int], threshold: int) -> None:
    released = fill(sizes, threshold)
    assert [m.id for r in released for m in r.messages] == [f"m{i}" for i in range(len(sizes))]
    assert sum(r.tokens for r in released) == sum(sizes)
    assert all(r.tokens >= threshold for r in released if r.released_by == "threshold")


# ---------------------------------------------------------------- a queue that outlives its session


def topic(name: str, tokens: int, session: str = "s", people: tuple[str, ...] = ("Ana", "Ben")) -> Buffer:
    message = Message(name, session, 0, "Ana", "person", name, None, "none", RawRef("f", name))
    segments = (Segment(f"g{name}", session, (name,)),)
    return Buffer(session, segments, (message,), {name: name}, people=people, tokens=tokens)


def test_below_the_threshold_topics_wait_and_the_next_ones_join_them() -> None:
    waiting, released = queue_topics((), [topic("a", 60)], threshold=100, last=False)
    assert released == ()
    waiting, (buffer,) = queue_topics(waiting, [topic("b", 60, session="t")], threshold=100, last=False)
    assert (waiting, buffer.released_by, buffer.tokens) == ((), "threshold", 120)
    assert [m.session_id for m in buffer.messages] == ["s", "t"]
    assert buffer.session_id == "s"


def test_at_the_end_nothing_waits() -> None:
    waiting, (released,) = queue_topics([topic("a", 60)], [], threshold=100, last=True)
    assert (waiting, released.released_by) == ((), "end")


def test_talk_between_other_people_begins_a_buffer_of_its_own() -> None:
    company = ("User", "Assistant")
    waiting, released = queue_topics(
        [topic("a", 10, people=company)],
        [topic("b", 10, people=(*company, "Tool")), topic("c", 10, people=("Ana", "Ben"))],
        threshold=100,
        last=False,
    )
    assert [(r.released_by, [m.id for m in r.messages]) for r in released] == [("people", ["a", "b"])]
    assert released[0].people == ("User", "Assistant", "Tool")
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
    waiting: tuple[Buffer, ...] = ()
    released: list[Buffer] = []
    for begin in range(0, len(topics), portion):
        waiting, more = queue_topics(
            waiting, topics[begin : begin + portion], threshold=threshold, last=False
        )
        released += more
    released += queue_topics(waiting, (), threshold=threshold, last=True)[1]

    assert [m.id for r in released for m in r.messages] == [t.messages[0].id for t in topics]
    assert len(released) <= sum(t.tokens for t in topics) / threshold + 1
    assert released == list(queue_topics((), topics, threshold=threshold, last=True)[1])


# ---------------------------------------------------------------- buffers of whole sessions


def by_session(
    *topics: Buffer, queue: tuple[Buffer, ...] = (), goes_on: bool = False, last: bool = False
) -> tuple[list[str], list[tuple[str, str]]]:
    """What waits, and what was released and why, with th = 100 and room for 100 more within a session."""
    waiting, released = queue_sessions(queue, topics, threshold=100, most=200, goes_on=goes_on, last=last)
    named = [("".join(m.id for m in r.messages), r.released_by) for r in released]
    return [t.messages[0].id for t in waiting], named


def test_a_session_stays_together_where_it_fits() -> None:
    """th is reached at b; its session goes on to c."""
    talk = [topic("a", 60, "s"), topic("b", 60, "s"), topic("c", 60, "s"), topic("d", 100, "t")]
    assert by_session(*talk) == ([], [("abc", "session"), ("d", "session")])


def test_a_session_that_is_too_long_is_parted() -> None:
    talk = [topic(name, 90, "s") for name in "abcdef"]
    assert by_session(*talk) == ([], [("abc", "threshold"), ("def", "session")])


def test_short_sessions_share_a_buffer() -> None:
    talk = [topic("a", 60, "s"), topic("b", 60, "t"), topic("c", 120, "u")]
    assert by_session(*talk) == ([], [("ab", "session"), ("c", "session")])


def test_what_is_left_joins_the_buffer_before_it() -> None:
    assert by_session(topic("a", 120, "s"), topic("b", 30, "t")) == ([], [("ab", "session")])


def test_what_is_left_of_a_session_that_goes_on_joins_too() -> None:
    talk = [topic("a", 120, "s"), topic("b", 150, "t")]
    assert by_session(*talk, goes_on=True) == ([], [("ab", "session")])
    assert by_session(*talk, goes_on=False) == ([], [("a", "session"), ("b", "session")])


def test_what_has_no_buffer_to_join_waits_until_there_is_enough_or_nothing_more() -> None:
    first, second = topic("a", 60, "s"), topic("b", 60, "t")
    assert by_session(first) == (["a"], [])
    assert by_session(second, queue=(first,)) == ([], [("ab", "session")])
    assert by_session(queue=(first,), last=True) == ([], [("a", "end")])


def test_talk_between_other_people_neither_waits_nor_joins() -> None:
    others = topic("b", 30, "t", people=("Cem", "Dana"))
    assert by_session(topic("a", 30, "s"), others) == (["b"], [("a", "people")])
    assert by_session(topic("a", 120, "s"), others, last=True) == ([], [("a", "session"), ("b", "end")])


def test_what_is_left_before_other_people_speak_joins_its_own_companys_buffer() -> None:
    others = topic("c", 120, "u", people=("Cem", "Dana"))
    talk = [topic("a", 120, "s"), topic("b", 30, "t"), others]
    assert by_session(*talk) == ([], [("ab", "session"), ("c", "session")])
