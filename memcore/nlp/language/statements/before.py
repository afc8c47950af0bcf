"""Which sentences before one are told with it: those that close what it leaves open, name what it speaks of
as known, or say on what occasion it is told.

A run is the sentences of a message that are open to be gone on with; nothing is worded here (see `compose`).
"""

from __future__ import annotations

import re

from memcore.nlp.language.prose import screening
from memcore.nlp.language.prose.errands import ERRAND
from memcore.nlp.language.statements.meant import is_of_speaker
from memcore.nlp.language.statements.reading import MessageReading, Reading
from memcore.nlp.language.syntax.coreference import fits
from memcore.nlp.language.syntax.definites import taken_as_known
from memcore.nlp.language.syntax.grammar import NOMINAL_SUBJECTS, root_of, tells_past
from memcore.nlp.language.syntax.of_what import is_bare_state
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import FIGURES

MOST_SENTENCES = 3
MOST_WORDS = 70
MOST_WORDS_TOGETHER = 50
"""Of a run with a sentence that could do without it."""
_NAMING = re.compile(
    r"\b(?:(?i:her|his|its) name(?: is|'s| was)|(?i:she|he|it)(?: is|'s| was) (?:called|named))"
    r"(?: [a-z]+)? [A-Z]"
)
"""It gives its pronoun a name: "her name is Luna"."""
_MEASURE = re.compile(
    r"(?:it|that|this)(?:['’]s| is| was| has)?(?: (?:now|already|only|just|about|almost|nearly))*(?: been)?"
    r"(?: (?:now|already|only|just|about|almost|nearly|for|over))*"
    rf" (?:every|once|twice|daily|weekly|monthly|(?:\$?\d[\d:.,]*|an?|{'|'.join(FIGURES)}) "
    r"(?:times|minutes?|hours?|days?|weeks?|months?|years?|miles|km|pages|dollars|euros)|\$\d)\b",
    re.IGNORECASE,
)
_OCCASIONS = lexicon.OCCASIONS | {"event"}
_SHOWS = frozenset({"show", "concert", "performance"})
_OF_BEFORE = frozenset({"similar", "both", "either", "neither", "each"})
_TURNS = re.compile(r"\b(?:also|plus|oh|speaking of|actually)\b", re.IGNORECASE)
"""It adds another matter."""
_INTRODUCES = re.compile(
    rf"\b(?:a|an|another)\s(?:[\w-]+\s){{0,3}}?(?:{'|'.join(sorted(lexicon.PERSON | lexicon.ANIMAL))})\b",
    re.IGNORECASE,
)
"""It brings in a person or animal without a name: "I met a woman"."""
_REMARKS = frozenset({screening.REACTION, screening.IDLE, screening.GENERAL, screening.SENTIMENT})
_TELLS_OCCASION = frozenset({None, screening.NO_CONTENT, ERRAND})
"""Why a sentence that is passed over alone may still say on what occasion the next one is told."""


def named_before(unit: list[Reading], earlier: tuple[Reading, ...], reading: Reading) -> list[Reading]:
    """The sentence right before one that speaks of something as known; none where another matter begins."""
    last = earlier[-1] if earlier else None
    if last is None or not last.usable or turns(reading):
        return []
    if not _belongs(reading, unit if unit and unit[-1] is last else [last]):
        return []
    if unit and unit[-1] is last:
        return unit if fits_behind(unit, reading) else []
    alone = stands(last)
    return [last] if alone and fits_behind([last], reading) else []


def right_before(unit: list[Reading], item: MessageReading, position: int, reading: Reading) -> list[Reading]:
    """The run, or the sentence, before one that goes on with it, with only remarks between, or before one
    that holds no name, figure or day; none where another matter begins. `reading` is the sentence at this
    place of the message, or the part of it that is kept."""
    earlier = item.readings[:position]
    between = list(earlier)
    while between and _is_remark(between[-1]):
        between.pop()
    last = between[-1] if between else None
    if turns(reading):
        return []
    if earlier and _is_named_judgement(earlier[-1]) and any(map(is_bare_state, reading.doc or ())):
        return [earlier[-1]]
    if last is None or last.doc is None:
        return []
    parts = [one.sentence for one in (last, last.part) if one is not None]
    own = [one.sentence for one in unit]
    if unit and (own[-1] == earlier[-1].sentence or any(part in own for part in parts)):
        run = unit
    elif last.reason in _TELLS_OCCASION and stands(last) and (last.reason is None or is_of_speaker(last)):
        run = [last]
    else:
        return []
    narrated = reading.narrates and _tells_past(run[-1])
    goes_on = reading.goes_on or narrated or (reading.explains and last is earlier[-1])
    if not (goes_on or _may_follow(run, item, position, reading)):
        return []
    most = MOST_WORDS if reading.lacks else MOST_WORDS_TOGETHER
    return run if fits_behind(run, reading) and _words([*run, reading]) <= most else []


def _may_follow(run: list[Reading], item: MessageReading, position: int, reading: Reading) -> bool:
    """Whether a sentence to an assistant that holds no name, figure or day is told with the one right before
    it, on its line. People among themselves go from one matter to the next. A figure or a day is compared by
    itself, and nothing is told behind it that does without."""
    last = run[-1].sentence
    return (
        item.turn.to_assistant
        and reading.unnamed
        and stands(reading)
        and run[-1].reason is None
        and last.start >= item.readings[position - 1].sentence.start
        and "\n" not in item.message.text[last.end : reading.sentence.start]
        and not any(map(_holds_figure_or_day, run))
    )


