"""What was not yet so, or was still sought, has come about: "has never been to Oslo", "got back from the
first trip to Oslo"; "is looking for a used kayak", "bought a used kayak".

What is denied or sought says exactly what would end it. The newer statement must tell it as done, with every
word that the older one says of it; who found a tent is still looking for a backpack.
"""

from __future__ import annotations

import re

from memcore.nlp.language.words.inflection import stem
from memcore.review.pairs import (
    Finding,
    Statement,
    is_later,
    on,
    part,
    person,
    same_subject,
    tells_plainly,
)

_ADVERBS = r"(?:(?:also|just|still|currently|now|actually|really|actively) )*"
_NOT_YET = re.compile(
    rf"^{_ADVERBS}(?:has (?:still )?never (?:yet )?(?P<never>[^.;,]+)"
    r"|(?:has(?: not|n['’]t)) (?:actually |ever |really )?(?P<not>[^.;,]+?) (?:yet|before)\b"
    r"|(?:still )?(?:has(?: not|n['’]t)) (?P<still>[^.;,]+?) yet\b)"
)
_SEEKS = re.compile(
    rf"^{_ADVERBS}(?:(?:is|has been) )?{_ADVERBS}(?:looking for|searching for|hunting for"
    r"|on the (?:hunt|lookout) for|shopping (?:around )?for|in the market for|trying to find"
    r"|job hunting for) (?P<what>[^.;,!]+)"
)
_HAS_FOUND = re.compile(
    r"^(?:(?:also|just|now|recently|finally|actually|already|has|ended up|went ahead and) )*"
    r"(?:got|found|bought|purchased|ordered|picked up|chose|choosing|buying|getting|landed|accepted|hired"
    r"|adopted|rented|leased|settled on|signed (?:a|the) lease(?: for| on)?|decided on)"
    r" (?P<what>[^.;!]+)"
)
_DONE = re.compile(
    r"^(?:(?:also|just|now|recently|finally|actually|already) )*"
    r"(?:has (?:finally |just |now )?(?!not\b|never\b)[a-z]+"
    r"|(?:went|got|made|took|tried|ate|read|saw|visited|watched|ran|finished|had|did|started|[a-z]+ed))\b"
)
_NOTHING_OF_IT = frozenset(
    map(
        stem,
        "be have new good great used nice first ever go get do try visit more some own right perfect".split(),
    )
)
_VAGUE = frozenset(
    map(
        stem,
        "way tip idea recipe advice recommendation suggestion thing place something option information"
        " inspiration resource help book article video".split(),
    )
)
"""What one looks for in passing: to have found one is no news."""
_TAIL = re.compile(r" (?:that|which|who|to|for|with|so|because|since|as|and|but|near|under|around)\b.*")


def first_done(older: Statement, newer: Statement) -> Finding | None:
    """What had never been done, or not yet, is told as done."""
    if not (is_later(newer, older) and same_subject(older, newer)) or not _tells_of_deed(newer):
        return None
    denied = _NOT_YET.match(older.said.rest)
    if denied is None or older.memory.kind in ("plan", "statement") or older.said.negations != 1:
        return None
    deed = denied["never"] or denied["not"] or denied["still"]
    wanted = part(older, f"has {deed}").words
    telling = {word for word in wanted if word not in _NOTHING_OF_IT}
    if not telling or not telling <= set(newer.said.words):
        return None
    deeds = (set(wanted) - telling) & set(newer.said.words)
    if len(telling) == 1 and not telling & newer.said.names and not deeds:
        return None
    reason = f"“{older.memory.text}”{on(older)}, but{on(newer)}: “{newer.memory.text}”."
    return Finding("first done", "invalidate", None, reason, "high", ends=True)


def sought_and_found(older: Statement, newer: Statement) -> Finding | None:
    """What was looked for is told as found."""
    who = person(older)
    if not (who and who == person(newer) and is_later(newer, older)) or not _tells_of_deed(newer):
        return None
    sought, got = _SEEKS.match(older.said.rest), _HAS_FOUND.match(newer.said.rest)
    if sought is None or got is None or older.said.negations:
        return None
    wanted = [w for w in part(older, f"the {_TAIL.sub('', sought['what'])}").words if w not in _NOTHING_OF_IT]
    thing = part(newer, f"the {got['what']}").words
    if not wanted or wanted[-1] in _VAGUE or not set(wanted) <= set(thing):
        return None
    reason = f"What was looked for{on(older)} was found{on(newer)}: “{newer.memory.text}”."
    return Finding("found", "invalidate", None, reason, "medium", ends=True)


def _tells_of_deed(statement: Statement) -> bool:
    return tells_plainly(statement) and bool(_DONE.match(statement.said.rest))
