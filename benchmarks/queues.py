"""Update queues by hnswlib in one pass, against exact ones: how many members are found, how fast?

python benchmarks/queues.py [memories ...]     (default: 2000 10000)

Vectors are clustered at random, as texts about a few hundred things are; a tenth of the memories
share their time with another, a twentieth have none. Recall is of all members of all queues; seconds
are of processor time, so that other work on the machine does not count.
"""

from __future__ import annotations

import sys
import time
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np

from memcore.domain.models import MemoryEntry
from memcore.domain.protocols import Vectors
from memcore.review.queues import SIMILARITY_THRESHOLD, TOP_K, TOP_N, moments, update_queues
from memcore.store import HnswIndex

DIMENSION = 384
TOPIC_SIZE = 40
SPREAD = 0.045
"""Noise a component: mean cosine within a topic about .56, as between memories of one subject."""
BEGIN = datetime(2024, 1, 1)
BLOCK = 1024

Members = set[tuple[int, int]]


def clustered(count: int, chance: np.random.Generator) -> Vectors:
    """Unit vectors around one centre a topic of `TOPIC_SIZE` memories."""
    centres = chance.normal(size=(max(1, count // TOPIC_SIZE), DIMENSION))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    noise = SPREAD * chance.normal(size=(count, DIMENSION))
    vectors = centres[chance.integers(len(centres), size=count)] + noise
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def memories(count: int, chance: np.random.Generator) -> list[MemoryEntry]:
    """Memories in the order of a log, with times."""
    minutes = np.cumsum(chance.random(count) > 0.1)
    dated = chance.random(count) > 0.05
    return [
        MemoryEntry(f"mem_{i:06d}", "me", "", "fact", "memscope", "run", (),
               mentioned_at=BEGIN + timedelta(minutes=int(minutes[i])) if dated[i] else None)
        for i in range(count)
    ]  # fmt: skip


def exact(listed: list[MemoryEntry], vectors: Vectors) -> Members:
    """(target, member) of every queue by the definition: all pairs compared, in matrix products."""
    order = sorted(set(moments(listed)))
    rank = {moment: place for place, moment in enumerate(order)}
    ranks = np.array([rank[moment] for moment in moments(listed)])
    members: Members = set()
    for start in range(0, len(listed), BLOCK):
        rows = np.arange(start, min(start + BLOCK, len(listed)))
        scores = vectors[rows] @ vectors.T
        scores[ranks[None, :] < ranks[rows, None]] = -1.0
        scores[np.arange(len(rows)), rows] = -1.0
        k = min(TOP_K, len(listed) - 1)
        best = np.argpartition(-scores, k, axis=1)[:, :k]
        for target, nearest, row in zip(rows.tolist(), best, scores, strict=True):
            ranked = nearest[np.argsort(-row[nearest])][:TOP_N]
            members |= {(target, int(j)) for j in ranked if row[j] >= SIMILARITY_THRESHOLD}
    return members


def measure(count: int) -> str:
    """One line of the table."""
    chance = np.random.default_rng(count)
    listed, vectors = memories(count, chance), clustered(count, chance)
    marks = [time.process_time()]
    wanted = exact(listed, vectors)
    marks.append(time.process_time())
    queues, _ = update_queues(listed, vectors, HnswIndex(DIMENSION))
    marks.append(time.process_time())
    place = {memory.id: i for i, memory in enumerate(listed)}
    found = {(place[q.target.id], place[m.id]) for q in queues for m, _ in q.candidates}
    exactly, in_one_pass = (later - earlier for earlier, later in pairwise(marks))
    recall = len(found & wanted) / len(wanted)
    return (
        f"{count:>9,} {len(wanted):>9,} {recall:>8.5f} {in_one_pass:>8.1f} s {exactly:>8.1f} s"
        f" {in_one_pass / exactly:>7.2f}"
    )


def main() -> None:
    """Print the table."""
    counts = [int(word) for word in sys.argv[1:]] or [2_000, 10_000]
    print(f"{'memories':>9} {'members':>9} {'recall':>8} {'hnswlib':>10} {'exact':>10} {'ratio':>7}")
    for count in counts:
        print(measure(count), flush=True)


if __name__ == "__main__":
    main()
