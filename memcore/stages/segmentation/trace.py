"""What topic segmentation leaves behind: every score of one session, and the boundaries they gave."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from memcore.stages.segmentation.scores import Floats

Column = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class SegmentationTrace:
    """All scores of one session, as columns over `message_ids`; a position stands for the gap before
    that message, None where there is no gap or the score was not read.

    `attention` is M[i, i-1] and `attention_maxima` its local maxima (B1), where the method read
    attention; `similarity` the cosine to the previous message and `similarity_low` the gaps below
    `similarity_threshold` (B2); `block` and `depth` are TextTiling's smoothed cosine and depth, compared
    with `depth_threshold`; `shift` is the trained probability of a topic shift, compared with
    `shift_threshold`. `boundaries` are the positions where segments start, 0 included, and `reasons` in
    words, one tuple for each of them, what spoke most for it (of the trained method only). `by_method`
    holds the shifts, 0 not included, that every method would have found from the scores that were read.
    `fallback`: the method found no agreement and used similarity alone; `raised_threshold`: the
    similarity threshold that fired, of the published rule, which raises it. `matrix` is M to 3 decimals,
    for short sessions. Traces of before the trained method lack what has a default.
    """

    session_id: str
    method: str
    message_ids: tuple[str, ...]
    attention: Column
    similarity: Column
    block: Column
    depth: Column
    similarity_threshold: float
    depth_threshold: float
    attention_maxima: tuple[int, ...]
    similarity_low: tuple[int, ...]
    boundaries: tuple[int, ...]
    fallback: bool = False
    matrix: tuple[tuple[float, ...], ...] | None = None
    shift: Column = ()
    shift_threshold: float | None = None
    reasons: tuple[tuple[str, ...], ...] = ()
    by_method: dict[str, tuple[int, ...]] = field(default_factory=dict)
    raised_threshold: float | None = None


def column(values: Floats | None, count: int) -> Column:
    """A score to 4 decimals; None in every gap where it was not read, and where it is NaN."""
    if values is None:
        return (None,) * count
    return tuple(None if np.isnan(value) else round(float(value), 4) for value in values)


def scores_in(values: Column) -> Floats:
    """The reverse, but for what was rounded off.

    >>> scores_in((None, 0.25))
    array([ nan, 0.25])
    """
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
