"""LightMem's update queues: what each memory should be compared with while nobody is talking.

Paper, section 3.4: the queue of entry e_i holds the most similar entries that are *no older*,
Q(e_i) = top-k { (e_j, sim(e_i, e_j)) : t_j >= t_i, j != i } kept to n, so that newer statements
update older ones. The published code compares t_j <= t_i, which is the transpose and would let
old statements overwrite new ones; this follows the paper.

All pairs are compared exactly, by matrix products in blocks, rather than through the vector index:
an approximate index cannot filter by time, so its k nearest may all be too old, and it would be
asked once per memory anyway. 10,000 memories of 384 dimensions take seconds.

Decides nothing. Time here is when something was said (`mentioned_at`), not when it happened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memcore.models import Memory
from memcore.protocols import Vectors
from memcore.review.decisions import UpdateQueue

SIMILARITY_THRESHOLD = 0.55
"""Cosine of all-MiniLM-L6-v2 from which a pair is worth a decision. Of 36 related pairs (those of
tests/review/test_rules.py) all reach it and 97 % reach 0.6; of all pairs of a LoCoMo conversation
4 to 12 % do."""
TOP_K = 20
TOP_N = 10
HISTOGRAM_BIN = 0.05
_BLOCK = 1024
_DAY_ZERO = datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class QueueTrace:
    """What was compared. `histogram[b]` counts memories whose nearest eligible neighbour has a
    cosine in [b, b+1) * 0.05 (below 0 counts as 0); `same_words` are pairs over the threshold left
    out because both were read from the same words."""

    memories: int
    undated: int
    threshold: float
    k: int
    n: int
    queues: int
    candidates: int
    same_words: int
    histogram: tuple[int, ...]


def update_queues(
    memories: Sequence[Memory],
    vectors: Vectors,
    *,
    k: int = TOP_K,
    n: int = TOP_N,
    threshold: float = SIMILARITY_THRESHOLD,
) -> tuple[list[UpdateQueue], QueueTrace]:
    """Queues that are not empty, in the order of their targets.

    `memories` must be in the order of insertion (that of the log); `vectors` are their unit
    vectors, shape (len(memories), dimension). Where either memory of a pair has no date, the one
    inserted later counts as the newer. Memories read from the same words (overlapping characters of
    one message) are never compared: two facts of one sentence do not correct each other.
    """
    said = np.array([_seconds(memory) for memory in memories], dtype=np.float64)
    places = np.arange(len(memories))
    same_words = _same_words(memories)
    histogram = np.zeros(round(1 / HISTOGRAM_BIN), dtype=np.int64)
    queues: list[UpdateQueue] = []
    left_out = 0
    for start in range(0, len(memories), _BLOCK):
        rows = places[start : start + _BLOCK]
        scores = vectors[rows] @ vectors.T
        scores[~_no_older(said, rows, places)] = -1.0
        for row, target in zip(scores, rows, strict=True):
            for other in same_words[target]:
                left_out += int(row[other] >= threshold)
                row[other] = -1.0
            if (row > -1.0).any():
                histogram[min(int(max(row.max(), 0.0) / HISTOGRAM_BIN), len(histogram) - 1)] += 1
            nearest = _nearest(row, k)
            chosen = [(memories[i], float(row[i])) for i in nearest if row[i] >= threshold][:n]
            if chosen:
                queues.append(UpdateQueue(memories[target], tuple(chosen)))
    trace = QueueTrace(
        memories=len(memories),
        undated=int(np.isnan(said).sum()),
        threshold=threshold,
        k=k,
        n=n,
        queues=len(queues),
        candidates=sum(len(queue.candidates) for queue in queues),
        same_words=left_out,
        histogram=tuple(int(count) for count in histogram),
    )
    return queues, trace


def _no_older(
    said: NDArray[np.float64], rows: NDArray[np.int_], columns: NDArray[np.int_]
) -> NDArray[np.bool_]:
    """eligible[i, j]: j may update i (t_j >= t_i; by insertion where a date is missing; never itself)."""
    undated = np.isnan(said[None, columns]) | np.isnan(said[rows, None])
    no_older = said[None, columns] >= said[rows, None]  # False wherever a date is missing
    later = columns[None, :] > rows[:, None]
    eligible: NDArray[np.bool_] = np.where(undated, later, no_older)
    eligible[np.arange(len(rows)), rows] = False
    return eligible


def _nearest(row: NDArray[np.float32], k: int) -> list[int]:
    """Places of the k best scores, best first; equal scores in order of insertion."""
    best = np.argpartition(-row, k)[:k] if len(row) > k else np.arange(len(row))
    return sorted((int(i) for i in best), key=lambda i: (-row[i], i))


def _same_words(memories: Sequence[Memory]) -> list[list[int]]:
    """For each memory, the places of others that cite overlapping characters of the same message."""
    cited: dict[str, list[tuple[int, int, int]]] = {}
    for place, memory in enumerate(memories):
        for source in memory.sources:
            cited.setdefault(source.message_id, []).append((source.start, source.end, place))
    overlapping: list[set[int]] = [set() for _ in memories]
    for spans in cited.values():
        for start, end, place in spans:
            overlapping[place] |= {other for s, e, other in spans if s < end and start < e}
    return [sorted(others - {place}) for place, others in enumerate(overlapping)]


def _seconds(memory: Memory) -> float:
    """Seconds of `mentioned_at` from a fixed day, NaN without one. Only differences matter."""
    return float("nan") if memory.mentioned_at is None else (memory.mentioned_at - _DAY_ZERO).total_seconds()
