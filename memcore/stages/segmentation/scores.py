"""Scores between neighbouring messages, and the named rules that turn them into topic boundaries.

Position i stands for the gap before message i; position 0 is no gap and scores NaN. Pure arithmetic:
knows no messages, encoders or sessions. `topic_shift`, the default, is ours: the trained model of
`segment_model` on the features of `segment_features`; it alone is local, so that reading turn by turn
(`segment_online`) gives the same boundaries. Sources of the others: LightMem section 3.1 (attention,
similarity and their intersection), Hearst 1997 (TextTiling's depth score) over Gaussian-weighted blocks
of sentence vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memcore.stages.segmentation.cues import turn_cues
from memcore.stages.segmentation.features import gap_features
from memcore.stages.segmentation.model import gap_model, judge

Floats = NDArray[np.float64]

# Chosen on TIAGE's training split and LongMemEval streams disjoint from those reported, the same for
# every dataset.
SIMILARITY_THRESHOLD = 0.2
BLOCK_SPREAD = 2.0
DEPTH_FLOOR, DEPTH_DEVIATIONS = 0.2, 1.25


@dataclass(frozen=True, slots=True)
class Scores:
    """Every score of every gap, each of shape (n,). `attention` is M[i, i-1], None when no attention
    was read; `similarity` the cosine to the previous message; `block` the cosine between the
    Gaussian-weighted messages before and from i; `depth` how far `block` lies below the peaks on
    both sides, to be compared with `depth_threshold`; `shift` the trained probability that a topic
    starts, to be compared with `shift_threshold`, and `features` and `contributions`, shape
    (n, features), what it was read from and what each added to the log odds."""

    attention: Floats | None
    similarity: Floats
    block: Floats
    depth: Floats
    depth_threshold: float
    shift: Floats
    shift_threshold: float
    features: Floats
    contributions: Floats


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Gaps where a topic starts, in order. `fallback`: the rule found no agreement and used
    similarity alone. `similarity_threshold`: the one that fired, of a rule that raises it."""

    at: tuple[int, ...]
    fallback: bool = False
    similarity_threshold: float | None = None


def score_gaps(turns: Sequence[str], vectors: NDArray[np.float32], attention: Floats | None = None) -> Scores:
    """Scores of n messages from their raw texts, their unit vectors, shape (n, d), and M[i, i-1],
    shape (n,)."""
    if len(turns) != len(vectors):
        raise ValueError(f"{len(turns)} turns do not match {len(vectors)} vectors")
    similarity = np.full(len(vectors), np.nan)
    similarity[1:] = (vectors[1:] * vectors[:-1]).sum(axis=1)
    block = block_similarity(vectors, spread=BLOCK_SPREAD)
    depth = depth_scores(block)
    model = gap_model()
    features = gap_features([turn_cues(turn) for turn in turns], vectors)
    judged = judge(features, model)
    return Scores(
        attention=attention,
        similarity=similarity,
        block=block,
        depth=depth,
        depth_threshold=depth_threshold(depth),
        shift=judged.probability,
        shift_threshold=model.threshold,
        features=np.stack([features[name] for name in model.names], axis=1),
        contributions=judged.contributions,
    )


def block_similarity(vectors: NDArray[np.float32], *, spread: float) -> Floats:
    """Cosine between what precedes and what follows each gap, a message k steps away weighing
    exp(-k² / 2 spread²)."""
    reach = max(1, int(np.ceil(3 * spread)))
    weights = np.exp(-np.square(np.arange(reach)) / (2 * spread**2))
    padded = np.pad(vectors.astype(np.float64), ((reach, reach), (0, 0)))
    count = len(vectors)
    before = sum(weights[k] * padded[reach - 1 - k : reach - 1 - k + count] for k in range(reach))
    after = sum(weights[k] * padded[reach + k : reach + k + count] for k in range(reach))
    norms = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    cosine = np.full(count, np.nan)
    gaps = norms > 0
    cosine[gaps] = (np.asarray(before)[gaps] * np.asarray(after)[gaps]).sum(axis=1) / norms[gaps]
    cosine[:1] = np.nan
    return cosine


