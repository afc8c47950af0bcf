"""Whose an animal or a relative is where no possessive says it, and the one name of somebody's pets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import auxiliaries, inherited_subject, is_negated
from memcore.nlp.language.syntax.predicates import lemma
from memcore.nlp.language.words import graph_words, lexicon

if TYPE_CHECKING:
    from spacy.tokens import Token

_OTHERS = frozenset({"hot", "first", "old", "late", "childhood", "next", "stuffed", "toy"})
_CLOSE = (lexicon.KIN - {"baby", "toddler", "twin", "couple"}) | {"kid", "child"}


def species(noun: Token) -> str:
    """The word for all animals of the kind that a noun means: "dog" for pups, "pet" for fur babies; empty
    where it means none, or one that is told from the others."""
    if any(child.lower_ in _OTHERS for child in noun.lefts):
        return ""
    if noun.lemma_.lower() in {"kid", "child", "baby", "friend", "buddy", "family", "pal", "companion"}:
        return "pet" if any(child.lower_ in graph_words.FURRY for child in noun.lefts) else ""
    return graph_words.SPECIES.get(noun.lower_, "")


def named_for_all(noun: Token, kind: str) -> str:
    """The noun under which one's pets of a kind are one entity, in the number that is spoken of."""
    return f"{kind}s" if noun.tag_ in {"NNS", "NNPS"} else kind


def owner_in_clause(noun: Token) -> Token | None:
    """Who has the animal or the relative that a noun means, by the clause alone: "I have two dogs", "I took
    the kids to the lake"."""
    verb = _governor(noun)
    if verb is None or is_negated(verb):
        return None
    lefts = {child.lower_ for child in noun.lefts if child.dep_ == "det"}
    subject = inherited_subject(verb)
    if subject is None:
        return None
    helped = any(helper.lemma_ != "have" and helper.lower_ != "'ve" for helper in auxiliaries(verb))
    owns = verb.lemma_ in graph_words.OWNING or (lemma(verb) == "have")
    if species(noun) and noun.dep_ in {"dobj", "conj"} and owns and not helped:
        return subject if not lefts & {"no", "any"} else None
    bare = noun.tag_ == "NN" and not list(noun.lefts) and noun.lemma_.lower() in lexicon.KIN
    mine = subject.lower_ in {"i", "we"} and (bare or "the" in lefts)
    mine = mine and not any(c.dep_ == "prep" for c in noun.rights)
    close = species(noun) or noun.lemma_.lower() in _CLOSE
    return subject if mine and close else None


def _governor(noun: Token) -> Token | None:
    """The verb that a noun is an object of."""
    head = noun.head
    if noun.dep_ == "conj" and head.pos_ == "NOUN":
        return _governor(head)
    if noun.dep_ == "pobj" and head.lower_ in {"with", "for", "to"}:
        head = head.head
    elif noun.dep_ != "dobj":
        return None
    return head if head.pos_ in {"VERB", "AUX"} else None
