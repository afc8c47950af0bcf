"""Confidence intervals of means over questions: the percentile bootstrap, by cluster (Efron 1979; Field &
Welsh 2007 for clusters).

Questions about one conversation share its quirks, so whole conversations are drawn, not questions: an
interval over questions alone would be far too narrow. With few clusters it is itself uncertain; with one
there is none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

DRAWS = 2_000
LEVEL = 95
_SEED = 20230508

Interval = tuple[float, float]


def intervals(
    values: NDArray[np.float64], clusters: Sequence[str], *, draws: int = DRAWS, seed: int = _SEED
) -> list[Interval | None]:
    """The 95 % interval of each column's mean. `values`: a row a question and a column a figure, NaN where
    a question has no such figure; `clusters`: each question's. None for a column with values in fewer
    than two clusters."""
    names, of = np.unique(np.asarray(clusters), return_inverse=True)
    known = ~np.isnan(values)
    sums = np.zeros((len(names), values.shape[1]))
    counts = np.zeros_like(sums)
    np.add.at(sums, of, np.where(known, values, 0.0))
    np.add.at(counts, of, known)
    drawn = np.random.default_rng(seed).multinomial(
        len(names), np.full(len(names), 1 / len(names)), size=draws
    )
    weight = drawn @ counts
    with np.errstate(invalid="ignore"):
        means = (drawn @ sums) / weight
    edge = (100 - LEVEL) / 2
    found: list[Interval | None] = []
    for column in range(values.shape[1]):
        if np.count_nonzero(counts[:, column]) < 2:
            found.append(None)
            continue
        low, high = np.percentile(means[weight[:, column] > 0, column], [edge, 100 - edge])
        found.append((float(low), float(high)))
    return found
