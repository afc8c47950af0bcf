"""A quantity that has changed: "completed 4 projects", and later "finished the 5th project".

Two statements about the same one, an earlier and a later, that count the same thing beside the same words and
come to another number. Occasions add up and are left alone ("bought 3 books" in May, "bought 5 books" in
June); so is how long something has gone on, which grows by itself.
"""

from __future__ import annotations

from memcore.nlp.language.words.quantities import Quantity, quantities
from memcore.review.pairs import Finding, Statement, is_later, on

SHARED_WORDS = 2
SHARED_PART = 0.5
"""Content words that both clauses have, of the one that has fewer."""


def new_quantity(older: Statement, newer: Statement) -> Finding | None:
    """The same is counted again, beside the same words, and comes to something else."""
    if not is_later(newer, older) or "statement" in (older.memory.kind, newer.memory.kind):
        return None
    who = _person(older)
    if not who or who != _person(newer):
        return None
    pairs = [
        (was, now)
        for was in quantities(older.memory.text, who)
        for now in quantities(newer.memory.text, who)
        if _same_thing(was, now)
    ]
    if not pairs or any(was.value == now.value for was, now in pairs):
        return None
    was, now = pairs[0]
    reason = f"“{was.clause}”{on(older)}; “{now.clause}”{on(newer)}: {was.value}, then {now.value}."
    return Finding("new quantity", "invalidate", None, reason, "medium")


def _person(statement: Statement) -> str:
    """Who a statement is about, be it about something of theirs."""
    return statement.said.subject.partition("'s")[0]


def _same_thing(was: Quantity, now: Quantity) -> bool:
    if was.counted != now.counted or not (was.standing and now.standing) or was.elapsed or now.elapsed:
        return False
    if was.names - now.names and now.names - was.names:
        return False
    shared = len(was.words & now.words)
    return shared >= SHARED_WORDS and shared >= SHARED_PART * min(len(was.words), len(now.words))
