"""Which words would give away what was erased: those that only it has said.

Single words that no remaining message has, and runs of up to five words (w-shingles; Broder 1997) that
none has in this order. What neither finds in a text cannot be told from what remains.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import get_args

from memcore.domain.models import identity

RUN = 5
SHORTEST_RUN = 3
"""Fewer words than this ("Yes, me too") identify nobody, unless one of them is telling."""

_WORD = re.compile(r"[^\W_]+")
_LITERALS = (
    identity.TimeSource,
    identity.MemoryState,
    identity.Operation,
    identity.ProposalState,
    identity.Risk,
    identity.RunKind,
    identity.RunState,
    identity.CallOutcome,
)
_OURS = {word for literal in _LITERALS for name in get_args(literal) for word in _WORD.findall(name)}
"""Words that the program itself writes into rows."""
_ROLES = {"user", "users", "assistant", "system", "tool", "human", "bot", "unknown", "speaker"}
"""What logs call a speaker who has no name."""
_IN_ANY_NAME = set(
    """
    chat chats conversation conversations session sessions message messages log logs history export exports
    data file files result results new untitled part copy txt json jsonl csv zip html markdown whatsapp
    telegram slack chatgpt claude openai ollama discord
    """.split()
)
"""Words of files' names and of titles that say nothing of what is in them."""
_COMMON = set(
    """
    the and for are was were has have had not but you your she her his him they them their our this that these
    those with from into what when where which who why how all any can could will would should did does been
    about after before just like very too also here there than then yes now one two out some more most its
    day days week weeks month months year years today yesterday tomorrow morning evening night
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december
    """.split()
)


class Wording:
    """What `gone` texts say and `kept` ones do not."""

    def __init__(self, gone: Iterable[str], kept: Iterable[str]) -> None:
        self._telling: set[str] = set()
        self._runs: set[tuple[str, ...]] = set()
        for text in gone:
            words = _words(text)
            self._telling.update(word for word in words if _may_tell(word))
            self._runs.update(_runs(words))
        lengths = {len(run) for run in self._runs}
        for text in kept:
            words = _words(text)
            self._telling.difference_update(words)
            for length in lengths:
                self._runs.difference_update(_of_length(words, length))
        self._lengths = sorted({len(run) for run in self._runs})

    def touches(self, text: str) -> bool:
        """Whether a text has a telling word or run of words."""
        words = _words(text)
        if not self._telling.isdisjoint(words):
            return True
        return any(not self._runs.isdisjoint(_of_length(words, length)) for length in self._lengths)


def telling_name(name: str) -> str:
    """The words of a title or of a file's name without those that any may have.

    >>> telling_name("WhatsApp Chat with Bob.txt")
    'with bob'
    """
    return " ".join(word for word in _words(name) if word not in _IN_ANY_NAME)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _may_tell(word: str) -> bool:
    """Years, short words and those anybody uses tell nothing.

    >>> [word for word in ("zanzibar", "2023", "41557", "the", "pending") if _may_tell(word)]
    ['zanzibar', '41557']
    """
    if word in _COMMON or word in _OURS or word in _ROLES or len(word) < SHORTEST_RUN:
        return False
    return not (word.isdecimal() and len(word) < RUN)


def _runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    if len(words) >= SHORTEST_RUN:
        yield from _of_length(words, min(RUN, len(words)))


def _of_length(words: list[str], length: int) -> Iterator[tuple[str, ...]]:
    return (tuple(words[i : i + length]) for i in range(len(words) - length + 1))
