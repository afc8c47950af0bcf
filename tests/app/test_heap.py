"""What survives a full collection that took long is not looked through again."""

from __future__ import annotations

import pytest

from ui.shell.heap import Watch


@pytest.mark.parametrize(
    ("generation", "seconds", "frozen"), [(2, 0.3, True), (2, 0.001, False), (1, 0.3, False)]
)
def test_the_heap_is_set_aside_after_a_long_full_collection_only(
    monkeypatch: pytest.MonkeyPatch, generation: int, seconds: float, frozen: bool
) -> None:
    clock, calls = iter((10.0, 10.0 + seconds)), []
    monkeypatch.setattr("ui.shell.heap.time.thread_time", lambda: next(clock))
    monkeypatch.setattr("ui.shell.heap.gc.freeze", lambda: calls.append("frozen"))
    watch = Watch()
    for phase in ("start", "stop"):
        watch(phase, {"generation": generation})
    assert bool(calls) is frozen
