"""Postings: for each word the places of the documents that hold it, ascending, and how often each does.

What was saved lies in three arrays; what came since, in two small ones a word.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Held = tuple[NDArray[np.int32], NDArray[Any]]
"""Places and counts."""


class Postings:
    """Of a growing collection. Documents come in the order of their places."""

    def __init__(self) -> None:
        self._row_of: dict[str, int] = {}
        self._ends = np.zeros(1, dtype=np.int64)  # row r is from its r-th to its next
        self._places = np.zeros(0, dtype=np.int32)
        self._counts: NDArray[Any] = np.zeros(0, dtype=np.uint8)
        self._recent: dict[str, tuple[array[int], array[int]]] = {}

    def add(self, place: int, counts: Mapping[str, int]) -> None:
        """A document's words and how often it has each."""
        for word, count in counts.items():
            held = self._recent.get(word)
            if held is None:
                held = self._recent[word] = (array("i"), array("i"))
            held[0].append(place)
            held[1].append(count)

    def of(self, word: str) -> Held:
        """Who holds the word, and how often."""
        row = self._row_of.get(word)
        saved = slice(0, 0) if row is None else slice(int(self._ends[row]), int(self._ends[row + 1]))
        places, counts = self._places[saved], self._counts[saved]
        if word not in self._recent:
            return places, counts
        recent = [np.frombuffer(part, dtype=np.int32) for part in self._recent[word]]
        return np.concatenate([places, recent[0]]), np.concatenate([counts, recent[1]])

    def close_up(self, kept: NDArray[np.bool_]) -> None:
        """Keep only the documents at these places, which move together; all of it becomes as if saved."""
        moved_to = np.cumsum(kept, dtype=np.int32) - 1
        words = [*self._row_of, *(word for word in self._recent if word not in self._row_of)]
        held = []
        row_of: dict[str, int] = {}
        for word in words:
            places, counts = self.of(word)
            standing = kept[places]
            if standing.any():
                row_of[word] = len(row_of)
                held.append((moved_to[places[standing]], _narrow(counts[standing])))
        self._row_of, self._recent = row_of, {}
        self._ends = np.cumsum([0, *(len(places) for places, _ in held)], dtype=np.int64)
        self._places = np.concatenate([np.zeros(0, np.int32), *(places for places, _ in held)])
        self._counts = np.concatenate([np.zeros(0, np.uint8), *(counts for _, counts in held)])

    def columns(self) -> tuple[list[str], dict[str, NDArray[Any]]]:
        """The words, and what `of_columns` makes the same postings of; only once closed up."""
        assert not self._recent
        return list(self._row_of), {"ends": self._ends, "places": self._places, "counts": self._counts}

    @classmethod
    def of_columns(cls, words: list[str], columns: Mapping[str, NDArray[Any]]) -> Postings:
        """Raises ValueError or KeyError when they do not fit together."""
        postings = cls()
        postings._row_of = {word: row for row, word in enumerate(words)}
        postings._ends, postings._places, postings._counts = (
            columns["ends"],
            columns["places"],
            columns["counts"],
        )
        if len(postings._row_of) + 1 != len(postings._ends):
            raise ValueError("words and postings differ in number")
        if not postings._ends[-1] == len(postings._places) == len(postings._counts):
            raise ValueError("postings and their ends differ in number")
        return postings


def _narrow(counts: NDArray[Any]) -> NDArray[Any]:
    """In the fewest bytes that hold them: one, nearly always."""
    return counts.astype(np.min_scalar_type(int(counts.max())))
