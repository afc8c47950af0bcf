"""One intention told twice: "is considering a small studio in the attic", "is thinking of a studio there".

What somebody considers, wants or looks forward to is compared without the words for that ("is considering",
"cannot wait to"): the same deed in nearly the same words is one plan, told more or less firmly. Another name,
number or day makes it another plan. Told as firmly it is merged; told more firmly on another day, the plan
has changed; told less firmly, both stay.
"""

from __future__ import annotations

import re
from datetime import timedelta

from memcore.nlp.language.words.inflection import stem
from memcore.nlp.language.words.wording import Wording
from memcore.review.firmness import as_firm, firmness, of_one_day, tells_all
from memcore.review.pairs import (
    TIMES,
    Finding,
    Statement,
    is_later,
    leaves_open,
    on,
    part,
    same_subject,
    times_overlap,
)
from memcore.review.superseding import superseding_text

_WORDS = (
    r"(?:(?:is|was|has been|has(?= decided)|also|now|just|really|definitely|actually|still|particularly|so"
    r"|very|pretty) )*"
)
_FRAME = re.compile(
    rf"^{_WORDS}(?:"
    r"thinking (?:of|about)|thinks [A-Z]\w* (?:will|might|should|would)|considering|plan(?:s|ning) (?:to|on)"
    r"|plan(?:s|ning)(?= (?:an?|the|[A-Z][\w-]*['’]s) )"
    r"|hop(?:es|ing) to|looking (?:forward to|into|for)|excited (?:to|about)(?: the idea of)?"
    r"|(?:can['’]t|cannot) wait to"
    r"|would (?:like|love) to|wants to|going to|will|intends to|interested in|might|may|likes the idea of"
    r"|decided (?:to|on)|aim(?:s|ing) to|(?:ready|eager|keen) (?:to|on)|leaning towards?"
    rf") {_WORDS}(?P<deed>[^.;!]+?)"
    r"(?=$|[.;!]|, (?:but|and|so|since|because)\b| (?:because|since|so [A-Z])\b)",
)
_OTHERWISE = frozenset(map(stem, "other another else instead rather except again next".split()))
_INSTEAD = re.compile(r"\binstead\b")
_IN_ONE_PLACE = frozenset(map(stem, "stay live move marry host hold celebrate study retire".split()))
_TRIPS = frozenset(map(stem, "trip vacation holiday honeymoon getaway retreat".split()))
_TAKING = frozenset(map(stem, "go take visit travel fly head make do".split()))
ENOUGH_WORDS = 3
WITH_ANOTHER_VERB = 4
"""Content words that both deeds have, alike from the first on or after it."""
SHARED_PART = 0.5
"""Of the fuller deed's words."""
ONE_PLAN = timedelta(days=120)
"""Told further apart, the same words may be another plan."""


def same_plan(older: Statement, newer: Statement) -> Finding | None:
    """Both tell as firmly that the same is intended; the fuller text stays, of two as full the newer."""
    if not (_one_plan(older, newer) and as_firm(older, newer)):
        return None
    fuller, other = (older, newer) if len(older.said.words) > len(newer.said.words) else (newer, older)
    for kept, gone in ((fuller, other), (other, fuller)):
        if tells_all(kept, gone):
            reason = f"The same is intended{on(older)} and{on(newer)}; one text says it for both."
            return Finding("same plan", "merge", kept.memory.text, reason, "medium")
    return None


def firmer_plan(older: Statement, newer: Statement) -> Finding | None:
    """On another day the same is intended more firmly: what was considered is planned."""
    if not (is_later(newer, older) and _one_plan(older, newer)) or of_one_day(older, newer):
        return None
    if firmness(newer) <= firmness(older):
        return None
    reason = f"What was intended{on(older)} is intended more firmly{on(newer)}."
    return Finding("firmer plan", "update", newer.memory.text, reason, "medium")


