"""Verbs whose sentence does not say what, or where, or to what: "I've been playing for months", "I went with
some friends".

Each rule looks at one verb; what is made of it is decided in `continuing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import inherited_subject, tells_past

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from spacy.tokens import Token

SPEAKER_SUBJECTS = frozenset({"i", "we"})
_BESIDE_OBJECT = frozenset({"punct", "cc", "conj", "advmod", "npadvmod", "advcl"})


def plays_untold(verb: Token | None, timed: Collection[int]) -> bool:
    """ "I've been playing for four months": what? `timed`: the tokens that stand for a time."""
    subject = inherited_subject(verb) if verb is not None and verb.lemma_ in {"play", "practice"} else None
    if verb is None or subject is None or subject.lower_ not in SPEAKER_SUBJECTS:
        return False
    if any(word.pos_ == "PROPN" and word.i not in timed for word in verb.subtree):
        return False
    if any(child.dep_ == "conj" and any(c.dep_ == "dobj" for c in child.children) for child in verb.rights):
        return False  # "I play and teach the harp"
    beside = [child for child in verb.children if child.dep_ == "prep"]
    beside += [child for child in verb.rights if child.dep_ not in {*_BESIDE_OBJECT, "prep"}]
    return all(
        any(inner.i in timed or inner.lemma_ in {"minute", "hour"} for inner in child.subtree)
        for child in beside
    )


def meets_untold(verb: Token | None) -> bool:
    """ "I'm meeting so many cool people": where?"""
    if verb is None or verb.lemma_ != "meet" or any(child.dep_ == "prep" for child in verb.rights):
        return False
    met = [child for child in verb.rights if child.dep_ == "dobj"]
    return any(noun.lower_ in {"people", "folks", "others"} for noun in met) and not any(
        child.dep_ == "prep" for noun in met for child in noun.rights
    )


def goes_untold(verb: Token) -> bool:
    """ "I had a great time when I went in June", "I'm excited to go": where?"""
    if verb.lemma_ != "go" or verb.lower_ in {"going", "gone"}:
        return False
    wish = verb.tag_ == "VB" and verb.dep_ == "xcomp" and verb.head.pos_ == "ADJ"
    then = (
        verb.tag_ == "VBD" and verb.dep_ in {"advcl", "relcl"} and any(c.lower_ == "when" for c in verb.lefts)
    )
    after = [child for child in verb.rights if child.dep_ not in {*_BESIDE_OBJECT, "prep"}]
    dated = all(t.ent_type_ == "DATE" for c in verb.rights if c.dep_ == "prep" for t in c.rights)
    idiom = verb.head.lower_ in {"ready", "good", "free"}
    return (wish or then) and not after and dated and not idiom and not _has_adverb_of_place(verb)


def _has_adverb_of_place(verb: Token) -> bool:
    return any(c.dep_ == "advmod" and c.lower_ not in {"again", "really", "alone"} for c in verb.rights)


def celebrates_untold(verb: Token) -> bool:
    """ "We hosted a party to celebrate": what?"""
    return (
        verb.lemma_ == "celebrate"
        and verb.dep_ in {"advcl", "acl", "relcl", "xcomp"}
        and not list(verb.rights)
    )


def _watches_untold(verb: Token) -> bool:
    """ "It's convenient to watch from home": what? Not "the show that I watched"."""
    if verb.dep_ in {"relcl", "acl", "amod", "conj"} or verb.tag_ == "VBN":
        return False
    after = verb.nbor() if verb.i + 1 < len(verb.doc) else None
    if after is not None and after.pos_ not in {"ADP", "ADV", "PUNCT"}:
        return False
    return not any(child.dep_ in {"dobj", "ccomp", "nsubjpass", "prt"} for child in verb.children)


def _goes_nowhere(verb: Token) -> bool:
    """ "I went with some friends", "I went to an event": where? Not "I went to Oslo", "I went rowing", "it
    went well"."""
    subject = inherited_subject(verb)
    after = [child for child in verb.rights if child.dep_ not in {"punct", "cc", "conj"}]
    nowhere = [child for child in after if child.dep_ == "prep" and _is_nowhere(child)]
    told = (
        verb.dep_ == "ROOT"
        and tells_past(verb)
        and subject is not None
        and subject.lower_ in SPEAKER_SUBJECTS
    )
    return told and bool(nowhere) and len(after) == len(nowhere)


def _is_nowhere(preposition: Token) -> bool:
    """ "With some friends", "to an event"."""
    if preposition.lower_ == "with":
        return True
    unnamed = {"event", "place", "spot"}
    return preposition.lower_ == "to" and any(
        noun.lemma_ in unnamed and [child.lower_ for child in noun.children] in (["a"], ["an"])
        for noun in preposition.rights
    )


def _invites_to_nothing(verb: Token) -> bool:
    """ "I'm thinking of inviting some friends": to what?"""
    if verb.tag_ not in {"VB", "VBG"} or not any(child.dep_ == "dobj" for child in verb.children):
        return False
    own = {verb.i, *(child.i for child in verb.children if child.dep_ == "dobj")}
    return not any(
        word.dep_ in {"prep", "prt", "advmod", "xcomp"} and word.head.i in own and word.i > verb.i
        for word in verb.subtree
    )


WITHOUT: dict[str, Callable[[Token], bool]] = {
    "go": _goes_nowhere,
    "invite": _invites_to_nothing,
    "watch": _watches_untold,
}
"""Verbs that may want to be told to what, or where, by what else stands in their sentence."""
