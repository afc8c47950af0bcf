"""Which words of a text stand negated. Words and punctuation only; never raises."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from memcore.nlp.encoder.words import NEGATIONS
from memcore.nlp.language.words import lexicon

_NEGATIONS: Final = (lexicon.NEGATIONS | NEGATIONS) - {"without", "longer", "anymore"}
"""Of "no longer" and "not anymore" one word negates."""

_LACKING: Final = re.compile(
    r"unable|without|lack(?:s|ed|ing)?|fail(?:s|ed|ing)?|refus(?:e|es|ed|ing)|stop(?:s|ped|ping)?"
    r"|quit(?:s|ting)?|avoid(?:s|ed|ing)?"
    r"|(?:un|dis)(?:happy|comfortable|interested|likes?|liked|satisfied|sure)",
    re.IGNORECASE,
)
"""Words that negate as much as "not" does, themselves included: "did not fail" is no failing."""

_IDIOM: Final = re.compile(
    r"\b(?:(?:can['’]?t|cannot|can not|could(?:n['’]?t| not)) (?:wait|agree more|believe|help but"
    r"|be (?:more|happier)|imagine|thank|stop|get enough)"
    r"|never (?:forget|mind|fails)|(?:not|n['’]t) (?:only|just|to mention|bad)"
    r"|why not|no (?:longer|later|more|less|fewer|sooner) than"
    r"|no (?:problem|prob|worries|doubt|matter|wonder|way|need|biggie)"
    r"|(?:don['’]t|do not|dont) (?:forget|worry|give up|sweat|mention)"
    r"|(?:won['’]t|will not) (?:regret|forget)|if not|or not|not (?:sure )?if|not (?:so |too )?long ago"
    r"|(?:could|would)(?:n['’]t| not) have"
    r"|doesn['’]t hurt|isn['’]t it|aren['’]t (?:they|you|we))\b",
    re.IGNORECASE,
)
_STOP: Final = re.compile(
    r"[.,;:!?()–—]|\s-\s|\b(?:but|because|although|though|until|so|while|and then|instead)\b", re.IGNORECASE
)
_ANOTHER: Final = re.compile(
    r"\band (?:has|have|had|is|are|was|were|does|did|do|will|would)\b", re.IGNORECASE
)
"""Where another verb begins, which a lacking one does not reach: "quit smoking and has not had one since"."""
Kind = Literal["", "negating", "lacking", "no"]
"""How a word negates: not at all, what follows, itself as well, or alone as an answer."""
_AFTER_ANSWER: Final = frozenset(",.!;—–")
"""What follows a "no" that is an answer."""
_REACH: Final = 7
"""Words after a negation that it reaches within its clause."""


@dataclass(frozen=True, slots=True)
class Polarity:
    """Of each word whether an odd number of negations reaches it, and whether any does, idioms included; and
    the places that each explicit negation reaches."""

    negated: tuple[bool, ...]
    loosely: tuple[bool, ...]
    reached: tuple[tuple[int, ...], ...]


@lru_cache(maxsize=50_000)
def _kind(written: str) -> Kind:
    low = written.replace("’", "'").lower()
    if _LACKING.fullmatch(low) is not None:
        return "lacking"
    if not is_negation(low):
        return ""
    return "no" if low == "no" else "negating"


def is_negation(word: str) -> bool:
    """Whether a word (in small letters) is one by itself, or a verb with one."""
    return word in _NEGATIONS or word.endswith("n't") or word == "cannot"


def polarity(text: str, spans: Sequence[tuple[int, int]]) -> Polarity:
    """The polarity of the words at `spans`.

    >>> polarity("Ann did not eat, she", [(0, 3), (4, 7), (8, 11), (12, 15), (17, 20)]).negated
    (False, False, False, True, False)
    """
    negated, loosely = [False] * len(spans), [False] * len(spans)
    reached = []
    idioms = [match.span() for match in _IDIOM.finditer(text)]
    stops = [match.start() for match in _STOP.finditer(text)]
    for place, (start, end) in enumerate(spans):
        kind = _kind(text[start:end])
        if not kind or (kind == "no" and text[end : end + 1] in _AFTER_ANSWER):
            continue
        lacking = kind == "lacking"
        until = min((stop for stop in stops if stop >= end), default=len(text))
        if lacking and (another := _ANOTHER.search(text, end, until)) is not None:
            until = another.start()
        first = place if lacking else place + 1
        places = [at for at in range(first, min(len(spans), place + 1 + _REACH)) if spans[at][0] < until]
        in_idiom = any(begin <= start < close for begin, close in idioms)
        for at in places:
            loosely[at] = True
            negated[at] = negated[at] != (not in_idiom)
        if not in_idiom and not lacking:
            reached.append(tuple(places))
    return Polarity(tuple(negated), tuple(loosely), tuple(reached))
