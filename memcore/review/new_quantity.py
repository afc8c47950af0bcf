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
from memcore.nlp.language.words.quantities import Quantity, alike, quantities
from memcore.nlp.language.words.wording import wording
from memcore.review.counted_again import has_done, is_counted_again, is_measured_again, is_possession
from memcore.review.pairs import (
    Finding,
    Statement,
    is_later,
    is_under_way,
    on,
    person,
    real_moods,
    times_overlap,
)
from memcore.review.superseding import superseding_text

SHARED_WORDS = 2
OWN_WORDS = 2
"""Content words of each clause alone that make it one of another thing, where the two share as few."""
SHARED_PART = 0.5
"""Content words that both clauses have, of the one that has fewer."""
_UNREAL = frozenset({"plan", "condition", "formerly", "able"})
_HAS = re.compile(r"(?:\w+ly |also |now |just |already |still )*(?:has|owns|has got)\b")
_PASSING = frozenset(
    "question thing idea option meet day hour week exam test ticket class minut choic reason".split()
)
"""What one has for a moment only: another number of it is of another moment."""
_OF_THE_BODY = frozenset(map(stem, "kg kilo kilogram pound lb lbs stone".split()))
_ON_THE_SCALE = frozenset(map(stem, "weigh weight down up current body scale".split()))
"""Who weighs 84 kg, and is down to 79 kg."""
_OF_IT = re.compile(r"^(?:it|that|this)'s .*")
_MONEY = frozenset("$€£")
_SUMS = frozenset("rent salary budget pay wage income mortgage tuition allowance".split())
_SETS_IT = frozenset("landlord landlady landlords boss manager company employer bank firm".split())
"""Who raises somebody's rent or salary; it is not theirs."""
_ONE_OF_THEM = frozenset("approval rent salary wage income mortgage allowance".split())
_PAYS = re.compile(
    r"\bpa(?:y|ys|ying)\b.* a month\b.*\b(?:apartment|flat|room|studio|house|loft|condo|unit)\b"
    r"|\b(?P<approved>(?:pre-?)?approved) for\b|\b(?P<sum>rent|salary|mortgage|tuition|allowance)\b",
    re.IGNORECASE,
)
""" "Pays $900 a month for the flat": the rent."""
_MEASURES = frozenset({"frequency", "length", "score", "ratio", "time"})
_TOTALS = frozenset("record total count number score tally collection streak balance".split())
"""What is no thing beside that which it is of: "Ann's record in the app is 120 wins"."""
_GRADES = frozenset(map(stem, "grade semester trimester".split()))
"""One is in one of them."""
_GETTING = frozenset({alike("get"), alike("adopt"), alike("buy"), alike("just"), alike("have")})
_CHANGING = frozenset(
    alike(word)
    for word in (
        "get reach set raise increase reduce cut lower grow go have own lead make see buy use up down now far"
        " currently already just finally recently only still total also lately usual usually about around so"
        " lot moment right present"
    ).split()
)
"""Words by which a change is told: they make it no other thing."""
_CORRECTS = re.compile(r"\b(?:makes?|made) (?:that|it)\b")
_TIMES = frozenset(map(stem, lexicon.TEMPORAL | {"minute", "hour", "frequency", "length", "score"}))
_ADDED = frozenset(map(alike, "new more additional extra further".split()))
"""How many came to those there were: "just got three new plants"."""
_OF_A_COST = re.compile(
    r"\b(?:daily|weekly|monthly|yearly) (?:[\w-]+ )?"
    r"(?:expenses?|costs?|budget|spending|fares?|bills?|limit)\b"
)
"""A sum by the day, and no deed that is done daily: "daily commute expenses"."""
_FILLERS = frozenset(map(alike, "around about now currently just already still also far so".split()))
_VAGUE = _TIMES | {alike(word) for word in "spend take make go see use need want get do have try".split()}
"""Words that say little of what is counted."""


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
    if not who or who != _first_of(newer) or _of_one_occasion(older, newer):
        return
    pairs = [
        (was, now)
        for was in quantities(older.told, who)
        for now in quantities(newer.told, who)
        if _same_thing(was, now)
    ]
    said_again = {was.counted for was, now in pairs if was.value == now.value}
    yield from ((was, now) for was, now in pairs if was.counted not in said_again)


def _of_one_occasion(older: Statement, newer: Statement) -> bool:
    """Whether both tell of a time, and it is the same: told twice, an occasion has not changed."""
    dated = older.memory.event_at is not None and newer.memory.event_at is not None
    return dated and times_overlap(older.memory, newer.memory)


def _first_of(statement: Statement) -> str:
    """Who it is about: what "Ann and others" have, Ann has."""
    return person(statement).removesuffix(" and others")


def _reason(older: Statement, newer: Statement, was: Quantity, now: Quantity) -> str:
    return f"“{was.clause}”{on(older)}; “{now.clause}”{on(newer)}: {was.value}, then {now.value}."


