"""Every segmentation method against known topic shifts, beside boundaries that need no reading.

A stream is worked through as a session is: compressed, embedded, the attention of the compressed turns
read, the gaps scored. Precision, recall and F1 are over all gaps of a dataset, Pk and WindowDiff means
over its streams.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memcore.evaluation import topic_baselines
from memcore.evaluation.metrics import BoundaryScores, boundary_scores, mean_scores
from memcore.evaluation.topic_datasets import Stream, TopicDataset
from memcore.protocols import Compressor, Embedder, Progress, TurnAttention, Vectors
from memcore.stages.segment_scores import DEFAULT_METHOD, METHODS, NEEDS_ATTENTION, Floats, score_gaps

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
    methods: Sequence[str] = tuple(METHODS),
    progress: Progress = lambda stage, done, total: None,
) -> SegmentationResult:
    """Compare `methods` and the baselines on a dataset. `rate`: turns are compressed to it before their
    attention is read, which happens only if a method needs it. Raises what the models raise."""
    attends = bool(NEEDS_ATTENTION & {*methods})
    found: dict[str, list[tuple[int, ...]]] = {method: [] for method in methods}
    spent = {"compress_and_embed": 0.0, "attention": 0.0, "rules": 0.0}
    for done, stream in enumerate(dataset.streams):
        progress(dataset.name, done, len(dataset.streams))
        times = [time.perf_counter()]
        compressed = [one.text for one in compressor.compress(stream.turns, rate)]
        vectors = embedder.embed(stream.turns)
        times.append(time.perf_counter())
        previous = _previous_turn(attention.turn_attention(compressed)) if attends else None
        times.append(time.perf_counter())
        scores = score_gaps(stream.turns, vectors, previous)
        for method in methods:
            found[method].append(METHODS[method](scores).at)
        times.append(time.perf_counter())
        for what, (begun, ended) in zip(spent, itertools.pairwise(times), strict=True):
            spent[what] += ended - begun
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
        milliseconds_a_turn={name: 1000 * seconds / turn_count for name, seconds in spent.items()},
    )


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
