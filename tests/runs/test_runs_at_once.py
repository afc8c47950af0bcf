"""Two runs begun at once over the same messages divide the work: nothing is read twice, and each says what it
did itself."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memcore.domain.models import LogRead
from memcore.memory import Memory
from memcore.runs.ingest import WAIT, IngestReport
from memcore.stages.buffer import Buffer
from memcore.store import DuckStore
from tests import pipeline
from tests.pipeline import EMBEDDER, SayingExtractor, content, log, run_ingest

TALK = log([f"likes thing {n}." for n in range(8)], [f"owns object {n}." for n in range(8)])
ANOTHER = log(["likes thing 3.", "visits place 5."], name="b")


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memcore.runs.planning.STEP_MESSAGES", 4)


def times_read(extractor: SayingExtractor) -> Counter[str]:
    """How often each message was read."""
    return Counter(message.id for buffer in extractor.read for message in buffer.messages)


def at_once(*works: Callable[[], IngestReport]) -> list[IngestReport]:
    with ThreadPoolExecutor(len(works)) as pool:
        return [found.result(60) for found in [pool.submit(work) for work in works]]


def test_no_message_is_read_twice_and_each_run_says_what_it_read(store: DuckStore, tmp_path: Path) -> None:
    extractor = SayingExtractor()
    reports = at_once(*[lambda: run_ingest(store, TALK, extractor=extractor)] * 3)
    assert times_read(extractor) == Counter(message.id for message in TALK.messages)
    assert sum(report.read for report in reports) == len(TALK.messages)
    assert sum(report.new_messages for report in reports) == len(TALK.messages)
    assert sum(report.memories for report in reports) == store.count_memories("me") == len(TALK.messages)
    assert {report.state for report in reports} == {"finished"}
    assert {report.messages for report in reports} == {len(TALK.messages)}
    assert [run.totals["messages"] for run in store.runs()].count(0) == 2
    with pipeline.open_with(EMBEDDER, tmp_path / "alone") as alone:
        run_ingest(alone, TALK)
        assert content(store) == content(alone)


def test_what_one_run_adds_the_next_knows(store: DuckStore, tmp_path: Path) -> None:
    """Two logs of one owner name the same things: neither run may forget what the other said of them."""
    at_once(lambda: run_ingest(store, TALK), lambda: run_ingest(store, ANOTHER))
    with pipeline.open_with(EMBEDDER, tmp_path / "alone") as alone:
        run_ingest(alone, TALK)
        run_ingest(alone, ANOTHER)
        assert mentions(store) == mentions(alone)
        assert {memory.text for memory in store.memories("me")} == {m.text for m in alone.memories("me")}


def mentions(store: DuckStore) -> Counter[str]:
    names = {entity.id: entity.name for entity in store.entities("me")}
    return Counter(
        {f"{names[t.subject_id]} {t.relation} {names[t.object_id]}": t.mentions for t in store.triples("me")}
    )


def test_a_run_that_breaks_leaves_the_rest_to_the_one_that_waits(store: DuckStore) -> None:
    waits = threading.Event()

    def breaks(buffer: Buffer) -> None:
        waits.wait(30)
        raise RuntimeError("out of memory")

    def first() -> IngestReport:
        with pytest.raises(RuntimeError, match="out of memory"):
            run_ingest(store, TALK, extractor=SayingExtractor(watch=breaks))
        return run_ingest(store)

    began = threading.Event()

    heard: list[tuple[str, int, int]] = []

    def told(stage: str, done: int, total: int) -> None:
        heard.append((stage, done, total))
        if stage == WAIT:
            waits.set()

    def after() -> IngestReport:
        began.wait(5)
        return run_ingest(store, TALK, progress=told)

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(first)
        while not store.runs():
            time.sleep(0.01)
        began.set()
        other = pool.submit(after)
        reports = [one.result(60), other.result(60)]
    assert sum(report.read for report in reports) == len(TALK.messages)
    assert heard[:2] == [(WAIT, 0, 1), (WAIT, 1, 1)], "waiting is told, and that it is over"
    assert store.count_pending("memscope", "me") == 0
    assert store.count_memories("me") == len(TALK.messages)


def test_one_that_waits_can_be_cancelled_and_has_read_nothing(store: DuckStore) -> None:
    goes_on, stop = threading.Event(), threading.Event()
    extractor = SayingExtractor(watch=lambda buffer: goes_on.wait(30) and None)

    def told(stage: str, done: int, total: int) -> None:
        if stage == WAIT:
            stop.set()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(run_ingest, store, TALK, extractor=extractor)
        while not store.conversations():
            time.sleep(0.01)
        second = pool.submit(run_ingest, store, TALK, progress=told, cancelled=stop.is_set)
        waited = second.result(60)
        goes_on.set()
        worked = first.result(60)
    assert (waited.state, waited.read, waited.memories) == ("cancelled", 0, 0)
    assert (worked.state, worked.read) == ("finished", len(TALK.messages))
    assert {run.state for run in store.runs()} == {"cancelled", "finished"}


def test_another_system_does_not_wait(store: DuckStore) -> None:
    goes_on = threading.Event()
    extractor = SayingExtractor(watch=lambda buffer: goes_on.wait(30) and None)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(run_ingest, store, TALK, extractor=extractor)
        while not store.conversations():
            time.sleep(0.01)
        theirs = run_ingest(store, recipe=pipeline.SYSTEMS["naive_rag"])
        assert (theirs.state, theirs.read) == ("finished", len(TALK.messages))
        goes_on.set()
        assert first.result(60).read == len(TALK.messages)


def test_two_threads_of_one_memory_divide_the_work(memory: Memory) -> None:
    reports = at_once(*[lambda: memory.ingest(LogRead((TALK,)))] * 2)
    assert sorted(report.read for report in reports) == [0, len(TALK.messages)]
    assert memory.memories.count() == len(TALK.messages)
