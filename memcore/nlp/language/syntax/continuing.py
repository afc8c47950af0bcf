"""Words that go on with what was said right before them: "I'm also packing an adapter", "I'd like to try more
recipes", "We all made wishes".

They are complete and their pronouns are closed, but on what occasion they are meant, or more than what, only
the words before say. Nothing is missing where they hold a name, a figure or a day of their own. What goes on
with the words before is told with them: clauses are not divided (`clauses`), sentences joined (`discourse`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import auxiliaries, inherited_subject, subject_of, tells_past
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from spacy.tokens import Token

_ADDING = frozenset({"also", "too", "again", "instead", "even", "either"})
_MORE = frozenset({"another", "other", "others", "more", "different", "additional", "extra", "same", "such"})
"""Than, from or beside what was spoken of."""
_OF_WHAT = frozenset(
    "help support idea lead listing option choice feedback progress result detail research decision"
    " connection number".split()
)
"""What is always of, for or with something."""
_KINDS = lexicon.KINDS | {"genre", "technique", "method", "format"}
_SEVERAL = frozenset({"some", "different", "new", "various", "several", "other", "more", "these", "those"})
_RESPONSES = frozenset("interest turnout traction attention applause demand".split())
"""To something, whoever shows it."""
_RECEIVING = frozenset({"get", "see", "have", "receive", "draw", "gain"})
_SAYS_OF_WHAT = frozenset({"prep", "relcl", "acl", "xcomp", "ccomp", "pcomp", "advcl"})
_WE = frozenset({"we"})
_SPEAKER = frozenset({"i", "we"})
_SOME = frozenset("people everyone everybody crowd kid child guest audience visitor participant".split())
"""Of whom one asks where they did what is told."""
_WISHING = (
    lexicon.PLANNING
    | lexicon.THINKING
    | frozenset("need look try realize realise worry wonder have prefer figure".split())
)
_TOWARDS = frozenset({"xcomp", "ccomp", "prep"})
_MODAL = frozenset("will 'll would 'd may might can could should must".split())
_HELPING = frozenset({"help", "contribute", "participate", "volunteer"})
_OF_A_JOURNEY = frozenset("hotel hostel airbnb flight luggage suitcase itinerary trip".split())
_TAKING = frozenset({"bring", "pack", "wear"})
_MOODS = lexicon.MOODS | lexicon.FEELING | {"concerned", "unsure"}
_BEFORE_OBJECT = lexicon.RELATING - {"by"}
_NO_OBJECT = frozenset({"aux", "neg", "punct", "advmod", "nsubj", "prt"})
_MARKS_NOTHING = frozenset({"DATE", "TIME", "ORDINAL"})


def goes_on(words: Sequence[Token], timed: Collection[int]) -> bool:
    """Whether a sentence, or a clause of it, is only understood behind the words before it. `timed`: the
    tokens that stand for a time."""
    if words and words[0].lower_ == "now" and not stands_by_name(words[1:], timed):
        return True  # "Now I'm hoping for the best": after what was told before
    if stands_by_name(words, timed):
        return False
    verb = _main_verb(words)
    if any(map(_adds, words)) or any(map(_comes_after, words)):
        return True
    return _is_deed(verb, _WE) or _is_felt(verb) or _says_little(words, verb)


def narrates(words: Sequence[Token], timed: Collection[int]) -> bool:
    """Whether a sentence tells what its speaker did, of no day, place or name ("I asked for help")."""
    return not stands_by_name(words, timed) and _is_deed(_main_verb(words), _SPEAKER)


def lacks(words: Sequence[Token], timed: Collection[int]) -> bool:
    """Whether a sentence says next to nothing without the words before it: of what, or on what occasion."""
    return not stands_by_name(words, timed) and _says_little(words, _main_verb(words))


def names_nothing(words: Sequence[Token], timed: Collection[int]) -> bool:
    """Whether a sentence holds no name, figure or day, and brings in nothing that was got or made ("I bought
    a bike")."""
    verb = _main_verb(words)
    new = verb is not None and _is_told(verb) and any(map(_is_new_or_own, verb.children))
    return not (new or stands_by_name(words, timed))


def plans(words: Sequence[Token]) -> bool:
    """Whether a sentence tells what its speaker plans or is thinking of."""
    verb = _main_verb(words)
    subject = inherited_subject(verb) if verb is not None else None
    if verb is None or subject is None or subject.lower_ not in _SPEAKER or tells_past(verb):
        return False
    return _is_wish(verb) or verb.lemma_.lower() in lexicon.PLANNING


def wishes(words: Sequence[Token], timed: Collection[int]) -> bool:
    """Whether a sentence plans something, of no day, place or name, and nothing of the speaker's own ("I'm
    thinking of serving curry"), or what to take along ("I was planning to bring my camera, a Canon R5")."""
    verb = _main_verb(words)
    if verb is None or not plans(words):
        return False
    if any(child.dep_ == "xcomp" and child.lemma_ in _TAKING for child in verb.children):
        return not any(word.lemma_.lower() in lexicon.OCCASIONS for word in words)
    owned = (word for word in words if word.lower_ in {"my", "our"} and not _is_in_side_clause(word, verb))
    of_a_journey = all(word.head.lemma_.lower() in _OF_A_JOURNEY for word in owned)
    return of_a_journey and not stands_by_name(words, timed)


def _is_in_side_clause(word: Token, verb: Token) -> bool:
    """Whether it stands in a clause that gives a reason or goes on: "..., but my friend says it's dear"."""
    return any(
        head.dep_ in {"advcl", "conj"} and head.pos_ in {"VERB", "AUX"} and head.i > verb.i
        for head in word.ancestors
    )


def depends(words: Sequence[Token], verb: Token, timed: Collection[int]) -> bool:
    """Whether a clause joined by "and" depends on the one before: a wish, plan or worry, or one without a
    subject of its own, that names nothing ("I'm planning a trip to Oslo, and I need to pack a bag")."""
    if stands_by_name(words, timed):
        return False
    return subject_of(verb) is None or _is_wish(verb) or _is_response(verb) or goes_on(words, timed)


def _main_verb(words: Sequence[Token]) -> Token | None:
    """That of the sentence, where these words of it hold it."""
    return next((word for word in words if word.dep_ == "ROOT"), None)


def stands_by_name(words: Sequence[Token], timed: Collection[int]) -> bool:
    """Whether words hold a name, a figure or a day."""
    return any(
        token.i in timed
        or (token.pos_ == "PROPN" and token.ent_type_ not in _MARKS_NOTHING)
        or (token.pos_ in {"NUM", "SYM"} and token.lower_ != "one")
        or token.text in {'"', "“"}
        for token in words
    )


def _says_little(words: Sequence[Token], verb: Token | None) -> bool:
    """ "I got some leads", "So many people marched", "I felt so proud"."""
    if verb is not None and _is_response(verb) and not any(word.pos_ == "NOUN" for word in verb.lefts):
        return True
    told = [word for word in words if not _is_beside(word)]
    return any(map(_is_of_something, told)) or _is_deed(verb, _SOME) or _is_felt(verb, alone=True)


def _adds(word: Token) -> bool:
    if word.lower_ in _ADDING:
        return word.dep_ == "advmod" and word.head.pos_ in {"VERB", "AUX"}
    if word.lower_ not in _MORE or word.dep_ not in {"amod", "det"}:
        return False
    if word.lower_ == "another":
        return True
    if _is_before_relation(word.head):
        return False  # "more attention for my shop"
    return not any(child.dep_ in _SAYS_OF_WHAT for child in word.head.rights) and not any(
        t.lower_ == "than" for t in word.doc[word.i :]
    )


def _comes_after(word: Token) -> bool:
    """ "Getting back to normal", "sore the next day": after what was told before."""
    if word.lower_ == "normal":
        return word.i > 1 and word.nbor(-2).lower_ == "back"
    day = word.head
    later = word.lower_ in {"next", "following"} and day.lower_ in {"day", "morning", "evening", "night"}
    return later and [child.lower_ for child in day.lefts] == ["the", word.lower_]


def _is_of_something(noun: Token) -> bool:
    """ "I got some leads": for what? "I'm stumped by something": by what?"""
    if noun.lower_ == "something":
        more = any(word.lower_ == "more" for word in noun.subtree)
        search = noun.head.head
        sought = noun.head.lower_ == "for" and search.lemma_ == "look" and search.dep_ == "ROOT"
        return noun.dep_ in {"dobj", "pobj"} and (more or sought or not list(noun.rights))
    if noun.pos_ == "VERB" and noun.lemma_.lower() in _HELPING:
        return not any(child.dep_ not in _NO_OBJECT for child in noun.children)
    if noun.pos_ == "VERB" and noun.lemma_ in _WITHOUT:
        return _WITHOUT[noun.lemma_](noun)
    if noun.lower_ == "way" and noun.dep_ == "attr" and any(c.lemma_ == "go" for c in noun.children):
        return not any(t.lower_ in {"for", "if", "when"} for t in noun.subtree)  # "… is the way to go"
    if noun.lower_ == "way" and noun.dep_ == "pobj" and noun.head.lower_ in {"along", "on"}:
        return [child.lower_ for child in noun.children] == ["the"]  # "any sights along the way"
    if noun.lower_ in {"help", "assistance"} and noun.dep_ == "pobj" and noun.head.head.lemma_ == "ask":
        return not list(noun.rights)  # "I asked for help"
    if _is_of_unsaid_kind(noun):
        return True
    if noun.pos_ != "NOUN" or noun.lemma_.lower() not in _OF_WHAT or noun.dep_ == "compound":
        return False
    known = any(child.dep_ in {"compound", "nmod", "poss"} for child in noun.lefts)
    known = known or (noun.dep_ == "pobj" and noun.head.lower_ in {"for", "without", "with"})
    return not (known or _is_before_relation(noun) or any(c.dep_ in _SAYS_OF_WHAT for c in noun.rights))


def _is_of_unsaid_kind(noun: Token) -> bool:
    """ "I've been trying different techniques": of what?"""
    if noun.tag_ != "NNS" or noun.lemma_.lower() not in _KINDS:
        return False
    beside = [child for child in noun.children if child.dep_ not in {"punct", "cc"}]
    return bool(beside) and all(c.lower_ in _SEVERAL or c.dep_ == "advmod" for c in beside)


def _is_without_object(verb: Token) -> bool:
    """ "It's convenient to watch from home": what? Not "the show that I watched"."""
    if verb.dep_ in {"relcl", "acl", "amod", "conj"} or verb.tag_ == "VBN":
        return False
    after = verb.nbor() if verb.i + 1 < len(verb.doc) else None
    if after is not None and after.pos_ not in {"ADP", "ADV", "PUNCT"}:
        return False
    return not any(child.dep_ in {"dobj", "ccomp", "nsubjpass", "prt"} for child in verb.children)


def _is_gone_nowhere(verb: Token) -> bool:
    """ "I went with some friends": where? Not "I went to Oslo", "I went rowing", "it went well"."""
    subject = inherited_subject(verb)
    after = [child for child in verb.rights if child.dep_ not in {"punct", "cc", "conj"}]
    with_whom = [child for child in after if child.dep_ == "prep" and child.lower_ == "with"]
    told = verb.dep_ == "ROOT" and tells_past(verb) and subject is not None and subject.lower_ in _SPEAKER
    return told and bool(with_whom) and len(after) == len(with_whom)


def _is_wish_to_invite(verb: Token) -> bool:
    """ "I'm thinking of inviting some friends": to what?"""
    if verb.tag_ not in {"VB", "VBG"} or not any(child.dep_ == "dobj" for child in verb.children):
        return False
    own = {verb.i, *(child.i for child in verb.children if child.dep_ == "dobj")}
    return not any(
        word.dep_ in {"prep", "prt", "advmod", "xcomp"} and word.head.i in own and word.i > verb.i
        for word in verb.subtree
    )


_WITHOUT: dict[str, Callable[[Token], bool]] = {
    "go": _is_gone_nowhere,
    "invite": _is_wish_to_invite,
    "watch": _is_without_object,
}
"""Verbs that may want to be told to what, or where, by what else stands in their sentence."""


def _is_response(verb: Token) -> bool:
    """ "We got a great turnout", "We're seeing a lot of interest": to what?"""
    if verb.lemma_ not in _RECEIVING:
        return False
    got = [child for child in verb.rights if child.dep_ == "dobj"]
    got += [inner for noun in got for of in noun.rights if of.lower_ == "of" for inner in of.rights]
    return any(
        noun.lemma_.lower() in _RESPONSES
        and not any(child.dep_ == "prep" and child.lower_ != "from" for child in noun.rights)
        for noun in got
    )


def _is_beside(word: Token) -> bool:
    """Whether it stands in a clause that only judges what is told: ", which has been a great help"."""
    return any(head.dep_ == "relcl" and head.i < word.i for head in word.ancestors)


def _is_before_relation(noun: Token) -> bool:
    """A preposition follows, whatever the parser hangs it on: "did a lot of research on canoes"."""
    return noun.i + 1 < len(noun.doc) and noun.nbor().lower_ in _BEFORE_OBJECT


def _is_deed(verb: Token | None, of: Collection[str]) -> bool:
    """ "We all made wishes", "So many people marched": when and where? Not "We bought a boat"."""
    if verb is None or not _is_told(verb) or any(map(_is_new_or_own, verb.children)):
        return False
    subject = inherited_subject(verb)
    owned = subject is not None and any(child.dep_ == "poss" for child in subject.lefts)
    return subject is not None and subject.lemma_.lower() in of and not owned


def _is_new_or_own(noun: Token) -> bool:
    return noun.dep_ == "dobj" and noun.left_edge.lower_ in {"a", "an", "my", "our"}


def _is_told(verb: Token) -> bool:
    past = verb.pos_ in {"VERB", "AUX"} and tells_past(verb) and not auxiliaries(verb)
    return past and verb.lemma_ not in {"have", "get"}


def _is_felt(verb: Token | None, *, alone: bool = False) -> bool:
    """ "I felt so accepted"; `alone`: with nothing about it ("of my sister", "when she won")."""
    if verb is None or not _is_told(verb):
        return False
    if verb.lemma_ == "feel" and any(child.dep_ == "advcl" and _is_as_if(child) for child in verb.rights):
        return True
    felt = [child for child in verb.children if child.dep_ == "acomp"]
    of_mood = verb.lemma_ == "feel" or (verb.lemma_ == "be" and _has_mood(verb))
    about = any(c.dep_ in _SAYS_OF_WHAT for word in (verb, *felt) for c in word.children)
    return bool(felt) and of_mood and not (alone and about)


def _is_as_if(clause: Token) -> bool:
    """ "I felt like I was in a dream": where?"""
    return clause.lemma_ == "be" and any(
        c.dep_ == "mark" and c.lower_ in {"like", "as"} for c in clause.lefts
    )


def _is_wish(verb: Token) -> bool:
    """ "I'm considering …", "I'd like to …", "I'll need to …", "I'm a bit concerned about …"."""
    if any(helper.lower_ in _MODAL for helper in auxiliaries(verb)):
        return True
    if verb.lemma_.lower() in _WISHING and any(child.dep_ in _TOWARDS for child in verb.children):
        return verb.lemma_ != "have" or any(child.dep_ == "xcomp" for child in verb.children)
    if verb.lemma_ == "go" and verb.tag_ == "VBG" and any(c.dep_ == "xcomp" for c in verb.children):
        return True
    return _has_mood(verb)


def _has_mood(verb: Token) -> bool:
    return any(child.dep_ == "acomp" and child.lemma_.lower() in _MOODS for child in verb.children)
