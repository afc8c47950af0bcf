"""Extraction with no language model: the embedded English pipeline behind the `Extractor` seam.

What SimpleMem asks of an LLM (standalone restatements, no pronouns, absolute times), done by
grammar: see `memcore.nlp.language`. Facts are those sentences that can be made standalone safely;
everything else is skipped with a reason. It sees one buffer at a time and knows nothing of
what is already remembered.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from memcore.domain.extraction import (
    Buffer,
    Extraction,
    ExtractionTrace,
    Fact,
    Kept,
    SkippedText,
    TripleDraft,
)
from memcore.domain.models import Message
from memcore.nlp.language import assistant, foreign, pipeline
from memcore.nlp.language.ahead import ParsedAhead
from memcore.nlp.language.isolated import Failed, isolated
from memcore.nlp.language.people import ASSISTANT_ROLES, Turn, turn
from memcore.nlp.language.prose.text import Aligned
from memcore.nlp.language.statements import discourse
from memcore.nlp.language.statements.asked_about import (
    asked_in,
    asked_lately,
    opening_of,
    with_what_was_asked,
)
from memcore.nlp.language.statements.form import in_form
from memcore.nlp.language.statements.parsing import parse_all, parsed_first
from memcore.nlp.language.statements.reading import MessageReading, open_message
from memcore.nlp.language.statements.short_messages import with_short_messages
from memcore.nlp.language.statements.statement import Read, Statement
from memcore.nlp.language.summary import summaries
from memcore.nlp.language.syntax.individuals import spoken_of
from memcore.nlp.language.syntax.relations import Setting, triples
from memcore.nlp.language.words import keywords

if TYPE_CHECKING:
    from spacy.tokens import Doc

INSTRUCTIONS = "instructions to the assistant, not conversation"
DUPLICATE = "said already in this buffer, in the same session"


@dataclass(slots=True)
class _Work:
    """One buffer on its way: opened messages by position, and where their readings will be."""

    buffer: Buffer
    opened: list[MessageReading]


@dataclass(slots=True)
class _Told:
    """What a buffer yields, and what was passed over."""

    facts: list[Fact] = field(default_factory=list)
    passed: list[SkippedText] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class LanguageExtractor:
    """The `Extractor` that needs no server. Loads spaCy's model at first use."""

    name = f"language pipeline ({pipeline.MODEL_NAME})"

    def __init__(self, assistant_words: Kept = "all") -> None:
        self.assistant_words = assistant_words
        self._ahead = ParsedAhead()

    def begin(self, buffers: Sequence[Buffer]) -> None:
        """See `memcore.domain.extraction.ReadsAhead`."""
        self._ahead.begin(partial(_parsed_first, buffers))

    def extract(self, buffers: Sequence[Buffer]) -> list[tuple[Extraction, ExtractionTrace]]:
        """One result and trace per buffer, in order. All sentences of all buffers are parsed in
        one batch. What a rule fails on is skipped, alone, and the trace names the rule. Raises BackendError
        when the language model is not installed."""
        began = time.perf_counter()
        work = [isolated(partial(_opened, buffer)) for buffer in buffers]
        _parsed([one for one in work if isinstance(one, _Work)], self._ahead.parser())
        shared = (time.perf_counter() - began) * 1000 / max(1, len(buffers))
        results = []
        for buffer, one in zip(buffers, work, strict=True):
            started = time.perf_counter()
            made = one if isinstance(one, Failed) else isolated(partial(_read, one, self.assistant_words))
            spent = shared + (time.perf_counter() - started) * 1000
            if isinstance(made, Failed):  # no sentence's fault; its messages stay to be tried again
                error = f"The language pipeline failed on this buffer: {made.rule}: {made.error}"
                trace = ExtractionTrace(buffer.session_id, self.name, error=error, milliseconds=spent)
                results.append((Extraction(buffer.session_id, ()), trace))
                continue
            extraction, told = made
            trace = ExtractionTrace(
                buffer.session_id, self.name, tuple(told.passed), "", spent, tuple(told.notes)
            )
            results.append((extraction, trace))
        return results


def _parsed_first(buffers: Sequence[Buffer]) -> list[str]:
    """The sentences that extracting from buffers begins with."""
    work = [isolated(partial(_opened, buffer)) for buffer in buffers]
    return [
        sentence
        for one in work
        if isinstance(one, _Work)
        for sentence in parsed_first([item for item in one.opened if item.parsed])
    ]


def _parsed(work: Sequence[_Work], parse: Callable[[Sequence[str]], Sequence[Doc]]) -> None:
    """Parse all sentences of the given buffers in one batch."""
    flat = [(item, number) for number, one in enumerate(work) for item in one.opened if item.parsed]
    read = iter(parse_all([item for item, _ in flat], [number for _, number in flat], parse))
    for one in work:
        one.opened = [next(read) if item.parsed else item for item in one.opened]


def _opened(buffer: Buffer) -> _Work:
    people = buffer.people or tuple(dict.fromkeys(m.speaker for m in (*buffer.before, *buffer.messages)))
    assistants = {m.speaker for m in (*buffer.before, *buffer.messages) if m.role in ASSISTANT_ROLES}
    assistants |= {name for name in people if name.lower() in ASSISTANT_ROLES}
    read: list[MessageReading] = []
    began = {}
    if (first := buffer.opening) is not None:
        began[first.session_id] = _open(first, (), people, assistants)
    for message in (*buffer.before, *buffer.messages):
        history = [item for item in read if item.message.session_id == message.session_id]
        item = _open(message, history, people, assistants)
        if message.position == 0:
            began.setdefault(message.session_id, item)
        opening = opening_of(item, began.get(message.session_id))
        read.append(replace(item, opening=opening, lately=asked_lately(item, history)))
    return _Work(buffer, read[len(buffer.before) :])


