"""LightMem's update queues: what each memory should be compared with while nobody is talking.

Paper, section 3.3: the queue of entry e_i holds the most similar entries that are *no older*,
Q(e_i) = top-k { (e_j, sim(e_i, e_j)) : t_j >= t_i, j != i } kept to n, so that newer statements
update older ones. The published code compares t_j <= t_i, which is the transpose and would let
old statements overwrite new ones; this follows the paper.

Beside the similar ones, a queue may hold newer memories that give a value to the same thing ("lives in
Leeds", "has moved to Oslo") or share a rare word: of these the most similar, however little that is.

One pass, from the newest memory to the oldest, over an index that begins empty: each memory is put
into it and then asked for its neighbours, so the index only ever holds memories that are no older
and no hit has to be thrown away for its time. (A filter afterwards would need ever more hits for
old memories, and could still find all of them too old.)

Decides nothing. Time here is when something was said (`mentioned_at`), not when it happened.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from memcore.domain.models import MemoryEntry
from memcore.domain.protocols import VectorIndex, Vectors
from memcore.review.decisions import UpdateQueue

SIMILARITY_THRESHOLD = 0.55
"""Cosine of all-MiniLM-L6-v2 from which a pair is worth a decision. Of 36 related pairs (those of
tests/review/test_rules.py) all reach it and 97 % reach 0.6; of all pairs of a LoCoMo conversation
4 to 12 % do."""
TOP_K = 20
TOP_N = 10
TOP_VALUES = 8
"""Memories of a queue that are not similar, but give a value to the same thing or share a rare word."""
HISTOGRAM_BIN = 0.05
SAME_SIMILARITY = 1e-6
"""Two processors multiply one pair of float32 vectors to cosines that differ by up to about this."""

Moment = tuple[datetime, int]


@dataclass(frozen=True, slots=True)
class QueueTrace:
    """What was compared. `histogram[b]` counts memories whose nearest eligible neighbour has a
    cosine in [b, b+1) * 0.05 (below 0 counts as 0); `same_words` are neighbours over the threshold
    left out because both were read from the same words; `by_value` are candidates that are there only because
    they give a value to the same thing or share a rare word."""

    memories: int
    undated: int
    threshold: float
    k: int
    n: int
    queues: int
    candidates: int
    same_words: int
    histogram: tuple[int, ...]
    by_value: int = 0


def update_queues(
    memories: Sequence[MemoryEntry],
    vectors: Vectors,
    index: VectorIndex,
    *,
    k: int = TOP_K,
    n: int = TOP_N,
    threshold: float = SIMILARITY_THRESHOLD,
    values: Sequence[frozenset[Hashable]] = (),
) -> tuple[list[UpdateQueue], QueueTrace]:
    """Queues that are not empty, in the order of their targets; `index` is empty before and holds
    every memory afterwards.

    `memories` must be in the order of the log; `vectors` are their unit vectors, shape
    (len(memories), dimension). Memories said at the same time are in each other's queues; for those
    without a time see `moments`. Memories read from the same words (overlapping characters of one
    message) are never compared: two facts of one sentence do not correct each other. `values` has for each
    memory the keys that it shares with those it is compared with, too (empty: it is not asked).
    """
    said = moments(memories)
    by_id = {memory.id: memory for memory in memories}
    same_words = _same_words(memories)
    histogram = [0] * round(1 / HISTOGRAM_BIN)
    found: dict[int, UpdateQueue] = {}
    left_out = by_value = 0
    valued: defaultdict[Hashable, list[int]] = defaultdict(list)
    newest_first = sorted(range(len(memories)), key=said.__getitem__, reverse=True)
    for _, together in groupby(newest_first, key=said.__getitem__):
        group = list(together)
        index.put([memories[place].id for place in group], vectors[group])
        for place in group if values else ():
            for thing in values[place]:
                valued[thing].append(place)
        for place in group:
            target, apart = memories[place], same_words[place]
            near = _by_id_if_alike(index.search(vectors[place], k + 1 + len(apart)))
            left_out += sum(score >= threshold for i, score in near if i in apart)
            nearest = [(i, score) for i, score in near if i != target.id and i not in apart][:k]
            if nearest:
                histogram[min(int(max(nearest[0][1], 0.0) / HISTOGRAM_BIN), len(histogram) - 1)] += 1
            chosen = [(by_id[i], score) for i, score in nearest if score >= threshold][:n]
            if values:
                others = {o for thing in values[place] for o in valued[thing]}
                known = {target.id, *apart, *(m.id for m, _ in chosen)}
                further = _most_similar([o for o in others if memories[o].id not in known], place, vectors)
                chosen += [(memories[o], score) for o, score in further]
                by_value += len(further)
            if chosen:
                found[place] = UpdateQueue(target, tuple(chosen))
    queues = [found[place] for place in sorted(found)]
    trace = QueueTrace(
        memories=len(memories),
        undated=sum(memory.mentioned_at is None for memory in memories),
        threshold=threshold,
        k=k,
        n=n,
        queues=len(queues),
        candidates=sum(len(queue.candidates) for queue in queues),
        same_words=left_out,
        histogram=tuple(histogram),
        by_value=by_value,
    )
    return queues, trace


def moments(memories: Sequence[MemoryEntry]) -> list[Moment]:
    """When each of the memories, in the order of the log, counts as said: a total order.

    One without a date follows at once on the memory before it in the log, (its time, 1), the next
    one (its time, 2) and so on; before the first date there is no time but the log's order.

    >>> from datetime import datetime as d
    >>> def said(*when): return [MemoryEntry(str(i), "me", "", "", "", "", (), mentioned_at=t)
    ...                          for i, t in enumerate(when)]
    >>> [(t.year, n) for t, n in moments(said(None, None, d(2024, 1, 1), None, d(2023, 1, 1)))]
    [(1, 1), (1, 2), (2024, 0), (2024, 1), (2023, 0)]
    """
    counted: list[Moment] = []
    last, undated = datetime.min, 0
    for memory in memories:
        if memory.mentioned_at is None:
            undated += 1
        else:
            last, undated = memory.mentioned_at, 0
        counted.append((last, undated))
    return counted


def _most_similar(others: Sequence[int], place: int, vectors: Vectors) -> list[tuple[int, float]]:
    scored = [(other, float(vectors[other] @ vectors[place])) for other in others]
    return sorted(scored, key=lambda one: (-one[1], one[0]))[:TOP_VALUES]


def _by_id_if_alike(near: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """`near`, most similar first, but those that are alike in the order of their ids, as an index orders
    equals: so one log asks a model the same on every processor, unless a cut falls between those."""
    runs: list[list[tuple[str, float]]] = []
    for one in near:
        if runs and runs[-1][-1][1] - one[1] < SAME_SIMILARITY:
            runs[-1].append(one)
        else:
            runs.append([one])
    return [one for run in runs for one in sorted(run)]


def _same_words(memories: Sequence[MemoryEntry]) -> list[set[str]]:
    """For each memory, the ids of others that cite overlapping characters of the same message."""
    cited: dict[str, list[tuple[int, int, int]]] = {}
    for place, memory in enumerate(memories):
        for source in memory.sources:
            cited.setdefault(source.message_id, []).append((source.start, source.end, place))
    overlapping: list[set[str]] = [set() for _ in memories]
    for spans in cited.values():
        for start, end, place in spans:
            overlapping[place] |= {memories[o].id for s, e, o in spans if s < end and start < e}
    return [others - {memory.id} for memory, others in zip(memories, overlapping, strict=True)]
