"""What belongs to a chat with an assistant and tells little of who says it.

Advice taken up ("I'll try the first one"), a proposal liked, what somebody wants to know or have added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

ERRAND = "of the chat with an assistant: taking up what it said, or asking for more"
_EARLY = 4
"""Words before which a sentence's main verb stands, where nothing leads to it."""
_ADDING = frozenset({"add", "include"})
_PROPOSED = frozenset({"idea", "sound", "look"})
_OFFERED = frozenset({"idea", "tip", "suggestion", "point", "option", "start"})
_AHEAD = frozenset({"will", "'ll", "might", "may", "could", "can"})
_CHOOSING = frozenset({"buy", "order", "book", "choose", "pick"})
_PLACED = frozenset("above below under behind beside near over inside in on at".split())


def is_of_the_chat(root: Token, *, dated: bool) -> bool:
    """Whether a sentence is part of the chat, rather than told of its speaker; most say no day."""
    return _recalls_chat(root) or (not dated and _takes_part_in_chat(root))


def _takes_part_in_chat(root: Token) -> bool:
    return (
        takes_up_advice(root)
        or _likes_proposal(root)
        or _wants_to_know(root)
        or _has_added(root)
        or _praises(root)
        or _had_not_thought(root)
        or _is_surprised(root)
        or _makes_sure(root)
        or _muses(root)
    )


def _recalls_chat(root: Token) -> bool:
    """ "We've covered the update", "I was referring to the second"; not "we discussed it with my boss"."""
    beside = {child.lower_ for child in root.children}
    if root.lemma_ == "refer" and root.tag_ == "VBG":
        return "i" in beside
    ours = "we" in beside and bool(beside & {"'ve", "have", "will", "'ll"})
    return root.lemma_ in {"cover", "discuss"} and root.tag_ != "VBG" and ours and "with" not in beside


def _praises(root: Token) -> bool:
    """ "A shelf is a great idea", "that's a good tip"."""
    said = (child for child in root.children if child.dep_ == "attr")
    return root.lemma_ == "be" and any(
        c.lemma_ in _OFFERED and c.left_edge.lower_ in {"a", "an"} for c in said
    )


def _muses(root: Token) -> bool:
    """ "I was thinking about the food in Osaka": not "about selling my boat"."""
    if root.lemma_ != "think" or root.tag_ != "VBG":
        return False
    past = any(child.lower_ in {"was", "were"} for child in root.children)
    about = [child for child in root.children if child.dep_ == "prep" and child.lower_ == "about"]
    plain = all(inner.dep_ == "pobj" for prep in about for inner in prep.children)
    told = any(child.dep_ in {"conj", "ccomp", "xcomp", "advcl"} for child in root.children)
    told = told or any(t.dep_ == "relcl" for t in root.subtree)
    return past and bool(about) and plain and not told


def _had_not_thought(root: Token) -> bool:
    """ "I didn't think to use a brush"."""
    negated = any(child.dep_ == "neg" for child in root.children)
    if root.lemma_ != "think" and any(t.pos_ == "PROPN" for t in root.doc):
        return False
    return (
        root.lemma_ in {"think", "consider", "realize", "know"}
        and negated
        and any(child.lower_ == "did" and child.dep_ == "aux" for child in root.children)
    )


def _is_surprised(root: Token) -> bool:
    """ "I had no idea that rice is so old", "I never knew how …", whichever verb the parser takes for the
    main one; not "I never knew my father", "I had no idea until I asked"."""
    if any(token.lower_ == "until" for token in root.doc):
        return False
    return any(
        (_had_no_idea(verb) or _never_knew(verb)) and any(child.lower_ == "i" for child in verb.lefts)
        for verb in (root, *(child for child in root.lefts if child.dep_ == "ccomp"))
    )


def _had_no_idea(verb: Token) -> bool:
    idea = next((child for child in verb.rights if child.lower_ == "idea"), None)
    return verb.lower_ == "had" and idea is not None and idea.left_edge.lower_ == "no"


def _never_knew(verb: Token) -> bool:
    told = any(child.dep_ == "ccomp" for child in verb.rights)
    return (
        verb.lower_ in {"knew", "realized", "realised"}
        and told
        and any(child.lower_ == "never" for child in verb.lefts)
    )


def _makes_sure(root: Token) -> bool:
    """ "I want to make sure I'm ready": for what is told elsewhere, unless a name says it."""
    if (
        root.i > _EARLY
        or root.lemma_ not in {"want", "need", "try", "like"}
        or any(t.pos_ == "PROPN" for t in root.doc)
    ):
        return False
    return any(
        c.dep_ == "xcomp" and c.lemma_ in {"make", "be", "ensure"} and _is_sure(c) for c in root.children
    )


