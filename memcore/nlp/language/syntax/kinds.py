"""What kind of thing a noun names: by its last word and by what is said of it.

What common nouns name is WordNet's word (`noun_kinds`), after the lists of `graph_words`; for names see
`named_kinds`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.named_kinds import is_named, type_of_name
from memcore.nlp.language.words import graph_words, lexicon
from memcore.nlp.language.words.keywords import ENTITY_TYPES
from memcore.nlp.language.words.noun_kinds import kind_of

if TYPE_CHECKING:
    from spacy.tokens import Token


def type_of(noun: Token, default: str = "THING") -> str:
    """The type of the entity that a noun names."""
    lemma, named = _singular(noun), is_named(noun)
    listed = _listed(noun, lemma)
    if listed == "FOOD" and named and _is_after_name(noun):
        return "ORG"  # "Rosa's Tacos" is where they are eaten
    if listed:
        return listed
    if lemma in lexicon.PERSON | graph_words.MATES and not (named and noun.ent_type_ != "PERSON"):
        return "PERSON"
    if _is_show(noun, lemma):
        return "WORK"
    if _is_event(noun, lemma):
        return "EVENT"
    if lemma in graph_words.PLACES:
        return "PLACE"
    if lemma in graph_words.ORGANISATIONS and (named or lemma not in lexicon.PLACE | {"bank"}):
        return "ORG"
    return type_of_name(noun, lemma, default) if named else _of_common(noun, lemma, default)


def _is_show(noun: Token, lemma: str) -> bool:
    return lemma == "show" and any(c.lower_ in {"tv", "television", "netflix", "radio"} for c in noun.lefts)


def _is_event(noun: Token, lemma: str) -> bool:
    """ "A parade", "a game night", "a poetry reading"."""
    beside = {child.lower_ for child in noun.lefts if child.dep_ == "compound"}
    if lemma == "game" and beside & graph_words.GAMES:
        return False
    if lemma == "night" or noun.lower_ == "reading" or lemma in graph_words.MEALS:
        return bool(beside) and not (lemma in graph_words.MEALS and beside & graph_words.FOODS)
    if lemma == "date" and beside & (graph_words.MEALS | {"coffee", "play", "movie"}):
        return True
    if lemma == "drive":
        return bool(beside & graph_words.DRIVES)
    return lemma in graph_words.JOURNEYS or bool({lemma, noun.lower_} & graph_words.EVENTS)


def _singular(noun: Token) -> str:
    """The lemma; "cookie" of "cookies", where the lemmatizer says "cooky"; "family" of "fam"."""
    if noun.lower_ in graph_words.FULL_FORMS:
        return str(graph_words.FULL_FORMS[noun.lower_])
    shorter = noun.lower_[:-1]
    known = shorter in graph_words.FOODS or kind_of(shorter)
    several = noun.pos_ == "PROPN" and noun.lower_.endswith("s")
    misread = noun.lower_.endswith("ies") or (several and shorter in graph_words.FOODS)
    return shorter if misread and known else noun.lemma_.lower()


def _listed(noun: Token, lemma: str) -> str:
    word, capital = noun.lower_, noun.text[0].isupper()
    if capital and word in graph_words.DEGREES:
        return "THING"
    if capital and word in graph_words.ISLANDS:
        return "PLACE"
    if capital and word in graph_words.LANGUAGES:
        return "LANGUAGE"
    if capital and word in graph_words.SOFTWARE:
        return "PRODUCT"
    if capital and {word, lemma} & graph_words.FOODS:
        return "FOOD"  # "Jerk Chicken"
    if lemma in lexicon.ANIMAL or word in graph_words.SPECIES:
        return "ANIMAL"
    return "FOOD" if {word, lemma} & graph_words.FOODS else ""


def _of_common(noun: Token, lemma: str, default: str) -> str:
    if lemma in graph_words.GROUPS:
        return "GROUP"
    if lemma in {"business", "startup"}:
        return "ORG"
    kind = "WORK" if lemma in graph_words.WORKS else kind_of(lemma)
    if kind == "PLACE" and noun.lower_.endswith("ing") and noun.lower_ not in graph_words.NOT_DONE:
        return default  # "went camping", "loves hiking"
    if kind == "PLACE" and any(c.lower_ == "online" for c in noun.lefts):
        return "ORG"  # "an online store"
    if kind == "WORK" and not any(c.dep_ in {"det", "poss", "nummod"} for c in noun.lefts):
        return default  # "foreign movies", "historical fiction" are a kind of thing, one movie is a work
    if kind and lemma not in graph_words.MISLEADING:
        return kind
    if noun.ent_type_ and ENTITY_TYPES.get(noun.ent_type_) not in {"PERSON", "ORG", "WORK", "PRODUCT", None}:
        return ENTITY_TYPES[noun.ent_type_]
    return "PLACE" if lemma in lexicon.PLACE and noun.dep_ == "pobj" else default


def _is_after_name(noun: Token) -> bool:
    return any(c.dep_ == "poss" and c.pos_ == "PROPN" for c in noun.lefts)
