"""Jobs: one at a time, cancellable, and every ending is known."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from memcore.domain.errors import CancelledError, ConflictError
from memcore.review.consolidate import ConsolidationReport
from memcore.runs.ingest import IngestReport
from tests.app.conftest import Open
from ui.evaluate.evaluation import Evaluation
from ui.shell import background
from ui.shell.background import Threads
from ui.shell.jobs import Board, Job, board


def test_a_job_reports_its_progress_and_result() -> None:
    def work(progress, cancelled):
        progress("compress", 1, 2)
        progress("compress", 2, 2)
        progress("extract", 1, 1)
        return "done"

    job = Board().start("Import", "Import", str, work)
    assert job.future.result(timeout=180) == "done"
    assert job.state == "finished"
    assert job.stages == {"compress": (2, 2), "extract": (1, 1)}


def test_the_time_left_follows_from_what_was_done_since_a_stage_was_first_told(monkeypatch) -> None:
    now = 100.0
    monkeypatch.setattr("ui.shell.jobs.time.monotonic", lambda: now)
    job = Job("j", "Import", "Import", str)
    job.progress("build", 50, 100)
    assert job.seconds_left("build") is None, "these 50 may have been there before"
    now = 110.0
    job.progress("build", 60, 100)
    assert job.seconds_left("build") == 40.0
    job.progress("build", 100, 100)
    assert job.seconds_left("build") is None


def test_only_the_last_ended_jobs_of_a_page_are_kept() -> None:
    board = Board()

    def done(page: str) -> Job[None]:
        job = board.start(page, page, type(None), lambda progress, cancelled: None)
        job.future.result(timeout=180)
        return job

    imported, *evaluated = done("Import"), done("Evaluate"), done("Evaluate"), done("Evaluate")
    board.keep_last("Evaluate", 2)
    assert [board.get(job.id) for job in (imported, *evaluated)] == [imported, None, *evaluated[1:]]


def test_a_running_job_is_never_forgotten() -> None:
    board, go = Board(), threading.Event()
    job = board.start("Evaluate", "It", bool, lambda progress, cancelled: go.wait(180))
    board.keep_last("Evaluate", 0)
    board.forget_ended()
    assert board.get(job.id) is job
    go.set()
    job.future.result(timeout=180)
    board.forget_ended()
    assert board.get(job.id) is None


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
        job = board.start("Import", "Import", str, work)
        job.stop.set()
        job.future.exception(timeout=180)
        assert job.state == "cancelled"


def test_what_is_at_work_when_the_process_ends_stops_and_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those of this test alone: others of this process may still be wanted."""
    own = Threads()
    monkeypatch.setattr(background, "threads", lambda: own)

    def work(progress, cancelled):
        while not cancelled():
            threading.Event().wait(0.01)
        threading.Event().wait(0.2)

    own.end()
    job = Board().start("Import", "Import", type(None), work)
    own.end()
    assert job.state == "cancelled"


def test_an_unexpected_error_is_kept_and_ends_the_job() -> None:
    def work(progress, cancelled):
        raise ZeroDivisionError

    job = Board().start("Import", "Import", str, work)
    assert isinstance(job.future.exception(timeout=180), ZeroDivisionError)
    assert job.state == "failed"


def test_a_second_job_waits_for_the_first() -> None:
    board, go = Board(), threading.Event()
    first = board.start("Import", "The first", bool, lambda progress, cancelled: go.wait(180))
    with pytest.raises(ConflictError, match="The first is still running"):
        board.start("Review", "The second", type(None), lambda progress, cancelled: None)
    go.set()
    first.future.result(timeout=180)
    second = board.start("Review", "The second", type(None), lambda progress, cancelled: None)
    second.future.result(timeout=180)


def test_a_job_is_found_by_its_page_and_by_what_it_makes() -> None:
    board = Board()
    job = board.start("Review", "It", int, lambda progress, cancelled: 3)
    job.future.result(timeout=180)
    assert board.find(job.id, "Review", int) is job
    assert board.find(job.id, "Import", int) is None
    assert board.find(job.id, "Review", str) is None


# --------------------------------------------------------------------------- what is at work


@pytest.mark.parametrize(
    ("page", "of", "makes"),
    [
        ("11_Evaluate", "Evaluate", Evaluation),
        ("1_Import", "Import", IngestReport),
        ("7_Update_queue", "Update queue", ConsolidationReport),
        ("8_Review", "Review", ConsolidationReport),
        ("12_Runs_and_cost", "Runs and cost", IngestReport),
    ],
)
def test_what_is_at_work_is_found_again_from_any_page(
    seeded: Path, light_embedder: None, open_page: Open, page: str, of: str, makes: type
) -> None:
    go = threading.Event()
    job = board().start(
        of, "Something long", makes, lambda tell, cancelled: (tell("read", 3, 9), go.wait(180))
    )
    try:
        app = open_page(page)  # as after leaving and coming back, or in a second tab
        assert not app.exception
        assert app.query_params["job"] == job.id
        assert f"cancel_{job.id}" in [button.key for button in app.button]
        elsewhere = open_page("6_Graph")
        told = [link.label for link in elsewhere.get("page_link")]
        assert "Running: Something long" in [link.proto.label for link in elsewhere.get("page_link")], told
    finally:
        go.set()
        job.future.exception(timeout=180)
        board().forget(job.id)
