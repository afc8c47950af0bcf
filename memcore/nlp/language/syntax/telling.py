"""Which noun phrases tell what they mean, so that a person wants to see them in a graph.

A name does, and what is somebody's, what a further word says the kind of ("pottery class") and what the words
after it say which one it is of ("a trip to Rome"; see `identified`). A common noun alone only where it names
what one does, plays, eats or suffers from ("yoga", "a clarinet"), or where somebody collects, makes or likes
such things; and of what one has many of ("my trip"), not even one's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.entities import quoted_title
from memcore.nlp.language.syntax.grammar import inherited_subject
from memcore.nlp.language.syntax.identified import identifying, is_pursuit
from memcore.nlp.language.syntax.kinds import type_of
from memcore.nlp.language.syntax.named_kinds import is_named
from memcore.nlp.language.syntax.noun_heads import complements, is_misread_event
from memcore.nlp.language.syntax.pets import owner_in_clause
from memcore.nlp.language.syntax.predicates import lemma
from memcore.nlp.language.words import graph_words, lexicon
from memcore.nlp.language.words.noun_kinds import is_common

if TYPE_CHECKING:
    from spacy.tokens import Token

_UNTELLING = graph_words.PASSING | graph_words.GRADABLE | lexicon.EVALUATIVE | lexicon.TEMPORAL
_DEALING = lexicon.LIKING | graph_words.PURSUING
_UNTOLD = graph_words.UNTOLD | lexicon.VAGUE


def tells(noun: Token) -> bool:
    """Whether a noun with what stands beside it says which thing or which kind is meant."""
    if noun.pos_ == "PRON" or is_named(noun) or quoted_title(noun) or not noun.text.islower():
        return True
    if noun.lower_.endswith("ing") and any(
        type_of(c) == "PERSON" for c in noun.lefts if c.dep_ == "compound"
    ):
        return False  # "took my family camping"
    if _is_owned(noun) and any(child.lower_ in graph_words.FAVORITE for child in noun.lefts):
        return True
    if _is_owned(noun) and (noun.dep_ == "attr" or noun.lemma_.lower() not in graph_words.OWN_UNTOLD):
        return noun.lemma_.lower() not in graph_words.NEVER_OWN
    if is_misread_event(noun) or any(child.lower_ == "no" for child in noun.lefts):
        return True
    vague = {noun.lower_ if noun.tag_ == "VBG" else noun.lemma_.lower(), noun.lower_} & graph_words.VAGUE
    if any(is_named(other) for prep, other in complements(noun) if prep.lower_ == "of"):
        return True
    if vague:
        return False
    if (more := identifying(noun)) and tells(more[1]):
        return True
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
    if word.lemma_.lower() in lexicon.TEMPORAL and any(child.like_num for child in word.lefts):
        return True  # "a 30-year mortgage"
    if word.lower_.endswith("ing") and word.head.lemma_.lower() in graph_words.MEALS:
        return False  # "spends time cooking dinner"
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
        return named and type_of(noun) == "PERSON" and base not in graph_words.BARE
    if noun.dep_ == "pobj" and noun.head.lower_ == "as":
        return type_of(noun) == "PERSON"  # "works as a nurse"
    kind = type_of(noun)
    if base in _UNTOLD | graph_words.MEALS:
        return False
    if kind == "PERSON":
        return _is_dealt_with(noun, graph_words.MAKING) and not list(noun.lefts)
    if is_pursuit(noun) or (kind == "PLACE" and _is_dealt_with(noun, lexicon.LIKING)):
        return True
    if any(child.dep_ == "det" for child in noun.lefts):
        return False
    return _is_dealt_with(noun, graph_words.MAKING) or (
        kind != "EVENT" and not is_common(base) and _is_dealt_with(noun)
    )


def _is_dealt_with(noun: Token, verbs: frozenset[str] = _DEALING) -> bool:
    """Whether it is what somebody likes or does: "loves stamps", "is into vinyl", "designs gardens"."""
    while noun.dep_ == "conj" and noun.head.pos_ in {"NOUN", "PROPN"}:
        noun = noun.head
    head = noun.head
    if noun.dep_ == "dobj":
        return _is_devoted(head, verbs)
    if noun.dep_ != "pobj" or verbs == graph_words.MAKING:
        return False
    devoted = verbs == _DEALING and (head.lower_, head.head.lower_) in graph_words.DEVOTED
    return devoted or _is_devoted(head.head, verbs)


def _is_devoted(verb: Token, verbs: frozenset[str]) -> bool:
    if lemma(verb) in verbs:
        return True
    while verb.dep_ == "conj" and verb.head.pos_ == "VERB":
        verb = verb.head
    if verbs == lexicon.LIKING and verb.tag_ != "VBG":
        return False  # "would love to visit a village" is of one
    return verb.dep_ == "xcomp" and verbs != graph_words.MAKING and verb.head.lemma_.lower() in lexicon.LIKING
