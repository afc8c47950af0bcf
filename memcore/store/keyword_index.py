"""A keyword index of one collection in memory: postings (word -> the documents that hold it, how often),
scored by `bm25` in numpy.

rank-bm25 scores by asking every document for every word; the sum taken over postings gives the same scores at
any size (leaving out documents early as MaxScore does was tried: at 100,000 texts it took as long). Adding,
changing and removing rebuild nothing. Knows nothing of owners or DuckDB.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from heapq import nsmallest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memcore.domain import private_files
from memcore.store.bm25 import Bm25, Stems, best_places, by_score, rarity
from memcore.store.columns_file import read_columns, write_columns
from memcore.store.id_table import IdTable
from memcore.store.postings import Held, Postings

FREQUENT = 0.125
"""Share of the documents from which a word is scored in all of them in one go, and not place by place: at
100,000 documents that took 0.2 ms, and place by place up to 1.5."""


class Bm25Index:
    """Implements KeywordIndex. Not thread-safe: its owner holds a lock.

    Documents stand in the order they came. A changed or removed one keeps its place, empty, until more
    places are empty than not; then the postings close up.
    """

    def __init__(self) -> None:
        self._stems = Stems()
        self._bm25 = Bm25()
        self._postings = Postings()
        self._ids = IdTable()
        self._lengths = array("i")  # by place, in words; -1: empty
        self._fingerprints = array("Q")  # by place, of the text as it was given
        self._words = 0  # in all documents together
        self._norms: NDArray[np.float64] | None = None  # of this very state
        self._frequent: dict[str, NDArray[Any]] = {}  # of this very state too

    def __len__(self) -> int:
        return len(self._ids)

    def put(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        """Add objects, or give those already there another text."""
        for key, text in zip(ids, texts, strict=True):
            fingerprint = _fingerprint(text)
            place = self._ids.place(key)
            if place is not None and self._fingerprints[place] == fingerprint:
                continue
            self.remove([key])
            self._append(key, self._stems.of(text), fingerprint)

    def _append(self, key: str, words: Sequence[str], fingerprint: int) -> None:
        self._postings.add(self._ids.append(key), Counter(words))
        self._lengths.append(len(words))
        self._fingerprints.append(fingerprint)
        self._words += len(words)
        self._changed()

    def _changed(self) -> None:
        self._norms = None
        self._frequent.clear()

    def remove(self, ids: Sequence[str]) -> None:
        """Forget objects; ids that are not there are no error."""
        for key in ids:
            place = self._ids.forget(key)
            if place is not None:
                self._words -= self._lengths[place]
                self._lengths[place] = -1
                self._changed()
        if self._ids.places > 2 * len(self._ids):
            self._close_up()

    def _close_up(self) -> None:
        """Give up the empty places."""
        kept = self._ids.standing()
        self._postings.close_up(kept)
        self._lengths = array("i", np.frombuffer(self._lengths, dtype=np.int32)[kept].tobytes())
        self._fingerprints = array("Q", np.frombuffer(self._fingerprints, dtype=np.uint64)[kept].tobytes())
        self._ids = self._ids.kept()
        self._changed()

    def _holders(self, word: str) -> Held:
        """The places of the documents that hold the word, and how often."""
        places, counts = self._postings.of(word)
        if self._ids.places == len(self._ids):
            return places, counts
        full = np.frombuffer(self._lengths, dtype=np.int32)[places] >= 0
        return places[full], counts[full]

    def rarity(self, words: Sequence[str]) -> list[float]:
        """log((n + 1) / (m + ½)) for each word, where m of the n objects hold it: of one that is several
        (of an unspaced script), the rarest."""
        return rarity(words, self._stems, lambda stem: len(self._holders(stem)[0]), len(self))

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """The k best objects that share a word with `query` as (id, score > 0), best first, equals by id."""
        if k <= 0 or not self._words:
            return []
        if self._norms is None:
            lengths = np.maximum(np.frombuffer(self._lengths, dtype=np.int32), 0)
            self._norms = self._bm25.norms(lengths, self._words / len(self._ids))
        scores = np.zeros(self._ids.places)
        for word, times in Counter(self._stems.of(query)).items():
            places, counts = self._holders(word)
            if not len(places):
                continue
            idf = times * self._bm25.idf_of(word, len(places), len(self._ids))
            if len(places) > FREQUENT * self._ids.places:
                scores += self._bm25.scores(idf, self._everywhere(word, places, counts), self._norms)
            else:
                at = places.astype(np.intp)  # once, where numpy would do it for each use
                added = self._bm25.scores(idf, counts, self._norms.take(at))
                added += scores.take(at)
                scores[at] = added
        return self._best(scores, k)

    def _everywhere(self, word: str, places: NDArray[np.int32], counts: NDArray[Any]) -> NDArray[Any]:
        """How often each place has a frequent word, 0 where it has not. Made anew after a change."""
        found = self._frequent.get(word)
        if found is None:
            found = self._frequent[word] = np.zeros(self._ids.places, dtype=counts.dtype)
            found[places] = counts
        return found

    def _best(self, scores: NDArray[np.float64], k: int) -> list[tuple[str, float]]:
        better, equal, last = best_places(scores, k)
        pairs = list(zip(self._at(better), scores[better].tolist(), strict=True))
        # a word that is everywhere may give a hundred thousand the same score
        return by_score(pairs, nsmallest(k - len(pairs), self._at(equal)), last)

    def _at(self, places: NDArray[np.intp]) -> list[str]:
        return self._ids.at(places.tolist())

    def save(self, at: Callable[[str], Path]) -> dict[str, Any]:
        """Write files where `at` says, by part, and return the rest, as JSON values, for `load`."""
        self._close_up()
        words, columns = self._postings.columns()
        table = self._ids.columns() | {
            "lengths": np.array(self._lengths, dtype=np.int32),
            "fingerprints": np.array(self._fingerprints, dtype=np.uint64),
        }
        write_columns(at("table"), columns | table)
        with private_files.create(at("words")) as file:
            file.write("\n".join(words).encode("utf-8", "surrogatepass"))
        return {"entries": len(self)}

    @classmethod
    def load(cls, files: Mapping[str, Path], rest: Mapping[str, Any]) -> Bm25Index:
        """Raises OSError, ValueError, KeyError or TypeError when they do not fit together."""
        index = cls()
        table = read_columns(files["table"])
        words = files["words"].read_bytes().decode("utf-8", "surrogatepass")
        index._postings = Postings.of_columns(words.split("\n") if words else [], table)
        index._ids = IdTable.of_columns(table)
        if not len(index._ids) == len(table["lengths"]) == len(table["fingerprints"]) == rest["entries"]:
            raise ValueError("ids and lengths differ in number")
        index._lengths = array("i", table["lengths"].tobytes())
        index._fingerprints = array("Q", table["fingerprints"].tobytes())
        index._words = int(table["lengths"].sum())
        return index


def _fingerprint(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest)
