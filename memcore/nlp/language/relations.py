"""Triples (subject, relation, object) from a parsed clause.

A relation is the verb's lemma with its particle or preposition; negation, modality and intention
are part of it ("not_eat", "want_to_adopt"), so that a wish never becomes a fact. Clauses under a
condition yield none. Pronouns other than speaker and listener are not resolved here: they yield none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language import lexicon
from memcore.nlp.language.grammar import auxiliaries, inherited_subject, is_negated
from memcore.nlp.language.keywords import ENTITY_TYPES
from memcore.nlp.language.people import Turn
from memcore.stages.facts import TripleDraft

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_OPEN = {"xcomp", "ccomp"}
_EMPTY = lexicon.VAGUE | lexicon.TEMPORAL
_MODAL = {
    "will": "",
    "'ll": "",
    "wo": "",
    "shall": "",
    "would": "would_",
    "'d": "would_",
    "can": "can_",
    "ca": "can_",
    "could": "could_",
    "may": "may_",
    "might": "might_",
    "must": "must_",
    "should": "should_",
}
_REPORTING = {"say", "tell", "know", "realize", "realise", "learn", "mention", "announce", "confirm"}
"""What is said to be so under these verbs is taken to be so."""
MOST = 8
"""Triples of one sentence at most."""


def triples(doc: Doc, low: int, high: int, turn: Turn, timed: frozenset[int]) -> list[TripleDraft]:
    """The triples of tokens low:high, in order, without repeats."""
    found: list[TripleDraft] = []
    if any(t.dep_ == "mark" and t.lower_ in {"if", "unless", "whether"} for t in doc[low:high]):
        return []
    for token in doc[low:high]:
        if token.pos_ in {"VERB", "AUX"}:
            found += _of_verb(token, turn, timed)
        elif token.pos_ in {"NOUN", "PROPN"}:
            found += _of_noun(token, turn)
    return list(dict.fromkeys(t for t in found if t.subject != t.object))[:MOST]


def _of_verb(verb: Token, turn: Turn, timed: frozenset[int]) -> list[TripleDraft]:
    if verb.dep_ in {"aux", "auxpass", "amod", "compound"} or verb.dep_ in {"relcl", "acl", "csubj", "pcomp"}:
        return []
    if verb.dep_ == "xcomp" or any(
        child.dep_ == "mark" and child.lower_ in {"if", "unless", "whether"} for child in verb.children
    ):
        return []
    if verb.dep_ == "ccomp" and (verb.head.lemma_ not in _REPORTING or is_negated(verb.head)):
        return []
    if verb.dep_ == "advcl" and inherited_subject(verb) is None:
        return []
    subject = inherited_subject(verb)
    if subject is None:
        return []
    subjects = [pair for noun in _joined(subject) if (pair := _entity(noun, turn))]
    if not subjects:
        return []
    objects = _objects(verb, _prefix(verb), turn, timed)
    return [
        TripleDraft(name, relation, other, kind, other_kind)
        for name, kind in subjects
        for relation, other, other_kind in objects
    ]


def _prefix(verb: Token) -> str:
    words = [t for t in auxiliaries(verb) if not (t.lower_ == "'d" and verb.tag_ == "VBN")]
    modal = next((_MODAL[t.lower_] for t in words if t.lower_ in _MODAL), "")
    if not words and verb.dep_ == "conj":
        words = auxiliaries(verb.head)
        modal = next((_MODAL[t.lower_] for t in words if t.lower_ in _MODAL), "")
    return ("not_" if is_negated(verb) else "") + modal


def _objects(verb: Token, prefix: str, turn: Turn, timed: frozenset[int]) -> list[tuple[str, str, str]]:
    """(relation, object, type) of a verb, through "want to …" chains."""
    found: list[tuple[str, str, str]] = []
    lemma = _lemma(verb)
    particle = "".join(f"_{child.lower_}" for child in verb.children if child.dep_ == "prt")
    passive = any(child.dep_ == "auxpass" for child in verb.children)
    relation = prefix + (f"be_{verb.lower_}" if passive else lemma) + particle
    direct = False
    for child in verb.children:
        if child.dep_ in {"dobj", "attr", "oprd"}:
            for noun in _joined(child):
                if noun.i not in timed and (pair := _entity(noun, turn)):
                    found.append((relation, *pair))
                    direct = True
        elif child.dep_ == "acomp":
            for prep in (c for c in child.children if c.dep_ == "prep"):
                found += _prepositional(prep, f"{relation}_{child.lemma_.lower()}", turn, timed)
        elif child.dep_ in {"prep", "agent"} or (child.dep_ == "dative" and child.pos_ == "ADP"):
            if not (direct and child.lower_ in {"of"}):
                found += _prepositional(child, relation, turn, timed)
        elif child.dep_ == "xcomp" and child.pos_ in {"VERB", "AUX"}:
            to = any(c.lower_ == "to" and c.dep_ == "aux" for c in child.children)
            link = "" if lemma == "go" and verb.tag_ == "VBG" and to else f"{relation}_{'to_' if to else ''}"
            link = f"{prefix}plan_to_" if link == "" else link
            if link.endswith("plan_to_") and any(c.lower_ in {"was", "were"} for c in verb.children):
                link = f"{prefix}was_going_to_"
            if lemma == "use" and verb.tag_ == "VBD" and to:
                link = f"{prefix}used_to_"
            negation = "not_" if is_negated(child) else ""
            if any(c.dep_ in {"nsubj"} for c in child.children):
                continue
            nested = _objects(child, link + negation, turn, timed)
            found += nested
    return found


def _prepositional(
    prep: Token, relation: str, turn: Turn, timed: frozenset[int]
) -> list[tuple[str, str, str]]:
    return [
        (f"{relation}_{prep.lower_}", *pair)
        for child in prep.children
        if child.dep_ == "pobj" and child.i not in timed
        for noun in _joined(child)
        if noun.i not in timed and (pair := _entity(noun, turn))
    ]


def _lemma(verb: Token) -> str:
    if verb.lower_ in {"'m", "'s", "'re", "is", "are", "am", "was", "were"}:
        return "be"
    if verb.lower_ == "got" and any(c.lemma_ == "have" or c.lower_ == "'ve" for c in verb.children):
        return "have"
    return {"'ve": "have", "'d": "have"}.get(verb.lower_, verb.lemma_.lower())


def _joined(noun: Token) -> list[Token]:
    found = [noun]
    for child in noun.children:
        if child.dep_ == "conj" and child.pos_ in {"NOUN", "PROPN", "PRON"}:
            found += _joined(child)
    return found


def _entity(noun: Token, turn: Turn) -> tuple[str, str] | None:
    """Canonical name and type of a noun phrase; None for what names nothing by itself."""
    low = noun.lower_
    if low in {"i", "me", "myself", "we", "us"}:
        return turn.speaker, "PERSON"
    if low in {"you", "yourself"}:
        return (turn.addressee, "PERSON") if turn.addressee else None
    if noun.pos_ not in {"NOUN", "PROPN"} and not (noun.tag_ == "VBG" and noun.dep_ in {"dobj", "pobj"}):
        return None
    name = turn.called(noun.text)
    if name:
        return name, "PERSON"
    if noun.lemma_.lower() in _EMPTY and not any(c.dep_ in {"compound", "poss"} for c in noun.lefts):
        return None
    named = [c for c in noun.children if c.dep_ == "appos" and c.pos_ == "PROPN"]
    if named and noun.pos_ == "NOUN" and any(c.dep_ == "poss" for c in noun.lefts):
        return named[0].text, _type(
            named[0], default="PERSON" if noun.lemma_.lower() in lexicon.KIN else "THING"
        )
    words: list[str] = []
    for child in sorted([*noun.lefts, noun], key=lambda t: t.i):
        if child == noun:
            words.append(noun.text)
        elif child.dep_ == "compound" or (
            child.dep_ in {"amod", "nummod", "nmod"}
            and child.lemma_.lower() not in lexicon.EVALUATIVE
            and child.lower_ not in {"new", "such", "own", "other", "last", "next", "more", "many", "few"}
        ):
            words += [
                t.text for t in child.subtree if t.dep_ not in {"det", "advmod", "poss"} and t.i <= noun.i
            ]
        elif child.dep_ == "poss":
            owner = _owner(child, turn)
            if owner is None:
                return None
            words.append(f"{owner}'s")
    text = " ".join(words).replace(" - ", "-").replace(" / ", "/")
    return (text, _type(noun)) if 0 < len(text) <= 60 else None


def _owner(token: Token, turn: Turn) -> str | None:
    if token.lower_ in {"my", "our"}:
        return turn.speaker
    if token.lower_ == "your":
        return turn.addressee
    if token.pos_ == "PROPN":
        return turn.called(token.text) or " ".join(
            [*(c.text for c in token.lefts if c.dep_ == "compound"), token.text]
        )
    if token.pos_ == "NOUN":
        pair = _entity(token, turn)
        return pair[0] if pair else None
    return None


def _type(noun: Token, default: str = "THING") -> str:
    if noun.ent_type_:
        return ENTITY_TYPES.get(noun.ent_type_, default)
    lemma = noun.lemma_.lower()
    if lemma in lexicon.PERSON:
        return "PERSON"
    return "PLACE" if lemma in lexicon.PLACE and noun.dep_ == "pobj" else default


def _of_noun(noun: Token, turn: Turn) -> list[TripleDraft]:
    """ "My sister Anna" → (speaker, sister, Anna); "Oscar, my guinea pig" → (speaker, guinea_pig, Oscar)."""
    pairs = []
    if noun.pos_ == "NOUN":
        pairs = [(noun, child) for child in noun.children if child.dep_ == "appos" and child.pos_ == "PROPN"]
        after = noun.nbor() if noun.i + 1 < len(noun.doc) else None
        if (
            after is not None
            and after.pos_ == "PROPN"
            and after.dep_ == "appos"
            and after.head == noun
            and (noun, after) not in pairs
        ):
            pairs.append((noun, after))
    elif noun.pos_ == "PROPN":
        pairs = [(child, noun) for child in noun.children if child.dep_ == "appos" and child.pos_ == "NOUN"]
    found = []
    for common, proper in pairs:
        owner = next((_owner(c, turn) for c in common.lefts if c.dep_ == "poss"), None)
        if owner is None or turn.called(proper.text) or not proper.text[0].isupper():
            continue
        name = " ".join([*(c.text for c in proper.lefts if c.dep_ == "compound"), proper.text])
        relation = "_".join(
            [*(c.text.lower() for c in common.lefts if c.dep_ == "compound"), common.lemma_.lower()]
        )
        kind = "PERSON" if common.lemma_.lower() in lexicon.PERSON else _type(proper)
        found.append(TripleDraft(owner, relation, name, "PERSON", kind))
    return found
