"""Several questions at once: those of a server beside each other, those of an embedded engine in order."""

from __future__ import annotations

import threading
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


def test_the_first_failure_is_raised_once_all_have_ended(at_once: AtOnce) -> None:
    ended: list[int] = []
    with pytest.raises(StoreError, match="second"):
        at_once.do([lambda: ended.append(0), failing("second"), failing("third"), lambda: ended.append(3)])
    with pytest.raises(StoreError, match="first"):
        at_once.do([failing("first"), failing("second"), lambda: ended.append(6)])
    assert sorted(ended) == [0, 3, 6]


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
