"""Conversations read beside each other: the memory that reading them in turn gives, whoever dies."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import pytest

from memcore.domain.models import ConversationLog, LogRead
from memcore.domain.protocols import Cancelled
from memcore.runs.bulk import BulkReport, Job, JobDone, ingest_in_bulk
from memcore.runs.conversation import read_conversation
from memcore.runs.ingest import REMEMBER, new_run
from memcore.runs.retry import failed_parts
from memcore.stages.buffer import Buffer
from memcore.store import DuckStore, ExactIndex
from memcore.systems.registry import SYSTEMS
from tests import pipeline
from tests.pipeline import EMBEDDER, RECIPE, SayingExtractor, content, log, run_ingest, tools

LOGS = [
    log([f"likes thing {n}." for n in range(10)], ["visits place 1.", "owns object 7."], name="a"),
    log([f"owns object {n}." for n in range(9)], name="b"),
    log(["likes thing 3.", "visits place 5.", "likes thing 4."], name="c"),
]


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memcore.runs.planning.STEP_MESSAGES", 2)
    monkeypatch.setattr("memcore.runs.conversation.STEPS_AT_ONCE", 2)


class ThreadReaders:
    """Readers that are threads; one that dies (raises RuntimeError) is followed by another."""

    def __init__(self, store: DuckStore, at_once: int = 2, **options: Any) -> None:
        self._store = store
        self._at_once = at_once
        self._tools = tools(**options)

    def read(self, jobs: Sequence[Job], *, cancelled: Cancelled) -> Iterator[JobDone]:
        with ThreadPoolExecutor(self._at_once) as pool:
            for done in as_completed([pool.submit(self._read, job) for job in jobs]):
                if cancelled():
                    pool.shutdown(cancel_futures=True)
                    return
                yield done.result()

    def _read(self, job: Job) -> JobDone:
        while True:
            try:
                errors = read_conversation(
                    self._store,
                    job.run,
                    job.conversation_id,
                    recipe=SYSTEMS[job.run.recipe],
                    tools=self._tools,
                    make_index=ExactIndex,
                )
            except RuntimeError:
                continue
            return JobDone(job, errors)


def in_bulk(
    store: DuckStore, *logs: ConversationLog, readers: ThreadReaders | None = None, **options: Any
) -> BulkReport:
    return ingest_in_bulk(
        store,
        [LogRead((one,)) for one in logs],
        begin=lambda owner: new_run(owner, RECIPE, {}),
        readers=readers or ThreadReaders(store),
        llm={"backend": "none", "model": ""},
        **options,
    )


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """What is remembered when the logs are read one after the other."""
    with pipeline.open_with(EMBEDDER, tmp_path / "alone") as store:
        for one in LOGS:
            run_ingest(store, one)
        yield comparable(store)


def comparable(store: DuckStore) -> dict[str, Any]:
    """Which conversation came first decides in which order an entity's aliases and a triple's sources are,
    and how often it changed; a memory is added once."""
    found = content(store)
    of_memories = [event for event in found["events"] if event[0].startswith("memory.")]
    found["events"] = (of_memories, set(found["events"]))
    found["entities"] = {(e.id, frozenset((e.name, *e.aliases))) for e in found["entities"]}
    found["triples"] = {(t.id, frozenset(t.sources), t.mentions, t.valid_from) for t in found["triples"]}
    found["memories"] = {memory.id: memory for memory in found["memories"]}
    found["summaries"] = {(s.id, s.text, s.started_at, s.ended_at) for s in found["summaries"]}
    return found


def test_what_is_remembered_is_what_reading_one_after_the_other_remembers(
    store: DuckStore, alone: dict[str, Any]
) -> None:
    told: list[tuple[str, int, int]] = []
    report = in_bulk(store, *LOGS, progress=lambda *at: told.append(at))
    assert comparable(store) == alone
    messages = sum(len(one.messages) for one in LOGS)
    assert (report.state, report.conversations, report.errors) == ("finished", 3, ())
    assert (report.messages, report.new_messages, report.read) == (messages,) * 3
    assert report.memories == store.count_memories("me") == len(alone["memories"])
    assert (told[0], told[-1]) == ((REMEMBER, 0, messages), (REMEMBER, messages, messages))
    (run,) = store.runs()
    assert (run.state, run.totals["messages"]) == ("finished", messages)


def test_running_it_again_reads_nothing(store: DuckStore, alone: dict[str, Any]) -> None:
    in_bulk(store, *LOGS)
    again = in_bulk(store, *LOGS, readers=ThreadReaders(store, extractor=_Refusing()))
    assert (again.state, again.new_messages, again.read, again.memories) == ("finished", 0, 0, 0)
    assert comparable(store) == alone


class _Refusing(SayingExtractor):
    def extract(self, buffers: Sequence[Buffer]) -> Any:
        raise AssertionError("there is nothing to read")


class _Dying(SayingExtractor):
    """Dies at every second buffer, the first time that it is given it."""

    def __init__(self) -> None:
        super().__init__()
        self._met: set[tuple[str, ...]] = set()
        self._lock = threading.Lock()
        self.deaths = 0

    def extract(self, buffers: Sequence[Buffer]) -> Any:
        with self._lock:
            key = tuple(message.id for buffer in buffers for message in buffer.messages)
            if key not in self._met:
                self._met.add(key)
                if len(self._met) % 2:
                    self.deaths += 1
                    raise RuntimeError("killed")
        return super().extract(buffers)


def test_readers_that_die_lose_and_double_nothing(store: DuckStore, alone: dict[str, Any]) -> None:
    dying = _Dying()
    report = in_bulk(store, *LOGS, readers=ThreadReaders(store, extractor=dying))
    assert dying.deaths >= 3
    assert comparable(store) == alone
    assert report.read == sum(len(one.messages) for one in LOGS)
    assert report.memories == len(alone["memories"])


def test_cancelled_it_goes_on_when_it_is_run_again(store: DuckStore, alone: dict[str, Any]) -> None:
    done: list[int] = []
    first = in_bulk(
        store,
        *LOGS,
        readers=ThreadReaders(store, at_once=1),
        progress=lambda stage, of, total: done.append(of),
        cancelled=lambda: done[-1:] > [0],
    )
    assert (first.state, first.conversations) == ("cancelled", 1)
    assert store.runs()[0].state == "cancelled"
    second = in_bulk(store, *LOGS)
    assert second.state == "finished"
    assert first.read + second.read == sum(len(one.messages) for one in LOGS)
    assert comparable(store) == alone


def test_an_interruption_is_recorded_and_raised(store: DuckStore) -> None:
    def interrupt(stage: str, done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_bulk(store, *LOGS, progress=interrupt)
    assert store.runs()[0].state == "cancelled"


class _Meanwhile(SayingExtractor):
    """Lets something happen while it reads for the first time."""

    def __init__(self, happens: Callable[[], Any]) -> None:
        super().__init__()
        self._happens: Callable[[], Any] | None = happens

    def extract(self, buffers: Sequence[Buffer]) -> Any:
        happens, self._happens = self._happens, None
        if happens is not None:
            happens()
        return super().extract(buffers)


def test_what_another_run_read_meanwhile_is_not_remembered_twice(
    store: DuckStore, alone: dict[str, Any]
) -> None:
    readers = ThreadReaders(store, at_once=1, extractor=_Meanwhile(lambda: run_ingest(store)))
    report = in_bulk(store, *LOGS, readers=readers)
    assert report.state == "finished"
    assert (report.read, report.memories) == (0, 0)
    assert comparable(store) == alone


def test_what_cannot_be_read_costs_its_own_messages_and_can_be_retried(store: DuckStore) -> None:
    readers = ThreadReaders(store, extractor=SayingExtractor(fails={"visits place 5."}))
    report = in_bulk(store, *LOGS, readers=readers)
    assert report.state == "finished"
    assert "cannot read" in "".join(report.errors)
    (part,) = failed_parts(store, report.run_ids[0])
    assert part.session.conversation_id == LOGS[2].conversation.id
    assert store.pending_conversations(RECIPE, "me") == {LOGS[2].conversation.id: len(part.messages)}


def test_each_owner_has_a_run(store: DuckStore) -> None:
    ann, ben = log(["likes tea."], owner="ann"), log(["likes tea.", "owns a dog."], owner="ben")
    report = in_bulk(store, ann, ben)
    assert report.owners == ("ann", "ben")
    assert [store.run(i).totals["messages"] for i in report.run_ids] == [1, 2]
    assert (store.count_memories("ann"), store.count_memories("ben")) == (1, 2)
