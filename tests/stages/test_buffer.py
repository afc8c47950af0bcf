"""Short-term memory: segments queue until the threshold, in order, losing none."""

from __future__ import annotations

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from memcore.models import Message, RawRef, Segment
from memcore.stages.buffer import CONTEXT_MESSAGES, fill_buffers


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
