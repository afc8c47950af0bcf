"""The sample as a language model reads it: a project of its own, from recorded replies."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcore.memory import open_settings
from memcore.runtime.config import load_settings
from tests.app.conftest import Open
from ui.shell import opened, recorded_sample, sample
from ui.shell.jobs import board


def load(open_page: Open, page: str = "app.py") -> Path:
    """Press the button and wait until all have read; the directory of the project."""
    app = open_page(page)
    app.button(key="load_recorded_sample").click().run()
    assert not app.exception
    while (job := board().running()) is not None:
        job.future.result(timeout=300)
    return opened.directory()


@pytest.mark.slow
def test_every_system_reads_the_sample_from_its_recording_and_asks_nobody(
    store: Path, open_page: Open
) -> None:
    load(open_page)
    memory = opened.opened()
    assert opened.project().name == recorded_sample.NAME
    assert not memory.runs.unanswered(recording=recorded_sample.recording())
    remembered = {
        system: frozenset(one.text for one in memory.memories.find(recipe=system))
        for system in recorded_sample.SYSTEMS
    }
    assert all(remembered.values())
    assert len(set(remembered.values())) == len(recorded_sample.SYSTEMS)


@pytest.mark.slow
def test_loaded_a_second_time_it_is_found_again_and_not_read_again(store: Path, open_page: Open) -> None:
    first = load(open_page)
    count = opened.opened().memories.count()
    assert load(open_page, "1_Import") == first
    assert opened.opened().memories.count() == count


@pytest.mark.slow
def test_what_a_person_had_stays_as_it_was(store: Path, open_page: Open) -> None:
    before = load_settings(store)
    assert load(open_page) != store
    after = load_settings(store)
    assert (after.llm, after.recording) == (before.llm, before.recording)
    with open_settings(after) as memory:
        assert memory.evidence.stats()["messages"] == 0


def test_the_files_it_is_about_are_there() -> None:
    assert all((sample.FOLDER / file).is_file() for file in recorded_sample.FILES)
