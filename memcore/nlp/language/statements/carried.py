"""What a sentence of a message goes on with, where only an earlier message of the same speaker says it.

"I joined a rowing club in May." "How is it going?" "I also met some great people.": the last sentence is told
behind the first. Nothing is resolved: both are told as they were said, and both messages are cited.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from memcore.nlp.language.prose import screening
from memcore.nlp.language.prose.errands import ERRAND
from memcore.nlp.language.statements.answers import is_answerable
from memcore.nlp.language.statements.before import fits_behind, stands, turns
from memcore.nlp.language.statements.reading import MessageReading, Reading
from memcore.nlp.language.syntax.definites import OF_SEVERAL, taken_as_known
from memcore.nlp.language.syntax.grammar import root_of
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Token

MOST_MESSAGES = 2
_NEW = frozenset({"a", "an", "my", "our"})
_JOURNEYS = frozenset({"flight", "cruise", "move", "stay", "visit"})
_WANTS = frozenset({screening.REQUEST, ERRAND})
_TELLS = frozenset({None, screening.NO_CONTENT})


def introduced(item: MessageReading, reading: Reading) -> list[Reading]:
    """The sentence of an earlier message that brings in what this one speaks of as known ("the heron" after
    "I saw a heron at the pond"); empty if there is none, or it speaks of several things as known."""
    if reading.doc is None or turns(reading):
        return []
    known = taken_as_known(reading.doc, reading.timed)
    nouns = {(noun.lemma_.lower(), noun.tag_) for noun in known}
    if len(nouns) != 1 or any(child.lower_ in OF_SEVERAL for noun in known for child in noun.lefts):
        return []
    meant = nouns.pop()
    for one in _told_earlier(item):
        assert one.doc is not None
        new = [t for t in one.doc if (t.lemma_.lower(), t.tag_) == meant and _is_new(t)]
        if new:
            return [one] if len(new) == 1 and fits_behind([one], reading) else []
    return []


def asked_on(item: MessageReading, reading: Reading) -> list[Reading]:
    """The last sentence of the speaker's message before, where the question in between points at what it
    tells ("How is it going?"); else empty."""
    asked = item.asked.text
    if not (asked and item.earlier) or is_answerable(asked) or turns(reading):
        return []
    if item.turn.to_assistant and any(one.sentence.asks or one.reason in _WANTS for one in item.earlier[0]):
        return []  # the assistant was asked for something, and does not ask on
    depends = reading.goes_on or reading.narrates
    if item.images and not depends:
        return []  # what it shows says what it is about
    if any(t.lower_ == "too" and t.dep_ == "advmod" and t.head.dep_ == "ROOT" for t in reading.doc or ()):
        return []  # as who asks does
    told = islice(item.earlier, MOST_MESSAGES if depends else 1)
    last = next((one for readings in told for one in reversed(readings) if _is_matter(one)), None)
    return [last] if last is not None and fits_behind([last], reading) else []


def planned(item: MessageReading, reading: Reading) -> list[Reading]:
    """The sentence of an earlier message to an assistant that tells of the occasion for which its speaker is
    thinking of something ("I'm planning a dinner party" before "I'm thinking of serving curry")."""
    if not (item.turn.to_assistant and reading.wishes) or turns(reading):
        return []
    assert reading.doc is not None
    nouns = {token.lemma_.lower() for token in reading.doc if token.pos_ == "NOUN"}
    for one in _told_earlier(item):
        occasions = {t.lemma_.lower() for t in one.doc or () if _is_new_occasion(t)}
        if one.plans and occasions:
            return [one] if fits_behind([one], reading) and not occasions & nouns else []
    return []


def _told_earlier(item: MessageReading) -> Iterator[Reading]:
    """The sentences of earlier messages that say what they mean, or the part of them that does, the last one
    first."""
    for readings in item.earlier:
        for one in reversed(readings):
            yield from filter(_tells, [one] if one.part is None else [one, one.part])


def _tells(one: Reading) -> bool:
    return one.doc is not None and one.reason in _TELLS and not one.sentence.asks and stands(one)


def _is_matter(one: Reading) -> bool:
    """Whether a sentence tells something that one asks on about: not that its speaker likes a thing."""
    root = root_of(one.doc) if one.doc is not None else None
    liked = root is not None and root.lemma_.lower() in lexicon.LIKING and not one.timed
    return one.reason is None and _tells(one) and not liked


def _is_new_occasion(noun: Token) -> bool:
    return noun.lemma_.lower() in lexicon.OCCASIONS | _JOURNEYS and noun.tag_ == "NN" and _is_new(noun)


def _is_new(noun: Token) -> bool:
    """ "A heron", "my heron": what is brought in, and no measure of it."""
    if noun.pos_ != "NOUN" or noun.dep_ == "compound" or noun.lemma_.lower() in lexicon.TEMPORAL:
        return False
    if any(child.dep_ == "neg" for head in noun.ancestors for child in head.children):
        return False
    return any(child.lower_ in _NEW for child in noun.lefts)
