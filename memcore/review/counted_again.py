"""Whether two quantities are one count that has gone on, whatever verb tells it: "has read four books
this year", "just finished the sixth book of the year"; "has 12 plants", "the collection has grown to 16".

A count that goes on is told with the verb at hand: one reads, finishes and gets through the same books. What
tells of another thing are names, what stands beside what is counted ("brown", "in the night shift"), and
whether it is had or done.
"""

from __future__ import annotations

import re

from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import FIGURES, stem
from memcore.nlp.language.words.quantities import PARTS, Quantity, alike
from memcore.nlp.language.words.wording import wording

_POSSESSES = re.compile(
    r"^(?:\w+ly |also |now |just |already |still )*(?:has|have|owns|own|has got|have got)(?: now| already)? "
    rf"(?:about |around |over |a total of )?(?:\d[\d,]*|one|an?|another|{'|'.join(FIGURES)})"
    r" [\w -]+?(?: now| so far| in total| already| at this point| at the moment)?$"
)
_HAS_DONE = re.compile(
    r"^(?:\w+ly |also |now )*has (?>(?:\w+ly |also |now |just |already |so far )*)"
    rf"(?!been [a-z]+ing\b|an?\b|the\b|about\b|around\b|over\b|no\b|\d|(?:one|{'|'.join(FIGURES)})\b)[a-z]+\b"
)
_COMING_TO = frozenset(
    alike(word)
    for word in (
        "get reach grow go come have own do make finish log record use take up down now far just already"
        " currently recently finally only still total also lately around about so lot another new more"
        " collection count number tally total list series show since far over"
    ).split()
)
"""Words by which it is told that a count has come to something, and that say nothing of what."""
_ONE_DEED = tuple(
    frozenset(map(alike, words.split()))
    for words in (
        "read finish",
        "watch see finish rewatch",
        "write finish publish draft",
        "visit try explore",
        "take bring carry use have",
        "complete log do run train",
        "attend go join",
        "wear put use",
        "play finish beat",
        "bake make cook prepare",
        "plant grow have",
        "collect gather have add",
    )
)
"""Verbs by which the same count is told."""
_NEVER_ONE_COUNT = frozenset(
    map(
        alike,
        "question thing idea option meeting day hour minute week month year second exam test ticket class"
        " choice reason people person frequency length score ratio".split(),
    )
)
ENOUGH_WORDS = 2
"""Words that both have beside parts of a thing: they say of which."""
_VERBS = frozenset().union(*_ONE_DEED) | {alike("be")}
_TIMES = frozenset(map(stem, lexicon.TEMPORAL))
_RATE = re.compile(
    r"\b(?:daily|weekly"
    r"|(?:every|each|per|an?) (?:single )?(?:day|week|month|night|morning|evening|session))\b"
)
_TELLING_A_MEASURE = frozenset(map(alike, "take cost be last each way run".split()))
_GROWN_TO = re.compile(r"\b(?:grown|risen|increased|up|down|dropped|fallen|shrunk|gone (?:up|down)) to\b")


def is_possession(quantity: Quantity) -> bool:
    """Whether it tells how many one has, and no more: "now owns five bikes"."""
    return bool(_POSSESSES.match(wording(quantity.clause).rest))


def is_counted_again(was: Quantity, now: Quantity) -> bool:
    """Whether the newer tells what the older's count has come to. Asked of two that may be of one thing."""
    if not (was.value.isdigit() and now.value.isdigit()):
        return False
    if now.counted == "" and _GROWN_TO.search(now.clause):
        return was.counted[:1].isalpha() and was.counted in now.words and was.counted not in _NEVER_ONE_COUNT
    if was.counted != now.counted or not was.counted[:1].isalpha():
        return False
    if was.counted in _NEVER_ONE_COUNT and not _are_hours_done(was, now):
        return False
    if (was.nth or now.nth) and not 0 < int(was.value) < int(now.value):
        return False
    grows = int(was.value) < int(now.value)
    so_far = was.counted in PARTS or (has_done(was) and has_done(now))
    if not (now.told_now or now.nth or (so_far and grows)):
        return False
    return _is_one_deed(was, now) and _is_of_one_kind(was, now)


def is_measured_again(was: Quantity, now: Quantity) -> bool:
    """Whether both tell one measure of the same thing of somebody's, and the newer as what it is by then:
    "Ann's commute takes 45 minutes", "Ann's commute is down to 30 minutes"."""
    one, other = (wording(q.clause).subject.partition("'s ")[2] for q in (was, now))
    if not one or one != other or one in lexicon.PERSON or was.counted != now.counted or not now.told_now:
        return False
    return was.words - _COMING_TO - _TELLING_A_MEASURE <= {alike(one)}


def _are_hours_done(was: Quantity, now: Quantity) -> bool:
    """Whether both tell for how many hours something has been done by then, in all."""
    done = was.counted == "minut" and has_done(was) and has_done(now)
    return done and not any(_RATE.search(q.clause) for q in (was, now))


def has_done(quantity: Quantity) -> bool:
    """Whether it tells what has been done by then: "has taken it on four trips"."""
    return bool(_HAS_DONE.match(wording(quantity.clause).rest))


def _is_one_deed(was: Quantity, now: Quantity) -> bool:
    """Whether both are told with verbs of one deed: who has six books has not read six."""
    one, other = was.words & _VERBS, now.words & _VERBS
    if one & other or (not one and not other):
        return True
    return any((one & deed or not one) and (other & deed or not other) for deed in _ONE_DEED)


def _is_of_one_kind(was: Quantity, now: Quantity) -> bool:
    """Whether what tells of which the one counts, the other tells, too, and there is something of it."""
    one, other = (q.words - _COMING_TO - _VERBS for q in (was, now))
    telling = (one & other) - _TIMES
    if was.names - now.names and now.names - was.names:
        return False
    if not one and not other and now.nth and has_done(was):
        return int(now.value) == int(was.value) + 1
    if was.names & now.names or (was.counted in PARTS and len(telling) >= ENOUGH_WORDS):
        return True
    return bool(telling or (one & other)) and (one <= other or other <= one)
