"""What kind of thing a name is of: by the words beside it, by its verb, by the recogniser.

The recogniser takes dishes, programs and islands for people: its word counts for a person or a firm only
where the noun is no ordinary word and nothing in the clause speaks against it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.encoder.words import is_ordinary
from memcore.nlp.language.syntax.grammar import first_of_several
from memcore.nlp.language.words import graph_words, lexicon
from memcore.nlp.language.words.keywords import ENTITY_TYPES
from memcore.nlp.language.words.noun_kinds import is_place_name, kind_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_NO_NAMES = {"", "DATE", "TIME", "CARDINAL", "ORDINAL", "MONEY", "QUANTITY", "PERCENT"}
_GUESSED = {"PERSON", "ORG", "PLACE", "EVENT", "WORK", "PRODUCT", "THING", "LAW", "GROUP"}
"""What the recogniser says and a verb may know better."""
_ON_BOTTLES = {"bottle", "glass", "cup", "pint", "bowl", "jar", "plate", "can", "slice"}
"""What holds food or drink."""
_OF_PERSONS = {"last", "first", "middle", "maiden", "married", "family"}
"""Names of which only a person has one: "my last name, Dalby"."""


def is_named(noun: Token) -> bool:
    """Whether a noun is a name or the last word of one."""
    return (noun.pos_ == "PROPN" or noun.ent_type_ not in _NO_NAMES) and (not noun.text[0].islower())


def type_of_name(noun: Token, lemma: str, default: str) -> str:
    """The type of the entity that a name names, of which `lemma` is the last word's."""
    beside = _kind_beside(noun)
    if beside:
        return beside
    kind = _recognised(noun, default) if noun.ent_type_ else default
    several = any(child.dep_ == "compound" for child in noun.lefts)
    head = kind_of(noun.lower_) or kind_of(lemma)
    if head and kind != "PERSON" and (several or (head == "ANIMAL" and _is_plural_kind(noun))):
        return head  # "Laguna Seca Raceway", "two American Goldfinches"
    if kind in {"ORG", "PRODUCT", "WORK", "EVENT", default} and is_place_name(_words(noun)):
        return "PLACE"
    return _by_verb(noun, _person_or_not(noun, kind)) if kind in _GUESSED else kind


def _person_or_not(noun: Token, kind: str) -> str:
    """A person by the first name, where the recogniser says nothing or a firm ("Caroline Hirons"); a firm
    where one buys from or gives to a single name that is nobody's ("a coat from Zara")."""
    words = _words(noun).split()
    if words and words[0].lower() in graph_words.FIRST_NAMES and noun.dep_ != "compound":
        whole = len(words) == 2 and words[1].isalpha() and not is_ordinary(words[1].lower())
        return "PERSON" if whole and kind in {"ORG", "THING", "WORK", "PRODUCT"} else kind
    head = first_of_several(noun).head
    if head.lower_ == "of" and head.head.lemma_.lower() in _ON_BOTTLES:
        return "FOOD"
    if first_of_several(noun).dep_ != "pobj" or kind != "PERSON":
        return kind
    got = [c for verb in (head.head, head.head.head) for c in (verb, *verb.rights) if c.dep_ == "dobj"]
    sold = head.lower_ == "from" and any(c.lemma_.lower() not in graph_words.BY_HAND for c in got)
    given = head.lower_ == "to" and head.head.lemma_ == "donate"
    one = len(words) == 1 or noun.doc[noun.i - 1].text == "-"  # "Case-Mate"
    return "ORG" if (sold or given) and one else kind


def _words(noun: Token) -> str:
    return " ".join([*(c.text for c in noun.lefts if c.dep_ == "compound"), noun.text])


def _kind_beside(noun: Token) -> str:
    """What a common noun says a name beside it is: "Rosa, my favorite painter", "the band Low"."""
    apposed = [c for c in noun.rights if c.dep_ == "appos" and c.pos_ == "NOUN"]
    before = [c for c in noun.lefts if c.dep_ == "compound" and c.pos_ == "NOUN" and c.text.islower()]
    if noun.dep_ == "appos" and noun.head.pos_ == "NOUN":
        apposed.append(noun.head)
        if noun.head.lemma_ == "name" and any(c.lower_ in _OF_PERSONS for c in noun.head.lefts):
            return "PERSON"
    for common in (*apposed, *before[:1]):
        word = common.lemma_.lower()
        if word in lexicon.PERSON | graph_words.MATES:
            return "PERSON"
        for kind, words in (
            ("ORG", graph_words.ORGANISATIONS),
            ("EVENT", graph_words.EVENTS),
            ("PLACE", graph_words.PLACES),
        ):
            if word in words:
                return kind
        if kind := ("ANIMAL" if word in lexicon.ANIMAL | graph_words.SPECIES.keys() else kind_of(word)):
            return kind
    return ""


