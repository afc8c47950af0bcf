"""Several questions at once: those of a server beside each other, those of an embedded engine in order."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memcore.domain.errors import StoreError
from memcore.domain.server_address import ServerAddress
from memcore.store import SqlStore, open_store
from memcore.store.postgres.at_once import THREADS, AtOnce
from tests.store.samples import EMBEDDER, memory, put

SECONDS = 20.0


@pytest.fixture
def at_once() -> Iterator[AtOnce]:
    threads = AtOnce()
    yield threads
    threads.end()


def open_at(where: ServerAddress | Path) -> SqlStore:
    return open_store(where, embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension)


def failing(what: str) -> Callable[[], None]:
    def fail() -> None:
        raise StoreError(what, "Nothing.")

    return fail


def test_what_does_not_wait_for_each_other_is_done_beside_each_other(at_once: AtOnce) -> None:
    together = threading.Barrier(THREADS + 1)
    at_once.do([lambda: together.wait(SECONDS)] * (THREADS + 1))
    at_once.do([lambda: together.wait(SECONDS)] * (THREADS + 1))
    assert not together.broken


def test_nothing_is_asked_where_nothing_is_to_be(at_once: AtOnce) -> None:
    at_once.do([])


def test_what_no_thread_is_free_for_waits_for_none(at_once: AtOnce) -> None:
    free, all_busy = threading.Event(), threading.Barrier(THREADS + 1)

    waited: list[bool] = []

    def busy() -> None:
        all_busy.wait(SECONDS)
        waited.append(free.wait(SECONDS))

    others = threading.Thread(target=at_once.do, args=([lambda: None, *[busy] * THREADS],))
    others.start()
    all_busy.wait(SECONDS)
    done: list[int] = []
    at_once.do([lambda: done.append(0), lambda: done.append(1), lambda: done.append(2)])
    assert sorted(done) == [0, 1, 2]
    free.set()
    others.join()
    assert waited == [True] * THREADS


def test_a_failure_is_raised_once_nothing_is_being_done(at_once: AtOnce) -> None:
    working, ended = threading.Event(), threading.Event()

    def work() -> None:
        working.set()
        time.sleep(0.2)
        ended.set()

    def fail_meanwhile() -> None:
        assert working.wait(SECONDS)
        raise StoreError("first", "Nothing.")

    with pytest.raises(StoreError, match="first"):
        at_once.do([fail_meanwhile, work])
    assert ended.is_set()
    with pytest.raises(StoreError, match="other"):
        at_once.do([lambda: None, failing("other")])


@pytest.mark.parametrize("engine", ["embedded", "server"])
def test_a_store_of_either_engine_answers_several_questions(
    engine: str, address: ServerAddress, tmp_path: Path
) -> None:
    with open_at(address if engine == "server" else tmp_path / "store") as store:
        put(store, *(memory(f"m{n}", f"dog number {n}") for n in range(8)))
        found: dict[int, set[str]] = {}

        def ask(n: int) -> Callable[[], None]:
            return lambda: found.update({n: set(store.memories_by_id([f"m{n}"]))})

        for _ in range(2):
            found.clear()
            store.at_once([ask(n) for n in range(8)])
            assert found == {n: {f"m{n}"} for n in range(8)}
        with pytest.raises(StoreError, match="why"):
            store.at_once([ask(0), failing("why")])
