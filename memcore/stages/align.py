"""Which words of a message a statement rests on.

Alignment by words in common, sentence by sentence: no model, no paraphrase. A statement that shares
no word with its message is traced to the whole message rather than to a guess.
"""

from __future__ import annotations

import re

SHORT = 160
STEM = 5  # letters two words share to count as the same: `adopted`, `adoption`

_SENTENCE = re.compile(r"\S.*?(?:[.!?…]+[\"'”’)\]]*(?=\s)|[。！？]|(?=\n)|\Z)", re.DOTALL)
_WORD = re.compile(r"\w+")
_EMPTY = frozenset(
    "a an and are as at be been but by for from had has have he her his i in is it its me my of on or our "
    "she so that the their them they this to was we were with you your".split()
)


def supporting_spans(statement: str, text: str) -> tuple[tuple[int, int], ...]:
    """Character spans of `text` that `statement` rests on, the main one first, never empty for a
    text that is not blank.

    A short text is taken whole. Otherwise the sentence with most of the statement's words, and every
    other sentence that supplies at least two words, or one number or name, which that one lacks.
    """
    whole = _trimmed(text)
    spans = sentence_spans(text)
    if whole[1] - whole[0] <= SHORT or len(spans) < 2:
        return (whole,)
    wanted = _stems(statement)
    found = [wanted & _stems(text[start:end]) for start, end in spans]
    best = max(range(len(spans)), key=lambda i: len(found[i]))
    if not found[best]:
        return (whole,)
    names = wanted & {_stem(w) for w in _WORD.findall(statement) if w[0].isupper() or w[0].isdigit()}
    chosen, covered = [best], set(found[best])
    for i in sorted(range(len(spans)), key=lambda i: (-len(found[i] - covered), abs(i - best))):
        new = found[i] - covered
        if len(new) >= 2 or new & names:
            chosen.append(i)
            covered |= new
    return tuple(spans[i] for i in chosen)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences of a text, without the blanks between them.

    >>> [("Hi! I paid 3.50. Bye"[a:b]) for a, b in sentence_spans("Hi! I paid 3.50. Bye")]
    ['Hi!', 'I paid 3.50.', 'Bye']
    """
    spans = []
    for match in _SENTENCE.finditer(text):
        start, end = _trimmed(match.group())
        spans.append((match.start() + start, match.start() + end))
    return spans


def _trimmed(text: str) -> tuple[int, int]:
    stripped = text.strip()
    start = text.find(stripped)
    return start, start + len(stripped)


def _stems(text: str) -> set[str]:
    return {_stem(word) for word in _WORD.findall(text) if word.lower() not in _EMPTY}


def _stem(word: str) -> str:
    return word.lower()[:STEM]
