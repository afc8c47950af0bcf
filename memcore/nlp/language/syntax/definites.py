"""Things spoken of as known ("the trip", "those artists") that the sentence itself does not make known.

Such a sentence is complete, but says little without words before it. Nothing is resolved here: `naming` puts
the full name of the thing in its place, `discourse` keeps the sentence with the one before it or with the
question that it answers, or passes it over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.asides import WHERE
from memcore.nlp.language.syntax.described import describes, is_beside_own, is_told_apart, limits, names
from memcore.nlp.language.syntax.grammar import (
    NOMINAL_SUBJECTS,
    inherited_subject,
    marks_clause,
    root_of,
    subject_of,
)
from memcore.nlp.language.syntax.outcomes import is_of_a_topic, is_outcome, own_occasions
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.noun_kinds import kind_of

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_DEMONSTRATIVE = frozenset({"this", "that", "these", "those"})
OF_SEVERAL = frozenset({"both", "either", "neither", "each", "every"})
_SEEN = frozenset("city town country store shop movie house road museum library".split())
"""Known, but of which one judges a certain one: "I loved the city"."""
_AROUND = frozenset({"area"})
_SPOTS = frozenset({"GPE", "LOC", "FAC"})
"""It is around a place that is named before: "in Florida, and while I'm in the area, ..."."""
_OF_THE_PUBLIC = frozenset("farmer child woman man student veteran artist writer fisherman".split())
_DATES = frozenset({"date", "deadline"})
_WORKING = frozenset({"work", "start", "volunteer", "teach", "temp"})
_BEINGS = frozenset({"animal", "pet", "plant"})
_ROOMS = frozenset(
    "kitchen bathroom bedroom hallway ceiling garage basement attic backyard porch patio closet room".split()
)
_IN_GENERAL = frozenset({"background", "meantime", "process", "making"})
"""In an idiom: "with the hills in the background"."""
_RANGES = frozenset({"normal", "healthy", "recommended", "safe"})
_PARTS_OF_EVENTS = frozenset({"q&a", "opening", "closing", "award", "awards", "final", "keynote"})
"""What says which part of an occasion is meant, and not which occasion."""


def leans(doc: Doc, timed: frozenset[int]) -> bool:
    """Whether a sentence speaks of something as known that it does not make known, or judges an occasion
    that it does not name ("Seeing their faces was the best")."""
    unsaid = is_without_occasion(doc, timed) or (not timed and bool(own_occasions(doc)))
    return unsaid or bool(taken_as_known(doc, timed))


def taken_as_known(doc: Doc, timed: frozenset[int]) -> list[Token]:
    """The nouns that a sentence speaks of as known and does not make known; `timed` are tokens of times."""
    places = lexicon.PLACE if timed else lexicon.PLACE - lexicon.ONE_OF_MANY
    if timed and any(token.lower_ in lexicon.SPEAKERS for token in doc):
        timed |= {  # "the interview is on Monday", "passed the driving test in May": known by its day
            t.i
            for t in doc
            if t.lemma_.lower() in lexicon.OCCASIONS | _DATES
            and (t.dep_ in NOMINAL_SUBJECTS or any(map(describes, t.children)))
        }
    return [
        token
        for token in doc
        if token.i not in timed
        and (_is_taken_as_known(token, places) or _is_bare(token) or _is_the_others(token))
        and not (timed and _is_part_of_event(token))
    ]


def pointed_at(doc: Doc) -> frozenset[str]:
    """The nouns that a sentence points at ("this painting"), by their lemmas."""
    return frozenset(
        token.lemma_.lower()
        for token in doc
        if token.pos_ == "NOUN" and any(c.lower_ in _DEMONSTRATIVE and c.dep_ == "det" for c in token.lefts)
    )


def placed(doc: Doc, timed: frozenset[int]) -> list[Token]:
    """The bare nouns that say where something is done ("from the shelter"): a name is welcome, not needed."""
    return [
        token
        for token in doc
        if token.dep_ == "pobj"
        and token.lemma_.lower() in (lexicon.PLACE | lexicon.OCCASIONS) - _AROUND
        and token.i not in timed
        and [child.lower_ for child in token.children] == ["the"]
        and not _is_named_before(token, token.lemma_.lower())
    ]


def is_without_occasion(doc: Doc, timed: frozenset[int]) -> bool:
    """Whether a sentence judges or describes an occasion that it does not name, or tells how it ended."""
    return _judges_occasion(doc) or _is_somewhere(doc, timed) or is_outcome(doc, timed) or is_of_a_topic(doc)


def _is_somewhere(doc: Doc, timed: frozenset[int]) -> bool:
    """ "There were games for everyone": where and when?"""
    root = root_of(doc)
    if root is None or root.lemma_ != "be" or timed or any(token.pos_ == "PROPN" for token in doc):
        return False
    there = next((child for child in root.children if child.dep_ == "expl"), None)
    if there is None:
        return False
    if any(child.dep_ == "attr" and child.lower_ == "something" for child in root.children):
        return True  # "There's something special about the energy"
    if root.tag_ != "VBD":
        return not _is_own(there) and any(t.dep_ == "prep" and t.lower_ == "on" for t in doc)
    return not any(t.lower_ in {"in", "at"} and t.dep_ == "prep" for t in doc) and not any(
        t.lower_ in lexicon.SPEAKERS for t in doc
    )


def _judges_occasion(doc: Doc) -> bool:
    """Whether a sentence judges an occasion that it does not name ("Seeing their faces was the best")."""
    root = root_of(doc)
    if root is None or root.lemma_ != "be" or root.tag_ != "VBD":
        return False
    subject = subject_of(root)
    if subject is None or not (subject.lower_ == "it" or subject.dep_ == "csubj" or subject.tag_ == "VBG"):
        return False
    if subject.lower_ == "it" and any(c.dep_ == "ccomp" and c.i < subject.i for c in root.children):
        return False  # "I went to a fair, it was great"
    judged = [c for c in root.children if c.dep_ in {"acomp", "attr"}]
    words = {word.lower_ for c in judged for word in (c, *c.lefts)}
    return bool(words & (lexicon.EVALUATIVE | {"such"}))


def _is_bare(word: Token) -> bool:
    """ "The worst was the noise": of what?"""
    return (
        word.tag_ in {"JJS", "JJR"}
        and word.dep_ in NOMINAL_SUBJECTS
        and any(child.lower_ == "the" for child in word.lefts)
        and not any(map(limits, word.children))
    )


def _is_the_others(noun: Token) -> bool:
    """ "I've played Catan but not the others": which ones? Not "the others in my class", "one of my cats hid,
    the others slept"."""
    if noun.lower_ != "others" or noun.dep_ == "conj" or [child.lower_ for child in noun.children] != ["the"]:
        return False
    several = {"NNS", "NNPS", "CD"}
    return not any(t.tag_ in several and t.lemma_ not in lexicon.VAGUE for t in noun.doc[: noun.i])