def _same_thing(was: Quantity, now: Quantity) -> bool:
    if not _comparable(was, now):
        return False
    if is_counted_again(was, now) or is_measured_again(was, now):
        return True
    if _is_another(was, now):
        return False
    shared, fewer = was.words & now.words, min(len(was.words), len(now.words))
    if was.counted != now.counted:  # "25 on the list": of what, the other says
        if "frequency" in (was.counted, now.counted):  # "at four" is no "every day"
            return False
        return "" in (was.counted, now.counted) and SHARED_WORDS <= len(shared) == fewer
    if _is_one_measure(was, now):
        return True
    if not fewer:
        has = bool(_HAS.match(wording(was.clause).rest)) and not has_done(was)
        told = is_possession(was) or (now.told_now and has)
        return was.counted not in _PASSING and told and is_possession(now)
    if _is_told_anew(shared, was, now):
        return True
    if len(shared) == fewer and (
        (now.nth and _is_further(was, now)) or _is_told_of(shared, was, now) or _CORRECTS.search(now.clause)
    ):
        return True
    telling = shared - _FILLERS
    return len(telling) >= SHARED_WORDS and len(shared) >= SHARED_PART * fewer and bool(telling - _VAGUE)


def _comparable(was: Quantity, now: Quantity) -> bool:
    """Whether both tell how things stand with one person or thing."""
    if not (was.standing and now.standing) or was.elapsed or now.elapsed:
        return False
    if any((added, now.counted) in now.modified for added in _ADDED):
        return False
    if was.counted == "frequency" and any(_OF_A_COST.search(q.clause) for q in (was, now)):
        return False
    under_way = is_under_way(wording(was.clause)) != is_under_way(wording(now.clause))
    under_way = under_way and now.counted not in {"score", "frequency", *_MONEY}  # "is paying $900"
    under_way = under_way and not (now.told_now and not has_done(was))  # "works", "is now working"
    return _reality(was) == _reality(now) and _of_one(was, now) and (now.nth or not under_way)


def _is_one_measure(was: Quantity, now: Quantity) -> bool:
    """What one has one of, in so few words: a weight, a score, a rent, the cats with "a fourth cat"."""
    if was.counted in _OF_THE_BODY and was.words | now.words <= _ON_THE_SCALE:
        return True
    if was.counted == "score":
        return bool(was.words & now.words - _VAGUE)
    if was.counted in _GRADES:
        return True
    if was.counted in _MONEY:
        one, other = _sum_of(was), _sum_of(now)
        return one == other != "" and (one in _ONE_OF_THEM or _beside(was) == _beside(now))
    further = now.nth and now.words <= _GETTING and is_possession(was) and was.value.isdigit()
    return further and now.value == str(int(was.value) + 1)


def _of_one(was: Quantity, now: Quantity) -> bool:
    """Whether both are of one person or thing of theirs: Ann is not Ann's sister, nor does she weigh what
    her bag does."""
    one, other = (_OF_IT.sub("", wording(q.clause).subject).partition("'s ")[2] for q in (was, now))
    if one == other:
        return True
    return all(
        not thing[:1].isalpha()
        or thing in _TOTALS | _SETS_IT
        or (
            thing not in lexicon.PERSON
            and (alike(thing) in beside.words or thing in beside.clause.casefold())
        )
        for thing, beside in ((one, now), (other, was))
    )


def _sum_of(quantity: Quantity) -> str:
    """The sum of which a clause tells how high it is: "rent" in "Ann's rent is $1,200"; empty: none."""
    thing = wording(quantity.clause).subject.partition("'s ")[2]
    if thing in _SUMS:
        return thing
    told = _PAYS.search(quantity.clause)
    if told is None:
        return ""
    return "approval" if told["approved"] else (told["sum"] or "rent").casefold()


def _beside(quantity: Quantity) -> frozenset[str]:
    return quantity.words - _CHANGING


def _is_told_anew(shared: frozenset[str], was: Quantity, now: Quantity) -> bool:
    """Whether the newer tells how many of the same there are by then, beside a word that says of what."""
    if not now.told_now or was.nth or now.nth or not was.counted[:1].isalpha():
        return False
    telling = shared - _FILLERS - _VAGUE - _CHANGING
    return bool(telling) and was.counted not in _PASSING | _TIMES | _MEASURES


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
    """Whether each names another, or says another word of the same: "brown dogs", "black dogs"; "holds a
    plank", "holds a handstand"."""
    own, others = (one.words - other.words - _CHANGING for one, other in ((was, now), (now, was)))
    few = 0 < len(own) <= OWN_WORDS and 0 < len(others) <= OWN_WORDS
    few = few and not (_is_told_anew(was.words & now.words, was, now) or _is_one_measure(was, now))
    if few and len(was.words & now.words) <= SHARED_WORDS and was.counted != "score":
        return True
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


def _reality(quantity: Quantity) -> tuple[frozenset[str], bool]:
    """Whether it is so, wished for or over, and whether it is denied."""
    said = wording(quantity.clause)
    return real_moods(said) & _UNREAL, bool(said.negations)
