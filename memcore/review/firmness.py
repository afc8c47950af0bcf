"""What two texts must have in common for one of them to stand for both.

How firmly something is told is part of it: who considers a thing has not decided on it, and who looked
forward to it in May may not in June. Feelings, certainty and what is "next" or "more" are said on purpose,
however small the words.
"""

from __future__ import annotations

import re

from memcore.nlp.language.words.inflection import stem
from memcore.review.pairs import Finding, Statement

_ADVERBS = (
    r"(?:(?:\w+ly|also|now|just|still|so|very|even|too|pretty|quite|is|was|are|were|has|had|been|thinks?"
    r"|[A-Z][\w-]*) )*?"
)
_RANKS = tuple(
    (rank, re.compile(rf"^{_ADVERBS}(?:{words})\b"))
    for rank, words in (
        (1, r"thinks [A-Z]\w* (?:might|may|could)|might|may|could|maybe|perhaps"),
        (4, r"thinks [A-Z]\w* will|will|decided"),
        (2, r"thinking|thought (?:of|about)|consider(?:s|ing|ed)|leaning"),
        (3, r"plan(?:s|ning|ned)? (?:to|on)|going to|intend(?:s|ing)|aim(?:s|ing)|about to"),
        (
            0,
            r"like[sd]?|love[sd]?|would (?:like|love)|want(?:s|ed)?|hop(?:es?|ing|ed)|interested|keen|eager"
            r"|excited|looking forward|(?:can['’]t|cannot|can not) wait|ready",
        ),
    )
)
DONE = 5
"""The rank of what is said without any such reserve."""
NARROWER_BY = 2
"""Content words by which an interest is told more narrowly."""
_STANCES = frozenset(
    map(
        stem,
        "think thought consider plan go intend aim like want hope interested decide lean idea will would "
        "might may could should wish".split(),
    )
)
_SAID_ON_PURPOSE = frozenset(
    map(
        stem,
        "excited excitement enjoy enjoying glad happy proud keen eager love wait forward thrilled worried "
        "nervous concerned afraid sad next more definitely certainly surely sure again first last".split(),
    )
)
_INTEREST = re.compile(
    rf"^{_ADVERBS}(?:interested in|curious about|learning more about"
    r"|(?:wants|would (?:like|love)) to (?:know|learn|find out|hear))\b"
)
_HEDGES = frozenset("maybe perhaps possibly probably might could unsure".split())
_OF_ITS_MOMENT = re.compile(
    r"\b(?:just|now|as of|today|tonight|yesterday|tomorrow|recently|currently|lately|nowadays|at the moment"
    r"|soon|meaning to|for (?:\w+ )?[\w-]+ (?:days|weeks|months|years)"
    r"|th(?:is|ese) (?:morning|evening|week|weekend|month|year|days)"
    r"|(?:last|next) (?:week|weekend|month|year|night))\b",
    re.IGNORECASE,
)
_COMPARED_BY_THE_RULE = frozenset({"plan carried out", "goes on"})
"""Rules whose newer statement need not repeat the older one's words."""
_LAST_WORDS = re.compile(r"(?:[A-Z][\w'’-]* )*[\w'’-]+(?=[.!]?$)")
"""The last word, or the name that ends there."""
_OF = re.compile(r"\b(?:of|behind|from) (?:the |an? )?$", re.IGNORECASE)
_NAMED_BY_IT = re.compile(r" (?!and\b|or\b|as\b|is\b|was\b|this\b|its\b)[a-z]{3,}(?<!ly)s\b(?=[.,!]|$)")
_TOKEN = re.compile(r"[^\W_]+")


def firmness(statement: Statement) -> int:
    """How firmly it is told, from what somebody likes (0) to what is or was done (`DONE`)."""
    rest = statement.said.rest
    return next((rank for rank, stance in _RANKS if stance.match(rest)), DONE)


