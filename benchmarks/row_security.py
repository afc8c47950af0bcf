"""What row-level security costs: the same reads by who owns the store and by a login that may read one owner.

    python -m benchmarks.row_security [--postgres postgresql://ADMIN@HOST/EMPTY] [--owners 5]
        [--memories 2000]

Without an address, a server is started from the package that the tests use. Searches by meaning and reads of
all memories alternate; medians and their ratio count. The login is made and removed again.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

import numpy as np
import psycopg

from memcore.domain.models import Grant, MemoryEntry
from memcore.domain.server_address import ServerAddress
from memcore.store import SqlStore, open_store

DIMENSION, MODEL, LOGIN = 384, "random", "memscope_benchmark_reader"
ROUNDS = 25


def fill(store: SqlStore, owner: str, memories: int) -> None:
    """Memories of an owner, with vectors at random."""
    chance = np.random.default_rng(len(owner))
    texts = [f"{owner} said thing {number}" for number in range(memories)]
    vectors = chance.normal(size=(memories, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    with store.write(actor="benchmark") as writer:
        writer.put_memories(
            [
                MemoryEntry(
                    id=f"{owner}-{number}",
                    owner=owner,
                    text=text,
                    kind="fact",
                    recipe="memscope",
                    run_id="",
                    sources=(),
                    embedding_model=MODEL,
                )
                for number, text in enumerate(texts)
            ]
        )
        writer.add_embeddings(MODEL, dict(zip(texts, vectors, strict=True)))


def milliseconds(work: Callable[[], object]) -> float:
    """How long it takes once."""
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1_000


def compare(whole: SqlStore, granted: SqlStore, owner: str) -> None:
    """Print medians by who asks."""
    question = np.ones(DIMENSION, dtype=np.float32) / np.sqrt(np.float32(DIMENSION))
    works: dict[str, Callable[[SqlStore], object]] = {
        "search by meaning": lambda store: store.semantic(owner, question, 10, kind="memory"),
        "read all memories": lambda store: store.memories(owner),
    }
    for name, work in works.items():
        assert work(whole) == work(granted)
        times = [[milliseconds(partial(work, store)) for store in (whole, granted)] for _ in range(ROUNDS)]
        ours, theirs = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"{name}: owner of the store {ours:.1f} ms, login {theirs:.1f} ms, ratio {theirs / ours:.2f}")


def main() -> None:
    """Read the arguments, fill a store and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--postgres", help="the address of an empty database")
    parser.add_argument("--owners", type=int, default=5)
    parser.add_argument("--memories", type=int, default=2_000)
    asked = parser.parse_args()
    with ExitStack() as stack:
        address = ServerAddress.parse(asked.postgres or "")
        if asked.postgres is None:
            from tests.postgres import new_database

            address = stack.enter_context(new_database())
        elif address is None:
            parser.error("--postgres is to be postgresql://USER@HOST/DATABASE")
        connection = stack.enter_context(psycopg.connect(str(address), autocommit=True))
        connection.execute(f"create role {LOGIN} login")
        stack.callback(connection.execute, f"drop owned by {LOGIN}; drop role {LOGIN}")
        whole = stack.enter_context(open_store(address, embedding_model=MODEL, dimension=DIMENSION))
        owners = [f"owner{number}" for number in range(asked.owners)]
        for owner in owners:
            fill(whole, owner, asked.memories)
        with whole.write(actor="benchmark") as writer:
            writer.put_grants([Grant.of(f"postgresql|{LOGIN}", owners[0], "read")])
        whole.admit_logins()
        connection.execute("vacuum analyze")
        user = connection.info.user
        as_login = replace(address, shown=address.shown.replace(f"//{user}@", f"//{LOGIN}@"))
        granted = stack.enter_context(open_store(as_login, embedding_model=MODEL, dimension=DIMENSION))
        print(f"{asked.owners} owners of {asked.memories} memories each; medians of {ROUNDS}")
        compare(whole, granted, owners[0])


if __name__ == "__main__":
    main()
