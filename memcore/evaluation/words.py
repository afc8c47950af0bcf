"""Words as measurements count them, apart from the words that compression and segmentation work with.

A token here is a run of letters and digits with the contraction that belongs to it. Stop words are
spaCy's English list; its language model is not loaded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


@dataclass(frozen=True, slots=True)
class Token:
    """A token in lower case with straight apostrophes, and its characters start:end of the text."""

    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """The tokens of a text, in order.

    >>> [token.text for token in tokens("They didn’t pay $3.50!")]
    ['they', "didn't", 'pay', '3', '50']
    """
    return [
        Token(found[0].lower().replace("’", "'"), found.start(), found.end())
        for found in _TOKEN.finditer(text)
    ]


@cache
def stop_words() -> frozenset[str]:
    """English words without content of their own."""
    from spacy.lang.en.stop_words import STOP_WORDS

    return frozenset(STOP_WORDS)


def is_stop_word(token: str) -> bool:
    """Whether a token is a stop word or a contraction of two ("it's")."""
    stem, apostrophe, ending = token.partition("'")
    return stem in stop_words() and (not apostrophe or apostrophe + ending in stop_words())
