"""Jobs: one at a time, cancellable, and every ending is known."""

from __future__ import annotations

import threading

import pytest

from memcore.errors import CancelledError, ConflictError
from ui.jobs import Board


def test_a_job_reports_its_progress_and_result() -> None:
    def work(progress, cancelled):
        progress("compress", 1, 2)
        progress("compress", 2, 2)
        progress("extract", 1, 1)
        return "done"

    job = Board().start("Import", "Import", work)
    assert job.future.result(timeout=10) == "done"
    assert job.state == "finished"
    assert job.stages == {"compress": (2, 2), "extract": (1, 1)}


def test_a_cancelled_job_is_called_cancelled_however_it_ends() -> None:
    board = Board()

    def raises(progress, cancelled):
        while not cancelled():
            threading.Event().wait(0.01)
        raise CancelledError("Cancelled.", "Run it again to go on.")

    def returns(progress, cancelled):
        while not cancelled():
            threading.Event().wait(0.01)
        return "what was finished"

    for work in (raises, returns):
        job = board.start("Import", "Import", work)
        job.stop.set()
        job.future.exception(timeout=10)
        assert job.state == "cancelled"


def test_an_unexpected_error_is_kept_and_ends_the_job() -> None:
    def work(progress, cancelled):
        raise ZeroDivisionError

    job = Board().start("Import", "Import", work)
    assert isinstance(job.future.exception(timeout=10), ZeroDivisionError)
    assert job.state == "failed"


def test_a_second_job_waits_for_the_first() -> None:
    board, go = Board(), threading.Event()
    first = board.start("Import", "The first", lambda progress, cancelled: go.wait(10))
    with pytest.raises(ConflictError, match="The first is still running"):
        board.start("Review", "The second", lambda progress, cancelled: None)
    go.set()
    first.future.result(timeout=10)
    board.start("Review", "The second", lambda progress, cancelled: None).future.result(timeout=10)
