"""Sentences of a message to standalone statements.

A sentence whose references are closed stands alone, divided into its clauses. One that points back
("It is special to me") is kept together with the sentences before it that it points to, so that a
statement never contains a pronoun without its antecedent. An answer that is no sentence of its own
is quoted with its question. What cannot be made standalone is skipped, with the reason.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from memcore.domain.extraction import SkippedText
from memcore.nlp.language.isolated import Failed, isolated
from memcore.nlp.language.prose import screening
from memcore.nlp.language.statements.answers import answer, makes_known, with_question
from memcore.nlp.language.statements.companions import is_vague_event
from memcore.nlp.language.statements.compose import joined, single
from memcore.nlp.language.statements.context import figures, in_context
from memcore.nlp.language.statements.images import is_shown, with_images, with_shown
from memcore.nlp.language.statements.reading import FRAGMENT, MessageReading, Reading
from memcore.nlp.language.statements.statement import Read
from memcore.nlp.language.syntax.clauses import is_evaluative, whole_clause
from memcore.nlp.language.syntax.coreference import fits
from memcore.nlp.language.syntax.definites import taken_as_known
from memcore.nlp.language.syntax.grammar import NOMINAL_SUBJECTS
from memcore.nlp.language.words import lexicon
from memcore.nlp.language.words.inflection import FIGURES

NEEDS_CONTEXT = "needs context: it refers to something outside of the message"
NOT_NAMED = "it speaks of something as known that nothing in reach names"
VAGUE_EVENT = "it tells neither with whom nor on what occasion"
UNSAFE = "cannot be rewritten safely"
MOST_SENTENCES = 3
MOST_WORDS = 70
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
_TURNS = re.compile(r"\b(?:by the way|btw|also|plus|anyway|oh|speaking of|actually)\b", re.IGNORECASE)
"""It leads to another matter."""
_INTRODUCES = re.compile(
    rf"\b(?:a|an|another)\s(?:[\w-]+\s){{0,3}}?(?:{'|'.join(sorted(lexicon.PERSON | lexicon.ANIMAL))})\b",
    re.IGNORECASE,
)
"""It brings in a person or animal without a name: "I met a woman"."""


def statements(item: MessageReading) -> Read:
    """All standalone statements of a message, in order, and what was skipped. A sentence on which a rule
    fails is skipped with that rule, and the others are read without it."""
    while not item.problem:
        made = isolated(partial(_statements, item))
        if not isinstance(made, Failed):
            return made
        item = _without_failing(item, made)
    return Read(passed=[SkippedText(item.message.id, 0, len(item.message.text), item.problem)])


def _without_failing(item: MessageReading, failed: Failed) -> MessageReading:
    """The message with the first sentence on which a rule fails marked as skipped."""
    for place, reading in enumerate(item.readings):
        begun = replace(item, readings=item.readings[: place + 1], images=())
        if isinstance(why := isolated(partial(_statements, begun)), Failed) and reading.doc is not None:
            skipped = replace(reading, doc=None, reason=why.reason)
            return replace(item, readings=(*item.readings[:place], skipped, *item.readings[place + 1 :]))
    return replace(item, readings=(), images=(), problem=failed.reason)


def _statements(item: MessageReading) -> Read:
    out = Read()
    unit: list[Reading] = []
    fresh = True
    listed = figures(item)
    for position, reading in enumerate(item.readings):
        if position in listed:
            fresh = False
            out.statements += listed[position]
            continue
        reading = _beside(unit, reading)
        first, fresh = fresh, fresh and _says_nothing(reading)
        if reading.reason is not None or reading.doc is None:
            if first and (answered := answer(item, reading)) is not None:
                out.statements.append(answered)
            elif reading.part is not None and reading.reason is not None:
                _close(out, unit, item)
                _pass_rest(out, reading, reading.part, reading.reason)
                unit = [reading.part]
            else:
                _pass(out, reading, reading.reason or FRAGMENT)
        elif not reading.open:
            unit = _taken_up(out, unit, item, position, first)
        elif head := _antecedents(unit, item.readings[:position], reading):
            if head[0] not in unit or len(head) < len(unit):
                _close(out, [r for r in unit if r not in head], item)
            unit = [*head, reading]
        else:
            unit = _salvaged(out, unit, item, position, first)
    _close(out, unit, item)
    return with_images(item, out)


def _taken_up(
    out: Read, unit: list[Reading], item: MessageReading, position: int, first: bool
) -> list[Reading]:
    """The run that a sentence begins, or goes on with where it speaks of something that was named before."""
    reading = item.readings[position]
    vague, fitting = is_vague_event(item, reading), bool(unit) and _fits(unit, reading)
    if vague and not fitting:
        _pass(out, reading, VAGUE_EVENT)
        return unit
    if fitting and (vague or _measures(reading) or _takes_up(reading, unit)):
        return [*unit, reading]
    head = _named_before(unit, item.readings[:position], reading) if reading.leans else []
    _close(out, [one for one in unit if one not in head], item)
    if reading.leans and not head and not is_shown(item, reading):
        if first and makes_known(item, reading):
            return [replace(reading, answers=True)]
        if reading.part is not None:
            _pass_rest(out, reading, reading.part, NOT_NAMED)
            return [reading.part]
        _pass(out, reading, NOT_NAMED)
        return []
    return [*head, reading]


def _named_before(unit: list[Reading], earlier: tuple[Reading, ...], reading: Reading) -> list[Reading]:
    """The sentence right before one that speaks of something as known; none where another matter begins."""
    last = earlier[-1] if earlier else None
    if last is None or not last.usable or _TURNS.search(reading.sentence.opener):
        return []
    if not _belongs(reading, unit if unit and unit[-1] is last else [last]):
        return []
    if unit and unit[-1] is last:
        return unit if _fits(unit, reading) else []
    alone = not (last.open or last.leans or _is_impersonal(last))
    return [last] if alone and _fits([last], reading) else []


def _belongs(reading: Reading, run: list[Reading]) -> bool:
    """Whether what a sentence speaks of as known may be a part of what the run tells: it is its subject
    ("a race ... The prize"), like it ("similar issues"), or the same noun."""
    if reading.doc is None:
        return False
    named = {t.lemma_.lower() for r in run if r.doc is not None for t in r.doc if t.pos_ == "NOUN"}
    return all(
        noun.dep_ in NOMINAL_SUBJECTS
        or noun.lemma_.lower() in named
        or any(child.lower_ == "similar" for child in noun.lefts)
        for noun in taken_as_known(reading.doc, reading.timed)
    )


def _beside(unit: list[Reading], reading: Reading) -> Reading:
    """A remark that alone would be skipped is kept behind what it goes on with."""
    general = reading.reason == screening.GENERAL and _continues(reading)
    idle = reading.reason == screening.IDLE and bool(reading.open)
    kept = general or idle or _measures(reading)
    return replace(reading, reason=None) if unit and kept else reading


def _measures(reading: Reading) -> bool:
    """ "It's every two weeks": it says how often, how long or how much of what was just spoken of."""
    return reading.doc is not None and bool(_MEASURE.match(reading.sentence.text))


def _salvaged(
    out: Read, unit: list[Reading], item: MessageReading, position: int, first: bool
) -> list[Reading]:
    """What can be kept of a sentence that refers to nothing in its message, as the run that is open then."""
    reading = item.readings[position]
    if first and (answered := answer(item, reading)) is not None:
        out.statements.append(answered)
        return unit
    quote = in_context(item, position)
    undated = quote is not None and reading.part is not None and reading.timed and not reading.part.timed
    if reading.part is not None and not reading.part.leans and not undated:
        _close(out, unit, item)
        _pass_rest(out, reading, reading.part, NEEDS_CONTEXT)
        return [reading.part]
    if quote is None:
        _pass(out, reading, NEEDS_CONTEXT)
        return unit
    _close(out, unit, item)
    out.statements.append(quote)
    return []


def _continues(reading: Reading) -> bool:
    """Tells more about what was just said ("She works as a nurse there"), rather than judging it."""
    doc = reading.doc
    if doc is None or not reading.open or doc[0].lower_ in {"this", "that"}:
        return False
    return not is_evaluative(doc, whole_clause(doc)) and not any(t.lower_ in lexicon.EVALUATIVE for t in doc)


def _says_nothing(reading: Reading) -> bool:
    """A greeting or exclamation, after which an answer may still begin."""
    return reading.reason == screening.REACTION or (
        reading.reason == screening.SMALL_TALK and len(reading.sentence.text.split()) <= 3
    )


def _pass(out: Read, reading: Reading, reason: str) -> None:
    sentence = reading.sentence
    out.passed.append(SkippedText(sentence.message_id, sentence.start, sentence.end, reason))


def _pass_rest(out: Read, whole: Reading, part: Reading, reason: str) -> None:
    """The words of a sentence around the part of it that is kept."""
    sentence, kept = whole.sentence, part.sentence
    for start, end in ((sentence.start, kept.start), (kept.end, sentence.end)):
        if end - start > 1:
            out.passed.append(SkippedText(sentence.message_id, start, end, reason))


def _antecedents(unit: list[Reading], earlier: tuple[Reading, ...], reading: Reading) -> list[Reading]:
    """The run of sentences that closes all that `reading` leaves open; empty if none does."""
    if any(need.wants == "nothing" for need in reading.open):
        return []
    between = [r.reason for r in earlier]
    while between and between[-1] == screening.REACTION:
        between.pop()
    last = earlier[len(between) - 1] if between else None
    if last is None or not last.usable:
        return []  # what came in between may be what is meant
    if unit and unit[-1] is last:
        run = unit
    elif not last.open and not _is_impersonal(last):
        run = [last]
    else:
        return []
    while run and not _fits(run, reading):
        run = run[1:]
    if not run or run[0].open or (run[0].leans and not run[0].answers):
        return []
    if _NAMING.search(reading.sentence.text) and not any(_INTRODUCES.search(r.sentence.text) for r in run):
        return []  # "Rex hates me. Her name is Luna": said of nobody that has a name
    offered = set().union(*(r.offered for r in run))
    return run if all(fits(need.wants, offered) for need in reading.open) else []


def _is_impersonal(reading: Reading) -> bool:
    """ "It is amazing how …": such a remark is not what a later "it" means."""
    return reading.reason is not None and reading.sentence.text[:2].lower() == "it"


def _takes_up(reading: Reading, unit: list[Reading]) -> bool:
    """ "The event …" after "… an event …": the same bare noun, now definite, as subject."""
    doc = reading.doc
    assert doc is not None
    named = {t.lemma_.lower() for r in unit if r.doc is not None for t in r.doc if t.pos_ == "NOUN"}
    return any(
        t.pos_ == "NOUN"
        and t.dep_ in NOMINAL_SUBJECTS
        and t.lemma_.lower() in named
        and any(c.lower_ == "the" for c in t.children)
        and not any(c.dep_ in {"compound", "prep", "relcl", "acl"} for c in t.children)
        for t in doc
    )


def _fits(unit: list[Reading], reading: Reading) -> bool:
    return len(unit) < MOST_SENTENCES and _words([*unit, reading]) <= MOST_WORDS


def _words(run: list[Reading]) -> int:
    return sum(len(r.sentence.text.split()) for r in run)


def _close(out: Read, unit: list[Reading], item: MessageReading) -> None:
    """Turn a finished run of sentences into statements."""
    if not unit:
        return
    made = single(unit[0], item) if len(unit) == 1 else joined(unit, item)
    if made and unit[0].answers:
        made[0] = with_question(item, made[0])
    elif made and unit[0].doc is not None and not item.images:
        made[0] = with_shown(item, unit[0].doc, made[0])
    if made:
        out.statements += made
    else:
        for reading in unit:
            _pass(out, reading, UNSAFE)