def _one_plan(older: Statement, newer: Statement) -> bool:
    if not same_subject(older, newer) or "statement" in (older.memory.kind, newer.memory.kind):
        return False
    one, other = _deed(older), _deed(newer)
    if one is None or other is None or not _one_time(older, newer) or not _same_deed(one, other):
        return False
    return not (leaves_open(older, newer) or leaves_open(newer, older))


def plan_changed(older: Statement, newer: Statement) -> Finding | None:
    """Something of the same kind is now intended instead: "a marathon", "the half marathon instead"."""
    if not (is_later(newer, older) and same_subject(older, newer)):
        return None
    one, other = _deed(older), _deed(newer)
    if one is None or other is None or not _one_time(older, newer):
        return None
    if not (_is_told_instead(newer, one, other) or _is_elsewhere(one, other) or _goes_elsewhere(one, other)):
        return None
    reason = f"“{older.memory.text}”{on(older)}, but{on(newer)}: “{newer.memory.text}”."
    text = superseding_text(older, newer, older.said.rest)
    return Finding("plan changed", "update", text, reason, "high", ends=True)


def _is_told_instead(newer: Statement, one: Wording, other: Wording) -> bool:
    """ "Stay at the Hilton for the fair", "stay with friends for the fair instead"."""
    if not _INSTEAD.search(newer.said.rest) or one.words[0] != other.words[0]:
        return False
    return len(set(one.words) & set(other.words)) >= 2 or one.words[0] in _IN_ONE_PLACE


def _goes_elsewhere(one: Wording, other: Wording) -> bool:
    """Whether the same trip, told by what it is for, is to go to a place of another name: "a birthday trip to
    Oslo", "go to Rome for the birthday trip"."""
    was, now = (set(deed.words) - _TAKING for deed in (one, other))
    shared = {word for word in was & now - one.names - TIMES if not word.isdigit()}
    if not shared & _TRIPS or len(shared) < 2:
        return False
    before, after = was - now, now - was
    return bool(before) and bool(after) and before <= one.names and after <= other.names


def _is_elsewhere(one: Wording, other: Wording) -> bool:
    """Whether what can be in one place only, and is told alike, is to be in a place of another name."""
    was, now = set(one.words) - set(other.words), set(other.words) - set(one.words)
    if one.words[0] not in _IN_ONE_PLACE or not was or not now:
        return False
    of_other_names = was <= one.names and now <= other.names
    return of_other_names and len(set(one.words) & set(other.words)) >= ENOUGH_WORDS


def _deed(statement: Statement) -> Wording | None:
    """The wording of what is intended, without the words for that; None: nothing is."""
    frame = _FRAME.match(statement.said.rest)
    if frame is None or statement.said.negations > bool(re.search(r"(?:n['’]t|not) wait", frame[0])):
        return None
    said = part(statement, frame["deed"])
    return said if said.words else None


def _same_deed(one: Wording, other: Wording) -> bool:
    fewer, more = sorted((set(one.words), set(other.words)), key=len)
    shared = fewer & more
    if _OTHERWISE & (fewer ^ more) or one.negations or other.negations:
        return False
    if one.figures != other.figures or (one.names ^ other.names) & (fewer - more):
        return False
    if len(shared) < max(ENOUGH_WORDS, SHARED_PART * len(more)):
        return False
    own = fewer - more
    first = {one.words[0], other.words[0]}
    if not own:
        return True
    return own <= first and len(shared) >= WITH_ANOTHER_VERB and len(more - fewer - first) <= 1


def _one_time(older: Statement, newer: Statement) -> bool:
    """Whether both can be of one plan: of times that overlap, or told not long after each other."""
    a, b = older.memory, newer.memory
    if a.event_at is not None and b.event_at is not None:
        return times_overlap(a, b)
    if a.mentioned_at is None or b.mentioned_at is None:
        return a.mentioned_at is b.mentioned_at
    return abs(a.mentioned_at - b.mentioned_at) <= ONE_PLAN
