"""Sliding windows: every dialogue is read once, with what came just before it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memcore.systems.simplemem.windows import windows
from tests.pipeline import log

COUNTS = st.integers(0, 60)


@given(COUNTS, COUNTS, st.integers(3, 12), st.integers(0, 2))
def test_windows_read_each_message_once_in_order_and_hold_no_more_than_their_size(
    earlier: int, count: int, size: int, overlap: int
) -> None:
    talk = log([f"says {n}" for n in range(earlier + count)]).messages
    before, said = talk[:earlier], talk[earlier:]
    cut = windows(said, size=size, overlap=overlap, recipe="r", before=before)
    assert tuple(message for window in cut for message in window.messages) == said
    for window in cut:
        first = window.messages[0].position
        assert window.before == talk[max(0, first - overlap) : first]
        assert len(window.before) + len(window.messages) <= size
        assert [list(segment.message_ids) for segment in window.segments] == [[m.id for m in window.messages]]
    assert all(len(window.before) + len(window.messages) == size for window in cut[:-1])
