"""Triples that say what someone's person, animal or thing is called.

"My sister Anna", "I adopted a dog named Rex", "my dog ..., her name is Rex": whatever else their
sentence tells. Only names that the sentence itself gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.domain.extraction import TripleDraft
from memcore.nlp.language import lexicon
from memcore.nlp.language.entities import entity, name_of, owner_of, type_of
from memcore.nlp.language.grammar import auxiliaries, inherited_subject, is_negated
from memcore.nlp.language.people import Turn

if TYPE_CHECKING:
    from spacy.tokens import Token


def name_beside(noun: Token, turn: Turn) -> list[TripleDraft]:
    """ "My sister Anna" → (speaker, sister, Anna); "Oscar, my guinea pig" → (speaker, guinea_pig, Oscar)."""
    pairs = []
    if noun.pos_ == "NOUN":
        named = name_of(noun)
        pairs = [(noun, named)] if named is not None else []
    elif noun.pos_ == "PROPN":
        pairs = [(child, noun) for child in noun.children if child.dep_ == "appos" and child.pos_ == "NOUN"]
    found = []
    for common, proper in pairs:
        owner = next((owner_of(c, turn) for c in common.lefts if c.dep_ == "poss"), None)
        if owner is None or turn.called(proper.text) or not proper.text[0].isupper():
            continue
        name = " ".join([*(c.text for c in proper.lefts if c.dep_ == "compound"), proper.text])
        relation = "_".join(
            [*(c.text.lower() for c in common.lefts if c.dep_ == "compound"), common.lemma_.lower()]
        )
        kind = "PERSON" if common.lemma_.lower() in lexicon.PERSON else type_of(proper)
        found.append(TripleDraft(owner, relation, name, "PERSON", kind))
    return found


def given_name(verb: Token, turn: Turn) -> list[TripleDraft]:
    """ "I adopted a dog named Rex" → (speaker, dog, Rex); "my dog ..., her name is Rex" → (dog, be_called,
    Rex)."""
    if verb.dep_ == "acl" and verb.lower_ in {"called", "named"}:
        name = next(
            (c for c in verb.children if c.dep_ in {"oprd", "dobj", "attr"} and c.pos_ == "PROPN"), None
        )
        noun = verb.head
        while noun.dep_ == "appos" and noun.head.pos_ == "NOUN":
            noun = noun.head
        if (
            name is None
            or noun.dep_ != "dobj"
            or noun.head.lemma_ not in {"have", "get", "adopt", "buy", "own"}
        ):
            return []
        subject = inherited_subject(noun.head)
        owner = entity(subject, turn) if subject is not None and not is_negated(noun.head) else None
        if owner is None or (auxiliaries(noun.head) and any(t.tag_ == "MD" for t in auxiliaries(noun.head))):
            return []
        kind = "PERSON" if noun.lemma_.lower() in lexicon.PERSON else "THING"
        return [TripleDraft(owner[0], noun.lemma_.lower(), name.text, owner[1], kind)]
    subject = next((c for c in verb.children if c.dep_ == "nsubj" and c.lower_ == "name"), None)
    named = next((c for c in verb.children if c.dep_ == "attr" and c.pos_ == "PROPN"), None)
    if verb.lemma_ != "be" or subject is None or named is None:
        return []
    whose = next((c for c in subject.children if c.dep_ == "poss"), None)
    if whose is not None and whose.lower_ in {"her", "his", "its"}:
        before = [
            t for t in verb.doc[: whose.i] if t.dep_ in {"nsubj", "nsubjpass"} and t.pos_ in {"NOUN", "PROPN"}
        ]
        whose_entity = entity(before[0], turn) if len(before) == 1 else None
    else:
        owner_name = owner_of(whose, turn) if whose is not None else None
        whose_entity = (owner_name, "THING") if owner_name else None
    if whose_entity is None:
        return []
    return [TripleDraft(whose_entity[0], "be_called", named.text, whose_entity[1], type_of(named))]
