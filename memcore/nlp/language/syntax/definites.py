"""Things spoken of as known ("the trip", "those artists") that the sentence itself does not make known.

Such a sentence is complete, but says little without the one before it. Nothing is resolved here: `discourse`
keeps the two together, or with the question that is answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import NOMINAL_SUBJECTS, root_of, subject_of
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_DEMONSTRATIVE = frozenset({"this", "that", "these", "those"})
_MAKES_KNOWN = frozenset(
    {"prep", "relcl", "acl", "poss", "compound", "nmod", "appos", "nummod", "ccomp", "xcomp"}
)
_WHERE = frozenset("on in at to from near around into onto by over through under along across off".split())
"""What follows says where something is done, seldom what is told of."""
_OTHERS = frozenset({"prep", "relcl", "acl"})


def leans(doc: Doc, timed: frozenset[int]) -> bool:
    """Whether a sentence speaks of something as known that it does not make known, or judges an occasion
    that it does not name ("Seeing their faces was the best")."""
    return _judges_occasion(doc) or any(token.i not in timed and _is_taken_as_known(token) for token in doc)


def pointed_at(doc: Doc) -> frozenset[str]:
    """The nouns that a sentence points at ("this painting"), by their lemmas."""
    return frozenset(
        token.lemma_.lower()
        for token in doc
        if token.pos_ == "NOUN" and any(c.lower_ in _DEMONSTRATIVE and c.dep_ == "det" for c in token.lefts)
    )


def _judges_occasion(doc: Doc) -> bool:
    root = root_of(doc)
    if root is None or root.lemma_ != "be" or root.tag_ != "VBD":
        return False
    subject = subject_of(root)
    if subject is None or not (subject.lower_ == "it" or subject.dep_ == "csubj" or subject.tag_ == "VBG"):
        return False
    judged = [c for c in root.children if c.dep_ in {"acomp", "attr"}]
    words = {word.lower_ for c in judged for word in (c, *c.lefts)}
    return bool(words & lexicon.EVALUATIVE)


def _is_taken_as_known(noun: Token) -> bool:
    if noun.pos_ != "NOUN" or noun.ent_type_ or noun.dep_ in {"npadvmod", "compound", "poss", "appos"}:
        return False
    lemma = noun.lemma_.lower()
    where = noun.dep_ == "pobj" and (lemma in lexicon.PLACE or noun.head.lower_ in _WHERE)
    where = where and lemma not in lexicon.OCCASIONS
    if where or lemma in lexicon.TEMPORAL | lexicon.KNOWN or _is_named_before(noun, lemma):
        return False
    words = {child.lower_ for child in noun.lefts if child.dep_ in {"det", "predet"}}
    if words & _DEMONSTRATIVE:
        return not any(child.dep_ in _OTHERS for child in noun.children)
    if "the" in words:
        outside = any(child.dep_ in _OTHERS or child.ent_type_ for child in noun.children)
        return not outside if noun.dep_ in NOMINAL_SUBJECTS else not any(map(_describes, noun.children))
    alike = any(child.lower_ == "similar" for child in noun.lefts)
    return alike and not any(t.lower_ in {"to", "as"} for t in noun.doc[noun.i + 1 :])


def _describes(word: Token) -> bool:
    if word.dep_ == "amod":
        return word.lemma_.lower() not in lexicon.EVALUATIVE | lexicon.WEAK_ADJECTIVES
    return word.dep_ in _MAKES_KNOWN or word.ent_type_ != ""


def _is_named_before(noun: Token, lemma: str) -> bool:
    return any(t.lemma_.lower() == lemma and t.pos_ in {"NOUN", "PROPN"} for t in noun.doc[: noun.i])
