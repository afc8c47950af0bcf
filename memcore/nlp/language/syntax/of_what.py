"""Words that say too little without what they are of: nouns ("some leads", "episode 5", "something that fits
the bill"), states ("hooked") and verbs ("I'd like to help").

Of, for or with what, only the words before say; what is made of it is decided in `continuing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import inherited_subject
from memcore.nlp.language.syntax.untold_objects import SPEAKER_SUBJECTS, WITHOUT
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import stem
from memcore.nlp.language.words.quantities import BARE_PARTS

if TYPE_CHECKING:
    from spacy.tokens import Token

_OF_WHAT = frozenset(
    "help support idea lead listing option choice feedback progress result detail research decision"
    " connection number copy".split()
)
"""What is always of, for or with something."""
_KINDS = lexicon.KINDS | {"genre", "technique", "method", "format"}
_SEVERAL = frozenset({"some", "different", "new", "various", "several", "other", "more", "these", "those"})
SAYS_OF_WHAT = frozenset({"prep", "relcl", "acl", "xcomp", "ccomp", "pcomp", "advcl"})
_HELPING = frozenset({"help", "contribute", "participate", "volunteer"})
_BEFORE_OBJECT = lexicon.RELATING - {"by"}
_NO_OBJECT = frozenset({"aux", "neg", "punct", "advmod", "nsubj", "prt"})
_WEARING = frozenset({"wear", "use", "buy", "get", "need"})
_PLACED = frozenset({"first", "last", "final", "next", "second", "third"})
_STATES = frozenset({"hooked", "obsessed", "unsure", "undecided", "torn"})


def is_of_something(noun: Token) -> bool:
    """ "I got some leads": for what? "I'm stumped by something": by what?"""
    if noun.lower_ == "something":
        more = any(word.lower_ == "more" for word in noun.subtree)
        search = noun.head.head
        sought = noun.head.lower_ == "for" and search.lemma_ == "look" and search.dep_ == "ROOT"
        sought = sought or any(child.dep_ == "relcl" and _is_fitness(child) for child in noun.rights)
        return noun.dep_ in {"dobj", "pobj"} and (more or sought or not list(noun.rights))
    if noun.lower_ == "pair" and noun.dep_ == "dobj" and noun.head.lemma_ in _WEARING:
        return not any(child.lower_ == "of" or child.dep_ == "compound" for child in noun.children)
    if noun.pos_ == "VERB" and noun.lemma_.lower() in _HELPING:
        return not any(child.dep_ not in _NO_OBJECT for child in noun.children)
    if noun.pos_ == "VERB" and noun.lemma_ in WITHOUT:
        return WITHOUT[noun.lemma_](noun)
    if noun.lower_ == "way" and noun.dep_ == "attr" and any(c.lemma_ == "go" for c in noun.children):
        return not any(t.lower_ in {"for", "if", "when"} for t in noun.subtree)  # "… is the way to go"
    if noun.lower_ == "way" and noun.dep_ == "pobj" and noun.head.lower_ in {"along", "on"}:
        return [child.lower_ for child in noun.children] == ["the"]  # "any sights along the way"
    if noun.lower_ in {"help", "assistance"} and noun.dep_ == "pobj" and noun.head.head.lemma_ == "ask":
        return not list(noun.rights)  # "I asked for help"
    if _is_of_unsaid_kind(noun) or is_bare_state(noun):
        return True
    if noun.pos_ != "NOUN" or noun.lemma_.lower() not in _OF_WHAT or noun.dep_ == "compound":
        return False
    known = any(child.dep_ in {"compound", "nmod", "poss"} for child in noun.lefts)
    known = known or (noun.dep_ == "pobj" and noun.head.lower_ in {"for", "without", "with"})
    return not (known or is_before_relation(noun) or any(c.dep_ in SAYS_OF_WHAT for c in noun.rights))


def is_bare_state(word: Token) -> bool:
    """ "I'm totally hooked", "I'm still unsure": on, or of, what? Not "my coat is torn"."""
    if word.lower_ not in _STATES or word.dep_ not in {"acomp", "ROOT"}:
        return False
    subject = inherited_subject(word.head if word.dep_ == "acomp" else word)
    if subject is None or subject.lower_ not in SPEAKER_SUBJECTS:
        return False
    return not any(child.dep_ in SAYS_OF_WHAT or child.dep_ == "agent" for child in word.children)


def _is_of_unsaid_kind(noun: Token) -> bool:
    """ "I've been trying different techniques": of what?"""
    if noun.tag_ != "NNS" or noun.lemma_.lower() not in _KINDS:
        return False
    beside = [child for child in noun.children if child.dep_ not in {"punct", "cc"}]
    return bool(beside) and all(c.lower_ in _SEVERAL or c.dep_ == "advmod" for c in beside)


def _is_fitness(clause: Token) -> bool:
    """ "Something that fits the bill", "something that can handle rain"."""
    return clause.lemma_ in {"fit", "suit"} or any(child.lower_ == "can" for child in clause.lefts)


def is_numbered_part(noun: Token) -> bool:
    """ "We finished episode 5", "I've read five issues", "I'm at level 5": of what?"""
    if not is_where_one_is(noun) or stem(noun.lower_) not in BARE_PARTS:
        return False
    numbered = any(child.dep_ == "nummod" and child.lower_ != "one" for child in noun.children)
    return numbered and not any(c.dep_ in {"prep", "relcl", "compound", "poss"} for c in noun.children)


def is_where_one_is(part: Token) -> bool:
    """ "I finished episode 5", "I'm on page 120", "at level 5"."""
    return part.dep_ == "dobj" or (part.dep_ == "pobj" and part.head.lower_ in {"at", "on"})


def is_last_part(noun: Token) -> bool:
    """ "I cried during the last chapter", "I loved the first season": of what?"""
    if noun.pos_ != "NOUN" or stem(noun.lower_) not in BARE_PARTS:
        return False
    left = [child.lower_ for child in noun.lefts]
    placed = left[:1] == ["the"] and bool(_PLACED & set(left))
    beside = {"prep", "relcl", "compound", "poss", "appos"}
    return placed and not any(child.dep_ in beside for child in noun.children)


def is_before_relation(noun: Token) -> bool:
    """A preposition follows, whatever the parser hangs it on: "did a lot of research on canoes"."""
    return noun.i + 1 < len(noun.doc) and noun.nbor().lower_ in _BEFORE_OBJECT
