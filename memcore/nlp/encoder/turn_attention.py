"""LightMem's turn-level attention matrix, from whatever reads the attention of one row.

LightMem section 3.1: M[i, j], j < i, is the mean over turn i's tokens of the attention they pay to
turn j's tokens, special positions masked, each row normalised over j < i. Knows neither the model
nor what a boundary is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

WINDOW = 256
"""Word pieces read together. Cost grows with the square; LightMem's buffer holds 512."""

ReadAttention = Callable[[Sequence[Sequence[int]]], list[NDArray[np.float32]]]
"""Rows of pieces (framed by one special position at each end when read) to square attention."""


def turn_windows(lengths: Sequence[int], room: int) -> list[tuple[int, int, int]]:
    """(first turn, end turn, first new turn) of windows of at most `room` pieces. A window repeats
    the last turns of the one before, up to a quarter of its room, and at least one: neighbouring turns
    always meet. No length may exceed half the room.

    >>> turn_windows([4, 4, 4, 4], 8)
    [(0, 2, 0), (1, 3, 2), (2, 4, 3)]
    """
    found: list[tuple[int, int, int]] = []
    new = 0
    while new < len(lengths):
        first, used = new, 0
        while first and (used + lengths[first - 1] <= room // 4 or first == new):
            first -= 1
            used += lengths[first]
        end = new
        while end < len(lengths) and used + lengths[end] <= room:
            used += lengths[end]
            end += 1
        found.append((first, end, new))
        new = end
    return found


def turn_attention_matrix(
    turns: Sequence[Sequence[int]], read: ReadAttention, *, window: int = WINDOW
) -> NDArray[np.float32]:
    """M, shape (n, n); see `memcore.domain.protocols.TurnAttention`.

    A turn longer than a quarter of a window is read up to there, so that each is read with several
    others and neighbours always share a window. Each turn's row comes from the window in which it is
    new, behind the repeated turns.
    """
    room = window - 2
    pieces = [list(turn[: room // 4]) for turn in turns]
    lengths = [len(turn) for turn in pieces]
    plan = turn_windows(lengths, room)
    rows = [[piece for turn in pieces[first:end] for piece in turn] for first, end, _ in plan]
    matrix = np.zeros((len(turns), len(turns)), dtype=np.float32)
    for (first, end, new), attention in zip(plan, read(rows), strict=True):
        inner = attention[1:-1, 1:-1]
        bounds = np.concatenate([[0], np.cumsum(lengths[first:end])])
        for turn in range(max(new, first + 1), end):
            own = inner[bounds[turn - first] : bounds[turn - first + 1]]
            if not len(own):
                continue
            received = np.concatenate([[0.0], np.cumsum(own.mean(axis=0))])[bounds]
            paid = np.diff(received)[: turn - first]
            total = float(paid.sum())
            if total > 0.0:
                matrix[turn, first:turn] = paid / total
    return matrix