def _holds_figure_or_day(reading: Reading) -> bool:
    return bool(reading.timed) or any(token.pos_ in {"NUM", "SYM"} for token in reading.doc or ())


def _tells_past(reading: Reading) -> bool:
    root = root_of(reading.doc) if reading.doc is not None else None
    return bool(reading.timed) or (root is not None and tells_past(root))


def antecedents(unit: list[Reading], earlier: tuple[Reading, ...], reading: Reading) -> list[Reading]:
    """The run of sentences that closes all that `reading` leaves open; empty if none does."""
    if reading.unrelated or any(need.wants == "nothing" for need in reading.open):
        return []
    between = [r.reason for r in earlier]
    while between and between[-1] == screening.REACTION:
        between.pop()
    last = earlier[len(between) - 1] if between else None
    if last is None or not last.usable:
        return []  # what came in between may be what is meant
    if unit and unit[-1] is last:
        run = unit
    elif not (last.open or last.lacks or _is_impersonal(last)):
        run = [last]
    else:
        return []
    while run and not fits_behind(run, reading):
        run = run[1:]
    if not run or run[0].open or (run[0].leans and not run[0].answers):
        return []
    if _NAMING.search(reading.sentence.text) and not any(_INTRODUCES.search(r.sentence.text) for r in run):
        return []  # "Rex hates me. Her name is Luna": said of nobody that has a name
    offered = set().union(*(r.offered for r in run))
    return run if all(fits(need.wants, offered) for need in reading.open) else []


def takes_up(reading: Reading, unit: list[Reading]) -> bool:
    """ "The event …" after "… an event …": the same bare noun, now definite, as subject."""
    doc = reading.doc
    assert doc is not None
    named = _nouns(unit)
    return any(
        t.pos_ == "NOUN"
        and t.dep_ in NOMINAL_SUBJECTS
        and t.lemma_.lower() in named
        and any(c.lower_ == "the" for c in t.children)
        and not any(c.dep_ in {"compound", "prep", "relcl", "acl"} for c in t.children)
        for t in doc
    )


def measures(reading: Reading) -> bool:
    """ "It's every two weeks": it says how often, how long or how much of what was just spoken of."""
    return reading.doc is not None and bool(_MEASURE.match(reading.sentence.text))


def turns(reading: Reading) -> bool:
    """Whether a sentence leads to another matter, or adds one: "By the way, ...", "Also, ..."."""
    return reading.turns_away or bool(_TURNS.search(reading.sentence.opener))


def fits_behind(unit: list[Reading], reading: Reading) -> bool:
    """Whether a run is short enough to go on with one more sentence."""
    return len(unit) < MOST_SENTENCES and _words([*unit, reading]) <= MOST_WORDS


def _is_named_judgement(reading: Reading) -> bool:
    """ "Bach and Haydn are amazing", before "I'm totally hooked"."""
    named = reading.doc is not None and any(token.pos_ == "PROPN" for token in reading.doc)
    return named and reading.reason == screening.IDLE and stands(reading)


def _is_remark(reading: Reading) -> bool:
    """ "It was so amazing lying there": no other matter."""
    judged = re.match(r"(?:it|that|this)(?:'s| is| was)\b", reading.sentence.text, re.IGNORECASE)
    return reading.reason in _REMARKS or (reading.reason is None and bool(reading.open and judged))


def _belongs(reading: Reading, run: list[Reading]) -> bool:
    """Whether what a sentence speaks of as known may be a part of what the run tells: it is its subject
    ("a race ... The prize"), like it ("similar issues"), the same noun, or several ("both tools")."""
    if reading.doc is None:
        return False
    named = _nouns(run)
    occasion = bool(named & (_OCCASIONS | {"day"}))
    return all(
        (noun.dep_ in NOMINAL_SUBJECTS and (occasion or noun.lemma_.lower() not in _OCCASIONS))
        or (reading.explains and noun.lemma_.lower() in _SHOWS and not occasion and _saw(run))
        or noun.lemma_.lower() in named
        or any(child.lower_ in _OF_BEFORE for child in noun.lefts)
        for noun in taken_as_known(reading.doc, reading.timed)
    )


def _saw(run: list[Reading]) -> bool:
    """ "I saw Blur live", before "- I cried after the show"."""
    return any(token.lemma_ == "see" and token.tag_ != "NN" for token in run[-1].doc or ())


def names_known(run: list[Reading], reading: Reading) -> bool:
    """Whether a run holds the nouns of all that a sentence speaks of as known."""
    known = taken_as_known(reading.doc, reading.timed) if reading.doc is not None else []
    return {noun.lemma_.lower() for noun in known} <= _nouns(run)


def _nouns(run: list[Reading]) -> set[str]:
    """The nouns of a run, by their lemmas."""
    return {t.lemma_.lower() for r in run if r.doc is not None for t in r.doc if t.pos_ == "NOUN"}


def stands(reading: Reading) -> bool:
    """Whether nothing is missing of what a sentence says, so that another may be told with it."""
    return not (reading.open or reading.leans or reading.lacks or _is_impersonal(reading))


def _is_impersonal(reading: Reading) -> bool:
    """ "It is amazing how …": such a remark is not what a later "it" means."""
    return reading.reason is not None and reading.sentence.text[:2].lower() == "it"


def _words(run: list[Reading]) -> int:
    return sum(len(r.sentence.text.split()) for r in run)
