"""What memories are compared by beside their vectors, as keys: memories that share one are worth comparing.

A key is what a memory gives a value to ("lives in" of Ann, how many novels), or a word that few of the
memories have: "traded the Honda for a van" shares little with "drives a 2015 Honda Civic" but the name.

Decides nothing: whether one value takes the place of the other is for the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from memcore.domain.models import MemoryEntry
from memcore.nlp.language.words.quantities import quantities
from memcore.review.endings import told_values
from memcore.review.goes_on import SINCE
from memcore.review.pairs import person, statement
from memcore.review.relations import RESET, held
from memcore.review.switching import tells_of_what_is_at_hand

_BROAD = frozenset("$ % minute hour day week month year time people thing person".split())
"""Counted so often that it says little: with the most telling word beside it, the key is narrower."""

RARE = 6
"""Memories of one owner that may have a word for it to say what they are about."""


def comparable_by(memories: Sequence[MemoryEntry]) -> list[frozenset[Hashable]]:
    """For each of an owner's memories, the values that it tells and the rare words that it has."""
    told = [_words(memory) for memory in memories]
    having = Counter(word for words in told for word in words)
    return [
        values_of(memory) | {("word", word) for word in words if 1 < having[word] <= RARE}
        for memory, words in zip(memories, told, strict=True)
    ]


def _words(memory: MemoryEntry) -> frozenset[tuple[str, str]]:
    """Who it is about with each content word. A quotation has none."""
    if memory.kind == "statement":
        return frozenset()
    told = statement(memory)
    return frozenset((person(told), word) for word in told.said.words if word[:1].isalpha())


def values_of(memory: MemoryEntry) -> frozenset[Hashable]:
    """The things of which a memory tells how many, which, where or since when. A quotation tells none."""
    if memory.kind == "statement":
        return frozenset()
    return frozenset(_keys(memory))


def _keys(memory: MemoryEntry) -> Iterator[Hashable]:
    told = statement(memory)
    who = person(told)
    if not who:
        return
    yield from told_values(told)
    if tells_of_what_is_at_hand(told):
        yield who, "at hand"
    for one in held(told.said, told.told, who):
        yield who, one.relation, one.of
        if one.relation in (RESET, "time for it"):
            yield who, "hour"
    for quantity in quantities(told.told, who):
        if quantity.standing and not quantity.elapsed and quantity.counted not in _BROAD:
            yield who, "how many", quantity.counted
        elif quantity.standing and not quantity.elapsed:
            for word in quantity.words:
                yield who, "how much", quantity.counted, word
    for match in SINCE.finditer(told.told):
        yield who, "since", match["date"]