def _is_liked(noun: Token) -> bool:
    """ "I love the colours", "I like the blue theme": a reaction to what is shown or proposed."""
    verb = noun.head
    if noun.dep_ != "dobj" or verb.lemma_.lower() not in lexicon.LIKING | {"appreciate", "remember", "miss"}:
        return False
    return verb.tag_ in {"VBP", "VB"} and not any(map(limits, noun.children))


def _is_met(noun: Token) -> bool:
    """Colloquial: "I bought this old lamp", "I've been having these vivid dreams"."""
    verb = noun.head
    if noun.dep_ not in {"dobj", "attr"}:
        return False
    return (verb.tag_ == "VBD" and noun.tag_ == "NN") or (verb.lemma_ == "have" and noun.tag_ == "NNS")


def _is_brought_in(noun: Token) -> bool:
    """Though it is pointed at: by a name, as what was met, as a certain one ("this one playlist of mine"), by
    what the speaker did with it ("that handbag I got at the outlet")."""
    certain = {"this", "one"} <= {child.lower_ for child in noun.lefts}
    after = noun.nbor() if noun.i + 1 < len(noun.doc) else None
    certain = certain or (after is not None and after.lower_ in {"i", "we"} and after.dep_ == "nsubj")
    behind = noun.doc[noun.i + 1 : noun.i + 3]  # "that new app, TripIt", "that studio near my office"
    certain = certain or is_beside_own(noun) or (behind.text.startswith(", ") and behind.text[2].isupper())
    return certain or any(names(child) or (_is_met(noun) and describes(child)) for child in noun.children)


def _is_judged(noun: Token) -> bool:
    """ "I loved the city": which one?"""
    named = any(t.pos_ == "PROPN" for t in noun.doc[: noun.i])
    return noun.head.lemma_.lower() in lexicon.LIKING and not named and not any(map(limits, noun.children))


