"""BM25 over stemmed words, one collection at a time, by rank-bm25 over postings.

BM25 as in Robertson & Zaragoza 2009 with the never-negative idf of BM25+ (Lv & Zhai 2011): the
classic idf is zero or less for a word that half of a small collection contains. rank-bm25 gives the
idf and the parameters; it scores by asking every document for every word, so the sum itself is taken over
postings (word -> the documents that hold it, how often) in numpy: same scores, at any size (leaving out
documents early as MaxScore does was tried: at 100,000 texts it took as long). Adding, changing and
removing rebuild nothing. Words are runs of letters and digits of any script (characters of
scripts written without spaces count singly); stemming is Snowball's English, which leaves other scripts
alone. Knows nothing of owners or DuckDB.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections import Counter
from collections.abc import Sequence
from heapq import nsmallest
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import Stemmer
from numpy.typing import NDArray
from rank_bm25 import BM25Plus

from memcore.store.highest import highest

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


FREQUENT = 0.125
"""Share of the documents from which a word is scored in all of them in one go, and not place by place: at
100,000 documents that took 0.2 ms, and place by place up to 1.5."""


class _Bm25(BM25Plus):  # type: ignore[misc]
    """rank-bm25's idf and parameters, for documents that are counted elsewhere.

    delta=0: rank-bm25 adds delta also for documents without the word, which changes no order."""

    def __init__(self) -> None:
        super().__init__([], delta=0)

    def _initialize(self, corpus: Sequence[list[str]]) -> dict[str, int]:
        return {}

    def idf_of(self, word: str, holders: int, documents: int) -> float:
        self.corpus_size = documents
        self._calc_idf({word: holders})
        return float(self.idf.pop(word))

    def norms(self, lengths: NDArray[np.int32], mean_length: float) -> NDArray[np.float64]:
        """What a document's length adds to the denominator of each of its words' scores."""
        return np.asarray(self.k1 * (1 - self.b + self.b * lengths / mean_length))

    def scores(
        self, idf: float, counts: NDArray[np.int32] | NDArray[np.float64], norms: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        found = norms + counts
        np.divide(counts, found, out=found)
        found *= idf * (self.k1 + 1)
        return found


class _Postings:
    """The places of the documents that hold one word, ascending, and how often each does."""

    __slots__ = ("counts", "places")

    def __init__(self) -> None:
        self.places = array("i")
        self.counts = array("i")


class Bm25Index:
    """Implements KeywordIndex. Not thread-safe: its owner holds a lock.

    Documents stand in the order they came. A changed or removed one keeps its place, empty, until more
    places are empty than not; then the postings close up.
    """

    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("english")
        self._bm25 = _Bm25()
        self._postings: dict[str, _Postings] = {}
        self._ids: list[str | None] = []  # by place; None: empty
        self._lengths = array("i")  # by place, in words; -1: empty
        self._place_of: dict[str, int] = {}
        self._fingerprints: dict[str, int] = {}  # of the text as it was given
        self._words = 0  # in all documents together
        self._norms: NDArray[np.float64] | None = None  # of this very state
        self._frequent: dict[str, NDArray[np.float64]] = {}  # of this very state too

    def __len__(self) -> int:
        return len(self._place_of)

    def put(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        """Add objects, or give those already there another text."""
        for key, text in zip(ids, texts, strict=True):
            fingerprint = _fingerprint(text)
            if self._fingerprints.get(key) == fingerprint:
                continue
            self.remove([key])
            self._fingerprints[key] = fingerprint
            self._append(key, self.words(text))

    def _append(self, key: str, words: Sequence[str]) -> None:
        place = len(self._ids)
        for word, count in Counter(words).items():
            postings = self._postings.get(word)
            if postings is None:
                postings = self._postings[word] = _Postings()
            postings.places.append(place)
            postings.counts.append(count)
        self._ids.append(key)
        self._lengths.append(len(words))
        self._place_of[key] = place
        self._words += len(words)
        self._changed()

    def _changed(self) -> None:
        self._norms = None
        self._frequent.clear()

    def remove(self, ids: Sequence[str]) -> None:
        """Forget objects; ids that are not there are no error."""
        for key in ids:
            place = self._place_of.pop(key, None)
            if place is not None:
                del self._fingerprints[key]
                self._words -= self._lengths[place]
                self._ids[place], self._lengths[place] = None, -1
                self._changed()
        if len(self._ids) > 2 * len(self._place_of):
            self._close_up()

    def _close_up(self) -> None:
        """Give up the empty places."""
        kept = np.frombuffer(self._lengths, dtype=np.int32) >= 0
        moved_to = np.cumsum(kept, dtype=np.int32) - 1
        for word in list(self._postings):
            places, counts = self._holders(word)
            postings = _Postings()
            postings.places.frombytes(moved_to[places].tobytes())
            postings.counts.frombytes(counts.tobytes())
            if postings.places:
                self._postings[word] = postings
            else:
                del self._postings[word]
        self._ids = [key for key in self._ids if key is not None]
        self._lengths = array("i", [length for length in self._lengths if length >= 0])
        self._place_of = {key: place for place, key in enumerate(self._ids) if key is not None}

    def _holders(self, word: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The places of the documents that hold the word, and how often."""
        postings = self._postings.get(word)
        if postings is None:
            return np.zeros(0, np.int32), np.zeros(0, np.int32)
        places = np.frombuffer(postings.places, dtype=np.int32)
        counts = np.frombuffer(postings.counts, dtype=np.int32)
        if len(self._ids) == len(self._place_of):
            return places, counts
        full = np.frombuffer(self._lengths, dtype=np.int32)[places] >= 0
        return places[full], counts[full]

    def words(self, text: str) -> list[str]:
        """The stemmed words of a text, in order.

        >>> Bm25Index().words("Melanie's dogs — 2 adopted, Straße, 東京")
        ['melani', 's', 'dog', '2', 'adopt', 'strass', '東', '京']
        """
        return list(self._stemmer.stemWords(_WORD.findall(text.casefold())))

    def rarity(self, words: Sequence[str]) -> list[float]:
        """log((n + 1) / (m + ½)) for each word, where m of the n objects hold it: of one that is several
        (of an unspaced script), the rarest."""
        return [
            log(
                (len(self) + 1) / (min((len(self._holders(w)[0]) for w in self.words(word)), default=0) + 0.5)
            )
            for word in words
        ]

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """The k best objects that share a word with `query` as (id, score > 0), best first, equals by id."""
        if k <= 0 or not self._words:
            return []
        if self._norms is None:
            lengths = np.maximum(np.frombuffer(self._lengths, dtype=np.int32), 0)
            self._norms = self._bm25.norms(lengths, self._words / len(self._place_of))
        scores = np.zeros(len(self._ids))
        for word, times in Counter(self.words(query)).items():
            places, counts = self._holders(word)
            if not len(places):
                continue
            idf = times * self._bm25.idf_of(word, len(places), len(self._place_of))
            if len(places) > FREQUENT * len(self._ids):
                scores += self._bm25.scores(idf, self._everywhere(word, places, counts), self._norms)
            else:
                at = places.astype(np.intp)  # once, where numpy would do it for each use
                scores[at] += self._bm25.scores(idf, counts, self._norms[at])
        return self._best(scores, k)

    def _everywhere(
        self, word: str, places: NDArray[np.int32], counts: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """How often each place has a frequent word, 0 where it has not. Made anew after a change."""
        found = self._frequent.get(word)
        if found is None:
            found = self._frequent[word] = np.zeros(len(self._ids))
            found[places] = counts
        return found

    def _best(self, scores: NDArray[np.float64], k: int) -> list[tuple[str, float]]:
        found = highest(scores, k)
        found = found[scores[found] > 0.0]
        if not len(found):
            return []
        last = float(scores[found].min())
        better = found[scores[found] > last]
        pairs = list(zip(self._at(better), scores[better].tolist(), strict=True))
        # a word that is everywhere may give a hundred thousand the same score
        equal = nsmallest(k - len(pairs), self._at(found[scores[found] == last]))
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0])) + [(key, last) for key in equal]

    def _at(self, places: NDArray[np.intp]) -> list[str]:
        return [key for key in map(self._ids.__getitem__, places.tolist()) if key is not None]

    def save(self, path: Path) -> dict[str, Any]:
        """Write the postings to `path` and return the rest, as JSON values, for `load`."""
        if len(self._ids) > len(self._place_of):
            self._close_up()
        held = list(self._postings.values())
        with path.open("wb") as file:
            np.savez(
                file,
                lengths=np.frombuffer(self._lengths, dtype=np.int32),
                fingerprints=np.array([self._fingerprints[key] for key in self._place_of], dtype=np.int64),
                ends=np.cumsum([len(postings.places) for postings in held], dtype=np.int64),
                places=np.frombuffer(b"".join(postings.places.tobytes() for postings in held), np.int32),
                counts=np.frombuffer(b"".join(postings.counts.tobytes() for postings in held), np.int32),
            )
        return {"ids": self._ids, "words": list(self._postings)}

    @classmethod
    def load(cls, path: Path, rest: dict[str, Any]) -> Bm25Index:
        """Raises ValueError, KeyError or TypeError when the two do not fit together."""
        index = cls()
        with np.load(path) as saved:
            lengths, fingerprints, ends = saved["lengths"], saved["fingerprints"], saved["ends"].tolist()
            places, counts = saved["places"], saved["counts"]
        index._ids = list(rest["ids"])
        index._place_of = {key: place for place, key in enumerate(rest["ids"])}
        if not len(lengths) == len(index._place_of) == len(index._ids):
            raise ValueError("ids and lengths differ in number")
        index._fingerprints = dict(zip(rest["ids"], fingerprints.tolist(), strict=True))
        index._lengths.frombytes(lengths.tobytes())
        index._words = int(lengths.sum())
        for word, begin, end in zip(rest["words"], [0, *ends], ends, strict=False):
            postings = index._postings[word] = _Postings()
            postings.places.frombytes(places[begin:end].tobytes())
            postings.counts.frombytes(counts[begin:end].tobytes())
        if len(index._postings) != len(ends):
            raise ValueError("words and postings differ in number")
        return index


def _fingerprint(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
