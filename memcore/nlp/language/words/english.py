"""Is a text English? By its letters and its commonest words: simple, and always the same answer.

It tells English from the rest; it does not name the other language.
"""

from __future__ import annotations

import re

from memcore.nlp.language.words import lexicon

_ENGLISH = lexicon.COMMONEST_ENGLISH
_OTHER = lexicon.COMMONEST_ELSEWHERE
_SHARED = _ENGLISH & _OTHER
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def is_english(text: str) -> bool:
    """Whether a text can be read as English. Texts without words can.

    >>> is_english("I have a dog"), is_english("Ich habe einen Hund."), is_english("我养了一只狗")
    (True, False, False)
    """
    words = [word.lower() for word in _WORD.findall(text[:5000])]
    letters = "".join(words)
    if not letters:
        return True
    plain = letters.isascii()
    if not plain and sum(char < "\u0250" for char in letters) < 0.7 * len(letters):
        return False
    english = sum(word.split("'")[0] in _ENGLISH and word not in _SHARED for word in words)
    other = sum(word in _OTHER and word not in _SHARED for word in words)
    accented = 0 if plain else sum(any("\u00bf" < char < "\u0250" for char in word) for word in words)
    if other == 0 and accented <= 0.2 * len(words):
        return english > 0 or len(words) < 8 or accented == 0
    return english > other
