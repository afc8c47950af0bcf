"""Whether a question asks how something is by now: a count, a duration or a frequency told in the present
("How many novels have I read?"), or what is current or most recent.

Who asks so wants the newest of several answers. English, by rule; what it does not see is searched as ever.
"""

from __future__ import annotations

import re

_NOW = re.compile(
    r"\b(?:currently|current|now|nowadays|these days|at the moment|most recent(?:ly)?|latest|newest|so far"
    r"|to date|by now|any ?more|still)\b",
    re.IGNORECASE,
)
_THEN = re.compile(
    r"\b(?:previous(?:ly)?|before|first|earlier|used to|original(?:ly)?|former(?:ly)?|initially|in the past"
    r"|back then|at the time)\b",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(
    r"\bhow (?:many(?! times\b)|much|long|often|old|far|big|tall|high|fast|frequently|regularly)\b",
    re.IGNORECASE,
)
"""Not how many times: occasions add up, whoever tells of the last one."""
_AUXILIARY = re.compile(
    r"\b(?:(?P<present>do|does|is|are|am|have|has|can)"
    r"|did|was|were|had|could|will|would|might|should)\b",
    re.IGNORECASE,
)


def asks_now(question: str) -> bool:
    """Whether the newest answer is asked for.

    >>> asks_now("How many novels have I read this year?"), asks_now("Where do I keep my bike now?")
    (True, True)
    >>> asks_now("How many novels did I read in May?"), asks_now("Where did I live before?")
    (False, False)
    """
    if _THEN.search(question):
        return False
    if _NOW.search(question):
        return True
    auxiliary = _AUXILIARY.search(question)
    return auxiliary is not None and auxiliary["present"] is not None and bool(_HOW_MUCH.search(question))
