"""Triples (subject, relation, object) from a parsed clause.

A relation is the verb's lemma with its particle or preposition; negation, modality and intention
are part of it ("not_eat", "want_to_adopt"), so that a wish never becomes a fact. Clauses under a
condition yield none. Pronouns other than speaker and listener are not resolved here: they yield none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memcore.domain.extraction import TripleDraft
from memcore.nlp.language.people import Turn
from memcore.nlp.language.syntax.entities import entity, is_name, joined, name_beside, quoted_title
from memcore.nlp.language.syntax.grammar import auxiliaries, inherited_subject, is_had, is_negated, subject_of
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

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
            found += name_beside(token, turn)
    kept = (t for t in found if t.subject != t.object and is_name(t.subject) and is_name(t.object))
    return list(dict.fromkeys(kept))[:MOST]


def _of_verb(verb: Token, turn: Turn, timed: frozenset[int]) -> list[TripleDraft]:
    if verb.dep_ in {"aux", "auxpass", "amod", "compound"} or verb.dep_ in {"relcl", "acl", "csubj", "pcomp"}:
        return []
    if verb.dep_ == "xcomp" or any(
        child.dep_ == "mark" and child.lower_ in {"if", "unless", "whether"} for child in verb.children
    ):
        return []
    if quoted_title(verb):
        return []
    if (
        verb.dep_ == "ccomp"
        and not _is_beside(verb)
        and (verb.head.lemma_ not in lexicon.REPORTING or is_negated(verb.head))
    ):
        return []
    if verb.dep_ == "advcl" and inherited_subject(verb) is None:
        return []
    subject = inherited_subject(verb)
    if subject is None:
        return []
    subjects = [pair for noun in joined(subject) if (pair := entity(noun, turn))]
    if not subjects:
        return []
    objects = _objects(verb, _prefix(verb), turn, timed)
    return [
        TripleDraft(name, relation, other, kind, other_kind)
        for name, kind in subjects
        for relation, other, other_kind in objects
    ]


def _is_beside(verb: Token) -> bool:
    """A clause that only a comma joins to the next: "Erik lives in Oslo, so he is flying"."""
    head = verb.head
    opinion = lexicon.THINKING | {"say", "hope", "wish", "hear", "seem", "tell"}
    return (
        verb.i < head.i
        and head.lemma_.lower() not in opinion
        and not any(child.dep_ == "mark" for child in verb.children)
        and not any(child.lower_ in {"if", "whether", "what", "how", "that"} for child in verb.lefts)
    )


def _prefix(verb: Token) -> str:
    words = [t for t in auxiliaries(verb) if not is_had(t)]
    modal = next((_MODAL[t.lower_] for t in words if t.lower_ in _MODAL), "")
    if not words and verb.dep_ == "conj" and subject_of(verb) is None:
        words = [t for t in auxiliaries(verb.head) if not is_had(t)]
        modal = next((_MODAL[t.lower_] for t in words if t.lower_ in _MODAL), "")
    return ("not_" if is_negated(verb) else "") + modal


def _objects(
    verb: Token, prefix: str, turn: Turn, timed: frozenset[int], nested: bool = False
) -> list[tuple[str, str, str]]:
    """(relation, object, type) of a verb, and of one verb that it governs ("want to adopt")."""
    found: list[tuple[str, str, str]] = []
    lemma = _lemma(verb)
    particle = "".join(f"_{child.lower_}" for child in verb.children if child.dep_ == "prt")
    passive = any(child.dep_ == "auxpass" for child in verb.children)
    relation = prefix + (f"be_{verb.lower_}" if passive else lemma) + particle
    direct = False
    for child in verb.children:
        title = quoted_title(child)
        if title and not quoted_title(verb) and child.dep_ in {"dobj", "attr", "oprd", "xcomp", "ccomp"}:
            found.append((relation, title, "WORK"))
            direct = True
        elif child.dep_ in {"dobj", "attr", "oprd"}:
            found += [
                (_denied(relation, noun), *pair)
                for noun in joined(child)
                if noun.i not in timed
                and not (child.dep_ == "attr" and _is_judgement(noun))
                and (pair := entity(noun, turn))
            ]
            direct = True
        elif child.dep_ == "acomp":
            found += _of_adjective(child, relation, turn, timed)
        elif child.dep_ in {"prep", "agent"} or (child.dep_ == "dative" and child.pos_ == "ADP"):
            if not (direct and child.lower_ == "of"):
                found += _prepositional(child, relation, turn, timed)
        elif child.dep_ == "xcomp" and child.pos_ in {"VERB", "AUX"} and not nested:
            if any(c.dep_ == "nsubj" for c in child.children) or lemma == "be":
                continue
            negation = "not_" if is_negated(child) else ""
            found += _objects(child, _intent(verb, child, prefix) + negation, turn, timed, nested=True)
    return found


def _denied(relation: str, noun: Token) -> str:
    """ "Has no pets" denies as "doesn't have pets" does."""
    no = any(child.lower_ == "no" and child.dep_ == "det" for child in noun.children)
    return f"not_{relation}" if no and not relation.startswith("not_") else relation


def _is_judgement(noun: Token) -> bool:
    lemma = noun.lemma_.lower()
    return lemma in lexicon.EVALUATIVE or (
        lemma in lexicon.PRAISE and not any(c.dep_ in {"compound", "prep"} for c in noun.children)
    )


def _of_adjective(
    word: Token, relation: str, turn: Turn, timed: frozenset[int]
) -> list[tuple[str, str, str]]:
    lemma = word.lemma_.lower()
    if lemma in lexicon.EVALUATIVE | lexicon.FEELING or word.head.lemma_ not in {"be", "get", "become"}:
        return []
    found = [
        triple
        for prep in word.children
        if prep.dep_ == "prep"
        for triple in _prepositional(prep, f"{relation}_{lemma}", turn, timed)
    ]
    if not found and (lemma in lexicon.TRAITS or word.ent_type_ == "NORP"):
        found.append((relation, word.text, "THING"))
    return found


def _intent(verb: Token, child: Token, prefix: str) -> str:
    """What stands before the relation of a governed verb: at most one intention."""
    lemma = _lemma(verb)
    to = any(c.lower_ == "to" and c.dep_ == "aux" for c in child.children)
    past = any(c.lower_ in {"was", "were"} for c in verb.children)
    negation = "not_" if prefix.startswith("not_") else ""
    if lemma == "go" and verb.tag_ == "VBG" and to:
        return f"{negation}{'was_going' if past else 'plan'}_to_"
    if lemma == "use" and verb.tag_ == "VBD" and to:
        return f"{negation}used_to_"
    if "would_" in prefix and lemma in {"like", "love", "prefer"}:
        return f"{negation}want_to_"
    if lemma in lexicon.ASPECTUAL:
        return prefix
    return f"{prefix}{lemma}_{'to_' if to else ''}"


def _prepositional(
    prep: Token, relation: str, turn: Turn, timed: frozenset[int]
) -> list[tuple[str, str, str]]:
    if prep.lower_ not in lexicon.RELATING and (prep.head.lemma_, prep.lower_) != ("look", "after"):
        return []
    return [
        (_denied(f"{relation}_{prep.lower_}", noun), *pair)
        for child in prep.children
        if child.dep_ == "pobj" and child.i not in timed
        for noun in joined(child)
        if noun.i not in timed and (pair := entity(noun, turn))
    ]


def _lemma(verb: Token) -> str:
    if verb.lower_ in {"'m", "'s", "'re", "is", "are", "am", "was", "were"}:
        return "be"
    if verb.lower_ == "got" and any(c.lemma_ == "have" or c.lower_ == "'ve" for c in verb.children):
        return "have"
    lemma = {"'ve": "have", "'d": "have"}.get(verb.lower_, verb.lemma_.lower())
    return _corrected(verb.lower_, lemma) if verb.tag_ in {"VBG", "VBD", "VBN"} else lemma


def _corrected(word: str, lemma: str) -> str:
    """The lemma where the lemmatizer misreads a doubled or a lost letter.

    >>> _corrected("hoping", "hop"), _corrected("blogging", "blogge"), _corrected("hopping", "hop")
    ('hope', 'blog', 'hop')
    """
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem == word:
            continue
        if stem == lemma and re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", lemma):
            return lemma + "e"
        if lemma == stem + "e" and len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "sl":
            return stem[:-1]
    return lemma
