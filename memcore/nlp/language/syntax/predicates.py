"""What a verb says: the relation of a triple, with what denies, intends or lessens it.

The verb's lemma with its particle; negation, modality and intention stand before it ("not_eat",
"want_to_adopt"), so that a wish never becomes a fact.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import auxiliaries, is_had, is_negated, subject_of
from memcore.nlp.language.syntax.kinds import type_of
from memcore.nlp.language.words import graph_words, lexicon
from memcore.nlp.language.words.inflection import BASES

if TYPE_CHECKING:
    from spacy.tokens import Token

_MODAL = {
    "will": "will_",
    "'ll": "will_",
    "wo": "will_",
    "shall": "will_",
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
_MORE_OR_LESS = {"less": "_less", "fewer": "_less", "more": "_more"}


def prefix(verb: Token) -> str:
    """Negation and modality of a verb; of one that is joined to another, also what that one has."""
    words = [t for t in auxiliaries(verb) if not is_had(t)]
    modal = next((_MODAL[t.lower_] for t in words if t.lower_ in _MODAL), "")
    denied = is_negated(verb)
    while (
        not words and verb.dep_ == "conj" and verb.head.pos_ in {"VERB", "AUX"} and subject_of(verb) is None
    ):
        joined_by = {child.lower_ for child in verb.head.children if child.dep_ == "cc"}
        verb = verb.head
        words = [t for t in auxiliaries(verb) if not is_had(t)]
        modal = next((_MODAL[t.lower_] for t in words if t.lower_ in _MODAL), "")
        denied = denied or (is_negated(verb) and bool(joined_by & {"or", "nor"}))
    return ("not_" if denied else "") + modal


def relation(verb: Token, before: str, *, gerund: bool = False) -> str:
    """The relation of a verb, `before` it what denies or intends it; `gerund`: as it was said ("love
    reading")."""
    passive = is_passive(verb)
    if verb.lower_ == "been" and any(c.dep_ == "prep" and c.lower_ == "to" for c in verb.rights):
        return f"{before}have_been"
    word = f"be_{verb.lower_}" if passive else verb.lower_ if gerund else lemma(verb)
    return before + word + particle(verb)


def is_passive(verb: Token) -> bool:
    """Whether a verb tells what is done to its subject."""
    return verb.lower_ != "been" and any(child.dep_ == "auxpass" for child in verb.children)


def particle(verb: Token) -> str:
    """ "_up" of "signed up", "_together" of "put a show together"."""
    return "".join(
        f"_{child.lower_}"
        for child in verb.rights
        if child.lower_ in graph_words.PARTICLES
        and (
            child.dep_ == "prt"
            or (
                (child.dep_, child.i) == ("advmod", verb.i + 1)
                and all(after.dep_ == "prep" for after in child.children)
            )
        )
    )


def amount(noun: Token) -> str:
    """ "_less" where less of it is spoken of: "eat less sugar", "less processed food"."""
    said = next((_MORE_OR_LESS[c.lower_] for c in noun.lefts if c.lower_ in _MORE_OR_LESS), "")
    before = (word for c in noun.lefts if c.dep_ == "amod" for word in c.lefts)
    return said or ("_less" if any(word.lower_ in {"less", "fewer"} for word in before) else "")


def denied(said: str, noun: Token) -> str:
    """ "Has no pets" denies as "doesn't have pets" does."""
    no = any(child.lower_ == "no" and child.dep_ == "det" for child in noun.children)
    return f"not_{said}" if no and not said.startswith("not_") else said


def intent(verb: Token, child: Token, before: str) -> str:
    """What stands before the relation of a governed verb: at most one intention."""
    word = lemma(verb)
    to = any(c.lower_ == "to" and c.dep_ == "aux" for c in child.children)
    past = any(c.lower_ in {"was", "were"} for c in verb.children)
    negation = "not_" if before.startswith("not_") else ""
    if word == "wait" and negation and "can_" in before:
        return "cannot_wait_to_"
    if word == "go" and verb.tag_ == "VBG" and to:
        return f"{negation}{'was_going' if past else 'plan'}_to_"
    if word == "use" and verb.tag_ == "VBD" and to:
        return f"{negation}used_to_"
    if "would_" in before and word in {"like", "love", "prefer"}:
        return f"{negation}want_to_"
    if word in lexicon.ASPECTUAL or (word, particle(verb)) in {("end", "_up"), ("go", "_on")}:
        return before
    return f"{relation(verb, before)}_{'to_' if to else ''}"


def is_aspectual(verb: Token) -> bool:
    """Whether the doing itself is so under a verb: "started working", "ended up donating"."""
    return lemma(verb) in lexicon.ASPECTUAL or lemma(verb) == "end"


def is_left_so(verb: Token) -> bool:
    """ "Dancing keeps me going": what is said of an object is not said by the verb."""
    causing = lemma(verb) in {"keep", "leave", "make", "let"}
    if lemma(verb) == "get" and any(c.dep_ == "prep" and c.lower_ == "into" for c in verb.rights):
        return any(c.dep_ == "dobj" and type_of(c) in {"PERSON", "ANIMAL"} for c in verb.rights)
    return causing and any(child.dep_ in {"xcomp", "ccomp", "oprd"} for child in verb.rights)


def is_recipient(noun: Token) -> bool:
    """ "Got my sister a set of knives", where the parser takes both for what is got."""
    later = [c for c in noun.head.rights if c.dep_ == "dobj" and c.i > noun.i]
    later += [c for c in noun.rights if c.dep_ == "appos" and c.left_edge.i == noun.i + 1]
    return noun.dep_ == "dobj" and type_of(noun) == "PERSON" and any(later)


def lemma(verb: Token) -> str:
    """The base form of a verb, contractions and what the lemmatizer misreads put right."""
    if verb.lower_ in {"'m", "'s", "'re", "is", "are", "am", "was", "were"}:
        return "be"
    if verb.lower_ == "got" and any(c.lemma_ == "have" or c.lower_ == "'ve" for c in verb.children):
        return (
            "get"
            if any(c.dep_ in {"prep", "advmod", "prt"} and c.i == verb.i + 1 for c in verb.rights)
            else "have"
        )
    word = {"'ve": "have", "'d": "have"}.get(verb.lower_, verb.lemma_.lower())
    return corrected(verb.lower_, word) if verb.tag_ in {"VBG", "VBD", "VBN", "VBP", "VB"} else word


def corrected(word: str, base: str) -> str:
    """The lemma where the lemmatizer misreads a doubled or a lost letter, or leaves a past as it is.

    >>> corrected("hoping", "hop"), corrected("blogging", "blogge"), corrected("hopping", "hop")
    ('hope', 'blog', 'hop')
    >>> corrected("roasted", "roasted"), corrected("retook", "retook")
    ('roast', 'retake')
    """
    if base == word and re.fullmatch(r"\w*[aeiou]\w*[^aeiou]ted", word):
        return word.removesuffix("ed")
    again = re.match(r"(re|over|mis|under)(\w{3,})", word)
    if base == word and again is not None and again[2] in BASES:
        return again[1] + BASES[again[2]]
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem == word:
            continue
        if stem == base and re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", base):
            return base + "e"
        if base == stem + "e" and len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "sl":
            return stem[:-1]
    return base