def _is_one_of_known(noun: Token, words: set[str]) -> bool:
    """ "Both tools", "the pros and cons of each piece": of things told of elsewhere; not "each day", "both
    my boats"."""
    lemma = noun.lemma_.lower()
    if lemma in lexicon.TEMPORAL | lexicon.BODY | {"other", "side", "week", "end"} or noun.ent_type_ in {
        "DATE",
        "TIME",
    }:
        return False
    if any(names(child) or child.dep_ == "conj" for child in noun.children):
        return False
    if "every" in words:
        return lemma in lexicon.OCCASIONS and not any(map(describes, noun.children))
    return not any(
        (t.tag_ in {"NNS", "NNPS"} and t.lemma_.lower() not in lexicon.VAGUE)
        or (t.dep_ == "conj" and t.pos_ in {"NOUN", "PROPN"})
        for t in noun.doc[: noun.i]
        if not t.is_ancestor(noun) and t not in noun.head.head.conjuncts
    )


def _is_own(noun: Token) -> bool:
    """Whether its clause tells of the speaker, who gives things a place: no "The opening night is in May"."""
    later = {t.i for child in noun.head.children if child.dep_ in {"conj", "advcl"} for t in child.subtree}
    return any(t.lower_ in lexicon.SPEAKERS for t in noun.head.subtree if t.i not in later)


def _is_of_a_kind(noun: Token) -> bool:
    """ "A wireless model", "a few items": of what is told elsewhere."""
    if noun.tag_ == "NNS" and not any(
        child.lower_ in {"few", "other", "the", "several"} for child in noun.lefts
    ):
        return False
    return not any(limits(child) or child.dep_ in {"compound", "nmod", "poss"} for child in noun.children)


def _is_compared(noun: Token) -> bool:
    """ "The younger kids", "the bigger one": than those told of elsewhere."""
    return any(
        child.dep_ == "amod" and (child.tag_ == "JJR" or any(c.tag_ == "RBR" for c in child.lefts))
        for child in noun.lefts
    )


def _is_had_more_of(noun: Token) -> bool:
    """ "I'd love to see more of the park": of which one?"""
    of = noun.head
    more = of.lower_ == "of" and of.head.lower_ == "more" and of.head.dep_ == "dobj"
    return noun.dep_ == "pobj" and more and not is_told_apart(noun)


def _is_taken_as_known(noun: Token, places: frozenset[str]) -> bool:
    """`places` need no name where something is done in them."""
    if noun.pos_ != "NOUN" or noun.ent_type_ or _is_in_larger_phrase(noun) or _is_in_title(noun):
        return False
    lemma = noun.lemma_.lower()
    where = noun.dep_ == "pobj" and (
        _is_workplace(noun)
        or (noun.head.lower_ in WHERE and (lemma in places or _is_beside_own(noun)))
        or (noun.head.lower_ == "from" and lemma in lexicon.PLACE)
    )
    idiom = noun.dep_ == "dobj" and (lemma in lexicon.IDIOMATIC or noun.head.lemma_ == "play")
    words = {c.lower_ for c in noun.lefts if c.dep_ in {"det", "predet"} and not marks_clause(c)}
    if "the" in words and (_is_compared(noun) or _is_had_more_of(noun) or _is_part_of_event(noun)):
        return True
    whole = "all" in words and noun.dep_ in {"dobj", "pobj"} and lemma not in lexicon.ANIMAL | _BEINGS
    idiom = idiom or whole or _is_in_general(noun)  # "did all the paperwork"
    where = where or (lemma in _AROUND and any(t.ent_type_ in _SPOTS for t in noun.doc[: noun.i]))
    where = where or ("the" in words and _is_at_home(noun))
    if where or idiom or lemma in lexicon.TEMPORAL or _is_named_before(noun, lemma) or _is_bridged(noun):
        return False
    if lemma == "point" and noun.head.lower_ == "at" and "this" in words:
        return False  # now
    if words & _DEMONSTRATIVE and lemma not in lexicon.PUBLIC:
        return not _is_brought_in(noun)
    if words & OF_SEVERAL and not words & {"the"} and _is_one_of_known(noun, words):
        return True
    if lemma in lexicon.KNOWN:
        return lemma in _SEEN and noun.dep_ == "dobj" and "the" in words and _is_judged(noun)
    if lemma in lexicon.KINDS and _is_of_a_kind(noun):
        return True
    if "the" in words and _is_liked(noun):
        return True
    return not is_told_apart(noun) if "the" in words else _is_like_another(noun, words)


def _is_in_larger_phrase(noun: Token) -> bool:
    """Whether what it is a part of is spoken of, and not it."""
    beside = noun.dep_ in {"npadvmod", "compound", "appos"}
    return beside or _is_in_compound(noun) or _is_whose_place_is_called(noun)


def _is_in_title(noun: Token) -> bool:
    """ "I'm reading The First Fifteen Lives of Harry August"."""
    return noun.text[0].isupper() and any(child.text == "The" and child.i > 0 for child in noun.lefts)


