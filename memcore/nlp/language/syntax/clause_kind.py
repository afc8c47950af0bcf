"""A clause of a parsed sentence, and what kind of statement it makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import auxiliaries, inherited_subject, tells_past
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


@dataclass(frozen=True, slots=True)
class Clause:
    """Tokens low:high of a sentence. `borrows` is the verb whose subject must be repeated."""

    low: int
    high: int
    verb: int
    borrows: int | None = None


def kind_of(doc: Doc, clause: Clause) -> str:
    """fact, event, plan, preference, opinion or state."""
    verb = doc[clause.verb]
    if verb.pos_ not in {"VERB", "AUX"}:
        return "fact"
    lemma = verb.lemma_.lower()
    helpers = auxiliaries(verb)
    words = {t.lower_ for t in helpers}
    subject = inherited_subject(verb)
    first = subject is not None and subject.lower_ in {"i", "we"}
    if _plans(verb, lemma, words):
        return "plan"
    if lemma in lexicon.LIKING and first:
        return "preference"
    if lemma == "be" and any(
        t.lower_ in {"favorite", "favourite", "favorites"} for t in doc[clause.low : clause.high]
    ):
        return "preference"
    if lemma in lexicon.THINKING and first and any(child.dep_ == "ccomp" for child in verb.children):
        return "opinion"
    complement = next((child for child in verb.children if child.dep_ in {"acomp", "attr"}), None)
    if lemma == "be" and complement is not None:
        words = {complement.lemma_.lower(), *(c.lower_ for c in complement.lefts)}
        if words & lexicon.EVALUATIVE:
            return "opinion"
        return "state" if first else "fact"
    past = tells_past(verb) or words & {"did", "was", "were", "'ve", "have", "has", "had"}
    if past and lemma not in {"be", "have", "know"}:
        return "event"
    return "state" if first else "fact"


def _plans(verb: Token, lemma: str, helpers: set[str]) -> bool:
    """ "Will see", "plan to see", "going to see", "want to see", "would love to"."""
    if helpers & {"will", "'ll", "shall", "might", "may"}:
        return True
    if lemma in lexicon.PLANNING and _looks_ahead(verb):
        return True
    followed = {child.dep_ for child in verb.children}
    if (
        lemma == "go"
        and verb.tag_ == "VBG"
        and any(c.dep_ == "xcomp" and c.tag_ == "VB" for c in verb.children)
    ):
        return True  # "going to swim", not "going swimming"
    if lemma in {"want", "look"} and followed & {"xcomp", "ccomp"}:
        return True
    return bool(helpers & {"would", "'d"}) and lemma in lexicon.LIKING


def _looks_ahead(verb: Token) -> bool:
    """ "Plan to …", "hope to …", "thinking of …ing", but not "I think that …"."""
    if verb.tag_ == "VBD":
        return False
    opinion = verb.lemma_.lower() in {"think", "consider", "wish"}
    return any(
        (child.dep_ == "xcomp" and child.tag_ in {"VB", "VBG"})
        or (child.dep_ == "ccomp" and not opinion)
        or (child.lower_ in {"of", "about"} and any(c.dep_ == "pcomp" for c in child.children))
        for child in verb.children
    )


def is_evaluative(doc: Doc, clause: Clause) -> bool:
    """A judgement about something other than the speaker: it belongs to who says it."""
    verb = doc[clause.verb]
    subject = inherited_subject(verb)
    if subject is None or subject.lower_ in {"i", "we", "my"}:
        return False
    return kind_of(doc, clause) == "opinion" or any(
        t.lower_ in lexicon.EVALUATIVE and (t.pos_ == "ADJ" or t.dep_ in {"acomp", "attr", "amod"})
        for t in doc[clause.low : clause.high]
    )
