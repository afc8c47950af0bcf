"""A quantity that has changed: "completed 4 projects", and later "finished the 5th project".

Two statements about the same one, an earlier and a later, that count the same thing beside the same words and
come to another number. Occasions add up and are left alone ("bought 3 books" in May, "bought 5 books" in
June); so is how long something has gone on, which grows by itself, and what is only wished for beside what is
so ("wants to read 50 books", "has read 20").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.nlp.language.words.quantities import Quantity, quantities
from memcore.nlp.language.words.wording import wording
from memcore.review.pairs import Finding, Statement, is_later, on, person
from memcore.review.superseding import superseding_text

SHARED_WORDS = 2
SHARED_PART = 0.5
"""Content words that both clauses have, of the one that has fewer."""
_UNREAL = frozenset({"plan", "condition", "formerly", "able"})
_POSSESSES = re.compile(
    r"^(?:\w+ly |also |now |just |already |still )*(?:has|owns|has got)(?: now| already)? "
    r"(?:about |around |over )?(?:\d[\d,]*|[a-z-]+) [\w -]+?(?: now| so far| in total| already)?$"
)
_PASSING = frozenset(
    "question thing idea option meet day hour week exam test ticket class minut choic reason".split()
)
"""What one has for a moment only: another number of it is of another moment."""
_CORRECTS = re.compile(r"\b(?:makes?|made) (?:that|it)\b")
_TIMES = frozenset(map(stem, lexicon.TEMPORAL | {"minute", "hour", "frequency", "length", "score"}))


def new_quantity(older: Statement, newer: Statement) -> Finding | None:
    """The same is counted again, beside the same words, and comes to something else."""
    changed = next(_changed(older, newer), None)
    if changed is None:
        return None
    was, now = changed
    text = superseding_text(older, newer, was.clause)
    return Finding("new quantity", "update", text, _reason(older, newer, was, now), "medium", ends=True)


def _changed(older: Statement, newer: Statement) -> Iterator[tuple[Quantity, Quantity]]:
    """The quantities of the same thing in both, where they differ."""
    who = _first_of(older)
    if not is_later(newer, older) or "statement" in (older.memory.kind, newer.memory.kind):
        return
    if not who or who != _first_of(newer):
        return
    pairs = [
        (was, now)
        for was in quantities(older.memory.text, who)
        for now in quantities(newer.memory.text, who)
        if _same_thing(was, now)
    ]
    said_again = {was.counted for was, now in pairs if was.value == now.value}
    yield from ((was, now) for was, now in pairs if was.counted not in said_again)


def _first_of(statement: Statement) -> str:
    """Who it is about: what "Ann and others" have, Ann has."""
    return person(statement).removesuffix(" and others")


def _reason(older: Statement, newer: Statement, was: Quantity, now: Quantity) -> str:
    return f"“{was.clause}”{on(older)}; “{now.clause}”{on(newer)}: {was.value}, then {now.value}."


def _same_thing(was: Quantity, now: Quantity) -> bool:
    if not (was.standing and now.standing) or was.elapsed or now.elapsed or _is_another(was, now):
        return False
    if _reality(was) != _reality(now):
        return False
    shared, fewer = was.words & now.words, min(len(was.words), len(now.words))
    if was.counted != now.counted:  # "25 on the list": of what, the other says
        return "" in (was.counted, now.counted) and SHARED_WORDS <= len(shared) == fewer
    if not fewer:
        return was.counted not in _PASSING and all(map(_is_possession, (was, now)))
    if len(shared) == fewer and (
        (now.nth and _is_further(was, now)) or _is_told_of(shared, was, now) or _CORRECTS.search(now.clause)
    ):
        return True
    return len(shared) >= SHARED_WORDS and len(shared) >= SHARED_PART * fewer


def _is_told_of(shared: frozenset[str], was: Quantity, now: Quantity) -> bool:
    """Whether the one thing that a short clause tells beside the number says enough: a name, or what a
    number of things that stay are of."""
    if shared & was.names & now.names:
        return True
    return (
        not now.nth
        and bool(shared - _TIMES)
        and was.counted not in _PASSING | _TIMES
        and was.counted[:1].isalpha()
    )


def _is_another(was: Quantity, now: Quantity) -> bool:
    """Whether each names another, or says another word of the same: "brown dogs", "black dogs"."""
    if was.names - now.names and now.names - was.names:
        return True
    for head in {*(was.words & now.words), was.counted} - was.names:
        one, other = ({before for before, after in q.modified if after == head} for q in (was, now))
        if one - now.words and other - was.words and not one & other:
            return True
    return False


def _is_further(was: Quantity, now: Quantity) -> bool:
    """Whether a count goes on. After the first, the second is as likely another thing of its own."""
    return was.value.isdigit() and now.value.isdigit() and 1 < int(was.value) < int(now.value)


def _is_possession(quantity: Quantity) -> bool:
    return bool(_POSSESSES.match(wording(quantity.clause).rest))


def _reality(quantity: Quantity) -> tuple[frozenset[str], bool]:
    """Whether it is so, wished for or over, and whether it is denied."""
    said = wording(quantity.clause)
    return said.moods & _UNREAL, bool(said.negations)
