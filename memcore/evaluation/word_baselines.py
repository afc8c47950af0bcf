"""Plainer ways to shorten a text to as many tokens: at random, stop words first, from the end.

Each shortens texts to at most the tokens that a compressor left of them, text by text, so that whoever
keeps more of an answer kept it with no more tokens. Knows no model.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable, Sequence

from memcore.domain.protocols import Compressed, WordScore
from memcore.evaluation.words import is_stop_word, tokens
from memcore.nlp.encoder.selection import joined
from memcore.nlp.encoder.words import word_spans

TokenCounter = Callable[[str], int]
Shorten = Callable[[str, int], Compressed]
"""(text, tokens) to the text's words, those kept making up at most so many tokens."""


def random_drop(count: TokenCounter, draw: random.Random) -> Shorten:
    """Words are dropped in random order."""

    def order(words: Sequence[str]) -> list[int]:
        return draw.sample(range(len(words)), len(words))

    return _keeping(order, count)


def stop_word_drop(count: TokenCounter) -> Shorten:
    """Stop words and punctuation are dropped first, and each kind from the end."""

    def order(words: Sequence[str]) -> list[int]:
        return sorted(range(len(words)), key=lambda i: _is_empty(words[i]))

    return _keeping(order, count)


def truncation(count: TokenCounter) -> Shorten:
    """The end of the text is dropped."""
    return _keeping(lambda words: list(range(len(words))), count)


def _is_empty(word: str) -> bool:
    return all(is_stop_word(token.text) for token in tokens(word))


def _keeping(order: Callable[[Sequence[str]], list[int]], count: TokenCounter) -> Shorten:
    """Keep as many words as fit, in the order given."""

    def shorten(text: str, room: int) -> Compressed:
        spans = word_spans(text)
        ranked = order([text[start:end] for start, end in spans])

        def first(kept: int) -> Compressed:
            chosen = {*ranked[:kept]}
            words = tuple(
                WordScore(start, end, keep=float(i in chosen), kept=i in chosen)
                for i, (start, end) in enumerate(spans)
            )
            shortened = joined(text, words)
            return Compressed(shortened, words, count(text), count(shortened))

        fitting = bisect_right(range(len(spans) + 1), room, key=lambda kept: first(kept).tokens_after)
        return first(fitting - 1)

    return shorten
