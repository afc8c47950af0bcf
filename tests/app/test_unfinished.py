"""The Runs page goes on with what work left undone: failed parts alone, and runs that were interrupted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memcore.domain.models import LogRead, Run
from memcore.memory import open_memory
from memcore.runs.ingest import new_run
from tests.app.seed import START
from tests.pipeline import EMBEDDER, FakeBackends, SayingExtractor, log, open_with
from ui.runs import runs
from ui.shell import opened
from ui.shell.jobs import board

TALK = log(("likes jazz.", "likes tea."), ("likes snow.", "likes rain."))
Open = Callable[..., AppTest]


@pytest.fixture
def extractor(store: Path) -> SayingExtractor:
    """What the pages read with."""
    made = SayingExtractor(fails={"likes rain."})
    opened.work_with(partial(FakeBackends, extractor=made))
    return made


@pytest.fixture
def failed(store: Path, extractor: SayingExtractor) -> str:
    """The id of a run that could not read a buffer."""
    with open_memory(store, backends=partial(FakeBackends, extractor=extractor)) as memory:
        return memory.ingest(LogRead((TALK,))).run_id


def shown(app: AppTest) -> str:
    assert not app.exception
    return " ".join(element.value for kind in ("html", "text") for element in app.get(kind))


def ended(app: AppTest) -> AppTest:
    """The page once the job that it started has ended."""
    job = board().get(app.query_params["job"])
    assert job is not None
    job.future.exception(timeout=180)
    return app.run()


def test_a_run_lists_what_it_failed_on_with_the_messages_and_the_error(open_page: Open, failed: str) -> None:
    text = shown(open_page("12_Runs_and_cost", run=failed))
    assert "cannot read" in text and "likes rain." in text
    assert "4 messages of 2 sessions could not be read and still wait." in text


def test_retry_these_reads_what_failed_as_a_run_that_names_it(
    open_page: Open, failed: str, extractor: SayingExtractor
) -> None:
    app = open_page("12_Runs_and_cost", run=failed)
    extractor.fails.clear()

    app = ended(app.button(key="retry_all").click().run())

    text = shown(app)
    assert "4 messages to read, 4 new memories." in text
    assert "Their messages were read since." in text
    assert not [button for button in app.button if button.key.startswith("retry_")]
    app.button(key="open_new_run").click().run()
    assert app.button(key="retried_run"), "the new run leads to the one it retried"


def test_one_part_is_retried_alone(open_page: Open, failed: str, extractor: SayingExtractor) -> None:
    app = open_page("12_Runs_and_cost", run=failed)
    extractor.fails.clear()
    text = shown(ended(app.button(key="retry_1").click().run()))
    assert "2 messages to read, 2 new memories." in text
    assert "2 messages of 1 session could not be read and still wait." in text


def test_a_retry_that_fails_again_says_so(open_page: Open, failed: str) -> None:
    app = open_page("12_Runs_and_cost", run=failed)
    text = shown(ended(app.button(key="retry_all").click().run()))
    assert "1 part failed again:" in text
    assert "could not be read and still wait." in text


@pytest.fixture
def cut_off(store: Path, extractor: SayingExtractor) -> str:
    """The id of a run whose process was killed: its log is stored, nothing else."""
    board()  # the server runs before the work begins
    with open_with(EMBEDDER, store) as opened, opened.write(actor="ingest") as writer:
        run = new_run("me", "memscope", {})
        writer.put_run(replace(run, started_at=board().begun - timedelta(minutes=5)))
        writer.add_log(TALK)
    return run.id


def test_a_run_that_was_cut_off_is_shown_as_such_and_resumed_from_its_page(
    open_page: Open, cut_off: str, extractor: SayingExtractor
) -> None:
    extractor.fails.clear()
    app = open_page("12_Runs_and_cost", run=cut_off)
    assert "interrupted" in shown(app)
    assert "4 messages wait to be read by Memscope’s own." in shown(app)
    text = shown(ended(app.button(key="resume_run").click().run()))
    assert "4 messages to read, 4 new memories." in text
    assert "wait to be read" not in text


def test_the_list_of_runs_offers_to_go_on_with_what_waits(
    open_page: Open, cut_off: str, extractor: SayingExtractor
) -> None:
    extractor.fails.clear()
    app = open_page("12_Runs_and_cost")
    assert app.dataframe[0].value["state"].tolist() == ["interrupted"]
    text = shown(ended(app.button(key="resume_memscope").click().run()))
    assert "4 messages to read, 4 new memories." in text


def test_a_job_of_an_earlier_server_is_said_to_be_gone_and_what_waits_is_offered(
    open_page: Open, cut_off: str
) -> None:
    app = open_page("12_Runs_and_cost", job="of_another_process")
    assert "belonged to an earlier run of the server" in shown(app)
    assert app.button(key="resume_memscope")


def test_what_a_consolidation_compared_is_not_said_to_be_made() -> None:
    run = Run("run_c", "consolidate", "me", "", "finished", START, totals={"memories": 790, "proposals": 1})
    assert runs.made(run) == "790 memories compared, 1 proposal"
    assert runs.made(replace(run, kind="ingest", totals={"messages": 2, "memories": 0})) == "2 messages"
