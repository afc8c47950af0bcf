"""Fusion: what each view says of a turn, weighted and summed (strategy as data).

`Weights` are one fixed configuration for all questions, datasets and types. The parts are cosines and shares
from 0 to 1, which mean the same in every question, so they are summed as they are. Standard scores are for
raw scores of unlike scale, as where BM25 meets a cosine; all that is known of a candidate that a view did
not return is that it was no better than the lowest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part counts: the question's words found in the turn and around it (`evidence`) and
    anywhere in its session (`session`), by late interaction; its meaning as a whole (`semantic`, a cosine);
    its exact words (`lexical`, BM25 as a share of the best); that one who is asked about says it
    (`speaker`); that it is of the time asked (`time`); where it is asked how something is by now, that it is
    newer than others that tell of the same (`newer`). Of a turn's memories the one nearest to the question
    has the turn's score; another loses what its words are further away (`memory`).

    Chosen on LoCoMo and LongMemEval together: from .9 to 1.1 of `session`, .15 to .25 of `semantic` and .05
    to .065 of `lexical` the first five sessions hold the evidence of as many questions."""

    evidence: float = 1.0
    session: float = 1.0
    semantic: float = 0.2
    lexical: float = 0.06
    speaker: float = 0.2
    time: float = 0.3
    newer: float = 0.2
    memory: float = 1.0


def above_lowest(scores: Mapping[str, float], candidates: Sequence[str]) -> NDArray[np.float64]:
    """How far each candidate is above the lowest score the view returned, in standard deviations of these:
    standard scores that begin at 0, the place of a candidate the view did not return.

    >>> above_lowest({"a": 3.0, "b": 1.0}, ["a", "b", "c"]).tolist()
    [2.0, 0.0, 0.0]
    """
    if not scores:
        return np.zeros(len(candidates))
    values = np.fromiter(scores.values(), dtype=np.float64)
    lowest, spread = float(values.min()), float(values.std())
    if spread == 0.0:
        return np.fromiter((1.0 if c in scores else 0.0 for c in candidates), dtype=np.float64)
    found = np.fromiter((scores.get(c, lowest) for c in candidates), dtype=np.float64)
    return (found - lowest) / spread