def as_firm(one: Statement, other: Statement) -> bool:
    """Whether both are told as firmly, and both of now or both of the past."""
    return firmness(one) == firmness(other) and _is_over(one) == _is_over(other)


def tells_all(kept: Statement, other: Statement) -> bool:
    """Whether a text tells everything that another does, feelings and certainty among it."""
    if _written(kept) & _HEDGES != _written(other) & _HEDGES:
        return False
    return _told(other) <= _told(kept) | set(kept.said.words)


def is_of_another(older: Statement, newer: Statement) -> bool:
    """Whether what is liked or intended only names, in the newer, something else: "learning the ukulele",
    "ukulele tunings"; "reading about the museum", "the founder of the museum"."""
    if firmness(older) == DONE:
        return False
    object_ = _LAST_WORDS.search(older.said.rest)
    if object_ is None or newer.said.rest == older.said.rest:
        return False
    again = re.search(rf"\b{re.escape(object_[0])}\b", newer.said.rest)
    if again is None:
        return False
    of_it = _OF.search(newer.said.rest[: again.start()]) and not _OF.search(
        older.said.rest[: object_.start()]
    )
    following = newer.said.rest[again.end() :]
    return bool(of_it or _NAMED_BY_IT.match(following))


def narrows(one: Statement, other: Statement) -> bool:
    """Whether one of the two names a part of what the other is interested in: "interested in rugs",
    "interested in how to mend rugs". What is added behind that is no part of it."""
    wide, narrow = sorted((one, other), key=lambda statement: len(statement.said.words))
    if not (_INTEREST.match(wide.said.rest) and _INTEREST.match(narrow.said.rest)):
        return False
    added = set(narrow.said.words) - set(wide.said.words)
    return len(added) >= NARROWER_BY and narrow.said.words[: len(wide.said.words)] != wide.said.words


def of_one_day(one: Statement, other: Statement) -> bool:
    """Whether both were said on one day, as far as is known."""
    a, b = one.memory.mentioned_at, other.memory.mentioned_at
    return a == b or (a is not None and b is not None and a.date() == b.date())


def one_stands_for_both(finding: Finding, older: Statement, newer: Statement) -> bool:
    """Whether the text that a finding leaves says what both say, as of when they say it. What ends the older
    statement, or tells its plan as done, need not."""
    if finding.ends or finding.rule in _COMPARED_BY_THE_RULE:
        return True
    if not of_one_day(older, newer) and _is_of_its_moment(older):
        return False
    if not _are_liked_alike(older, newer) or narrows(older, newer):
        return False
    if finding.action == "merge":
        if not of_one_day(older, newer) and _is_of_its_moment(newer):
            return False
        kept, gone = (older, newer) if finding.text == older.memory.text else (newer, older)
        return older.memory.text == newer.memory.text or (as_firm(older, newer) and tells_all(kept, gone))
    return (
        firmness(newer) >= firmness(older) and _is_over(older) == _is_over(newer) and tells_all(newer, older)
    )


def _is_of_its_moment(statement: Statement) -> bool:
    return bool(_OF_ITS_MOMENT.search(statement.told))


def _are_liked_alike(one: Statement, other: Statement) -> bool:
    """Whether what is liked begins alike: who likes the story of a game need not like the game."""
    first = []
    for statement in (one, other):
        if firmness(statement) > 0:
            return True
        first.append(next((w for w in statement.said.words if w not in _STANCES | _SAID_ON_PURPOSE), ""))
    return first[0] == first[1]


def _is_over(statement: Statement) -> bool:
    return statement.said.past


def _told(statement: Statement) -> set[str]:
    """The stems of what must not get lost."""
    small = {stem(word) for word in _written(statement)} & _SAID_ON_PURPOSE
    return {word for word in statement.said.words if word not in _STANCES} | small


def _written(statement: Statement) -> set[str]:
    return {token.casefold() for token in _TOKEN.findall(statement.said.rest)}
