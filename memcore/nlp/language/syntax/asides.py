"""Things spoken of as known that a sentence may leave unsaid, because it tells enough beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.noun_kinds import kind_of

if TYPE_CHECKING:
    from spacy.tokens import Token

WHERE = frozenset("on in at to from near around into onto by over through under along across off".split())
"""What follows says where something is done, seldom what is told of."""
_BESIDE = frozenset("by above below behind beside".split())
"""What follows is told of by nobody: "signed by the artist"."""
_TELLING = frozenset({"MONEY", "QUANTITY", "PERCENT", "GPE", "FAC", "LOC", "ORG", "PERSON"})


def is_aside(noun: Token, timed: frozenset[int]) -> bool:
    """Whether a sentence tells enough beside what it speaks of as known: "had fish and chips on the harbour
    last week" its object and day, "sold the boat for $4,000" a sum, "gave up the flat in Leeds" a place."""
    if any(child.lower_ == "similar" for child in noun.lefts):
        return False  # "a similar service for the Oslo market": similar to what?
    if noun.dep_ == "dobj":
        return any(t.ent_type_ in _TELLING and t.i not in timed for t in noun.doc[noun.i + 1 :])
    if noun.dep_ != "pobj":
        return False
    within = {t.i for t in noun.subtree}
    named = any(t.pos_ == "PROPN" and t.i not in within for t in noun.doc)
    beside = noun.head.lower_ in _BESIDE or (noun.head.lower_ == "during" and _tells_occasion(noun))
    sorted_by = any(child.dep_ == "compound" for child in noun.lefts)  # "with the fire department"
    told = (bool(timed) and (beside or sorted_by or noun.head.lower_ in WHERE)) or (beside and named)
    return told and any(
        token.dep_ == "dobj" and token.pos_ in {"NOUN", "PROPN"} and token.left_edge.lower_ != "the"
        for token in noun.doc
        if token.i not in timed
    )


def _tells_occasion(noun: Token) -> bool:
    """ "I attended a webinar and took notes during the session"."""
    return any(
        t.pos_ == "NOUN" and (t.lemma_.lower() in lexicon.OCCASIONS or kind_of(t.lemma_.lower()) == "EVENT")
        for t in noun.doc[: noun.left_edge.i]
    )
