"""BM25 as every engine scores with it: which words a text has, what each counts, what a document scores.

BM25 as in Robertson & Zaragoza 2009 with the never-negative idf of BM25+ (Lv & Zhai 2011): the classic idf is
zero or less for a word that half of a small collection contains. rank-bm25 gives the idf and the parameters.
Words are runs of letters and digits of any script (characters of scripts written without spaces count
singly); stemming is Snowball's English, which leaves other scripts alone. Keeps no document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import log
from typing import Any

import numpy as np
import Stemmer
from numpy.typing import NDArray
from rank_bm25 import BM25Plus

from memcore.store.highest import highest

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


class Stems:
    """Divides texts into stemmed words. Not thread-safe."""

    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("english")

    def of(self, text: str) -> list[str]:
        """The stemmed words of a text, in order.

        >>> Stems().of("Melanie's dogs — 2 adopted, Straße, 東京")
        ['melani', 's', 'dog', '2', 'adopt', 'strass', '東', '京']
        """
        return list(self._stemmer.stemWords(_WORD.findall(text.casefold())))


class Bm25(BM25Plus):  # type: ignore[misc]
    """rank-bm25's idf and parameters, for documents that are counted elsewhere.

    delta=0: rank-bm25 adds delta also for documents without the word, which changes no order."""

    def __init__(self) -> None:
        super().__init__([], delta=0)

    def _initialize(self, corpus: Sequence[list[str]]) -> dict[str, int]:
        return {}

    def idf_of(self, word: str, holders: int, documents: int) -> float:
        """What a word counts that `holders` of the documents hold."""
        self.corpus_size = documents
        self._calc_idf({word: holders})
        return float(self.idf.pop(word))

    def norms(self, lengths: NDArray[np.int32], mean_length: float) -> NDArray[np.float64]:
        """What a document's length adds to the denominator of each of its words' scores."""
        return np.asarray(self.k1 * (1 - self.b + self.b * lengths / mean_length))

    def scores(self, idf: float, counts: NDArray[Any], norms: NDArray[np.float64]) -> NDArray[np.float64]:
        """What a word adds to the scores of documents that hold it `counts` times."""
        found: NDArray[np.float64] = norms + counts
        np.divide(counts, found, out=found)
        found *= idf * (self.k1 + 1)
        return found


def rarity(words: Sequence[str], stems: Stems, holders: Callable[[str], int], documents: int) -> list[float]:
    """log((n + 1) / (m + ½)) for each word, where m of the n documents hold it: of one that is several (of an
    unspaced script), the rarest. `holders`: how many documents hold a stem."""
    return [
        log((documents + 1) / (min((holders(stem) for stem in stems.of(word)), default=0) + 0.5))
        for word in words
    ]


def best_places(scores: NDArray[np.float64], k: int) -> tuple[NDArray[np.intp], NDArray[np.intp], float]:
    """Of the k best scores above 0: the places that are better than the last of them, all places that are
    equal to it (of which those with the first ids complete the k), and that last score."""
    found = highest(scores, k)
    found = found[scores[found] > 0.0]
    if not len(found):
        return found, found, 0.0
    last = float(scores[found].min())
    return found[scores[found] > last], found[scores[found] == last], last


def by_score(
    better: Sequence[tuple[str, float]], equal: Sequence[str], last: float
) -> list[tuple[str, float]]:
    """(id, score), best first, equals by id: the better ones, then those with the `last` score, in order."""
    return sorted(better, key=lambda pair: (-pair[1], pair[0])) + [(key, last) for key in equal]