def _is_in_compound(noun: Token) -> bool:
    """ "A behind-the-scenes tour"."""
    return any(child.lower_ == "the" and child.i and child.nbor(-1).text == "-" for child in noun.lefts)


def _is_whose_place_is_called(noun: Token) -> bool:
    """ "The farmers' market", "the children's museum"."""
    called = noun.tag_ == "NNS" and noun.lemma_.lower() in _OF_THE_PUBLIC
    return noun.dep_ == "poss" and called and noun.head.lemma_.lower() in lexicon.PLACE | lexicon.OCCASIONS


def _is_part_of_event(noun: Token) -> bool:
    """ "The Q&A session", "the opening night": of which occasion?"""
    beside = [child for child in noun.lefts if child.dep_ in {"compound", "amod", "nmod"}]
    parts = [child for child in beside if child.lower_ in _PARTS_OF_EVENTS]
    return bool(parts) and not any(map(names, {*noun.children} - {*parts}))


def _is_like_another(noun: Token, words: set[str]) -> bool:
    """ "Similar issues", "I heard that some services are cheaper": than or like what was told elsewhere."""
    if "some" in words and noun.tag_ == "NNS" and noun.dep_ in NOMINAL_SUBJECTS and noun.head.dep_ == "ccomp":
        return len(list(noun.children)) == 1  # "I heard that some services are cheaper"
    alike = any(child.lower_ == "similar" for child in noun.lefts)
    return alike and not any(t.lower_ in {"to", "as"} for t in noun.doc[noun.i + 1 :])


def _is_beside_own(noun: Token) -> bool:
    """ "My job at the bakery"."""
    over = noun.head.head
    beside = [over, *(child for child in over.children if child.dep_ in {"dobj", "attr"})]
    return any(child.lower_ in {"my", "our"} for one in beside for child in one.lefts)


def _is_workplace(noun: Token) -> bool:
    """ "I work at the bakery", "I'm a planner at the dairy", "after nine years at the depot": a workplace is
    called by its kind, as "the office" is."""
    over = noun.head.head
    if noun.head.lower_ not in {"at", "for", "in"}:
        return False
    if over.ent_type_ in {"DATE", "TIME"} or (over.lemma_ == "year" and over.tag_ == "NNS"):
        return noun.head.lower_ == "at"
    if over.pos_ == "VERB":
        subject = inherited_subject(over)
        worked = over.lemma_.lower() in _WORKING
    else:
        subject = subject_of(over.head) if over.dep_ == "attr" else None
        worked = over.dep_ == "attr" and kind_of(over.lemma_.lower()) == "PERSON"
    return worked and subject is not None and (subject.lower_ in lexicon.SPEAKERS or subject.pos_ == "PROPN")


def _is_at_home(noun: Token) -> bool:
    """ "I replaced the ceiling light", "I painted the kitchen cabinets": the speaker's."""
    of_room = any(child.dep_ == "compound" and child.lemma_.lower() in _ROOMS for child in noun.lefts)
    return of_room and any(token.lower_ in lexicon.SPEAKERS for token in noun.doc)


def _is_in_general(noun: Token) -> bool:
    """ "In the background", "within the normal range"."""
    if noun.dep_ != "pobj":
        return False
    bare = noun.head.lower_ == "in" and [child.lower_ for child in noun.children] == ["the"]
    usual = noun.lemma_ == "range" and any(child.lower_ in _RANGES for child in noun.lefts)
    return usual or (bare and noun.lemma_.lower() in _IN_GENERAL)


def _is_bridged(noun: Token) -> bool:
    """ "I bought a house, but the deal fell through": it belongs to what the clause before tells; "a reading
    where the author sang" to what its clause describes."""
    verb = noun.head
    if noun.dep_ in NOMINAL_SUBJECTS and verb.dep_ == "relcl":
        return any(child.lower_ == "where" for child in verb.lefts)
    if noun.dep_ not in NOMINAL_SUBJECTS or verb.dep_ not in {"conj", "advcl"}:
        return False
    if any(child.dep_ == "mark" and child.lower_ in {"if", "whether"} for child in verb.lefts):
        return False  # "..., but it would be great if the laptop lasted"
    return any(
        t.dep_ in {"dobj", "attr", "pobj"}
        and any(c.lower_ in {"a", "an", "my", "our", "some"} for c in t.lefts)
        for t in noun.doc[: noun.i]
        if t.head != verb
    )


def _is_named_before(noun: Token, lemma: str) -> bool:
    return any(t.lemma_.lower() == lemma and t.pos_ in {"NOUN", "PROPN"} for t in noun.doc[: noun.i])
