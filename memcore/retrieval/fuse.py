"""Fusion: each view's scores made comparable and summed (strategy as data).

Standard scores (z) per view, summed with fixed weights. A candidate that a view did not return
gets that view's lowest score, since all that is known is that it was no better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each view counts. One fixed configuration for all questions."""

    semantic: float = 1.0
    lexical: float = 1.0
    symbolic: float = 1.0
    graph: float = 0.3
    time: float = 0.6


def standardised(scores: Mapping[str, float], candidates: Iterable[str]) -> dict[str, float]:
    """z-scores for the candidates over everything the view returned.

    >>> standardised({"a": 3.0, "b": 1.0}, ["a", "b", "c"])
    {'a': 1.0, 'b': -1.0, 'c': -1.0}
    """
    if not scores:
        return dict.fromkeys(candidates, 0.0)
    values = np.fromiter(scores.values(), dtype=np.float64)
    mean, spread = float(values.mean()), float(values.std())
    if spread == 0.0:
        return {c: 1.0 if c in scores else 0.0 for c in candidates}
    lowest = float(values.min())
    return {c: (scores.get(c, lowest) - mean) / spread for c in candidates}
