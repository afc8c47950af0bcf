"""Plainer ways to shorten a text to as many tokens: at random, stop words first, from the end.

Each shortens texts to at most the tokens that a compressor left of them, text by text, so that whoever
keeps more of an answer kept it with no more tokens. Knows no model.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from memcore.evaluation.words import is_stop_word, tokens
from memcore.nlp.llmlingua2 import joined
from memcore.nlp.words import word_spans
from memcore.protocols import Compressed, WordScore

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
    return _keeping(lambda words: list(range(len(words))), count, to_the_end=False)


def _is_empty(word: str) -> bool:
    return all(is_stop_word(token.text) for token in tokens(word))


def _keeping(
    order: Callable[[Sequence[str]], list[int]], count: TokenCounter, *, to_the_end: bool = True
) -> Shorten:
    """Keep words in an order while they fit; `to_the_end`: also shorter ones behind one that does not."""

    def shorten(text: str, room: int) -> Compressed:
        spans = word_spans(text)
        # as a word counts in context, where the space before it is part of its first token
        sizes = [count(text[start - 1 : end] if start else text[start:end]) for start, end in spans]
        kept: set[int] = set()
        left = room
        for i in order([text[start:end] for start, end in spans]):
            if sizes[i] <= left:
                kept.add(i)
                left -= sizes[i]
            elif not to_the_end:
                break
        words = tuple(
            WordScore(start, end, keep=float(i in kept), kept=i in kept)
            for i, (start, end) in enumerate(spans)
        )
        shortened = joined(text, words)
        return Compressed(shortened, words, count(text), count(shortened))

    return shorten
