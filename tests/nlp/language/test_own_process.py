"""A process of its own for the language pipeline changes nothing of what is told."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, ReadsAhead, ReadsMuch
from memcore.domain.models import Message, RawRef, Segment
from memcore.nlp.language.extractor import LanguageExtractor
from memcore.nlp.language.own_process import (
    MANY_MESSAGES,
    LanguageProcess,
    LongRunExtractor,
    in_this_process,
)

pytestmark = pytest.mark.models

TEXTS = (
    "Ada: Went rowing on the lake with my sister! Did you see the photos?",
    "Ben: I did. The lake looked cold, but I have never been a swimmer.",
)
MESSAGES = tuple(
    Message(f"m{n}", "s", n, text[:3], "user", text[5:], None, "none", RawRef("log", f"line {n}"))
    for n, text in enumerate(TEXTS)
)
BUFFER = Buffer("s", (Segment("g", "s", ("m0", "m1")),), MESSAGES, people=("Ada", "Ben"))


class Stopped(LanguageProcess):
    """Counts how often it would have been started, and is never ready."""

    def __init__(self) -> None:
        super().__init__()
        self.started = 0

    def start(self) -> None:
        self.started += 1


@pytest.fixture(scope="module")
def process() -> Iterator[LanguageProcess]:
    """One that has begun."""
    with closing(LanguageProcess()) as one:
        begin(one)
        yield one


def begin(process: LanguageProcess) -> int:
    """Its id, once it is ready."""
    process.start()
    assert until(process.is_ready)
    assert process.pid is not None
    return process.pid


def until(holds: Callable[[], bool]) -> bool:
    """Whether it holds within a minute."""
    end = time.monotonic() + 60
    while not (there := holds()) and time.monotonic() < end:
        time.sleep(0.05)
    return there


def told(read: list[tuple[Extraction, ExtractionTrace]]) -> object:
    return [(extraction, replace(trace, milliseconds=0.0)) for extraction, trace in read]


def test_it_tells_what_is_told_without_it(process: LanguageProcess) -> None:
    here = told(LanguageExtractor().extract([BUFFER, BUFFER]))
    extractor = LongRunExtractor(process=process)
    assert told(extractor.extract([BUFFER, BUFFER])) == here
    assert told(extractor.extract([BUFFER, BUFFER])) == here
    assert "rowing" in str(here)


def test_where_there_is_nothing_to_read_the_process_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    process = LanguageProcess()
    monkeypatch.setattr(process, "is_ready", lambda: True)  # to read would fail: it was not started
    assert LongRunExtractor(process=process).extract([]) == []


def test_only_a_long_run_starts_one() -> None:
    process = Stopped()
    extractor = LongRunExtractor(process=process)
    assert isinstance(extractor, ReadsMuch)
    extractor.expect(MANY_MESSAGES - 1)
    assert process.started == 0
    extractor.expect(MANY_MESSAGES)
    assert process.started == 1


def test_one_of_many_processes_starts_none_of_its_own() -> None:
    alone = in_this_process(LongRunExtractor("none", Stopped()))
    assert isinstance(alone, LanguageExtractor)
    assert alone.assistant_words == "none"
    assert in_this_process(alone) is alone


def test_a_run_reads_here_until_it_is_ready() -> None:
    extractor = LongRunExtractor(process=Stopped())
    extractor.expect(MANY_MESSAGES)
    assert isinstance(extractor, ReadsAhead)
    extractor.begin([BUFFER])
    assert told(extractor.extract([BUFFER])) == told(LanguageExtractor().extract([BUFFER]))


def test_a_process_that_ended_costs_no_fact_and_the_trace_says_so() -> None:
    with closing(LanguageProcess()) as process:
        [(_, plain)] = LanguageExtractor().extract([BUFFER])
        os.kill(begin(process), signal.SIGKILL)
        extractor = LongRunExtractor(process=process)
        [(extraction, trace)] = extractor.extract([BUFFER])
        assert extraction.facts
        assert trace.notes == (
            *plain.notes,
            "read anew, as the process of the language pipeline ended: TerminatedWorkerError",
        )
        extractor.expect(MANY_MESSAGES)  # it is not tried again
        [(_, trace)] = extractor.extract([BUFFER])
        assert not process.is_ready()
        assert trace.notes == plain.notes


def test_where_none_can_be_started_everything_is_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_semaphores() -> None:
        raise NotImplementedError("system provides too few semaphores")

    monkeypatch.setattr("loky.process_executor._check_system_limits", no_semaphores)
    with closing(LanguageProcess()) as process:
        extractor = LongRunExtractor(process=process)
        extractor.expect(MANY_MESSAGES)
        assert told(extractor.extract([BUFFER])) == told(LanguageExtractor().extract([BUFFER]))
        assert not process.is_ready()


def test_a_long_run_starts_it_again_where_it_ended_meanwhile() -> None:
    process = Stopped()
    extractor = LongRunExtractor(process=process)
    extractor.extract([BUFFER])
    assert process.started == 0
    extractor.expect(MANY_MESSAGES)
    extractor.extract([BUFFER])
    extractor.extract([BUFFER])
    assert process.started == 3


def test_control_c_ends_the_run_and_not_the_process_under_it(
    process: LanguageProcess,
) -> None:
    os.kill(begin(process), signal.SIGINT)
    [(_, trace)] = LongRunExtractor(process=process).extract([BUFFER])
    assert not trace.notes


def test_it_ends_when_nobody_asks_for_long_and_is_started_again() -> None:
    with closing(LanguageProcess(idle_seconds=1.0)) as process:
        first = begin(process)
        assert until(lambda: not process.is_ready())
        assert until(lambda: not Path(f"/proc/{first}").exists())
        assert begin(process) != first
        [(extraction, trace)] = LongRunExtractor(process=process).extract([BUFFER])
        assert extraction.facts
        assert not trace.notes
