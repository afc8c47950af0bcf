"""Lines that begin almost as a file's messages do: a message of which time or name is damaged.

Taken for more text of the message before, it would be lost without a word, and that one changed. How
messages begin is learnt from the file itself: its beginnings with digits and words made alike.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

DAMAGED = 5
"""One in so many characters may be missing, added or another one (and always `LEAST_DAMAGED`)."""

LEAST_DAMAGED = 4

LEAST_DIGITS = 4
"""Beginnings without a time are words like any others."""

_SHAPES = 3
_WORD = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*")
_DIGIT = re.compile(r"\d")
_LONGEST = 80


def _shape(text: str) -> str:
    return _WORD.sub("a", _zeroed(text))


def _zeroed(text: str) -> str:
    return _DIGIT.sub("0", text)


class Beginnings:
    """How the messages of one file begin, up to what they say."""

    def __init__(self, heads: Iterable[str]) -> None:
        shapes = Counter[str]()
        for zeroed, number in Counter(_zeroed(head.strip()) for head in heads if head).items():
            shapes[_shape(zeroed)] += number
        self._shapes = [
            shape for shape, _number in shapes.most_common(_SHAPES) if shape.count("0") >= LEAST_DIGITS
        ]

    def are_like(self, line: str) -> bool:
        """Whether a line that begins no message begins almost as one does."""
        begins = line[:_LONGEST].strip()
        return len(_DIGIT.findall(begins)) >= LEAST_DIGITS - 1 and any(
            _distance(shape, _shape(begins)[: len(shape) + most]) <= most
            for shape in self._shapes
            for most in (max(LEAST_DAMAGED, len(shape) // DAMAGED),)
        )


def _distance(shape: str, begins: str) -> int:
    """How many characters differ between the shape and the start of the other that is most like it."""
    row = list(range(len(begins) + 1))
    for above, wanted in enumerate(shape, 1):
        last, row[0] = row[0], above
        for at, there in enumerate(begins, 1):
            last, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, last + (wanted != there))
    return min(row)
