"""Sentences of a message to standalone statements.

A sentence whose references are closed stands alone, divided into its clauses. One that points back
("It is special to me") is kept together with the sentences before it that it points to, so that a
statement never contains a pronoun without its antecedent. An answer that is no sentence of its own
is quoted with its question. What cannot be made standalone is skipped, with the reason.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from memcore.domain.extraction import SkippedText
from memcore.nlp.language.isolated import Failed, isolated
from memcore.nlp.language.prose import screening
from memcore.nlp.language.statements.answers import answer, makes_known, with_question
from memcore.nlp.language.statements.before import (
    antecedents,
    fits_behind,
    measures,
    named_before,
    names_known,
    right_before,
    takes_up,
)
from memcore.nlp.language.statements.carried import asked_on, introduced, planned
from memcore.nlp.language.statements.companions import is_vague_event
from memcore.nlp.language.statements.compose import joined, single
from memcore.nlp.language.statements.context import figures, in_context
from memcore.nlp.language.statements.images import is_shown, with_images, with_shown
from memcore.nlp.language.statements.meant import is_done_by_somebody, tells_of_own
from memcore.nlp.language.statements.questions import told_in_question
from memcore.nlp.language.statements.reading import FRAGMENT, MessageReading, Reading
from memcore.nlp.language.statements.statement import Read, Statement
from memcore.nlp.language.syntax.clause_kind import is_evaluative
from memcore.nlp.language.syntax.clauses import whole_clause
from memcore.nlp.language.words import lexicon

NEEDS_CONTEXT = "needs context: it refers to something outside of the message"
NOT_NAMED = "it speaks of something as known that nothing in reach names"
NO_OCCASION = "it does not say of what, or on what occasion, and no words before it do"
VAGUE_EVENT = "it tells neither with whom nor on what occasion"
UNSAFE = "cannot be rewritten safely"


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
        if reading.reason == screening.OF_THE_WORLD and tells_of_own(item, position):
            reading = replace(reading, reason=None)
        first, fresh = fresh, fresh and _says_nothing(reading)
        if reading.reason is not None or reading.doc is None:
            unit = _screened_out(out, unit, item, position, reading, first)
        elif not reading.open:
            unit = _taken_up(out, unit, item, position, first)
        elif head := antecedents(unit, item.readings[:position], reading):
            if head[0] not in unit or len(head) < len(unit):
                _close(out, [r for r in unit if r not in head], item)
            unit = [*head, reading]
        else:
            unit = _salvaged(out, unit, item, position, first)
    _close(out, unit, item)
    return with_images(item, out)


def _screened_out(
    out: Read, unit: list[Reading], item: MessageReading, position: int, reading: Reading, first: bool
) -> list[Reading]:
    """What is kept all the same of a sentence that is not read: an answer, a part, a question that tells
    something."""
    if first and (answered := answer(item, reading)) is not None:
        out.statements.append(answered)
    elif reading.part is not None and reading.reason is not None:
        return _in_part(out, unit, item, position, reading.reason)
    elif (asked := told_in_question(item, position)) is not None:
        _close(out, unit, item)
        out.statements.append(asked)
        return []
    else:
        _pass(out, reading, reading.reason or FRAGMENT)
    return unit


def _taken_up(
    out: Read, unit: list[Reading], item: MessageReading, position: int, first: bool
) -> list[Reading]:
    """The run that a sentence begins, or goes on with where it speaks of something that was named before."""
    reading = item.readings[position]
    vague, fitting = is_vague_event(item, reading), bool(unit) and fits_behind(unit, reading)
    if vague and not fitting:
        _pass(out, reading, VAGUE_EVENT)
        return unit
    if fitting and ((vague and not reading.leans) or measures(reading) or takes_up(reading, unit)):
        return [*unit, reading]
    head: list[Reading] = []
    begins = not (unit or out.statements)
    if reading.leans:
        head = _that_makes_known(unit, item, position)
    elif reading.goes_on or reading.narrates or reading.unnamed or reading.explains:
        head = right_before(unit, item, position, reading)
        depends = reading.goes_on or reading.narrates
        asked = begins and depends and (reading.lacks or not item.turn.to_assistant)
        if asked and makes_known(item, (head or [reading])[0]):
            if head:
                head = [replace(head[0], answers=True), *head[1:]]
            else:
                reading = replace(reading, answers=True)
    if begins and not (head or reading.leans or reading.answers):
        head = _from_earlier(item, reading)
    if reading.leans and not head and not is_shown(item, reading):
        return _not_named(out, unit, item, position, first)
    _close(out, [one for one in unit if one not in head], item)
    if reading.lacks and not (head or reading.answers):
        _pass(out, reading, NO_OCCASION)
        return []
    return [*head, reading]


def _that_makes_known(unit: list[Reading], item: MessageReading, position: int) -> list[Reading]:
    """The sentences before one that say what it speaks of as known; where those right before it do not name
    it, an earlier message that brings it in stands in front of them."""
    reading = item.readings[position]
    near = named_before(unit, item.readings[:position], reading)
    if near and names_known(near, reading):
        return near
    told = introduced(item, reading)
    return [*told, *near] if fits_behind([*told, *near], reading) else told


def _from_earlier(item: MessageReading, reading: Reading) -> list[Reading]:
    """The sentence of an earlier message that one at the beginning of a message goes on with."""
    if reading.lacks or reading.goes_on or reading.narrates:
        return asked_on(item, reading)
    return planned(item, reading)


def _not_named(
    out: Read, unit: list[Reading], item: MessageReading, position: int, first: bool
) -> list[Reading]:
    """What can be kept of a sentence that speaks of something as known which the words before do not name."""
    reading = item.readings[position]
    if first and makes_known(item, reading):
        _close(out, unit, item)
        return [replace(reading, answers=True)]
    quote = in_context(item, position)
    if reading.part is not None and not _loses(reading, quote):
        return _in_part(out, unit, item, position, NOT_NAMED)
    _close(out, unit, item)
    if quote is None:
        _pass(out, reading, NOT_NAMED)
    else:
        _quote(out, quote)
    return []


def _in_part(
    out: Read, unit: list[Reading], item: MessageReading, position: int, reason: str
) -> list[Reading]:
    """What can be kept of a sentence, behind the run that it goes on with; the rest is passed over."""
    reading = item.readings[position]
    part = reading.part
    assert part is not None
    head = right_before(unit, item, position, part) if part.goes_on else []
    if not (head or unit or out.statements):
        if part.lacks and makes_known(item, part):
            part = replace(part, answers=True)
        else:
            head = _from_earlier(item, part)
    _close(out, [one for one in unit if one not in head], item)
    if part.lacks and part.narrates and not (head or part.answers):
        _pass(out, reading, NO_OCCASION)
        return []
    _pass_rest(out, reading, part, reason)
    return [*head, part]


def _beside(unit: list[Reading], reading: Reading) -> Reading:
    """A remark that alone would be skipped is kept behind what it goes on with."""
    general = reading.reason == screening.GENERAL and _continues(reading)
    idle = reading.reason == screening.IDLE and bool(reading.open)
    kept = general or idle or measures(reading)
    return replace(reading, reason=None) if unit and kept else reading


def _salvaged(
    out: Read, unit: list[Reading], item: MessageReading, position: int, first: bool
) -> list[Reading]:
    """What can be kept of a sentence that refers to nothing in its message, as the run that is open then."""
    reading = item.readings[position]
    if first and (answered := answer(item, reading)) is not None:
        out.statements.append(answered)
        return unit
    quote = in_context(item, position)
    if reading.part is not None and not _loses(reading, quote):
        return _in_part(out, unit, item, position, NEEDS_CONTEXT)
    if quote is None and item.turn.to_assistant and is_done_by_somebody(reading):
        _close(out, unit, item)
        return [replace(reading, open=())]
    if quote is None:
        _pass(out, reading, NEEDS_CONTEXT)
        return unit
    _close(out, unit, item)
    _quote(out, quote)
    return []


def _quote(out: Read, quote: Statement) -> None:
    """Add a quotation, in place of one that it holds."""
    said = set(quote.sources)
    out.statements = [
        one for one in out.statements if not (one.text.endswith('"') and set(one.sources) < said)
    ]
    out.statements.append(quote)


def _loses(reading: Reading, quote: Statement | None) -> bool:
    """Whether the part of a sentence that is kept would lose the day or the figure that a quotation keeps."""
    if reading.part is None or quote is None:
        return False
    lost = {token.text for token in reading.doc or () if token.pos_ == "NUM"}
    lost -= {token.text for token in reading.part.doc or ()}
    return bool(lost) or (bool(reading.timed) and not reading.part.timed)


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


def _close(out: Read, unit: list[Reading], item: MessageReading) -> None:
    """Turn a finished run of sentences into statements."""
    if not unit:
        return
    made = single(unit[0], item) if len(unit) == 1 else joined(unit, item)
    if not made and len(unit) == 1 and (part := unit[0].part) is not None:
        made = single(part, item)
        if made:
            _pass_rest(out, unit[0], part, UNSAFE)
    if made and unit[0].answers:
        made[0] = with_question(item, made[0])
    elif made and unit[0].doc is not None and not item.images:
        made[0] = with_shown(item, unit[0].doc, made[0])
    out.statements += made
    own = item.message.id
    cited = [one for statement in made for one in statement.sources if one.message_id == own]
    for sentence in (reading.sentence for reading in unit if reading.sentence.message_id == own):
        if not any(one.start < sentence.end and sentence.start < one.end for one in cited):
            out.passed.append(SkippedText(own, sentence.start, sentence.end, UNSAFE))
