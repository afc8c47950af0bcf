"""What says which thing a common noun means: the words after it, or the noun itself where it names a pursuit.

"A trip" is any trip and "a trip to Oslo" one; "a course" is any course, "pottery" and "asthma" say enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import first_of_several
from memcore.nlp.language.syntax.kinds import type_of
from memcore.nlp.language.syntax.named_kinds import is_named
from memcore.nlp.language.syntax.noun_heads import WHEN, complements
from memcore.nlp.language.words import graph_words, lexicon
from memcore.nlp.language.words.noun_kinds import is_pursued

if TYPE_CHECKING:
    from spacy.tokens import Token

_UNTELLING = graph_words.PASSING | graph_words.GRADABLE | lexicon.EVALUATIVE


def identifying(noun: Token) -> tuple[Token, Token] | None:
    """The preposition and the noun after a common noun that say which one it is, where the words before it do
    not: "a hike to Machu Picchu", "the lighting in my office", "a course on digital marketing".

    The parser takes much for a part of a verb's object that belongs to the verb ("baked pasta for dinner"):
    there only nouns count that are always of something.
    """
    lemma = noun.lemma_.lower()
    if noun.pos_ != "NOUN" or lemma in graph_words.VAGUE | graph_words.COUNTING or is_doing(noun):
        return None
    for prep, other in (*complements(noun), *_way(noun)):
        if _takes(noun, prep.lower_) and _can_identify(other):
            return prep, other
    return None


def _way(noun: Token) -> list[tuple[Token, Token]]:
    """ "Back from a weekend getaway to the lake", where the parser hangs "to" on the verb."""
    after = noun.nbor() if noun.i + 1 < len(noun.doc) else noun
    if noun.dep_ not in {"pobj", "dobj"} or after.dep_ != "prep" or after.head == noun:
        return []
    leading = noun.lemma_.lower() in graph_words.JOURNEYS | {"subscription", "membership", "ticket"}
    held = noun.dep_ == "pobj" and noun.head.lower_ == "from" and type_of(noun) == "EVENT"
    if not (leading and after.lower_ == "to") and not (held and after.lower_ == "at"):
        return []
    return [(after, child) for child in after.children if child.dep_ == "pobj"]


def is_doing(noun: Token) -> bool:
    """ "Does gardening", "experience in networking"."""
    bare = all(child.dep_ in {"amod", "cc", "punct"} or child.lower_ == "some" for child in noun.lefts)
    return noun.lower_.endswith("ing") and bare and noun.lower_ not in graph_words.NOT_DONE


def _takes(noun: Token, prep: str) -> bool:
    lemma = noun.lemma_.lower()
    if lemma in graph_words.JOURNEYS:
        return prep in {"to", "in", "through", "around", "across"}
    if any(c.dep_ == "compound" and c.lemma_.lower() not in lexicon.TEMPORAL for c in noun.lefts):
        return lemma in graph_words.OF_SOMETHING and prep in {"to", "on", "for"}
    if lemma in graph_words.STUDIED:
        return prep in {"in", "on", "about", "for"}
    kind = type_of(noun)
    if kind == "EVENT":
        return prep in {"for", "at", "in", "on", "about", "to"}
    if lemma in graph_words.OF_SOMETHING:
        return prep in {"for", "to", "on", "about", "at", "against"}
    if kind in {"FOOD", "ANIMAL"}:
        return False
    if kind == "PERSON":
        return prep == "from" and not any(child.dep_ == "poss" for child in noun.lefts)
    if first_of_several(noun).dep_ == "dobj" or any(child.dep_ == "poss" for child in noun.lefts):
        return False
    return prep in {"for", "to", "about", "in"}


def _can_identify(noun: Token) -> bool:
    words = {noun.lemma_.lower(), noun.lower_}
    if noun.pos_ not in {"NOUN", "PROPN"} or noun.ent_type_ in WHEN or words & lexicon.TEMPORAL:
        return False
    if words & (graph_words.VAGUE | graph_words.NEVER_OWN):
        return False
    sorting = (c for c in noun.lefts if c.dep_ in {"compound", "nmod", "amod", "poss"})
    if is_named(noun) or any(c.lower_ not in _UNTELLING for c in sorting):
        return True
    return is_pursuit(noun) or identifying(noun) is not None


def is_pursuit(noun: Token) -> bool:
    """Whether a noun alone tells what one does, plays, studies, eats or suffers from."""
    lemma, kind = noun.lemma_.lower(), type_of(noun)
    if kind == "ANIMAL" and noun.tag_ == "NN" and not list(noun.lefts):
        return False  # "flea and tick prevention"
    if kind in {"ANIMAL", "FOOD"}:
        return lemma not in graph_words.MEALS
    if lemma in graph_words.UNPURSUED:
        return False
    listed = noun.tag_ in {"NN", "VBG"} and lemma in graph_words.PURSUED
    return listed or is_pursued(lemma) or is_doing(noun) or _is_field(noun)


def _is_field(noun: Token) -> bool:
    """ "Experience in logistics", "a seminar on ethics"."""
    several = noun.tag_ not in {"NN", "VBG"} and not noun.lower_.endswith("ics")
    if noun.dep_ != "pobj" or list(noun.lefts) or several:
        return False
    of = noun.head.head
    if of.pos_ != "NOUN" or noun.lemma_.lower() in graph_words.IDLE:
        return False
    if noun.head.lower_ in {"on", "about"} and type_of(of) == "EVENT":
        return True
    studied = of.lemma_.lower() in graph_words.STUDIED | graph_words.FIELDED
    return studied and noun.head.lower_ in {"in", "on", "about"}
