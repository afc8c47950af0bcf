"""A message that statements cite, and what the checks ask of it, counted once however many cite it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import compress

from memcore.domain.models import Message
from memcore.nlp.language.words import lexicon
from memcore.nlp.time_grammar.dates import TimeExpression
from memcore.stages.grounding.reading import Reading, figures_of

_ME = lexicon.SPEAKERS - {"us"}
_YOU = lexicon.SECOND | {"thanks", "thank"}


@dataclass(frozen=True)
class Said:
    """A message and its reading."""

    message: Message
    reading: Reading

    @cached_property
    def numbers(self) -> frozenset[str]:
        """All numbers, in figures, and as written in digits: "5K" is 5,000 and 5."""
        return self.reading.figures.union(re.findall(r"\d+", self.reading.text))

    @property
    def times(self) -> tuple[TimeExpression, ...]:
        """Every time it tells, in each way that it may be meant."""
        return (*self.reading.times, *self.reading.ahead)

    @cached_property
    def days(self) -> frozenset[tuple[datetime, datetime]]:
        """Begin and end of every time it tells."""
        return frozenset((time.begin, time.until) for time in self.times)

    @cached_property
    def counted(self) -> dict[str, set[str]]:
        """By the stem of what is counted, its numbers outside times."""
        counted: dict[str, set[str]] = {}
        for _, figure, _, of in figures_of(self.reading):
            counted.setdefault(of, set()).add(figure)
        return counted

    @cached_property
    def plain(self) -> frozenset[str]:
        """The stems that no negation reaches, or two do, at least once."""
        return self._stems([not negated for negated in self.reading.polarity.negated])

    @cached_property
    def negated(self) -> frozenset[str]:
        """The stems that a negation reaches, also one of an idiom."""
        return self._stems(self.reading.polarity.loosely)

    @cached_property
    def denied(self) -> frozenset[str]:
        """The stems that "not" or "never" reaches."""
        polar = self.reading.polarity
        return frozenset(
            self.reading.stemmed[at][2] for reached in polar.reached for at in reached if polar.negated[at]
        )

    def _stems(self, chosen: Sequence[bool]) -> frozenset[str]:
        return frozenset(stem for _, _, stem in compress(self.reading.stemmed, chosen))

    @cached_property
    def of_whom(self) -> dict[str, Counter[str]]:
        """How often each stem is said of its speaker ("me") and of who is told ("you"): each word belongs to
        the last "I" or "you" before it in its sentence, or to the first after it. A question without either
        is about who is asked."""
        counts: dict[str, Counter[str]] = {"me": Counter(), "you": Counter(), "": Counter()}
        words, at = self.reading.stemmed, 0
        for start, end in self.reading.sentences:
            while at < len(words) and words[at][0] < start:
                at += 1
            first = at
            while at < len(words) and words[at][0] < end:
                at += 1
            persons = [person_of(word) for _, word, _ in words[first:at]]
            current = next(filter(None, persons), "") or ("you" if self._asks(start, end) else "")
            for (_, _, stem), person in zip(words[first:at], persons, strict=True):
                current = person or current
                counts[current][stem] += 1
        return counts

    def _asks(self, start: int, end: int) -> bool:
        return self.reading.text[start:end].rstrip().endswith("?")


@lru_cache(maxsize=20_000)
def person_of(word: str) -> str:
    """ "me" for a word by which one speaks of oneself, "you" for one that means who is told; else empty.

    >>> person_of("I've"), person_of("Yours"), person_of("Ann")
    ('me', 'you', '')
    """
    first = re.split(r"['’]", word.lower())[0]
    return "me" if first in _ME else "you" if first in _YOU else ""
