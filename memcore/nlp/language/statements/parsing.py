"""The sentences of messages parsed and assessed, in one batch: what each says when, and what it leaves open.

Sentences without a subject that only the speaker can fill ("Went hiking", "Been painting") are
completed and parsed again. It decides nothing about neighbours; `discourse` does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from memcore.nlp.language.isolated import Failed, isolated
from memcore.nlp.language.people import Turn
from memcore.nlp.language.prose import screening
from memcore.nlp.language.prose.borrowed import borrowed, pasted
from memcore.nlp.language.prose.sentences import Sentence
from memcore.nlp.language.statements.companions import companions_before
from memcore.nlp.language.statements.completing import completed, filled
from memcore.nlp.language.statements.naming import Told, names
from memcore.nlp.language.statements.parts import parts_of, stands_alone
from memcore.nlp.language.statements.reading import ECHOES, FRAGMENT, MessageReading, Reading
from memcore.nlp.language.syntax.continuing import (
    goes_on,
    lacks,
    names_nothing,
    narrates,
    plans,
    stands_by_name,
    wishes,
)
from memcore.nlp.language.syntax.coreference import needs, offers
from memcore.nlp.language.syntax.declarative import is_declarative
from memcore.nlp.language.syntax.definites import leans
from memcore.nlp.language.syntax.tense import times_of

if TYPE_CHECKING:
    from spacy.tokens import Doc

MESSAGES_BEFORE = 4
"""How far back a thing may have been named."""
_KNOWN = re.compile(r"\b(?:the|my)\b", re.IGNORECASE)
_T = TypeVar("_T")
_HABIT = re.compile(
    r"\b(?:usually|always|often|typically|normally|generally|sometimes|every|each year)\b", re.I
)
_CUT_OFF = re.compile(r"(?<!\d)(?<!\d )[$€£]\s*[.…]*\Z")
"""It ends before its sum: "it cost me $..."."""
_BEHIND_DASH = re.compile(r"\w[!.,?'\")]*[^\S\n]*[-\u2013\u2014]{1,2}[^\S\n]*\Z")
"""What follows explains: "I moved my desk - I can see the sea now"."""
_NEAR_DASH = 16
"""Characters before a sentence in which a dash and what it follows stand."""
_PINNED = re.compile(r"\d|\b(?:last|next|this|yesterday|today|tomorrow|tonight|ago)\b", re.IGNORECASE)


def parse_all(
    opened: Sequence[MessageReading],
    buffer_of: Sequence[int],
    parse: Callable[[Sequence[str]], Sequence[Doc]],
) -> list[MessageReading]:
    """Every sentence that passes the first screen, parsed in one batch; a small second batch
    parses those that were completed. `buffer_of`: which buffer each message stands in; what stands in another
    does not change how it is read."""
    jobs, results = _sifted(opened)
    docs = _each_parsed([sentence.text for _, _, sentence in jobs], parse)
    again: list[tuple[int, Sentence]] = []
    for number, ((place, _, sentence), doc) in enumerate(zip(jobs, docs, strict=True)):
        done = doc if isinstance(doc, Failed) else _in_peace(filled, sentence, doc, opened[place])
        if isinstance(done, Failed):
            docs[number] = done
        elif done is not None:
            again.append((number, done))
    docs_again = _each_parsed([sentence.text for _, sentence in again], parse)
    for (number, done), doc in zip(again, docs_again, strict=True):
        place, index, _ = jobs[number]
        jobs[number], docs[number] = (place, index, done), doc
    for (place, index, sentence), doc in zip(jobs, docs, strict=True):
        read = doc if isinstance(doc, Failed) else _in_peace(_assess, sentence, doc, opened[place])
        results[place][index] = Reading(sentence, read.reason) if isinstance(read, Failed) else read
    _add_parts(opened, results, parse)
    _add_names(opened, buffer_of, results, parse)
    known = companions_before(opened, buffer_of, results)
    return [
        replace(
            item,
            readings=tuple(result),
            companions=companions,
            earlier=_earlier(place, opened, buffer_of, results),
        )
        for place, (item, result, companions) in enumerate(zip(opened, results, known, strict=True))
    ]


def _earlier(
    place: int,
    opened: Sequence[MessageReading],
    buffer_of: Sequence[int],
    results: Sequence[list[Reading]],
) -> tuple[tuple[Reading, ...], ...]:
    """The sentences of the messages that the speaker wrote in that session before, on the same day."""
    own = opened[place].message
    found: list[tuple[Reading, ...]] = []
    for near in range(place - 1, max(place - 1 - MESSAGES_BEFORE, -1), -1):
        other = opened[near].message
        if buffer_of[near] != buffer_of[place] or other.session_id != own.session_id:
            break
        days = [at.date() for at in (other.said_at, own.said_at) if at is not None]
        if other.speaker == own.speaker and len(set(days)) <= 1 and len(days) != 1:
            found.append(tuple(results[near]))
    return tuple(found)


def parsed_first(opened: Sequence[MessageReading]) -> list[str]:
    """The sentences of these messages that `parse_all` would parse in its first batch."""
    return [sentence.text for _, _, sentence in _sifted(opened)[0]]


def _sifted(
    opened: Sequence[MessageReading],
) -> tuple[list[tuple[int, int, Sentence]], list[list[Reading]]]:
    """The sentences that pass the first screen, completed, each with its message's and its own place; and of
    all sentences by message, why those that do not are skipped."""
    jobs: list[tuple[int, int, Sentence]] = []
    results: list[list[Reading]] = [[] for _ in opened]
    for place, item in enumerate(opened):
        pasted = _pasted(item)
        for sentence in item.sentences:
            reason = pasted.get(sentence.start) or sentence.problem or _screened(sentence, item.turn)
            results[place].append(Reading(sentence, reason))
            if reason is None:
                jobs.append((place, len(results[place]) - 1, completed(sentence)))
    return jobs, results


def _add_names(
    opened: Sequence[MessageReading],
    buffer_of: Sequence[int],
    results: Sequence[list[Reading]],
    parse: Callable[[Sequence[str]], Sequence[Doc]],
) -> None:
    """The full names of what sentences speak of as known, from the messages before and the question."""
    wanting = [place for place, readings in enumerate(results) if any(map(_may_be_named, readings))]
    asked = [p for p in wanting if opened[p].asked.text and any(r.leans for r in results[p])]
    told = [_told(item, readings) for item, readings in zip(opened, results, strict=True)]
    questions = dict(zip(asked, _each_parsed([opened[p].asked.text for p in asked], parse), strict=True))
    for place in wanting:
        item, readings = opened[place], results[place]
        before: list[list[Told]] = []
        if (question := questions.get(place)) is not None and not isinstance(question, Failed):
            asker = Turn(item.asked.asker, item.turn.speaker, item.turn.participants)
            before.append([Told(question, asker, asked=item.turn.to_assistant)])
        for near in range(place - 1, max(place - 1 - MESSAGES_BEFORE, -1), -1):
            same_session = opened[near].message.session_id == item.message.session_id
            if same_session and buffer_of[near] == buffer_of[place]:
                before.append([one for one in told[near] if one is not None])
        for index, reading in enumerate(readings):
            if reading.doc is None or not _may_be_named(reading):
                continue
            own = [one for one in told[place][:index] if one is not None]
            found = isolated(partial(names, reading.doc, reading.timed, item.turn, [own, *before]))
            if isinstance(found, Failed):
                continue
            edits, left = found
            aside = reading.leans and not (edits or left)
            readings[index] = replace(reading, names=edits, leans=left, goes_on=reading.goes_on or aside)


def _may_be_named(reading: Reading) -> bool:
    """Whether a sentence that may be kept speaks of something as known, or as the speaker's own."""
    said = reading.doc is not None and reading.reason is None
    return said and (reading.leans or bool(_KNOWN.search(reading.sentence.text)))


