""" "Have you tried any good noodle bars here? I've tried four different ones": of what, the question says.

By pattern, before any parsing, and only where a number of "ones" stands right behind the speaker's own
question about several of a kind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcore.nlp.language.prose.text import Aligned
from memcore.nlp.time_grammar.words import NUMBERS

_ONES = re.compile(
    rf"(?P<number>\b(?:\d+|{'|'.join(sorted(NUMBERS))}|several|a few|many)"
    r"(?: different| more| new| other)?) ones\b",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\b(?:any|some|many|which|what)\s+(?:(?:good|great|nice|new|other|more|decent)\s+)*"
    r"(?P<noun>(?:[A-Z]?[\w-]+\s){0,2}?[a-z]{3,}s)"
    r"(?=\s*\?|\s+(?:in|at|near|around|for|here|lately|recently|that|you)\b)"
)
_NO_PLURAL = re.compile(r"(?:ss|us|is|ings?)$")


def with_nouns(pieces: Sequence[tuple[Aligned, bool]]) -> list[Aligned]:
    """The sentences (words, and whether they ask), "ones" named by the question right before."""
    found: list[Aligned] = []
    noun = ""
    for words, asks in pieces:
        found.append(words.sub(_ONES, rf"\g<number> {noun}") if noun and not asks else words)
        asked = _ASKED.search(words.text) if asks else None
        noun = asked["noun"] if asked is not None and not _NO_PLURAL.search(asked["noun"]) else ""
    return found
