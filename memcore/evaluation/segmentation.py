"""Every segmentation method against known topic shifts, beside boundaries that need no reading.

A stream is worked through as a session is: compressed, embedded, the attention of the compressed turns
read, the gaps scored. Precision, recall and F1 are over all gaps of a dataset, Pk and WindowDiff means
over its streams.
"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from memcore.domain.protocols import Compressor, Embedder, Progress, TurnAttention, Vectors
from memcore.evaluation import topic_baselines
from memcore.evaluation.metrics import BoundaryScores, boundary_scores, mean_scores
from memcore.evaluation.topic_datasets import Stream, TopicDataset
from memcore.stages.segmentation.online import TopicStream
from memcore.stages.segmentation.scores import DEFAULT_METHOD, NEEDS_ATTENTION, Floats, score_gaps
from memcore.systems.registry import SEGMENT_METHODS

ONLINE = f"{DEFAULT_METHOD}, online"
"""The default method when it is given one turn after the other."""

_SEED = 5
_DRAWS = 20


@dataclass(frozen=True, slots=True)
class SegmentationResult:
    """Scores of every method and baseline on one dataset, of `default` among them, and what reading cost."""

    dataset: str
    file: str
    streams: int
    turns: int
    boundaries: int
    default: str
    methods: Mapping[str, BoundaryScores]
    milliseconds_a_turn: Mapping[str, float]


def evaluate_segmentation(
    dataset: TopicDataset,
    *,
    embedder: Embedder,
    compressor: Compressor,
    attention: TurnAttention,
    rate: float,
    methods: Sequence[str] = tuple(SEGMENT_METHODS),
    progress: Progress = lambda stage, done, total: None,
) -> SegmentationResult:
    """Compare `methods` and the baselines on a dataset. `rate`: turns are compressed to it before their
    attention is read; both happen only if a method needs attention. Raises what the models raise."""
    found: dict[str, list[tuple[int, ...]]] = {}
    spent: defaultdict[str, float] = defaultdict(float)
    for done, stream in enumerate(dataset.streams):
        progress(dataset.name, done, len(dataset.streams))
        previous: Floats | None = None
        if NEEDS_ATTENTION & {*methods}:
            with _timed(spent, "compress"):
                compressed = [one.text for one in compressor.compress(stream.turns, rate)]
            with _timed(spent, "attention"):
                previous = _previous_turn(attention.turn_attention(compressed))
        with _timed(spent, "embed"):
            vectors = embedder.embed(stream.turns)
        with _timed(spent, "score"):
            scores = score_gaps(stream.turns, vectors, previous)
        for method in methods:
            found.setdefault(method, []).append(SEGMENT_METHODS[method](scores).at)
            if method == DEFAULT_METHOD:
                found.setdefault(ONLINE, []).append(_online(stream.turns, vectors))
    progress(dataset.name, len(dataset.streams), len(dataset.streams))
    turn_count = sum(len(stream.turns) for stream in dataset.streams)
    scored = {method: _scores(dataset.streams, positions) for method, positions in found.items()}
    return SegmentationResult(
        dataset=dataset.name,
        file=dataset.file,
        streams=len(dataset.streams),
        turns=turn_count,
        boundaries=sum(len(stream.shifts) for stream in dataset.streams),
        default=DEFAULT_METHOD,
        methods={**scored, **_baselines(dataset.streams)},
        milliseconds_a_turn={what: 1000 * seconds / turn_count for what, seconds in spent.items()},
    )


@contextmanager
def _timed(spent: dict[str, float], what: str) -> Iterator[None]:
    """Add the seconds that a block takes to those spent on such blocks before."""
    begun = time.perf_counter()
    yield
    spent[what] += time.perf_counter() - begun


def _online(turns: Sequence[str], vectors: Vectors) -> tuple[int, ...]:
    topics = TopicStream()
    found = [shift for turn, vector in zip(turns, vectors, strict=True) for shift in topics.add(turn, vector)]
    return (*found, *topics.close())


def _previous_turn(matrix: Vectors) -> Floats:
    """M[i, i-1] of each turn, NaN for the first."""
    return np.concatenate([[np.nan], np.diagonal(matrix, offset=-1).astype(np.float64)])


def _baselines(streams: Sequence[Stream]) -> dict[str, BoundaryScores]:
    draw = random.Random(_SEED)
    k = topic_baselines.mean_segment(streams)
    return {
        "texttiling, lexical": _scores(streams, topic_baselines.texttiling(streams)),
        "random": mean_scores(
            [_scores(streams, topic_baselines.at_random(streams, draw)) for _ in range(_DRAWS)]
        ),
        f"every {k}": _scores(streams, topic_baselines.every(streams, k)),
        "none": _scores(streams, topic_baselines.nowhere(streams)),
    }


def _scores(streams: Sequence[Stream], found: Sequence[tuple[int, ...]]) -> BoundaryScores:
    return boundary_scores(
        [len(stream.turns) for stream in streams], [stream.shifts for stream in streams], found
    )
