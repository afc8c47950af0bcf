"""What kind of thing a noun names: by its last word, by what is said of it, by the recogniser.

The recogniser takes dishes, programs and islands for people: its word counts for a person or a firm only
where the noun is no ordinary word and nothing in the clause speaks against it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.encoder.words import is_ordinary
from memcore.nlp.language.words import graph_words, lexicon
from memcore.nlp.language.words.keywords import ENTITY_TYPES

if TYPE_CHECKING:
    from spacy.tokens import Token


def type_of(noun: Token, default: str = "THING") -> str:
    """The type of the entity that a noun names."""
    lemma = noun.lemma_.lower()
    proper = noun.pos_ == "PROPN" or noun.ent_type_ != ""
    listed = _listed(noun, lemma)
    if listed:
        return listed
    if lemma in lexicon.PERSON | graph_words.MATES and not (
        proper and noun.ent_type_ != "PERSON" and noun.pos_ == "PROPN"
    ):
        return "PERSON"
    if lemma in graph_words.EVENTS:
        return "EVENT"
    if lemma in graph_words.PLACES:
        return "PLACE"
    if lemma in graph_words.ORGANISATIONS and (proper or lemma not in lexicon.PLACE):
        return "ORG"
    if noun.ent_type_:
        return _recognised(noun, default)
    return "PLACE" if lemma in lexicon.PLACE and noun.dep_ == "pobj" else default


def _listed(noun: Token, lemma: str) -> str:
    word, capital = noun.lower_, noun.text[0].isupper()
    if capital and word in graph_words.ISLANDS:
        return "PLACE"
    if capital and word in graph_words.LANGUAGES:
        return "LANGUAGE"
    if capital and word in graph_words.SOFTWARE:
        return "PRODUCT"
    if lemma in lexicon.ANIMAL:
        return "ANIMAL"
    return "FOOD" if {word, lemma} & graph_words.FOODS else ""


def _recognised(noun: Token, default: str) -> str:
    kind = ENTITY_TYPES.get(noun.ent_type_, default)
    if kind in {"PERSON", "ORG"} and _is_where(noun):
        return "PLACE"
    if kind in {"ORG", "WORK", "PRODUCT"} and _is_field(noun):
        return default
    if kind in {"PERSON", "ORG", "WORK"} and _is_plural_kind(noun):
        return default
    if kind == "PERSON" and not _can_be_person(noun):
        return default
    if kind in {"ORG", "WORK", "PLACE", "PRODUCT"} and _is_ordinary_phrase(noun):
        return "PLACE" if kind == "PLACE" and noun.lemma_.lower() in lexicon.PLACE else default
    return kind


def _is_plural_kind(noun: Token) -> bool:
    """ "Saw two Song Sparrows": many of a kind, where "the" would name a family, a team or a band."""
    return noun.tag_ in {"NNPS", "NNS"} and not any(child.lower_ == "the" for child in noun.lefts)


def _is_where(noun: Token) -> bool:
    """ "Moved to Bristol", "lives in Bristol", "visited Bristol"."""
    head = noun.head
    if noun.dep_ == "dobj":
        return noun.ent_type_ == "ORG" and head.lemma_ in graph_words.VISITING and not noun.text.isupper()
    if noun.dep_ != "pobj" or noun.text.isupper():
        return False
    verb = head.head.lemma_
    return (
        head.lower_ in {"to", "from"} and verb in graph_words.GOING | {"trip", "visit", "journey", "be"}
    ) or (
        head.lower_ in {"in", "near", "around"} and (verb in graph_words.BEING or noun.ent_type_ == "PERSON")
    )


def _is_field(noun: Token) -> bool:
    """ "A degree in Computer Science", "a decent GPA": no firm."""
    head = noun.head
    studied = noun.dep_ == "pobj" and head.lower_ == "in" and head.head.lemma_.lower() in graph_words.STUDIED
    described = any(c.dep_ == "amod" and c.text.islower() for c in noun.lefts)
    return studied or described or noun.lower_.endswith(graph_words.FIELD_ENDINGS)


def _can_be_person(noun: Token) -> bool:
    words = [t for t in noun.subtree if t.ent_type_ == "PERSON"] or [noun]
    if any(not t.text[0].isupper() for t in (noun, *words) if t.is_alpha):
        return False
    if any(not c.isalpha() and c not in ".'’-" for t in words for c in t.text):
        return False
    if noun.dep_ == "pobj" and noun.head.lower_ in {"on", "into", "onto", "in"}:
        return False
    return not _is_ordinary_phrase(noun) and not (noun.text.isupper() and len(noun.text) > 2)


def _is_ordinary_phrase(noun: Token) -> bool:
    """Whether a noun and what belongs to its name are words that English writes small."""
    words = [t for t in noun.lefts if t.dep_ == "compound"] + [noun]
    return all(t.text[0].islower() or (is_ordinary(t.lower_) and len(words) == 1) for t in words)
