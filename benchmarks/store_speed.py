"""How fast is the store? One ingest step, opening, and searching, at 10,000 memories.

python benchmarks/store_speed.py [memories]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from memcore.domain.models import (
    Conversation,
    ConversationLog,
    MemoryEntry,
    Message,
    RawRef,
    Session,
    Source,
    StageTrace,
)
from memcore.store import DuckStore, open_store

MODEL, DIMENSION = "benchmark", 384
MESSAGES, MEMORIES = 256, 300
WORDS = [f"word{number}" for number in range(3_000)]
BEGIN = datetime(2024, 1, 1)
chance = np.random.default_rng(0)
TOPICS = chance.normal(size=(300, DIMENSION))


def texts(count: int) -> list[str]:
    """Sentences of 12 words whose frequencies fall off as in language."""
    ranks = np.minimum(chance.zipf(1.3, size=(count, 12)), len(WORDS)) - 1
    return [" ".join(WORDS[rank] for rank in row) for row in ranks]


def vectors(count: int) -> NDArray[np.float32]:
    """Unit vectors in clusters, as sentence embeddings are."""
    rows = TOPICS[chance.integers(0, len(TOPICS), count)] + 0.7 * chance.normal(size=(count, DIMENSION))
    unit: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def step(store: DuckStore, number: int) -> float:
    """Store one step as an ingest does; returns its milliseconds."""
    session = Session(f"s{number}", "c", number, BEGIN + timedelta(days=number))
    messages = tuple(
        Message(f"s{number}m{n}", session.id, n, "Ann", "user", text, BEGIN, "message", RawRef("f", str(n)))
        for n, text in enumerate(texts(MESSAGES))
    )
    memories = [
        MemoryEntry(
            f"s{number}f{n}", "me", text, "fact", "memscope", "r", (Source(messages[n % MESSAGES].id, 0, 5),)
        )
        for n, text in enumerate(texts(MEMORIES))
    ]
    words = {"words": [{"start": n, "end": n + 3, "keep": 0.5, "kept": True} for n in range(12)]}
    traces = [StageTrace("r", "compress", message.id, 0, 1.0, words) for message in messages]
    said = [message.text for message in messages] + [memory.text for memory in memories]
    embedded = dict(zip(said, vectors(len(said)), strict=True))
    begun = time.perf_counter()
    with store.write(actor="benchmark") as writer:
        writer.add_log(ConversationLog(Conversation("c", "me", "f", "plain"), (session,), messages))
        writer.put_memories(memories)
        writer.add_embeddings(MODEL, embedded)
        writer.add_traces(traces)
        writer.mark_processed("memscope", [message.id for message in messages], "r")
    return (time.perf_counter() - begun) * 1_000


def milliseconds(work: Callable[[], object], times: int = 1) -> float:
    """The median of several runs."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        taken.append((time.perf_counter() - begun) * 1_000)
    return median(taken)


def main(memories: int) -> None:
    """Print how long steps, reads and reopening take with this many memories."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)

        def opened() -> DuckStore:
            return open_store(directory, embedding_model=MODEL, dimension=DIMENSION)

        store = opened()
        steps = [step(store, number) for number in range(-(-memories // MEMORIES))]
        count = store.count_memories("me")
        print(
            f"step of {MESSAGES} messages, {MEMORIES} memories, vectors and traces: "
            f"median {median(steps):.0f} ms, last {steps[-1]:.0f} ms"
        )
        query, words = vectors(200), texts(200)

        def semantic(n: int = 0) -> list[tuple[str, float]]:
            return store.semantic("me", query[n], 20, kind="memory")

        def lexical(n: int = 0) -> list[tuple[str, float]]:
            return store.lexical("me", words[n], 20, kind="memory")

        print(
            f"{count} memories: vector index made from nothing {milliseconds(semantic):.0f} ms, "
            f"keyword index {milliseconds(lexical):.0f} ms"
        )
        print(f"close and save {milliseconds(store.close):.0f} ms")
        begun = time.perf_counter()
        store = opened()
        print(
            f"open {(time.perf_counter() - begun) * 1_000:.0f} ms, "
            f"first semantic search {milliseconds(semantic):.0f} ms, lexical {milliseconds(lexical):.0f} ms"
        )
        numbers = iter(range(200))
        print(f"semantic search {milliseconds(lambda: semantic(next(numbers)), 200):.2f} ms")
        numbers = iter(range(200))
        print(f"lexical search {milliseconds(lambda: lexical(next(numbers)), 200):.2f} ms")
        ids = [memory.id for memory in store.memories("me")]
        found = store.embeddings(MODEL, [memory.text for memory in store.memories("me")])
        matrix = np.stack([found[memory.text] for memory in store.memories("me")])
        hits = 0
        for n in range(200):
            exact = {ids[row] for row in np.argsort(-(matrix @ query[n]))[:20]}
            hits += len(exact & {key for key, _ in semantic(n)})
        print(f"recall@20 against exact search {hits / 4_000:.4f}")
        taken = []
        for number in range(20):
            new = MemoryEntry(f"new{number}", "me", f"new {number}", "fact", "memscope", "r", ())
            with store.write(actor="benchmark") as writer:
                writer.put_memories([new])
                writer.add_embeddings(MODEL, {new.text: vectors(1)[0]})
            taken.append(milliseconds(semantic))
        print(f"semantic search right after adding one memory {median(taken):.1f} ms")
        print(
            f"all memories {milliseconds(lambda: store.memories('me'), 3):.0f} ms, "
            f"integrity check {milliseconds(store.check):.0f} ms"
        )
        store.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
