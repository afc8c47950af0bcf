"""What must survive compression: answers where they stand in their evidence, negations, numbers, names.

All are spans of characters in raw turns, found by rules of this module's own, so that a compressor is not
measured with the rules it protects by. Knows no compressor.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memcore.domain.protocols import Compressed
from memcore.evaluation.locomo import ANSWERED, LocomoSample
from memcore.evaluation.words import Token, is_stop_word, tokens

Span = tuple[int, int]

_KINDS = {
    "negations": re.compile(
        r"\b(?:no|not|never|none|nobody|nothing|nowhere|neither|nor|cannot|without|[^\W\d_]+n['’]t)\b",
        re.IGNORECASE,
    ),
    "numbers": re.compile(r"\w*\d\w*"),
    "names": re.compile(r"(?<=[^\W_] )[A-Z][a-z]\w*"),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer's tokens where they stand in a turn: all of them, and those that are no stop words."""

    turn: str
    every: tuple[Span, ...]
    content: tuple[Span, ...]


def verbatim_answers(samples: Sequence[LocomoSample]) -> list[Answer]:
    """Every answer in every turn of its evidence in which its tokens stand in a row (the first time)."""
    found = []
    for sample in samples:
        for question in sample.questions:
            wanted = [token.text for token in tokens(question.answer)]
            if question.category not in ANSWERED or not wanted:
                continue
            for turn in (sample.turns[place] for place in question.evidence if place in sample.turns):
                if run := _run_of(wanted, tokens(turn)):
                    content = [token for token in run if not is_stop_word(token.text)]
                    found.append(Answer(turn, _spans(run), _spans(content)))
    return found


def _run_of(wanted: Sequence[str], said: Sequence[Token]) -> Sequence[Token]:
    for start in range(len(said) - len(wanted) + 1):
        run = said[start : start + len(wanted)]
        if [token.text for token in run] == wanted:
            return run
    return ()


def _spans(found: Sequence[Token]) -> tuple[Span, ...]:
    return tuple((token.start, token.end) for token in found)


def must_keep(text: str) -> dict[str, list[Span]]:
    """Negations, words with digits, and names: capitalised words in the middle of a sentence.

    >>> text = "Well I didn't tell Ann about 3rd Street."
    >>> {kind: [text[a:b] for a, b in spans] for kind, spans in must_keep(text).items()}
    {'negations': ["didn't"], 'numbers': ['3rd'], 'names': ['Ann', 'Street']}
    """
    return {kind: [found.span() for found in rule.finditer(text)] for kind, rule in _KINDS.items()}


def is_kept(span: Span, compressed: Compressed) -> bool:
    """Whether every word that has characters of a span was kept."""
    start, end = span
    return all(word.kept for word in compressed.words if word.start < end and word.end > start)
