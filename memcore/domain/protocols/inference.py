"""Models in this process: embedder, compressor, turn attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


TokenCodes = NDArray[np.uint8]
"""The word pieces of one text as an index keeps them: shape (pieces, ceil(dimension / 8)), a bit for each
positive component. Enough to tell which piece of a text a word of a question comes nearest to (on LoCoMo
turn recall with them is that with the whole vectors), at a thirty-second of the size."""


def sign_codes(states: NDArray[np.float32]) -> TokenCodes:
    """Signs, packed along the last axis.

    >>> sign_codes(np.array([[.3, -.2, .1, 0., 1., -1., -.5, .2]], dtype=np.float32)).tolist()
    [[169]]
    """
    return np.packbits(states > 0, axis=-1)


@dataclass(frozen=True, slots=True)
class EncodedQuestion:
    """A question as the encoder reads it: its unit `vector`, and of each word piece the unit vector, shape
    (pieces, dimension), and the characters it stands for."""

    vector: NDArray[np.float32]
    pieces: Vectors
    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(
        cls, vector: NDArray[np.float32], states: Vectors, spans: Sequence[tuple[int, int]]
    ) -> EncodedQuestion:
        """From a vector and the hidden states of the pieces, of any length."""
        lengths = np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-12)
        length = max(float(np.linalg.norm(vector)), 1e-12)
        return cls(vector / length, states / lengths, tuple(spans))


@dataclass(frozen=True, slots=True)
class EncodedText:
    """A text as an index keeps it: its unit `vector`, the `codes` of its word pieces, and the characters that
    each of them stands for."""

    vector: NDArray[np.float32]
    codes: TokenCodes
    spans: tuple[tuple[int, int], ...]


class Embedder(Protocol):
    """Texts to unit vectors, and to their word pieces. `model_id` names weights exactly; a store refuses
    another one."""

    model_id: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, rows of length 1."""
        ...

    def token_codes(self, texts: Sequence[str]) -> list[TokenCodes]:
        """The pieces of each text, as far as `embed` reads it, without those that only frame it. A text
        that was just embedded is not read again where the backend can remember it."""
        ...

    def read_question(self, text: str) -> EncodedQuestion:
        """One pass over a question, for search."""
        ...

    def read_texts(self, texts: Sequence[str]) -> list[EncodedText]:
        """Texts with what `embed` and `token_codes` give for them. A text that was just embedded is not read
        again where the backend can remember it."""
        ...


@dataclass(frozen=True, slots=True)
class WordScore:
    """One word of a raw text (characters start:end), the compressor's probability that it should
    be kept, whether it was, and whether a protection rule (number, name, negation) forced it."""

    start: int
    end: int
    keep: float
    kept: bool
    forced: bool = False


@dataclass(frozen=True, slots=True)
class Compressed:
    """A text after compression: kept words in order, with one space wherever anything lay between
    them. Words (punctuation around a word is one of its own) partition the non-space characters of
    the raw text. `tokens_*` are what the compressor counts (LLMLingua-2: cl100k_base)."""

    text: str
    words: tuple[WordScore, ...]
    tokens_before: int
    tokens_after: int


class Compressor(Protocol):
    """LLMLingua-2 style extractive compression. `name` says what is active, for screens."""

    name: str

    def compress(self, texts: Sequence[str], rate: float) -> list[Compressed]:
        """Keep about `rate` (0 to 1] of each text's tokens; never turn a text into nothing."""
        ...


class ScoredText(Protocol):
    """A text whose words were scored."""

    def at(self, rate: float) -> Compressed:
        """About `rate` (0 to 1] of its tokens: what `Compressor.compress` gives for it."""
        ...


@runtime_checkable
class ScoringCompressor(Compressor, Protocol):
    """A Compressor whose scores do not depend on the rate: one reading serves every rate."""

    def scored(self, texts: Sequence[str]) -> Sequence[ScoredText]:
        """Each text read once."""
        ...


class TurnAttention(Protocol):
    """LightMem's turn-level attention matrix from the compressor's encoder."""

    def turn_attention(self, turns: Sequence[str]) -> NDArray[np.float32]:
        """M, shape (n, n), strictly lower triangular, rows normalised over j < i (row 0 zero).

        Turns that do not fit one encoder window together are read in overlapping windows;
        pairs that never shared a window are 0.
        """
        ...
