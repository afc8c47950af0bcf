"""Which noun phrases tell what they mean, so that a person wants to see them in a graph.

A name does, and what is somebody's, and what a further word says the kind of ("pottery class"); a common
noun alone only where it names a kind of its own ("yoga", "a clarinet") and is not so common that everybody
has one ("a trip", "the room"). Several of a kind ("artists") are told of where somebody likes them or deals
with them, not where they are met in passing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.entities import is_misread_event, quoted_title
from memcore.nlp.language.syntax.grammar import inherited_subject
from memcore.nlp.language.syntax.kinds import type_of
from memcore.nlp.language.syntax.named_kinds import is_named
from memcore.nlp.language.syntax.noun_heads import complements
from memcore.nlp.language.syntax.pets import owner_in_clause
from memcore.nlp.language.syntax.predicates import lemma
from memcore.nlp.language.words import graph_words, lexicon
from memcore.nlp.language.words.noun_kinds import is_common

if TYPE_CHECKING:
    from spacy.tokens import Token

_UNTELLING = graph_words.PASSING | graph_words.GRADABLE | lexicon.EVALUATIVE | lexicon.TEMPORAL
_UNTOLD = graph_words.UNTOLD | lexicon.VAGUE


def tells(noun: Token) -> bool:
    """Whether a noun with what stands beside it says which thing or which kind is meant."""
    if noun.pos_ == "PRON" or is_named(noun) or quoted_title(noun):
        return True
    if noun.lower_.endswith("ing") and any(
        type_of(c) == "PERSON" for c in noun.lefts if c.dep_ == "compound"
    ):
        return False  # "took my family camping"
    if _is_owned(noun):
        return noun.lemma_.lower() not in graph_words.NEVER_OWN
    if is_misread_event(noun) or any(child.lower_ == "no" for child in noun.lefts):
        return True
    vague = {noun.lower_ if noun.tag_ == "VBG" else noun.lemma_.lower(), noun.lower_} & graph_words.VAGUE
    if any(is_named(other) for prep, other in complements(noun) if prep.lower_ == "of"):
        return True
    if vague:
        return False
    named = any(c.dep_ in {"compound", "amod", "nmod"} and is_named(c) for c in noun.lefts)
    return named or any(_says_which(child) for child in noun.lefts) or _tells_alone(noun)


def tells_as_subject(noun: Token) -> bool:
    """Whether something that a fact is about is told: "the landlord", "a kitchen" are of that fact only."""
    if noun.pos_ == "PRON" or is_named(noun) or quoted_title(noun) or _is_owned(noun):
        return True
    if noun.lower_.endswith("ing") and not list(noun.lefts):
        return True  # "dancing helps"
    return any(_says_which(child) for child in noun.lefts) and tells(noun)


def _is_owned(noun: Token) -> bool:
    own = any(child.dep_ == "poss" for child in noun.lefts)
    shared = noun.dep_ == "conj" and any(child.dep_ == "poss" for child in noun.head.lefts)
    return own or shared or owner_in_clause(noun) is not None


def _says_which(word: Token) -> bool:
    """Whether a word before a noun sorts it: "pottery class", "financial plan", but not "big names"."""
    if word.dep_ == "nmod":
        return True
    if word.dep_ not in {"compound", "amod"}:
        return False
    if {word.lower_, word.lemma_.lower()} & _UNTELLING:
        return False
    return word.dep_ == "compound" or (
        word.tag_ not in {"JJR", "JJS", "VBG"} and word.lemma_.lower() not in lexicon.VAGUE
    )


def _tells_alone(noun: Token) -> bool:
    base = noun.lemma_.lower()
    if noun.dep_ == "attr":  # "is a nurse"
        subject = inherited_subject(noun.head)
        named = subject is not None and (subject.pos_ == "PRON" or is_named(subject) or _is_owned(subject))
        return named and type_of(noun) == "PERSON"
    if noun.dep_ == "pobj" and noun.head.lower_ == "as":
        return type_of(noun) == "PERSON"  # "works as a nurse"
    if _is_dealt_with(noun) and not any(child.dep_ == "det" for child in noun.lefts):
        return True
    several = noun.tag_ in {"NNS", "NNPS"} and noun.lower_ != base and not noun.lower_.endswith("ics")
    kind = type_of(noun)
    if several or kind == "PERSON" or base in _UNTOLD:
        return False
    return kind == "ANIMAL" or not is_common(base) or _is_pursuit(noun)


def _is_pursuit(noun: Token) -> bool:
    """ "Experience in marketing", "a career in fashion"."""
    in_field = noun.head.lower_ == "in" and noun.head.head.pos_ == "NOUN"
    field = noun.dep_ == "pobj" and (in_field or noun.head.lower_ in {"about", "into"})
    return not list(noun.lefts) and (field or noun.lower_.endswith("ing"))


def _is_dealt_with(noun: Token) -> bool:
    """Whether it is what somebody likes or does: "loves dogs", "is into photography", "writes articles"."""
    while noun.dep_ == "conj" and noun.head.pos_ in {"NOUN", "PROPN"}:
        noun = noun.head
    head = noun.head
    if noun.dep_ == "dobj":
        return _is_devoted(head)
    if noun.dep_ != "pobj":
        return False
    return (head.lower_, head.head.lower_) in graph_words.DEVOTED or _is_devoted(head.head)


def _is_devoted(verb: Token) -> bool:
    if lemma(verb) in lexicon.LIKING | graph_words.PURSUING:
        return True
    while verb.dep_ == "conj" and verb.head.pos_ == "VERB":
        verb = verb.head
    return verb.dep_ == "xcomp" and verb.head.lemma_.lower() in lexicon.LIKING
