"""Words that go on with what was said right before them: "I'm also packing an adapter", "I'd like to try more
recipes", "We all made wishes".

They are complete and their pronouns are closed, but on what occasion they are meant, or more than what, only
the words before say. Nothing is missing where they hold a name, a figure or a day of their own. What goes on
with the words before is told with them: clauses are not divided (`clauses`), sentences joined (`discourse`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.nlp.language.syntax.grammar import (
    auxiliaries,
    inherited_subject,
    is_negated,
    subject_of,
    tells_past,
)
from memcore.nlp.language.syntax.of_what import (
    SAYS_OF_WHAT,
    is_before_relation,
    is_last_part,
    is_numbered_part,
    is_of_something,
)
from memcore.nlp.language.syntax.untold_objects import (
    SPEAKER_SUBJECTS,
    celebrates_untold,
    goes_untold,
    meets_untold,
    plays_untold,
)
from memcore.nlp.language.words import lexicon

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from spacy.tokens import Token

_ADDING = frozenset({"also", "too", "again", "instead", "even", "either"})
_MORE = frozenset("another other others more different additional extra same such future".split())
"""Than, from or beside what was spoken of."""
_RESPONSES = frozenset("interest turnout traction attention applause demand".split())
"""To something, whoever shows it."""
_RECEIVING = frozenset({"get", "see", "have", "receive", "draw", "gain"})
_CIRCLES = frozenset("team instructor coach teacher trainer tutor".split())
"""Of a job, a course or a sport."""
_WE = frozenset({"we"})
_SOME = frozenset("people everyone everybody crowd kid child guest audience visitor participant".split())
"""Of whom one asks where they did what is told."""
_WISHING = (
    lexicon.PLANNING
    | lexicon.THINKING
    | frozenset("need look try realize realise worry wonder have prefer figure".split())
)
_TOWARDS = frozenset({"xcomp", "ccomp", "prep"})
_AID = frozenset({"help", "advice", "assistance", "guidance"})
_MODAL = frozenset("will 'll would 'd may might can could should must".split())
_PLACING = frozenset("in at on near around inside outside".split())
_OF_A_JOURNEY = frozenset("hotel hostel airbnb flight luggage suitcase itinerary trip".split())
_TAKING = frozenset({"bring", "pack", "wear"})
_MOODS = lexicon.MOODS | lexicon.FEELING | {"concerned", "unsure"}
_TOLD_FIRST = frozenset({"ROOT", "ccomp"})
_JUST = frozenset({"just", "nearly", "almost"})
_COMPARES = frozenset("as and to for with since now if when than that".split())
_MARKS_NOTHING = frozenset({"DATE", "TIME", "ORDINAL"})


def goes_on(words: Sequence[Token], timed: Collection[int]) -> bool:
    """Whether a sentence, or a clause of it, is only understood behind the words before it. `timed`: the
    tokens that stand for a time."""
    if words and words[0].lower_ == "now" and not stands_by_name(words[1:], timed):
        return True  # "Now I'm hoping for the best": after what was told before
    verb = _main_verb(words)
    if (
        _was_there(words, timed)
        or any(map(goes_untold, words))
        or plays_untold(verb, timed)
        or any(map(is_numbered_part, words))
        or any(map(is_last_part, words))
        or any(map(is_as_much, words))
    ):
        return True
    if stands_by_name(words, timed):
        return False
    if any(map(_adds, words)) or any(map(_comes_after, words)):
        return True
    if meets_untold(verb) or any(map(celebrates_untold, words)):
        return True
    if verb is not None and (_is_of_a_circle(verb) or _judges_deed(verb)):
        return True
    return _is_deed(verb, _WE) or _is_felt(verb) or _says_little(words, verb)


def narrates(words: Sequence[Token], timed: Collection[int]) -> bool:
    """Whether a sentence tells what its speaker did, of no day, place or name ("I asked for help")."""
    return not stands_by_name(words, timed) and _is_deed(_main_verb(words), SPEAKER_SUBJECTS)


def lacks(words: Sequence[Token], timed: Collection[int]) -> bool:
    """Whether a sentence says next to nothing without the words before it: of what, or on what occasion."""
    verb = _main_verb(words)
    if plays_untold(verb, timed) or any(map(is_as_much, words)):
        return True
    return not stands_by_name(words, timed) and _says_little(words, verb)


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
    if verb is None or subject is None or subject.lower_ not in SPEAKER_SUBJECTS or tells_past(verb):
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


def is_as_much(word: Token) -> bool:
    """ "It will be just as good", "They are equally keen": as what? Not where a thing or somebody stands
    before its clause, or something follows that may say it."""
    if word.dep_ != "advmod":
        return False
    much = word.head
    verb = much.head
    if much.dep_ != "acomp" or much.i != word.i + 1 or verb.dep_ not in _TOLD_FIRST:
        return False
    just = word.i > 0 and word.nbor(-1).lower_ in _JUST
    if word.lower_ != "equally" and not (word.lower_ == "as" and just):
        return False
    if is_negated(verb) or any(later.lower_ in _COMPARES for later in word.doc[much.i + 1 :]):
        return False
    before = word.doc[: verb.left_edge.i]
    return not any(token.pos_ in {"NOUN", "PROPN", "NUM"} for token in before)


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
    return any(map(is_of_something, told)) or _is_deed(verb, _SOME) or _is_felt(verb, alone=True)


def _adds(word: Token) -> bool:
    if word.lower_ in _ADDING:
        return word.dep_ == "advmod" and word.head.pos_ in {"VERB", "AUX"}
    if word.lower_ not in _MORE or word.dep_ not in {"amod", "det"}:
        return False
    if word.lower_ == "another":
        return True
    if is_before_relation(word.head):
        return False  # "more attention for my shop"
    return not any(child.dep_ in SAYS_OF_WHAT for child in word.head.rights) and not any(
        t.lower_ == "than" for t in word.doc[word.i :]
    )


def _comes_after(word: Token) -> bool:
    """ "Getting back to normal", "sore the next day": after what was told before."""
    if word.lower_ == "normal":
        return word.i > 1 and word.nbor(-2).lower_ == "back"
    day = word.head
    later = word.lower_ in {"next", "following"} and day.lower_ in {"day", "morning", "evening", "night"}
    return later and [child.lower_ for child in day.lefts] == ["the", word.lower_]


def _was_there(words: Sequence[Token], timed: Collection[int]) -> bool:
    """ "There were so many people who love Bach": where, and when?"""
    if not words or words[0].dep_ != "expl" or not tells_past(words[0].head):
        return False
    verb = words[0].head
    if any(token.i in timed for token in verb.subtree):
        return False
    told = [verb, *(child for child in verb.children if child.dep_ == "attr")]
    return not any(child.dep_ == "prep" and child.lower_ in _PLACING for one in told for child in one.rights)


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


def _is_deed(verb: Token | None, of: Collection[str]) -> bool:
    """ "We all made wishes", "So many people marched": when and where? Not "We bought a boat"."""
    if verb is None or not _is_told(verb) or any(map(_is_new_or_own, verb.children)):
        return False
    subject = inherited_subject(verb)
    owned = subject is not None and any(child.dep_ == "poss" for child in subject.lefts)
    return subject is not None and subject.lemma_.lower() in of and not owned


def _is_new_or_own(noun: Token) -> bool:
    return noun.dep_ == "dobj" and noun.left_edge.lower_ in {"a", "an", "my", "our"}


def _is_of_a_circle(verb: Token) -> bool:
    """ "My team has been kind": at which work, in which class?"""
    subject = subject_of(verb)
    if subject is None or subject.lemma_.lower() not in _CIRCLES:
        return False
    return [child.lower_ for child in subject.children] in (["my"], ["our"])


def _judges_deed(verb: Token) -> bool:
    """ "It's been awesome to share my love of maps": how, or where?"""
    judged = [child for child in verb.rights if child.dep_ == "acomp"]
    subject = subject_of(verb)
    it = subject is not None and subject.lower_ == "it"
    deed = any(child.dep_ == "xcomp" for word in (verb, *judged) for child in word.rights)
    return it and deed and any(word.lemma_.lower() in lexicon.EVALUATIVE for word in judged)


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
    about = any(c.dep_ in SAYS_OF_WHAT for word in (verb, *felt) for c in word.children)
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
    if verb.lemma_ == "need" and any(c.dep_ == "dobj" and c.lemma_ in _AID for c in verb.children):
        return True
    return _has_mood(verb)


def _has_mood(verb: Token) -> bool:
    return any(child.dep_ == "acomp" and child.lemma_.lower() in _MOODS for child in verb.children)
