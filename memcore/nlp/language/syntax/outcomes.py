"""Occasions and outcomes that a sentence tells of without saying of what: "my trip got off to a bad start",
"I finished in four hours", "we won first prize".

Such a sentence needs the words before it; see `definites` for things that are spoken of as known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import NOMINAL_SUBJECTS, auxiliaries, inherited_subject
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_ENDS_IN = frozenset(
    "finish win lose place rank qualify compete succeed participate attend persevere".split()
)
"""What one does only in, at or for something."""
_DESCRIBING = frozenset({"amod", "compound", "relcl", "acl", "pcomp", "csubj"})
_COMPLEMENTS = frozenset({"dobj", "xcomp", "ccomp", "attr", "nsubjpass", "dative", "oprd"})
_GOES_ON = frozenset({"start", "begin", "stop", "continue"})
_AWARDS = frozenset(
    "prize place medal award trophy certificate ribbon first second third gold silver".split()
)
_EARNS = frozenset({"win", "get", "take", "earn", "receive", "place", "come", "score"})
EFFECTS = frozenset({"difference", "impact"})
_PAYS = frozenset({"spend", "pay"})
_SUMS = frozenset({"budget", "dollar", "euro", "pound", "maximum", "max", "range", "bit"})
_THROUGH = frozenset({"power", "push", "pull", "make", "get", "follow", "come", "go"})
_IN_WHAT = frozenset({"in", "at", "for", "from", "with", "of", "to", "on", "during", "by", "as"})
_TELLING = frozenset({"MONEY", "QUANTITY", "PERCENT", "GPE", "FAC", "LOC", "ORG", "PRODUCT"})
_OWN_WORKS = frozenset(
    "collection order list piece purchase design setup system model assignment presentation paper report "
    "recipe set choice decision option product application issue episode chapter volume attempt".split()
)
_NEXT = frozenset({"move", "step", "goal", "chapter"})
"""Told of with "next", of what was spoken of."""
_ONES_OWN = (lexicon.OCCASIONS | _OWN_WORKS) - {"workshop"}
_TOPIC = re.compile(
    r"(?:as for|in terms of|regarding|when it comes to|as far as) (?!me\b|my\b|our\b)", re.IGNORECASE
)
_LITTLE = (
    lexicon.WEAK_ADJECTIVES
    | lexicon.EVALUATIVE
    | frozenset("first second third fourth fifth sixth seventh eighth ninth tenth".split())
    | {"next", "upcoming", "recent", "previous", "entire", "current"}
)
_PRONOUNS = frozenset({"it", "that", "this", "them", "everything", "all"})


def own_occasions(doc: Doc) -> list[Token]:
    """ "My trip", "our recent meeting": occasions and works of the speaker's that nothing tells from others,
    in a sentence about them or one that names nothing else."""
    named = any(token.pos_ == "PROPN" or token.ent_type_ in _TELLING for token in doc)
    return [
        noun
        for noun in doc
        if (noun.lemma_.lower() in _ONES_OWN or _is_next(noun) or _is_for_something(noun))
        and noun.tag_ == "NN"
        and noun.dep_ not in {"compound", "poss"}
        and (noun.dep_ in NOMINAL_SUBJECTS or not named)
        and any(child.lower_ in {"my", "our"} and child.dep_ == "poss" for child in noun.lefts)
        and all(_says_little(child) for child in noun.lefts)
        and not any(child.dep_ in {"prep", "relcl", "acl", "case", "appos"} for child in noun.rights)
        and not _is_told_what_it_is(noun)
    ]


def _is_next(noun: Token) -> bool:
    """ "My next move"."""
    return noun.lemma_.lower() in _NEXT and any(child.lower_ == "next" for child in noun.lefts)


def _is_for_something(noun: Token) -> bool:
    """ "My budget is $75", "not sure about my budget": not "track my budget"."""
    about = noun.dep_ == "pobj" and noun.head.lower_ == "about"
    return noun.lemma_ == "budget" and (noun.dep_ in NOMINAL_SUBJECTS or about)


def _is_told_what_it_is(noun: Token) -> bool:
    """ "My current project is a cedar canoe": not "is a mess"."""
    return (
        noun.lemma_.lower() in _OWN_WORKS | {"project"}
        and noun.dep_ in NOMINAL_SUBJECTS
        and noun.head.lemma_ == "be"
        and any(
            child.dep_ == "attr" and any(word.dep_ in {"compound", "amod"} for word in child.lefts)
            for child in noun.head.rights
        )
    )


def is_outcome(doc: Doc, timed: frozenset[int]) -> bool:
    """Whether a sentence tells how something ended, or what was won, and not what that was."""
    return any(_is_unnamed_end(verb, timed) for verb in doc if verb.pos_ == "VERB")


def is_of_a_topic(doc: Doc) -> bool:
    """ "As for the brand, I'd like …": of what was asked about."""
    return bool(_TOPIC.match(doc.text)) and not any(token.pos_ == "PROPN" for token in doc)


def _says_little(word: Token) -> bool:
    return word.dep_ in {"poss", "det"} or word.lemma_.lower() in _LITTLE


def _is_unnamed_end(verb: Token, timed: frozenset[int]) -> bool:
    lemma = verb.lemma_.lower()
    if lemma in {"get", "have"} and any(map(_is_bare_idea, verb.children)):
        return True
    if lemma in _PAYS and verb.dep_ not in {"relcl", "acl", "amod"} and _is_sum_alone(verb):
        return True
    doing = auxiliaries(verb) or (verb.dep_ == "conj" and auxiliaries(verb.head))
    if verb.dep_ in _DESCRIBING or (verb.tag_ == "VBG" and not doing):
        return False
    if any(token.pos_ == "PROPN" and token.ent_type_ != "PERSON" for token in verb.subtree):
        return False
    said = [child for child in verb.children if child.dep_ in _COMPLEMENTS]
    if (
        lemma == "make"
        and _is_told_of_speaker(verb)
        and (effect := [c for c in said if c.lemma_.lower() in EFFECTS])
    ):
        return not any(_is_in_something(c, timed) for w in (verb, *effect) for c in w.children)
    if won := [c for c in said if c.lemma_.lower() in _AWARDS] if lemma in _EARNS else []:
        described = any(c.dep_ in {"compound", "amod"} and c.lower_ not in _AWARDS for c in won[0].lefts)
        return not described and not any(_is_in_something(c, timed) for w in (verb, *won) for c in w.children)
    if said:
        return False
    if lemma in _THROUGH:
        return any(child.lower_ == "through" and not list(child.children) for child in verb.children)
    if verb.dep_ == "conj" or (verb.head.i < verb.i and verb.head.pos_ == "VERB"):
        return False  # "I used to sing, but I stopped": what is said before it
    ends = lemma in _ENDS_IN or (lemma in _GOES_ON and verb.dep_ != "xcomp" and _is_of_speaker(verb))
    return ends and not any(_is_in_something(child, timed) for child in verb.children)


def _is_bare_idea(noun: Token) -> bool:
    """ "I got the idea from a magazine": the idea of what?"""
    known = noun.lemma_ == "idea" and any(child.lower_ == "the" for child in noun.lefts)
    return known and not any(
        child.dep_ in {"relcl", "acl"} or child.lower_ in {"of", "for", "to"} for child in noun.rights
    )


def _is_told_of_speaker(verb: Token) -> bool:
    """It is what the sentence says of its speaker, not what something is for: "I'm making a difference"."""
    subject = inherited_subject(verb)
    return verb.dep_ in {"ROOT", "conj"} and subject is not None and subject.lower_ in lexicon.SPEAKERS


def _is_sum_alone(verb: Token) -> bool:
    """ "I'm willing to spend around $100": on what? No other thing is spoken of."""
    if not any(t.tag_ == "$" or t.ent_type_ == "MONEY" for t in verb.subtree):
        return False
    return not any(
        t.pos_ in {"NOUN", "PROPN"}
        and t.lemma_.lower() not in _SUMS
        and t.ent_type_ not in {"MONEY", "CARDINAL"}
        for t in verb.doc
    )


def _is_of_speaker(verb: Token) -> bool:
    return any(c.dep_ in NOMINAL_SUBJECTS and c.lower_ in lexicon.SPEAKERS for c in verb.children)


def _is_in_something(prep: Token, timed: frozenset[int]) -> bool:
    """ "In the race": not "in four hours", "in May", "with it"."""
    if prep.dep_ in {"advcl", "prt"} or (prep.dep_ == "advmod" and prep.lower_ in {"there", "here"}):
        return True
    if prep.dep_ not in {"prep", "agent"} or prep.lower_ not in _IN_WHAT:
        return False
    inner = [child for child in prep.children if child.dep_ in {"pobj", "pcomp"}]
    return any(
        child.i not in timed
        and child.ent_type_ not in {"DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY"}
        and child.lemma_.lower() not in lexicon.TEMPORAL | _PRONOUNS | _AWARDS
        for child in inner
    )
