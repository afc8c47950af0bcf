"""Which words refer to something: pronouns, demonstratives, "one", "there", "then", and an "it" that does.

Decided word by word, from the parse. It does not look for antecedents; `coreference` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.described import is_beside_own
from memcore.nlp.language.syntax.grammar import NOMINAL_SUBJECTS
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Token

PERSONAL = {
    "he": "male", "him": "male", "his": "male", "himself": "male",
    "she": "female", "her": "female", "hers": "female", "herself": "female",
    "they": "plural", "them": "plural", "their": "plural", "theirs": "plural", "themselves": "plural",
    "em": "plural", "'em": "plural",
    "it": "thing", "its": "thing", "itself": "thing",
}  # fmt: skip
_OF_THINGS = frozenset("have want need get buy see find do add order take make sell give try".split())
"""What one has more of."""
_GOES_TO = frozenset({"attend", "join", "visit", "come", "arrive", "participate"})
_NO_OBJECT = frozenset({"nsubj", "aux", "auxpass", "neg", "punct", "mark", "cc", "conj", "advcl", "csubj"})
_COMPUTING = frozenset("department team job manager support company sector industry staff project".split())
_DEMONSTRATIVE = {"this": "thing", "that": "thing", "these": "plural", "those": "plural"}


@dataclass(frozen=True, slots=True)
class Need:
    """An open reference: the token's index and what would close it (male, female, plural, thing,
    noun, place, or nothing at all: "here")."""

    index: int
    wants: str


def need_of(token: Token) -> Need | None:
    """What a token leaves open, by itself; whether the sentence closes it is for `coreference` to say."""
    low = token.lower_
    if low in PERSONAL and token.tag_ in {"PRP", "PRP$"}:
        return _personal(token, low)
    if low in _DEMONSTRATIVE and token.tag_ in {"DT", "WDT", "IN", "PDT", "PRP", "NN", "RB"}:
        return _demonstrative(token)
    if _points_outside(token, low):
        return Need(token.i, "nothing")
    if low in {"mine", "ours"} and token.dep_ in {*NOMINAL_SUBJECTS, "dobj"}:
        return Need(token.i, "noun")
    if low == "there" and token.dep_ != "expl" and token.tag_ != "EX":
        return Need(token.i, "place")
    if _goes_on(token, low) or _lacks_object(token):
        return Need(token.i, "event")
    if low == "everything" and _is_all_told(token):
        return Need(token.i, "nothing")
    if low in {"similar", "else"} and token.head.lower_ in {"something", "anything", "someone", "somewhere"}:
        return Need(token.i, "nothing")
    if low in {"such"} and token.pos_ == "PRON":
        return Need(token.i, "thing")
    counted = (low in lexicon.ELLIPTIC or _is_count(token)) and _stands_alone(token)
    return Need(token.i, "noun") if counted or _is_amount(token, low) else None


def _points_outside(token: Token, low: str) -> bool:
    """ "Here", "the latter": only the words around the sentence say where or which."""
    if low in {"latter", "former"}:
        return token.i > 0 and token.nbor(-1).lower_ == "the"
    if low == "here" and token.head.lemma_ == "live":
        return False  # "I've lived here for six years": where one lives
    return low in {"here", "over there", "above", "below"} and token.pos_ == "ADV"


def _is_all_told(token: Token) -> bool:
    """ "I have covered everything": of what?"""
    clause = token.head
    main = clause.dep_ == "ROOT" or (clause.dep_ == "ccomp" and clause.head.dep_ == "ROOT")
    named = any(t.pos_ == "PROPN" for t in token.doc)
    return main and not named and token.dep_ in {"nsubj", "dobj"} and not list(token.children)


def _lacks_object(verb: Token) -> bool:
    """ "Some friends came", "whether to attend": to what?"""
    if verb.pos_ != "VERB" or verb.lemma_.lower() not in _GOES_TO or verb.dep_ in {"relcl", "acl", "amod"}:
        return False
    if verb.lemma_ == "arrive" and any(map(_is_delivered, verb.lefts)):
        return False
    return all(child.dep_ in _NO_OBJECT for child in verb.children)


def _is_delivered(subject: Token) -> bool:
    """ "My new piano arrived": at home."""
    return subject.dep_ == "nsubj" and subject.pos_ == "NOUN" and subject.lemma_.lower() not in lexicon.PERSON


def _goes_on(token: Token, low: str) -> bool:
    """ "Then, ...", "a few days later, ...", "the next weekend, ...": after what was told before."""
    if low == "then" and token.dep_ in {"pobj", "pcomp"}:
        return True
    if low in {"then", "afterwards", "afterward"} and token.dep_ == "advmod" and token.i <= 1:
        return True
    if low in {"later", "after", "afterwards"} and token.dep_ == "advmod" and token.i <= 3:
        return True
    return low in {"next", "following"} and token.dep_ == "amod" and token.i <= 2 and _is_a_time(token.head)


def _is_a_time(noun: Token) -> bool:
    return noun.lemma_.lower() in lexicon.TEMPORAL and any(c.lower_ == "the" for c in noun.lefts)


def _personal(token: Token, low: str) -> Need | None:
    if low == "it" and (_is_expletive(token) or _is_computing(token)):
        return None
    if low == "their" and token.head.lemma_.lower() in lexicon.HUMAN:
        return Need(token.i, "people")
    return Need(token.i, PERSONAL[low])


def _is_computing(it: Token) -> bool:
    """ "A training programme in IT", "the IT team"; not "I gave IT to my sister"."""
    before = it.nbor(-1).lower_ if it.i else ""
    after = it.nbor().lower_ if it.i + 1 < len(it.doc) else ""
    return it.text == "IT" and (before in {"in", "an", "the", "of"} or after in _COMPUTING)


def _is_amount(noun: Token, low: str) -> bool:
    """ "I got a bunch from a friend": of what?"""
    if low not in {"bunch", "batch", "handful"} or noun.dep_ != "dobj":
        return False
    return not any(child.dep_ == "compound" or child.lower_ == "of" for child in noun.children)


def _is_count(token: Token) -> bool:
    """ "I have done nineteen": of what is said elsewhere. Years, prices and ages are no counts."""
    return (
        token.pos_ == "NUM"
        and token.dep_ == "dobj"
        and token.text.isalpha()
        and token.head.lemma_ not in {"turn", "hit", "reach", "weigh", "cost"}
        and not any(child.i < token.i and child.pos_ != "ADV" for child in token.children)
    )


def _stands_alone(token: Token) -> bool:
    if token.dep_ not in {"dobj", "nsubj", "nsubjpass", "pobj", "attr", "conj"}:
        return False
    if token.lower_ in {"more", "less"} and token.dep_ == "dobj" and token.head.lemma_ not in _OF_THINGS:
        return False  # "reading more"
    if any(child.dep_ == "prep" and _tells_of_what(child) for child in token.children):
        inner = [grand for child in token.children if child.lower_ == "of" for grand in child.children]
        return any(word.lower_ in {"them", "these", "those", "it", "which"} for word in inner)
    if token.lower_ in {"one", "ones"} and any(child.dep_ == "relcl" for child in token.children):
        return True
    if token.dep_ == "pobj" and token.head.lower_ in {"after", "by", "at"}:
        return False
    after = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
    return (
        after is None
        or after.pos_ not in {"NOUN", "PROPN", "NUM", "SYM"}
        or after.lemma_ in {"tomorrow", "today"}
    )


def _tells_of_what(preposition: Token) -> bool:
    """ "One of my friends", "one in five"; not "one in Leeds"."""
    counts = any(child.pos_ == "NUM" for child in preposition.children)
    return preposition.lower_ == "of" or (preposition.lower_ == "in" and counts)


def _demonstrative(token: Token) -> Need | None:
    if token.dep_ == "mark" or token.tag_ == "WDT" or token.dep_ == "advmod" or token.tag_ == "RB":
        return None
    if token.tag_ == "IN" and token.dep_ not in {"nsubj", "dobj", "pobj"}:
        return None
    if token.dep_ in {"det", "predet"}:
        return _pointing_with(token, token.head)
    if token.dep_ in {
        *NOMINAL_SUBJECTS,
        "dobj",
        "pobj",
        "attr",
        "dep",
        "conj",
        "dative",
        "ROOT",
        "pcomp",
        "appos",
    }:
        return _pointing_alone(token)
    return None


def _pointing_with(token: Token, noun: Token) -> Need | None:
    """ "This necklace", "that time"."""
    if token.lower_ == "this" and any(
        child.lower_ == "one" and child.i == token.i + 1 for child in noun.children
    ):
        return None  # "this one song that I like": a song
    if noun.lower_ == "way" or any(c.lower_ == "other" for c in noun.children):
        return Need(token.i, "event")
    if noun.lemma_.lower() in lexicon.TEMPORAL - {"moment", "time"}:
        return Need(token.i, "event") if token.lower_ in {"that", "those"} else None
    described = any(
        child.dep_ in {"compound", "prep", "relcl", "acl", "poss", "nmod"}
        or (child.dep_ == "amod" and child.lemma_.lower() not in lexicon.EVALUATIVE | lexicon.WEAK_ADJECTIVES)
        for child in noun.children
    )
    if is_beside_own(noun):
        return None  # "that place near my house"
    vague = noun.lemma_.lower() in lexicon.VAGUE
    if token.lower_ == "this" and noun.dep_ in {"dobj", "attr"} and noun.head.tag_ == "VBD" and not vague:
        return None
    if noun.pos_ == "PROPN" or (described and not vague):
        return None
    if token.lower_ in {"this", "these"} and not vague and noun.dep_ in NOMINAL_SUBJECTS:
        return None  # something shown: "this necklace is a gift from my grandmother"
    return Need(token.i, "noun")


def _pointing_alone(token: Token) -> Need | None:
    """ "This is …", "those who …", "I love that"."""
    if token.lower_ == "that" and _opens_clause(token):
        return None
    of_clause = token.dep_ in NOMINAL_SUBJECTS and token.head.dep_ == "relcl"
    if of_clause and (token.head.head.i < token.i or (token.lower_ == "that" and token.tag_ == "DT")):
        return None
    if token.lower_ == "those" and any(c.dep_ in {"relcl", "prep", "acl"} for c in token.children):
        return None
    if token.lower_ == "this" and token.dep_ in {"dobj", "pobj"}:
        return Need(token.i, "nothing")  # shown, not told
    return Need(token.i, _DEMONSTRATIVE[token.lower_])


def _is_when(clause: Token) -> bool:
    return clause.dep_ in {"advcl", "relcl"} and any(child.lower_ == "when" for child in clause.lefts)


def _opens_clause(that: Token) -> bool:
    """ "A coupon for Bath & Beyond that expires soon", "a cable from Anker that I got": it follows a noun,
    whatever the parser hangs it on."""
    if not 0 < that.i < len(that.doc) - 1 or that.nbor(-1).pos_ not in {"NOUN", "PROPN"}:
        return False
    object_of_clause = that.dep_ == "dobj" and that.head.dep_ == "relcl" and that.i < that.head.i
    return object_of_clause or (that.dep_ == "pobj" and that.nbor().tag_ in {"VBZ", "VBD", "VBP", "MD"})


def _is_expletive(token: Token) -> bool:
    """ "It" that refers to nothing: "it is hard to …", "it takes courage to …", "it rained"."""
    verb = token.head
    if token.dep_ == "expl":
        return True
    if token.dep_ not in NOMINAL_SUBJECTS and token.dep_ != "dobj":
        return False
    if verb.lemma_ in {"rain", "snow", "pour", "hail"}:
        return True
    if token.dep_ == "dobj":
        return any(
            child.dep_ in {"ccomp", "xcomp"} and child.i > token.i for child in verb.children
        ) and verb.lemma_ in {"find", "make"}
    heads = [
        verb,
        *(
            child
            for child in verb.children
            if child.dep_ in {"acomp", "oprd", "dobj"}
            or (child.dep_ == "attr" and (child.pos_ == "ADJ" or child.lemma_.lower() in lexicon.PLEASURES))
        ),
    ]
    later = [
        c
        for head in heads
        for c in head.children
        if c.dep_ in {"ccomp", "xcomp", "advcl", "acl", "csubj"} and c.i > verb.i
    ]
    clause = any(
        any(grand.lower_ in {"to", "that", "how", "what"} for grand in c.lefts) or c.tag_ == "VBG"
        for c in later
    )
    named = any(
        c.dep_ == "attr" and c.pos_ != "ADJ" and c.lemma_.lower() not in lexicon.PLEASURES
        for c in verb.children
    )
    if verb.lemma_ == "be" and _counts_since(verb):
        return True
    if verb.lemma_ == "be" and not any(c.dep_ in {"acomp", "attr", "oprd"} for c in verb.children):
        when = next((t for c in verb.rights for t in c.subtree if _is_when(t)), None)
        if when is not None:  # "it was two weeks ago when I ...", "it was on 5 May when I ..."
            between = [t for t in verb.doc[verb.i + 1 : when.left_edge.i] if t.dep_ != "prep"]
            return bool(between) and all(t.ent_type_ in {"DATE", "TIME"} for t in between)
        return any(c.dep_ in {"advmod", "npadvmod"} for c in verb.children) and clause and not named
    if verb.lemma_ == "be" and named:
        clause = any(c.dep_ in {"ccomp", "csubj"} and c.lefts for c in later)
    if verb.lemma_ == "be":
        times = [
            c
            for c in verb.children
            if c.dep_ in {"attr", "npadvmod"}
            and c.lemma_.lower() in lexicon.TEMPORAL
            and (c.pos_ == "PROPN" or any(word.dep_ == "nummod" for word in c.children))
        ]
        return clause or bool(times)
    return clause and verb.lemma_ in lexicon.RAISING


def _counts_since(verb: Token) -> bool:
    """ "It's been ten years since I became a nurse"."""
    since = any(t.lower_ == "since" and t.dep_ == "mark" for c in verb.rights for t in c.lefts)
    return since and any(c.ent_type_ in {"DATE", "TIME"} for c in verb.rights)
