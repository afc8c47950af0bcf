"""Whom or what a sentence to an assistant means by "she", "it", "mine" or "they": somebody or something of
the speaker's that the words before it name, where they name nothing else that it might mean.

By the words of the sentences before, which need not be parsed: questions and requests are among them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memcore.nlp.language.statements.reading import FRAGMENT, MessageReading, Reading
from memcore.nlp.language.syntax.grammar import root_of, subject_of
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Token

_SOMEBODY = "|".join(sorted(lexicon.PERSON | lexicon.ANIMAL))
_OWN_PERSON = re.compile(
    rf"\b(?:my|our) (?:[\w-]+ ){{0,2}}?(?:{_SOMEBODY}|little one)\b"
    r"|\b(?:mine|ours)\b",
    re.IGNORECASE,
)
_OURS = re.compile(r"\b(?:mine|ours)\b", re.IGNORECASE)
_OWN_THING = re.compile(
    r"\b(?:my|our) [^,.?!]*?(?=[,.?!]|$| (?:and|or|for|with|to|in|at|on|from|that|which|who|is|was|are)\b)",
    re.IGNORECASE,
)
_NAMED = r"(?:[a-z]?[A-Z][\w'&-]*)(?: (?:&|of) [A-Z][\w'&-]*| [A-Z][\w'&-]*)*"
_NAME = re.compile(rf"(?<=[a-z,] )(?!I\b){_NAMED}")
_NAME_OF_NO_PLACE = re.compile(rf"(?<=[a-z,] )(?<!\bto )(?<!\bin )(?<!\bfrom )(?!I\b){_NAMED}")
_SUCH_A = re.compile(rf"\ban? (?:[\w-]+ ){{0,2}}?(?:{_SOMEBODY})\b", re.IGNORECASE)
"""One of them, whoever's: "for a puppy"."""
_PERSONS = frozenset({"he", "she", "they", "his", "her", "their"})


def tells_of_own(item: MessageReading, place: int) -> bool:
    """Whether a sentence to an assistant tells of somebody of the speaker's who is named right before it ("I
    want to get my dad into audiobooks. He finished two") or, with a day or a figure, of a thing of theirs
    ("Our washer won't drain. It's a Bosch") or by name of one such as they ask about ("Is it normal for a
    puppy to sleep so much? Rex is 11 weeks")."""
    doc = item.readings[place].doc
    root = root_of(doc) if doc is not None else None
    subject = subject_of(root) if root is not None else None
    if subject is None or not item.turn.to_assistant:
        return False
    words = {subject.lower_, *(child.lower_ for child in subject.lefts)}
    if words & _PERSONS:
        return _OWN_PERSON.search(_before(item, place)) is not None
    if not is_pinned(item.readings[place]):
        return False
    if words & {"it", "its"}:
        return _OWN_THING.search(_before(item, place, fragments=False)) is not None
    return _is_bare_name(subject) and _SUCH_A.search(_before(item, place)) is not None


def _before(item: MessageReading, place: int, *, fragments: bool = True) -> str:
    """The words of the two sentences before one, those that are no full sentences only where wanted."""
    earlier = item.readings[max(0, place - 2) : place]
    return " ".join(one.sentence.text for one in earlier if fragments or one.reason != FRAGMENT)


def _is_bare_name(subject: Token) -> bool:
    return subject.pos_ == "PROPN" and not list(subject.children)


def is_done_by_somebody(reading: Reading) -> bool:
    """ "They moved me to the night shift on the 16th": whoever decides it, with a day or a figure."""
    doc = reading.doc
    if doc is None or reading.leans or not (reading.open and is_pinned(reading)):
        return False
    return all(map(_is_whoever, (doc[need.index] for need in reading.open)))


def _is_whoever(they: Token) -> bool:
    done_to = (child for child in they.head.rights if child.dep_ in {"dobj", "dative"})
    return they.lower_ == "they" and any(child.lower_ in {"me", "us"} for child in done_to)


def is_of_speaker(reading: Reading) -> bool:
    """Whether it says "I" or "my"."""
    return any(token.lower_ in lexicon.SPEAKERS for token in reading.doc or ())


def is_of_another(text: str) -> bool:
    """Whether words say "mine" or "ours": of what, those before say."""
    return _OURS.search(text) is not None


def is_pinned(reading: Reading) -> bool:
    """Whether it holds a day or a figure."""
    figures = (token for token in reading.doc or () if token.pos_ == "NUM" and token.lower_ != "one")
    return bool(reading.timed) or next(figures, None) is not None


def is_clear(before: str, reading: Reading) -> bool:
    """Whether what an assistant was told before leaves no choice: somebody of the speaker's, where it says
    "her"; before one that leads to another matter, a single name or thing of theirs, and no "they"."""
    if not is_of_speaker(reading) and not (
        _OWN_PERSON.search(before) or _OWN_THING.search(before) or _SUCH_A.search(before)
    ):
        return False  # "What do I check first? It's a Bosch"
    somebody = any(need.wants in {"male", "female", "people"} for need in reading.open)
    if somebody and not (_OWN_PERSON.search(before) or is_of_another(reading.sentence.text)):
        return False
    if not (reading.turns_away and reading.open):
        return True
    assert reading.doc is not None
    if any(reading.doc[need.index].lower_ in {"they", "them"} for need in reading.open):
        return False
    if any(reading.doc[need.index].head.lemma_ in lexicon.PLACE for need in reading.open):
        return False  # "their house"
    own = [match.group().lower() for match in _OWN_THING.finditer(before)]
    places = any(need.wants == "place" for need in reading.open)
    names = (_NAME if places else _NAME_OF_NO_PLACE).findall(_OWN_THING.sub("", before))
    return len({*own, *names}) == 1
