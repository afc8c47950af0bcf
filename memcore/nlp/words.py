"""Words of a raw text, and which of them compression must not drop.

A word is what stands between white space, kept whole with its punctuation: contractions,
numbers and names never lose a part. Protection knows English negations, number words and
expressions of time, and capitalised names by their place in the sentence; it parses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

Span = tuple[int, int]

_WORD = re.compile(r"\S+")
_CORE = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?…:][\"'”’)\]]*$")

NEGATIONS = frozenset(
    "no not never none nobody nothing nowhere neither nor cannot without hardly barely "
    "ain't cant dont didnt doesnt wont wouldnt couldnt shouldnt isnt arent wasnt werent havent hasnt "
    "hadnt".split()
)
NUMBER_WORDS = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred "
    "hundreds thousand thousands million millions billion billions dozen dozens half quarter couple "
    "once twice first second third fourth fifth sixth seventh eighth ninth tenth".split()
)
TIMES = frozenset(
    "yesterday today tomorrow tonight ago monday tuesday wednesday thursday friday saturday sunday "
    "january february march april june july august september october november december".split()
)
_RELATIVE = frozenset({"last", "next"})
_UNITS = frozenset(
    "night day week weekend month year spring summer fall autumn winter monday tuesday wednesday thursday "
    "friday saturday sunday january february march april may june july august september october november "
    "december".split()
)


def word_spans(text: str) -> list[Span]:
    """Character spans of the white-space delimited words.

    >>> word_spans("I  don't\\nknow.")
    [(0, 1), (3, 8), (9, 14)]
    """
    return [match.span() for match in _WORD.finditer(text)]


def protected_words(text: str, spans: Sequence[Span]) -> list[bool]:
    """For each word, whether it is a number, a negation, a time or a capitalised name.

    A capitalised word that opens a sentence is taken for a name unless English writes it small
    elsewhere (`weights/ordinary_words.txt`); "I" and its contractions are no names.

    >>> text = "Yes, Caroline didn't pay 30 dollars last week. Painting helps."
    >>> [text[a:b] for (a, b), kept in zip(word_spans(text), protected_words(text, word_spans(text))) if kept]
    ['Caroline', "didn't", '30', 'last', 'week.']
    """
    cores = [_core(text[start:end]) for start, end in spans]
    flags = []
    opens_sentence = True
    for i, (start, end) in enumerate(spans):
        core, lower = cores[i], cores[i].lower()
        following = cores[i + 1].lower() if i + 1 < len(cores) else ""
        preceding = cores[i - 1].lower() if i else ""
        flags.append(
            any(char.isdigit() for char in core)
            or lower in NEGATIONS
            or lower.endswith("n't")
            or any(part in NUMBER_WORDS for part in lower.split("-"))
            or lower in TIMES
            or (lower in _RELATIVE and following in _UNITS)
            or (lower in _UNITS and preceding in _RELATIVE)
            or _is_name(core, opens_sentence)
        )
        opens_sentence = bool(_SENTENCE_END.search(text[start:end])) or "\n" in text[end : end + 2]
    return flags


def _core(word: str) -> str:
    """The word without the punctuation around it, apostrophes made plain."""
    match = _CORE.search(word)
    return match.group().replace("’", "'") if match else ""


def _is_name(core: str, opens_sentence: bool) -> bool:
    if not core or not core[0].isupper():
        return False
    stem = core.lower().split("'")[0]
    if stem == "i":
        return False
    return not opens_sentence or stem not in _ordinary_words()


@cache
def _ordinary_words() -> frozenset[str]:
    listing = files("memcore.nlp").joinpath("weights/ordinary_words.txt").read_text(encoding="utf-8")
    return frozenset(line for line in listing.splitlines() if line and not line.startswith("#"))