def depth_scores(block: Floats) -> Floats:
    """TextTiling's depth: the climb from each gap to the nearest peak on its left plus on its right."""
    return np.concatenate([block[:1] * np.nan, _climbs(block[1:]) + _climbs(block[1:][::-1])[::-1]])


def depth_threshold(depth: Floats) -> float:
    """Hearst's cut by mean and deviation of the session's own depths, but never below a floor: a session
    about one thing has no topic shift to find."""
    gaps = depth[1:]
    if not len(gaps):
        return DEPTH_FLOOR
    return max(DEPTH_FLOOR, float(gaps.mean() + DEPTH_DEVIATIONS * gaps.std()))


def _climbs(values: Floats) -> Floats:
    """How far values rise, without a fall between, going left from each position."""
    climbs = np.zeros(len(values))
    for i in range(1, len(values)):
        if values[i - 1] >= values[i]:
            climbs[i] = values[i - 1] - values[i] + climbs[i - 1]
    return climbs


def starts_topic(before: float, own: float, after: float, threshold: float) -> bool:
    """Whether a gap's probability exceeds the threshold and is a peak: above that of the gap before, and
    not below that of the gap after. A neighbour that does not exist is NaN."""
    return own > threshold and not before >= own and not after > own


def shifts_of(probability: Floats, threshold: float) -> tuple[int, ...]:
    """Gaps where a topic starts."""
    padded = [*map(float, probability), np.nan]
    inner = range(1, len(probability))
    return tuple(i for i in inner if starts_topic(padded[i - 1], padded[i], padded[i + 1], threshold))


def local_maxima(values: Floats) -> tuple[int, ...]:
    """LightMem's B1: turns i whose M[i, i-1] exceeds that of the turns before and after. The first and
    last gap have one neighbour and never qualify. (The published code returns i - 1, the gap's index
    counted from 0, and then compares it with B2's turns.)"""
    inner = range(2, len(values) - 1)
    return tuple(i for i in inner if values[i] > values[i - 1] and values[i] > values[i + 1])


def below(values: Floats, threshold: float) -> tuple[int, ...]:
    """LightMem's B2 on similarity: gaps whose value lies below the threshold."""
    return tuple(int(i) for i in np.flatnonzero(values[1:] < threshold) + 1)


def by_topic_shift(scores: Scores) -> Boundaries:
    """Ours: local maxima of the trained probability above its threshold."""
    return Boundaries(shifts_of(scores.shift, scores.shift_threshold))


def by_attention(scores: Scores) -> Boundaries:
    """B1 alone."""
    return Boundaries(local_maxima(_attention(scores)))


def by_similarity(scores: Scores) -> Boundaries:
    """B2 alone."""
    return Boundaries(below(scores.similarity, SIMILARITY_THRESHOLD))


def by_intersection(scores: Scores) -> Boundaries:
    """B1 ∩ B2, the paper's rule."""
    return Boundaries(tuple(sorted({*by_attention(scores).at} & {*by_similarity(scores).at})))


def by_texttiling(scores: Scores) -> Boundaries:
    """Gaps where the block similarity has a local minimum deeper than the session's threshold."""
    block = np.concatenate([[np.nan], scores.block[1:], [np.inf]])
    return Boundaries(
        tuple(
            i
            for i in range(1, len(scores.block))
            if scores.depth[i] > scores.depth_threshold
            and not block[i] > block[i - 1]
            and not block[i] >= block[i + 1]
        )
    )


def _attention(scores: Scores) -> Floats:
    assert scores.attention is not None, "the caller checks NEEDS_ATTENTION"
    return scores.attention


METHODS: dict[str, Callable[[Scores], Boundaries]] = {
    "topic_shift": by_topic_shift,
    "attention": by_attention,
    "similarity": by_similarity,
    "intersection": by_intersection,
    "texttiling": by_texttiling,
}
NEEDS_ATTENTION = {"attention", "intersection"}
DEFAULT_METHOD = "topic_shift"


def add_method(name: str, rule: Callable[[Scores], Boundaries], *, needs_attention: bool) -> None:
    """Let a system's own rule be chosen by name, beside those above."""
    METHODS[name] = rule
    if needs_attention:
        NEEDS_ATTENTION.add(name)
