"""The forms of English words: one stem for all of them, irregular verbs, the third person.

PyStemmer's Snowball stems, led by the lexicon's table of irregular verbs and the numbers of the time grammar.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from typing import Final

import Stemmer

from memcore.nlp.language.words import lexicon
from memcore.nlp.time_grammar.words import NUMBERS

FIGURES: Final = {word: str(number) for word, number in NUMBERS.items() if word != "one"} | {
    "zero": "0",
    "once": "1",
    "twice": "2",
    "second": "2nd",
    "third": "3rd",
}
"""Numbers in words; "one" is mostly a pronoun."""
_TENS: Final = dict(
    zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True)
)
_ONES: Final = {
    word: number for number, word in enumerate("one two three four five six seven eight nine".split(), 1)
}
COMPOUND_NUMBER: Final = rf"(?:{'|'.join(_TENS)})[-‐‑](?:{'|'.join(_ONES)})"
"""A number of two words ("fifty-four"), as a pattern."""
BASES: Final = {form: base for base, *forms in (*lexicon.IRREGULAR, *lexicon.ODD_PRESENT) for form in forms}
_PASTS: Final = {form for _, *forms in lexicon.IRREGULAR for form in forms}
_SIMPLE_PASTS: Final = re.compile(
    rf"(?:re|over|under|mis|out|un)?(?:{'|'.join(past for _, past, *_ in lexicon.IRREGULAR)})"
)
_THIRD_PERSON: Final = {
    "be": "is",
    "am": "is",
    "are": "is",
    "'m": "is",
    "'re": "is",
    "m": "is",
    "have": "has",
    "'ve": "has",
    "ve": "has",
    "do": "does",
    "go": "goes",
    "were": "was",
}


_DOUBLES: Final = re.compile(
    r"(?:be|re|un|out|up)?[^aeiou]*(?:qu)?[aeiou][bdgklmnprt]|begin|commit|submit|admit|permit|prefer|refer"
    r"|transfer|occur|forget|control|equip|program|format|babysit"
)
"""Verbs whose last letter stands twice before an ending."""


def stem(word: str) -> str:
    """One form for all inflections of a word, numbers in figures.

    >>> [stem(w) for w in ("hiking", "hikes", "went", "dogs", "two")]
    ['hike', 'hike', 'go', 'dog', '2']
    """
    base = FIGURES.get(word) or BASES.get(word, word)
    return str(_stemmer().stemWord(base))


def compound_figure(word: str) -> str:
    """A number of two words (in small letters) in figures; empty: it is none.

    >>> compound_figure("fifty-four"), compound_figure("one-way")
    ('54', '')
    """
    if re.fullmatch(COMPOUND_NUMBER, word) is None:
        return ""
    tens, ones = re.split(r"[-‐‑]", word)
    return str(_TENS[tens] + _ONES[ones])


def thousands(number: str) -> str:
    """So many thousand, in figures: "5k" is 5,000.

    >>> thousands("5"), thousands("1.5")
    ('5000', '1500')
    """
    return f"{(Decimal(number) * 1000).normalize():f}"


def is_irregular_past(word: str) -> bool:
    """Whether a word is a past tense or participle of its own form ("took", "taken")."""
    return word in _PASTS


def is_simple_past(word: str) -> bool:
    """Whether a word can only be an irregular past tense, "retook" and "overslept" among them."""
    return _SIMPLE_PASTS.fullmatch(word) is not None


def third_person(verb: str) -> str:
    """The present third person singular of a base form.

    >>> [third_person(v) for v in ("love", "try", "watch", "have", "play")]
    ['loves', 'tries', 'watches', 'has', 'plays']
    """
    low = verb.lower()
    if low in _THIRD_PERSON:
        return _THIRD_PERSON[low]
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def gerund(verb: str) -> str:
    """The -ing form of a base form.

    >>> [gerund(v) for v in ("move", "plan", "see", "lie", "visit", "begin", "fix")]
    ['moving', 'planning', 'seeing', 'lying', 'visiting', 'beginning', 'fixing']
    """
    low = verb.lower()
    if low.endswith("ie"):
        return verb[:-2] + "ying"
    if low.endswith("e") and not low.endswith(("ee", "oe", "ye")) and low != "be":
        return verb[:-1] + "ing"
    if _DOUBLES.fullmatch(low):
        return f"{verb}{verb[-1]}ing"
    return verb + "ing"


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")