def _by_verb(noun: Token, kind: str) -> str:
    """What the verb tells of its object: what one wears or watches is no person."""
    first = first_of_several(noun)
    verb, role = first.head, first.dep_
    said = verb.lemma_.lower()
    if role == "dobj":
        before = (t for t in noun.subtree if t.i <= noun.i + 1)
        model = any(c.isdigit() for t in before for c in t.text)
        if kind in {"ORG", "PERSON", "THING", "LAW", "PLACE"} and model:
            return "PRODUCT"
        if (
            said == "have"
            and kind in {"ORG", "THING"}
            and not any(c.dep_ in {"det", "poss"} for c in noun.lefts)
        ):
            return "PRODUCT"
        if said in graph_words.WATCHING and kind != "ORG":
            return "WORK"
        the = any(c.text == "The" for c in noun.lefts)
        if said == "see" and (kind in {"ORG", "PRODUCT", "THING"} or (the and kind == "PERSON")):
            return "WORK"  # "haven't seen The Departed"
        if said == "play" and kind == "ORG":
            return "PRODUCT"
        if said in graph_words.READING and kind in {"PERSON", "THING", "EVENT", "PRODUCT", "PLACE"}:
            return "WORK"
        if said in graph_words.USING and kind in {"PERSON", "EVENT", "THING", "PLACE", "LAW"}:
            return "PRODUCT"
        if said in graph_words.STUDYING and kind in {"ORG", "PRODUCT", "WORK"}:
            return "THING"
    return _by_preposition(noun, kind) if role == "pobj" else kind


def _by_preposition(noun: Token, kind: str) -> str:
    """What a preposition tells: one buys from a shop, stays at a place."""
    first = first_of_several(noun)
    said = first.head.lower_
    if said in {"at", "for"} and first.head.head.lemma_.lower() in {"job", "work", "intern", "internship"}:
        return "ORG" if kind in {"PERSON", "THING", "PRODUCT"} else kind
    if said == "at" and kind != "ORG":
        the = kind == "PERSON" and any(child.lower_ == "the" for child in noun.lefts)
        return "PLACE" if the or first.head.head.lemma_ in graph_words.STAYING else kind
    if said != "from" or kind not in {"PERSON", "THING", "PLACE", "PRODUCT", "GROUP"}:
        return kind
    buying = next((t.lemma_.lower() for t in noun.ancestors if t.pos_ == "VERB"), said)
    words = _words(noun).split()
    ordinary = all(is_ordinary(word.lower()) for word in words)
    one = len(words) == 1 and (kind != "PERSON" or buying != "get")
    if buying not in graph_words.BUYING or not (one or ordinary):
        return kind
    return "PLACE" if is_place_name(" ".join(words)) else "ORG"


def _recognised(noun: Token, default: str) -> str:
    kind = ENTITY_TYPES.get(noun.ent_type_, default)
    if kind == "PLACE" and any(c.isdigit() for c in noun.text):
        return default
    if kind == "GROUP" and noun.tag_ not in {"NNS", "NNPS"}:
        return default
    if kind in {"PERSON", "ORG", "PRODUCT"} and _is_where(noun):
        return "PLACE"
    if kind in {"ORG", "WORK", "PRODUCT"} and _is_field(noun):
        return default
    if kind in {"PERSON", "ORG", "WORK"} and _is_plural_kind(noun):
        return default
    if kind == "PERSON" and not _can_be_person(noun):
        return default
    if kind == "ORG" and any(child.dep_ == "poss" for child in noun.lefts):
        return "PRODUCT"  # "my Delta SkyMiles"
    if kind in {"ORG", "WORK", "PLACE", "PRODUCT"} and _is_ordinary_phrase(noun):
        return "PLACE" if kind == "PLACE" and noun.lemma_.lower() in lexicon.PLACE else default
    return kind


def _is_plural_kind(noun: Token) -> bool:
    """ "Saw two Song Sparrows": many of a kind, where "the" would name a family, a team or a band."""
    return noun.tag_ in {"NNPS", "NNS"} and not any(child.lower_ == "the" for child in noun.lefts)


def _is_where(noun: Token) -> bool:
    """ "Moved to Bristol", "lives in Bristol", "visited Bristol"."""
    noun = first_of_several(noun)
    head = noun.head
    if head.lower_ == "to" and head.head.lower_ == "been" and noun.ent_type_ != "PERSON":
        return True
    if noun.dep_ == "dobj":
        return noun.ent_type_ == "ORG" and head.lemma_ in graph_words.VISITING and not noun.text.isupper()
    if noun.dep_ != "pobj" or noun.text.isupper():
        return False
    verb = head.head.lemma_
    return (
        head.lower_ in {"to", "from"}
        and (
            verb in {"trip", "visit", "journey"}
            or (verb in graph_words.GOING | {"be"} and head.head.pos_ != "NOUN")
        )
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
    related = any(c.tag_ in {"NN", "NNS"} and c.text.islower() for c in noun.lefts)  # "my fiancée Dana"
    if not related and any(c.lower_ in {"a", "an"} or c.dep_ in {"nummod", "poss"} for c in noun.lefts):
        return False  # "a 60s Seamaster", "my Nintendo"
    return not _is_ordinary_phrase(noun) and not (noun.text.isupper() and len(noun.text) > 2)


def _is_ordinary_phrase(noun: Token) -> bool:
    """Whether a noun and what belongs to its name are words that English writes small."""
    words = [t for t in noun.lefts if t.dep_ == "compound"] + [noun]
    return all(t.text[0].islower() or (is_ordinary(t.lower_) and len(words) == 1) for t in words)