def _open(
    message: Message, history: Sequence[MessageReading], people: Sequence[str], assistants: set[str]
) -> MessageReading:
    """The message cleaned and divided; one that cannot be is empty, and says why."""
    speaking = Turn(message.speaker, None, tuple(dict.fromkeys((*people, message.speaker))))

    def opened() -> MessageReading:
        known = turn(message, [item.message for item in history], people, assistants)
        item = open_message(message, known, history)
        return replace(item, asking=asked_in(item)) if known.to_assistant else item

    made = isolated(opened)
    if isinstance(made, Failed):
        return MessageReading(message, speaking, Aligned.of(""), (), problem=made.reason)
    return made


def _read(work: _Work, kept: Kept) -> tuple[Extraction, _Told]:
    told = _Told()
    phrases: dict[str, list[str]] = {}
    seen: set[tuple[str, str]] = set()
    spoken = spoken_of(work.buffer.messages)
    read: list[tuple[MessageReading, Read]] = []
    for item in work.opened:
        message = item.message
        result = isolated(partial(_statements, item, kept))
        if isinstance(result, Failed):
            result = Read(passed=[SkippedText(message.id, 0, len(message.text), result.reason)])
        phrases[message.id] = _phrases(item, told.notes)
        read.append((item, result))
    together = isolated(partial(with_short_messages, read))
    if isinstance(together, Failed):
        told.notes.append(f"No statements of short messages: {together.reason}")
    else:
        read = together
    formed = isolated(partial(in_form, read))
    if isinstance(formed, Failed):
        told.notes.append(f"No check of the statements' form: {formed.reason}")
    else:
        read = formed
    asked = isolated(partial(with_what_was_asked, read))
    if isinstance(asked, Failed):
        told.notes.append(f"No statement is told with what was asked: {asked.reason}")
    else:
        read = asked
    for item, result in read:
        message = item.message
        for statement in result.statements:
            if (message.session_id, statement.text) in seen:
                result.skip(statement, DUPLICATE)
                continue
            fact = isolated(partial(_fact, statement, item.turn, spoken))
            if isinstance(fact, Failed):
                result.skip(statement, fact.reason)
                continue
            seen.add((message.session_id, statement.text))
            told.facts.append(fact)
        told.passed += result.passed
    topics = {
        segment.id: keywords.topic_label([p for mid in segment.message_ids for p in phrases.get(mid, [])])
        for segment in work.buffer.segments
    }
    found = summaries(work.buffer, told.facts, phrases)
    return Extraction(work.buffer.session_id, tuple(told.facts), topics, found), told


def _statements(item: MessageReading, kept: Kept) -> Read:
    message = item.message
    if item.problem:
        return discourse.statements(item)
    if message.role in {"system", "tool"}:
        return Read(passed=[SkippedText(message.id, 0, len(message.text), INSTRUCTIONS)])
    if not item.english:
        images = discourse.statements(replace(item, readings=()))
        read = foreign.statements(message, item.prose, item.turn)
        return Read(read.statements + images.statements, read.passed)
    if message.role in ASSISTANT_ROLES:
        return assistant.statements(message, item.prose, item.turn, item.request, kept)
    return discourse.statements(item)


def _phrases(item: MessageReading, notes: list[str]) -> list[str]:
    found: list[str] = []
    for reading in item.readings:
        if reading.doc is not None:
            phrases = isolated(partial(keywords.key_phrases, reading.doc, item.turn))
            if isinstance(phrases, Failed):
                notes.append(f"No key phrases of a sentence of {item.message.id}: {phrases.reason}")
            else:
                found += phrases
    return found


def _fact(statement: Statement, turn: Turn, spoken: Collection[str]) -> Fact:
    docs = [part.doc for part in statement.parts]
    category, subcategory = keywords.category(docs, statement.kind)
    found: list[TripleDraft] = []
    phrases: list[str] = []
    verbs: list[str] = []
    persons = [name for name in turn.participants if name in statement.text]
    entities: list[str] = []
    location = ""
    for part in statement.parts:
        found += triples(part.doc, part.low, part.high, Setting(turn, part.timed, spoken))
        phrases += keywords.key_phrases(part.doc, turn)
        verbs += keywords.verbs_of(part.doc)
        for ent in part.doc.ents:
            if ent.label_ == "PERSON" and not turn.called(ent.text) and ent.text[0].isupper():
                persons.append(ent.text)
            if keywords.ENTITY_TYPES.get(ent.label_) not in {
                None,
                "DATE",
                "AMOUNT",
                "PERSON",
            } and not turn.called(ent.text):
                entities.append(ent.text)
            if (
                not location
                and ent.label_ in {"GPE", "LOC", "FAC"}
                and ent.root.dep_ == "pobj"
                and ent.root.head.lower_ in {"in", "at", "to", "from", "near", "around"}
            ):
                location = ent.text
    begin, end = _bounds(statement)
    return Fact(
        text=statement.text,
        kind=statement.kind,
        sources=statement.sources,
        told_in=statement.told_in,
        speaker=turn.speaker,
        category=category,
        subcategory=subcategory,
        event_at=begin,
        event_end=end,
        keywords=tuple(dict.fromkeys([*phrases, *verbs]))[:10],
        persons=tuple(dict.fromkeys(persons)),
        entities=tuple(dict.fromkeys([*entities, *phrases]))[:12],
        location=location,
        triples=tuple(dict.fromkeys(found)),
    )


def _bounds(statement: Statement) -> tuple[datetime | None, datetime | None]:
    time = statement.time
    if time is None:
        return None, None
    return time.begin, (None if time.relation == "from" else time.until)
