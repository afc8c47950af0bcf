"""Whose a thing is where no possessive says it, and the one name of somebody's pets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import auxiliaries, inherited_subject, is_negated
from memcore.nlp.language.syntax.kinds import type_of
from memcore.nlp.language.syntax.predicates import lemma
from memcore.nlp.language.words import graph_words, lexicon
from memcore.nlp.language.words.noun_kinds import is_made

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
    """Who has what a noun means, by the clause alone: "I have two dogs", "I took the kids to the lake",
    "I opened a bakery", "I bought a cello"."""
    verb = _governor(noun)
    if verb is None or is_negated(verb):
        return None
    lefts = {child.lower_ for child in noun.lefts if child.dep_ == "det"}
    subject = inherited_subject(verb)
    if subject is None:
        return None
    if _is_acquired(noun, verb):
        return subject
    helped = any(helper.lemma_ != "have" and helper.lower_ != "'ve" for helper in auxiliaries(verb))
    owns = verb.lemma_ in graph_words.OWNING or (lemma(verb) == "have")
    if species(noun) and noun.dep_ in {"dobj", "conj"} and owns and not helped:
        return subject if not lefts & {"no", "any"} else None
    bare = noun.tag_ == "NN" and not list(noun.lefts) and noun.lemma_.lower() in lexicon.KIN
    mine = subject.lower_ in {"i", "we"} and (bare or "the" in lefts)
    mine = mine and not any(c.dep_ == "prep" for c in noun.rights)
    close = species(noun) or noun.lemma_.lower() in _CLOSE
    return subject if mine and close else None


def _is_acquired(noun: Token, verb: Token) -> bool:
    """Whether a thing is somebody's by what the verb tells: "adopted a rabbit", "is starting a studio"."""
    one = noun.tag_ == "NN" and noun.dep_ == "dobj" and noun.head == verb
    one = one and any(child.lower_ in {"a", "an", "this", "another"} for child in noun.lefts)
    helped = any(helper.lemma_ not in {"have", "be"} for helper in auxiliaries(verb))
    if not one or helped or verb.tag_ == "VB" or not any(t.dep_ == "nsubj" for t in verb.lefts):
        return False
    kind, said = type_of(noun), lemma(verb)
    if said in graph_words.FOUNDING:
        return kind in {"ORG", "PLACE"} or noun.lemma_.lower() in graph_words.LASTING
    return said in graph_words.ACQUIRING and (kind == "ANIMAL" or is_made(noun.lemma_.lower()))


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
