"""What a memory gives a value to, as keys: memories that share one are worth comparing, however they word it.

Decides nothing: whether one value takes the place of the other is for the rules.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from memcore.domain.models import MemoryEntry
from memcore.nlp.language.words.quantities import quantities
from memcore.review.endings import told_values
from memcore.review.goes_on import SINCE
from memcore.review.pairs import person, statement
from memcore.review.relations import RESET, held

_BROAD = frozenset("$ % minute hour day week month year time people thing person".split())
"""Counted so often that it says little: with the most telling word beside it, the key is narrower."""


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
    for one in held(told.said, memory.text, who):
        yield who, one.relation, one.of
        if one.relation in (RESET, "time for it"):
            yield who, "hour"
    for quantity in quantities(memory.text, who):
        if quantity.standing and not quantity.elapsed and quantity.counted not in _BROAD:
            yield who, "how many", quantity.counted
        elif quantity.standing and not quantity.elapsed:
            for word in quantity.words:
                yield who, "how much", quantity.counted, word
    for match in SINCE.finditer(memory.text):
        yield who, "since", match["date"]
