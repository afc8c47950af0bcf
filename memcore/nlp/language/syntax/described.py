"""What beside a noun says which thing it is: a name, an owner, a clause; an adjective seldom does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import NOMINAL_SUBJECTS
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Token

_MAKES_KNOWN = frozenset({"prep", "relcl", "acl", "poss", "compound", "nmod", "appos", "ccomp", "xcomp"})
_NO_NAMES = frozenset({"", "DATE", "TIME", "CARDINAL", "ORDINAL"})
_OTHERS = frozenset({"prep", "relcl", "acl"})
_BY_OWN = frozenset({"in", "on", "of", "near", "behind", "beside", "under", "above", "outside"})
_NOWHERE = (
    lexicon.OCCASIONS | lexicon.TEMPORAL | frozenset("dream story game novel code head mind opinion".split())
)
_COMMON = lexicon.GENERIC | lexicon.PLACE
_JOINED = _COMMON | lexicon.GROUP
"""No subjects: "joined the swimming team"."""


def is_told_apart(noun: Token) -> bool:
    """Whether what stands beside a noun with "the" says which one it is: "the class in Leeds", "the Leeds
    class"; an adjective ("the local market") does so only for a place, or what everybody knows one of."""
    shared = [other for other in noun.conjuncts if not any(child.lower_ == "the" for child in other.lefts)]
    beside = [*noun.children, *(c for other in shared for c in other.rights)]
    if noun.head.lower_ == "of" and noun.head.head.pos_ == "PRON":
        beside += [
            child for child in noun.head.head.rights if child.dep_ == "relcl"
        ]  # "some of the hats I own"
    based = any(t.pos_ == "PROPN" for child in noun.lefts for t in child.subtree)  # "the Tokyo-based firm"
    if based or any(map(names, beside)) or is_beside_own(noun):
        return True
    common = _COMMON if noun.dep_ in NOMINAL_SUBJECTS else _JOINED
    return noun.lemma_.lower() in common and any(map(describes, noun.children))


def is_beside_own(noun: Token) -> bool:
    """ "The bulb in my lamp", "that place near my house", whatever the parser hangs the preposition on."""
    after = noun.nbor() if noun.i + 1 < len(noun.doc) else None
    return (
        after is not None
        and after.dep_ == "prep"
        and after.lower_ in _BY_OWN
        and after.i + 1 < len(noun.doc)
        and after.nbor().lower_ in {"my", "our"}
        and after.nbor().head.lemma_.lower() not in _NOWHERE
    )


def names(word: Token) -> bool:
    """What is said of a thing so that it need not be known."""
    named = (
        word.ent_type_ not in _NO_NAMES | {"MONEY", "QUANTITY"}
        or word.pos_ == "PROPN"
        or (word.dep_ in {"amod", "compound"} and word.i > 0 and word.text[0].isupper())
        or word.tag_ == "JJS"
        or word.text.isupper()
    )
    named = named or (word.text[0].isdigit() and len(word.text) > 2)
    owned = word.dep_ == "poss" and any(
        t.lower_ in lexicon.SPEAKERS or t.pos_ == "PROPN" for t in word.subtree
    )
    return named or owned or limits(word) or word.dep_ in {"appos", "ccomp", "xcomp"}


def limits(word: Token) -> bool:
    """ "The class in Leeds", "the class that I took"; not "the class in May", which says when."""
    return word.dep_ in _OTHERS and not _is_of_time(word)


def _is_of_time(word: Token) -> bool:
    inner = [child for child in word.children if child.dep_ == "pobj"]
    return word.dep_ == "prep" and any(
        child.ent_type_ in {"DATE", "TIME"} or child.lemma_.lower() in lexicon.TEMPORAL for child in inner
    )


def describes(word: Token) -> bool:
    """What says of what kind a thing is: "the pottery class", "the old mill"."""
    if word.dep_ == "amod":
        return word.lemma_.lower() not in lexicon.EVALUATIVE | lexicon.WEAK_ADJECTIVES
    return (word.dep_ in _MAKES_KNOWN and not _is_of_time(word)) or word.ent_type_ not in _NO_NAMES
