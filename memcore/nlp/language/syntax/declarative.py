"""Whether a parsed sentence states something, and of its subject: no fragment, command or exclamation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import SUBJECTS, is_finite, is_verb, root_of, subject_of
from memcore.nlp.language.syntax.kinds import type_of
from memcore.nlp.language.words import graph_words, lexicon

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_COMING = (
    lexicon.TEMPORAL
    | lexicon.OCCASIONS
    | graph_words.GENERAL_EVENTS
    | frozenset({"exam", "test", "drive", "ride", "adventure"})
)
"""Times and events, besides what `kinds` calls so."""


def is_declarative(doc: Doc) -> bool:
    """A statement with a finite verb and a subject (not a fragment, command or exclamation)."""
    root = root_of(doc)
    if root is None or not is_verb(root) or not is_finite(root):
        return False
    subject = subject_of(root)
    if subject is None:
        return False
    if (
        doc[0].lower_ in {"what", "how", "why", "who", "where", "when"}
        and doc[0].head == root
        and root.i > subject.i
        and doc[0].dep_ not in SUBJECTS
    ):
        return doc[0].lower_ in {"when", "where"} and doc[0].dep_ == "advmod" and root.head != root
    if doc[0].dep_ == "aux" and doc[0].head == root and doc[0].i < subject.i < root.i:
        return False  # "Can Ann come with us"
    if _is_afterthought(root, subject) or (doc[0].dep_ == "mark" and doc[0].head == root):
        return False  # "since I use it at work"
    if subject.i > root.i and subject.dep_ != "expl" and root.lemma_ != "be":
        return False
    if (root.pos_ == "AUX" or root.lemma_ == "do") and not any(
        c.dep_ in {"attr", "acomp", "prep", "ccomp", "xcomp", "advmod", "dobj", "expl", "oprd", "npadvmod"}
        for c in root.children
    ):
        return False
    last = next((t for t in reversed(doc) if not t.is_punct), None)
    return not (last is not None and last.lower_ == "to" and last.dep_ in {"aux", "xcomp", "ROOT"})


def _is_afterthought(root: Token, subject: Token) -> bool:
    """ "Our cousin Pablo, I'm sure": a name or noun, and that one is sure of it."""
    if root.lemma_.lower() not in {"be", *lexicon.THINKING} or subject.lower_ != "i":
        return False
    if any(child.dep_ in {"ccomp", "xcomp", "dobj", "attr", "prep"} for child in root.children):
        return False
    return any(
        child.i < subject.i - 1
        and child.pos_ in {"NOUN", "PROPN"}
        and child.ent_type_ not in {"DATE", "TIME"}
        and child.lemma_.lower() not in lexicon.TEMPORAL
        for child in root.children
    )


def foretells(doc: Doc) -> bool:
    """Whether a sentence without a subject, which was given "I am", says how a time or an event will be:
    "Gonna be a great night!". Nobody will be a night."""
    return any(_is_to_be_event(verb) for verb in doc if verb.lower_ == "going")


def _is_to_be_event(going: Token) -> bool:
    subject = subject_of(going)
    if subject is None or subject.lower_ != "i":
        return False
    return any(
        noun.lemma_.lower() in _COMING or type_of(noun) == "EVENT"
        for being in going.children
        if being.dep_ == "xcomp" and being.lemma_ == "be"
        for noun in being.children
        if noun.dep_ == "attr" and noun.pos_ in {"NOUN", "PROPN"}
    )