def _is_sure(verb: Token) -> bool:
    return verb.lemma_ == "ensure" or any(child.lower_ == "sure" for child in verb.children)


def _likes_proposal(root: Token) -> bool:
    """ "I really like the idea of a map", "I like the sound of the roof bar"."""
    liked = [c for c in root.children if c.dep_ == "dobj" and c.lemma_ in _PROPOSED]
    return root.lemma_ in lexicon.LIKING and any(c.left_edge.lower_ in {"the", "that", "this"} for c in liked)


def _wants_to_know(root: Token) -> bool:
    """ "I'm also curious about the price"; not "I have always been curious about trams"."""
    curious = root.lemma_ == "be" and any(c.dep_ == "acomp" and c.lower_ == "curious" for c in root.children)
    return curious and root.tag_ in {"VBP", "VBZ"} and not _names_own(root.doc)


def _names_own(doc: Doc) -> bool:
    """ "The value of my 1913 nickel", "as someone who attended the gala"."""
    own = (
        token.head for token in doc if token.lower_ in {"my", "our"} and token.head.pos_ in {"NOUN", "PROPN"}
    )
    named = any(child.pos_ in {"PROPN", "NUM"} for noun in own for child in (noun, *noun.lefts))
    someone = (child for token in doc if token.lower_ == "someone" for child in token.rights)
    return named or any(child.dep_ == "relcl" and child.tag_ in {"VBD", "VBN", "VBG"} for child in someone)


def _has_added(root: Token) -> bool:
    """ "I'd like to add the rent to the table"."""
    wished = any(child.lower_ in {"would", "'d"} and child.dep_ == "aux" for child in root.children)
    return wished and any(child.dep_ == "xcomp" and child.lemma_ in _ADDING for child in root.children)


def takes_up_advice(root: Token) -> bool:
    """ "I'll try the first one", "I think I might add a note": said to an assistant, with no day; no "I'll be
    moving", and no "I'll wear the coat that I bought"."""
    verb = root
    if root.lemma_ in lexicon.THINKING:
        verb = next((child for child in root.children if child.dep_ == "ccomp"), root)
    modal = any(child.lower_ in _AHEAD and child.dep_ == "aux" for child in verb.children)
    own = any(child.dep_ == "nsubj" and child.lower_ in lexicon.SPEAKERS for child in verb.children)
    told = any(
        child.dep_ == "nsubj" and child.lower_ in lexicon.SPEAKERS and child.head.tag_ in {"VBD", "VBN"}
        for child in root.doc
    )
    judged = verb.lemma_ != "be" or any(child.dep_ == "acomp" for child in verb.children)
    taken = modal and own and verb.tag_ == "VB" and judged
    return taken and not (
        told or _leaves_as_it_is(verb) or _chooses_by_name(verb) or _describes_own(root.doc)
    )


def _chooses_by_name(verb: Token) -> bool:
    """ "I think I'll go with the TP-Link plug": a choice that is named."""
    through = [child for child in verb.rights if child.dep_ == "prep" and child.lower_ == "with"]
    if verb.lemma_ not in _CHOOSING and not (verb.lemma_ == "go" and through):
        return False
    objects = (child for one in (verb, *through) for child in one.children if child.dep_ in {"dobj", "pobj"})
    return any(
        thing.pos_ == "PROPN" or any(child.pos_ == "PROPN" for child in thing.lefts) for thing in objects
    )


def _describes_own(doc: Doc) -> bool:
    """ "..., with my passport, which is at my parents' house": it tells of a thing of the speaker's."""
    return any(
        token.dep_ == "relcl"
        and token.head.pos_ == "NOUN"
        and any(child.lower_ in {"my", "our"} for child in token.head.lefts)
        for token in doc
    )


def _leaves_as_it_is(verb: Token) -> bool:
    """ "I'll make sure to leave the clock above my desk as it is", "I'll keep my bike in the shed": it tells
    where something of the speaker's is, by advice or not."""
    for left in (verb, *(child for child in verb.subtree if child.dep_ in {"xcomp", "ccomp"})):
        thing = next((child for child in left.children if child.dep_ == "dobj"), None)
        if left.lemma_ not in {"leave", "keep"} or thing is None:
            continue
        if any(t.lower_ in {"my", "our"} for t in left.subtree) and any(
            t.dep_ == "prep" and t.lower_ in _PLACED for t in left.subtree
        ):
            return True
    return False
