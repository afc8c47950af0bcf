"""Fusion: what each view says of a turn, weighed and summed (strategy as data).

`Weights` are one fixed configuration for all questions, datasets and types. The parts are cosines and shares
from 0 to 1, which mean the same in every question, so they are summed as they are. Standard scores are for
raw scores of unlike scale, as where BM25 meets a cosine; a candidate that a view did not return gets that
view's lowest score, since all that is known is that it was no better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part counts: the question's words found in the turn and around it (`evidence`) and
    anywhere in its session (`session`), by late interaction; its meaning as a whole (`semantic`, a cosine);
    its exact words (`lexical`, BM25 as a share of the best); that one who is asked about says it
    (`speaker`); that it is of the time asked (`time`). Of a turn's memories the one nearest to the question
    has the turn's score; another loses what its words are further away (`memory`)."""

    evidence: float = 1.0
    session: float = 1.0
    semantic: float = 0.25
    lexical: float = 0.1
    speaker: float = 0.2
    time: float = 0.2
    memory: float = 1.0


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
