"""Turn attention where a method or a reader asks for it: the matrix M of one session, and what it says.

LightMem section 3.1. Reading it is a pass of the encoder of its own, so a session whose method cuts without
it is stored without it; `with_attention` adds it to such a session's trace for whoever looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from memcore.domain.protocols import TurnAttention
from memcore.stages.segmentation.scores import METHODS, NEEDS_ATTENTION, Floats, Scores, local_maxima
from memcore.stages.segmentation.trace import SegmentationTrace, column, scores_in

MATRIX_TURNS = 40
"""Sessions up to this many messages keep the attention matrix in their trace."""

_BLOCK_TURNS, _REPEATED_TURNS = 512, 32


def read_attention(
    attention: TurnAttention, turns: Sequence[str]
) -> tuple[NDArray[np.float32] | None, Floats]:
    """M (None for long sessions, whose square would not fit memory) and M[i, i-1]. Long sessions are
    read in blocks that repeat the turns before them."""
    previous = np.full(len(turns), np.nan)
    matrix: NDArray[np.float32] | None = None
    for start in range(0, len(turns), _BLOCK_TURNS):
        first = max(0, start - _REPEATED_TURNS)
        matrix = attention.turn_attention(turns[first : start + _BLOCK_TURNS])
        diagonal = np.diagonal(matrix, offset=-1)
        previous[max(start, 1) : start + _BLOCK_TURNS] = diagonal[max(start, 1) - first - 1 :]
    return (matrix if len(turns) <= _BLOCK_TURNS else None), previous


def kept_matrix(matrix: NDArray[np.float32] | None) -> tuple[tuple[float, ...], ...] | None:
    """M to 3 decimals, of short sessions."""
    if matrix is None or len(matrix) > MATRIX_TURNS:
        return None
    return tuple(tuple(round(float(value), 3) for value in row) for row in matrix)


def with_attention(
    trace: SegmentationTrace, attention: TurnAttention, turns: Sequence[str]
) -> SegmentationTrace:
    """The trace of a session that was divided without attention, with attention read from its compressed
    `turns`, and what the methods that need it would have found. Its own boundaries stay as they are."""
    matrix, previous = read_attention(attention, turns)
    own = {"similarity": trace.similarity_low, trace.method: trace.boundaries[1:]}  # of the oldest traces
    nothing = np.zeros((len(turns), 0))
    scores = Scores(
        attention=previous,
        similarity=scores_in(trace.similarity),
        block=scores_in(trace.block),
        depth=scores_in(trace.depth),
        depth_threshold=trace.depth_threshold,
        shift=scores_in(trace.shift),
        shift_threshold=trace.shift_threshold or 0.0,
        features=nothing,
        contributions=nothing,
    )
    found = {name: METHODS[name](scores).at for name in sorted(NEEDS_ATTENTION & METHODS.keys())}
    return replace(
        trace,
        attention=column(previous, len(turns)),
        attention_maxima=local_maxima(previous),
        matrix=kept_matrix(matrix),
        by_method={**(trace.by_method or own), **found},
    )
