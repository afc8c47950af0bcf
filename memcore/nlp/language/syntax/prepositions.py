"""Where a preposition belongs, and what the words before it add to a relation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.entities import quoted_title
from memcore.nlp.language.syntax.grammar import subject_of
from memcore.nlp.language.syntax.kinds import type_of
from memcore.nlp.language.words import graph_words

if TYPE_CHECKING:
    from spacy.tokens import Token

_BREAKS = {"-", "--", "–", "—", ":", ";"}


def destination(verb: Token) -> str:
    """ "_to_museum" where somebody is taken there."""
    if verb.lemma_ not in graph_words.TAKING:
        return ""
    places = [
        (prep, noun)
        for prep in verb.rights
        if prep.dep_ == "prep" and prep.lower_ in {"to", "into"}
        for noun in prep.children
        if noun.dep_ == "pobj" and noun.text.isalpha()
    ]
    return next((f"_{prep.lower_}_{noun.text}" for prep, noun in places), "")


def idiom_before(prep: Token) -> str:
    """ "on_hunt" before the "for" of "is on the hunt for maps", where the parser hangs both on the verb."""
    noun = prep.nbor(-1) if prep.i else prep
    if noun.dep_ != "pobj" or noun.head.head != prep.head or noun.lemma_.lower() not in graph_words.IN_IDIOMS:
        return ""
    return f"{noun.head.lower_}_{noun.lower_}"


def state_before(prep: Token) -> str:
    """ "_low" before the "on" of "is running low on flour"."""
    word = prep.nbor(-1) if prep.i else prep
    so = word.pos_ == "ADJ" and word.head == prep.head and word.dep_ in {"acomp", "oprd", "advmod"}
    return f"_{word.lower_}" if so and prep.head.lemma_ not in {"be", "become"} else ""


def _is_of_noun(prep: Token) -> bool:
    """Whether a preposition that hangs on a verb belongs to the noun of the one before: "went out with
    friends from church", "is looking for a flat with a balcony"."""
    before = prep.nbor(-1) if prep.i else prep
    if prep.lower_ == "to" and before.dep_ == "pobj" and before.head.lower_ == "from":
        return prep.head.lemma_ in {"get", "come", "return", "be"}  # "got back from a trip to Oslo"
    earlier = [c for c in prep.head.rights if c.dep_ == "prep" and c.i < prep.i]
    if not earlier:
        return False
    if prep.lower_ == "from":
        bringing = graph_words.GETTING | graph_words.BUYING | graph_words.GOING
        adjacent = prep.i > 0 and prep.nbor(-1).dep_ == "pobj" and prep.nbor(-1).head == earlier[-1]
        return adjacent and prep.nbor(-1).pos_ == "NOUN" and prep.head.lemma_ not in bringing
    return prep.lower_ == "with" and not any(type_of(c) in {"PERSON", "ANIMAL"} for c in prep.children)


def stands_apart(prep: Token) -> bool:
    """Whether what follows is no object of the verb: "For my budget, I looked", "the same brand as"."""
    between = prep.doc[prep.head.i + 1 : prep.i]
    if any(token.text in _BREAKS and token.nbor(-1).whitespace_ for token in between):
        return True  # "is so inspiring - from a farmhand to a king"
    begin = min((t.i for t in prep.lefts), default=prep.i)
    if begin > prep.head.i + 1 and prep.doc[begin - 1].text == ",":
        return True  # "learned of dialects, specifically in Brittany"
    if prep.lower_ == "by" and prep.dep_ == "prep":
        return True  # "am reading Dune by Frank Herbert": only "agent" is who did it
    if prep.lower_ == "as" and prep.i > prep.head.i:
        return any(token.lower_ == "same" for token in prep.doc[max(0, prep.i - 4) : prep.i])
    if _is_of_noun(prep):
        return True
    governs = any(child.dep_ == "xcomp" for child in prep.head.rights)  # "On the train, I tend to read"
    if prep.lower_ not in {"for", "with", "about", "by", "of", "as"} and not governs:
        return False
    subject = subject_of(prep.head) if prep.head.pos_ in {"VERB", "AUX"} else None
    return subject is not None and prep.i < subject.i


def loses_object(prep: Token) -> bool:
    """Whether what the verb is about stands after an earlier preposition and would be lost: "relied on them
    for news", "ran into a friend at a party"."""
    between = (t for t in prep.doc[prep.head.i + 1 : prep.i] if t.dep_ == "prep")
    first = next((t for t in between if prep.head in {t.head, t.head.head}), None)
    if first is None or any(c.dep_ == "dobj" for c in prep.head.rights):
        return False
    if first.lower_ == "from" and prep.lower_ in {"at", "in"}:
        return first.i <= prep.head.i + 2  # "got back from a concert at the arena"
    about = first.lower_ in {"into", "across"} or any(c.pos_ == "PRON" for c in first.children)
    return about and first.i == prep.head.i + 1


def relates(prep: Token, noun: Token, *, carried: bool) -> bool:
    """Whether what stands after a noun's preposition is in a relation of its own; `carried`: the noun belongs
    to that relation."""
    if quoted_title(prep) or (noun.dep_ == "attr" and prep.lower_ not in {"of", "for", "from", "to", "with"}):
        return False
    if prep.lower_ in {"of", "with"}:
        return carried
    return prep.lower_ in graph_words.AFTER_NOUN


def goes_on(noun: Token) -> bool:
    """ "Turned her love of dance into a business": what follows is said of the whole."""
    of = any(c.lower_ == "of" for c in noun.rights)
    return of and noun.dep_ == "dobj" and any(c.dep_ == "prep" and c.i > noun.i for c in noun.head.rights)
