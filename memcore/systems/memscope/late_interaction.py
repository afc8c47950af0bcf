"""Late interaction: a text is as near to a question as the question's words, each for itself, find it.

MaxSim of ColBERT (Khattab & Zaharia 2020), without its training: every word piece of the question looks for
the nearest piece of the text, and what is found is summed with the weight of the piece's word, its rarity in
the owner's messages. The pieces are hidden states of the encoder that also gives the sentence vectors; of a
text only their signs are kept. Knows texts as codes, no store and no memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray

from memcore.domain.protocols import EncodedQuestion, TokenCodes

Floats = NDArray[np.float32]

BY_LENGTH = 0.04
"""By how much the cosine of the nearest piece grows with the logarithm of a text's pieces. Measured on turns
that answer nothing: .038 and .042 in two sets of chats with an assistant (LongMemEval), .029 between people
(LoCoMo)."""

OF_NO_ADVANTAGE = 30
"""Pieces of a turn as people write them to each other: the length at which nothing is taken or given."""

_AT_ONCE = 1 << 18
"""Products of components summed in one step: so few that numpy's OpenBLAS does not share them among threads,
which would keep every core busy waiting for the next step. Unpacked, they stay in the processor's cache."""

_WORD = re.compile(r"[^\W_]+")


def piece_weights(
    text: str, encoded: EncodedQuestion, rarity: Callable[[Sequence[str]], Sequence[float]]
) -> Floats:
    """What each piece of the question counts, shape (pieces,), sum 1: the rarity of the word it is of.
    Pieces outside words count nothing; of a question without words all count the same."""
    words = list(_WORD.finditer(text))
    weights = np.zeros(len(encoded.spans), dtype=np.float32)
    for word, weight in zip(words, rarity([word[0] for word in words]), strict=True):
        for place, (start, end) in enumerate(encoded.spans):
            if word.start() <= start and end <= word.end():
                weights[place] = max(0.0, weight)
    total = float(weights.sum())
    return weights / total if total else np.full(len(weights), 1 / max(1, len(weights)), dtype=np.float32)


def nearest(pieces: Floats, codes: Sequence[TokenCodes]) -> Floats:
    """For each text and each piece of the question, the cosine to the text's nearest piece, as far as signs
    tell (their mean error at 384 dimensions is .03): shape (texts, pieces); 0 for a text without pieces.

    Of a vector whose components are spread as in a random direction, the signs keep √(2/π) of the cosine.
    """
    found = np.zeros((len(codes), len(pieces)), dtype=np.float32)
    lengths = np.fromiter(map(len, codes), dtype=np.intp, count=len(codes))
    filled = lengths > 0
    if not filled.any() or not len(pieces):
        return found
    dimension = pieces.shape[1]
    packed = np.concatenate(codes)
    products = np.empty((len(packed), len(pieces)), dtype=np.float32)
    step = max(1, _AT_ONCE // pieces.size)
    for begin in range(0, len(packed), step):
        positive = np.unpackbits(packed[begin : begin + step], axis=1, count=dimension)
        np.matmul(positive.astype(np.float32), pieces.T, out=products[begin : begin + step])
    begins = (np.cumsum(lengths) - lengths)[filled]
    # with signs s = 2b - 1 for bits b: s · q = 2 b · q - Σ q
    signed = 2.0 * np.maximum.reduceat(products, begins, axis=0) - pieces.sum(axis=1)
    found[filled] = signed * (sqrt(pi / 2) / sqrt(dimension))
    return found


def beyond_length(found: Floats, codes: Sequence[TokenCodes]) -> Floats:
    """What is found beyond what a text of this length holds by chance: among many pieces one is near to
    anything, and what an assistant writes at length would be near to every question."""
    lengths = np.fromiter(map(len, codes), dtype=np.float32, count=len(codes))
    lengths[lengths == 0] = OF_NO_ADVANTAGE
    by_chance = (BY_LENGTH * np.log(lengths / OF_NO_ADVANTAGE)).astype(np.float32)
    beyond: Floats = found - by_chance[:, None]
    return beyond


def in_context(own: Floats, before: Floats, after: Floats, *, of_before: float, of_after: float) -> Floats:
    """What each piece finds in a turn or, counting less, in the turns around it: who answers a question does
    not repeat its words. All of shape (turns, pieces)."""
    around: Floats = np.maximum(of_before * before, of_after * after)
    return np.maximum(own, around)