def _told(item: MessageReading, readings: Sequence[Reading]) -> list[Told | None]:
    return [Told(r.doc, item.turn, r.timed) if r.doc is not None else None for r in readings]


def _add_parts(
    opened: Sequence[MessageReading],
    results: Sequence[list[Reading]],
    parse: Callable[[Sequence[str]], Sequence[Doc]],
) -> None:
    """What can be kept of sentences that refer to something else or run on, parsed in one batch."""
    jobs: list[tuple[int, int, Sentence]] = []
    for place, readings in enumerate(results):
        for index, reading in enumerate(readings):
            if reading.doc is not None:
                parts = isolated(partial(parts_of, reading, opened[place].turn))
                jobs += [(place, index, part) for part in parts] if not isinstance(parts, Failed) else []
    docs = _each_parsed([sentence.text for _, _, sentence in jobs], parse)
    for (place, index, sentence), doc in zip(jobs, docs, strict=True):
        whole = results[place][index]
        if whole.part is not None:
            continue
        read = doc if isinstance(doc, Failed) else _in_peace(_assess, sentence, doc, opened[place])
        if isinstance(read, Reading) and stands_alone(read, opened[place].turn):
            results[place][index] = replace(whole, part=replace(read, leans=False))


def _in_peace(
    rule: Callable[[Sentence, Doc, MessageReading], _T], sentence: Sentence, doc: Doc, item: MessageReading
) -> _T | Failed:
    return isolated(lambda: rule(sentence, doc, item))


