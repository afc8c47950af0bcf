"""Taking up the advice of an assistant ("I'll try the first one"): it tells little of who says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Token

ERRAND = "taking up what an assistant said, on no day"
_AHEAD = frozenset({"will", "'ll", "might", "may", "could", "can"})


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
    return modal and own and verb.tag_ == "VB" and judged and not told
