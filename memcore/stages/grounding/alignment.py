"""Which words of a statement are found in which message: the same word, or one the encoder holds for near.

Late interaction as in ColBERT (Khattab & Zaharia 2020), word by word: the nearest piece of a message, by
signs alone, which ingest has of both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memcore.domain.protocols import EncodedText, TokenCodes
from memcore.stages.grounding.reading import Reading, Word

Floats = NDArray[np.float32]

SAME_LETTERS = 5
"""Letters that two stems share to count as of one family: "adopt" and "adoption"."""

OF_FAMILY = 0.9
OF_NEAR = 0.85
"""What a word counts that only the encoder finds."""
FAR, NEAR = 0.35, 0.8
"""Cosines below which a piece says nothing of a word, and above which it says the same."""


@dataclass(frozen=True, slots=True)
class Worded:
    """A statement, its words with content by their places, what each of them counts of the whole, and, of
    shape (messages, these words), which message says the same one."""

    statement: Reading
    words: tuple[tuple[int, Word], ...]
    weights: Floats
    same: Floats

    def share(self, found: Floats) -> float:
        """The weighted share of the words that is found; nothing of a statement without content."""
        return float(found @ self.weights) if len(self.weights) else 0.0


@dataclass(frozen=True, slots=True)
class Aligned:
    """What the encoder adds: `both`, as `same`, of the words that it finds as well; and how near each message
    as a whole comes to the statement."""

    worded: Worded
    both: Floats
    cosines: Floats


class WordIndex:
    """Which of several texts hold a stem, or a word of its family."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        self._texts = len(readings)
        self._stems: dict[str, list[int]] = defaultdict(list)
        self._families: dict[str, list[int]] = defaultdict(list)
        for row, reading in enumerate(readings):
            for stem in reading.stems:
                self._stems[stem].append(row)
        for stem, rows in self._stems.items():
            if len(stem) >= SAME_LETTERS:
                self._families[stem[:SAME_LETTERS]] += rows

    def find(self, words: Sequence[Word]) -> Floats:
        """For each text and word 1 for the same stem, less for a word of one family, else 0: shape (texts,
        words). A name has no family."""
        found = np.zeros((self._texts, len(words)), dtype=np.float32)
        for column, word in enumerate(words):
            if not word.is_name:
                found[self._families.get(word.stem[:SAME_LETTERS], []), column] = OF_FAMILY
            found[self._stems.get(word.stem, []), column] = 1.0
        return found


class PieceIndex:
    """The word pieces of several texts, as signs."""

    def __init__(self, codes: Sequence[TokenCodes], dimension: int) -> None:
        lengths = np.fromiter(map(len, codes), dtype=np.intp, count=len(codes))
        self._filled = lengths > 0
        self._begins = (np.cumsum(lengths) - lengths)[self._filled]
        self._dimension = dimension
        self._pieces = _in_words(np.concatenate(codes)) if lengths.any() else np.zeros((0, 0), np.uint64)

    def find(self, words: Sequence[Word], encoded: EncodedText) -> Floats:
        """For each text and word how near the text's nearest piece comes to the word's pieces, 0 to 1: shape
        (texts, words)."""
        rows = [
            [at for at, (start, end) in enumerate(encoded.spans) if w.start <= start < end <= w.end]
            for w in words
        ]
        found = np.zeros((len(self._filled), len(rows)), dtype=np.float32)
        used = sorted({at for row in rows for at in row})
        if not len(self._pieces) or not used:
            return found
        place = {at: column for column, at in enumerate(used)}
        unlike = np.minimum.reduceat(self._unlike(_in_words(encoded.codes[used])), self._begins, axis=0)
        # the share of signs in which two vectors differ is their angle in half turns (Charikar 2002)
        cosines = np.cos(np.pi * unlike.astype(np.float32) / self._dimension)
        near = np.clip((cosines - FAR) / (NEAR - FAR), 0.0, 1.0)
        for column, row in enumerate(rows):
            if row:
                found[self._filled, column] = near[:, [place[at] for at in row]].mean(axis=1)
        return found

    def _unlike(self, pieces: NDArray[np.uint64]) -> NDArray[np.uint16]:
        """In how many signs each piece of the texts differs from each of these: shape (of texts, these)."""
        counted = np.zeros((len(self._pieces), len(pieces)), dtype=np.uint16)
        for word in range(self._pieces.shape[1]):
            counted += np.bitwise_count(self._pieces[:, word, None] ^ pieces[None, :, word])
        return counted


def _in_words(codes: TokenCodes) -> NDArray[np.uint64]:
    """Packed signs as machine words: shape (pieces, words)."""
    missing = -codes.shape[1] % 8
    return np.ascontiguousarray(np.pad(codes, ((0, 0), (0, missing)))).view(np.uint64)