def _pasted(item: MessageReading) -> dict[int, str]:
    """By where a sentence begins, why it is not the speaker's own; all sentences, where that fails."""
    text = item.prose.text
    found = isolated(
        lambda: {
            **pasted(item.sentences, text),
            **(borrowed(item.sentences, text, in_game=item.in_game) if item.turn.to_assistant else {}),
        }
    )
    if isinstance(found, Failed):
        return dict.fromkeys((sentence.start for sentence in item.sentences), found.reason)
    return found


def _screened(sentence: Sentence, turn: Turn) -> str | None:
    reason = isolated(lambda: screening.before_parsing(sentence, turn))
    return reason.reason if isinstance(reason, Failed) else reason


def _each_parsed(texts: Sequence[str], parse: Callable[[Sequence[str]], Sequence[Doc]]) -> list[Doc | Failed]:
    """All in one batch; where that fails, one by one, so that only the unreadable ones are lost."""
    together = isolated(lambda: parse(texts))
    if not isinstance(together, Failed):
        return list(together)
    return [isolated(partial(_parsed, text, parse)) for text in texts]


def _parsed(text: str, parse: Callable[[Sequence[str]], Sequence[Doc]]) -> Doc:
    return parse([text])[0]


def _is_behind_dash(text: str, start: int) -> bool:
    return _BEHIND_DASH.search(text, max(0, start - _NEAR_DASH), start) is not None


def _assess(sentence: Sentence, doc: Doc, item: MessageReading) -> Reading:
    text, times = doc.text, times_of(doc, item.message.said_at)
    if _HABIT.search(text):
        times = tuple(time for time in times if time.recurring or _PINNED.search(time.text))
    timed = frozenset(
        token.i
        for token in doc
        for time in times
        if not time.recurring and time.start <= token.idx < time.end
    )
    whole = is_declarative(doc) and not (ECHOES.match(text) or _CUT_OFF.search(text))
    reason = None if whole else FRAGMENT
    if reason is None:
        reason = screening.after_parsing(doc, item.turn, dated=bool(timed))
    open_needs, offered = tuple(needs(doc, timed)), frozenset(offers(doc))
    words = list(doc)
    return Reading(
        sentence,
        reason,
        doc,
        times,
        timed,
        open_needs,
        offered,
        leans=leans(doc, timed),
        goes_on=goes_on(words, timed),
        narrates=narrates(words, timed),
        plans=plans(words),
        wishes=wishes(words, timed),
        explains=_is_behind_dash(item.message.text, sentence.start) and not stands_by_name(words, timed),
        lacks=lacks(words, timed),
        unnamed=names_nothing(words, timed),
    )
