"""LightMem's extraction (section 3.2): one call for everything short-term memory released.

Two prompts, as in the published code: `flat` returns (source_id, fact) pairs; `event` returns facts
bound to the event they tell of, with its time, participants and place. Each fact belongs to its own
source message, whose time it inherits; compressed text is what the model reads, raw text what a fact
quotes.

Differences from the published code. The event variant is one call, not one for facts and a second
for how people relate; both go into one answer. Times are absolute dates, not "the week before".
Facts are about everyone who speaks; whose messages are read is the recipe's choice, not the prompt's.
Topics get no label and sessions no summary, as published. It knows no server and stores nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, Fact
from memcore.domain.models import Message
from memcore.domain.prompts import fenced
from memcore.domain.protocols import Llm, Reply
from memcore.stages.log_lines import log_lines, place_of
from memcore.stages.reply_checks import (
    FactKind,
    StrictReply,
    checked_name,
    checked_names,
    checked_period,
    sources_of,
    untold,
    usable_facts,
)
from memcore.stages.side_by_side import STAGE, read_side_by_side
from memcore.systems.lightmem.prompts import LIGHTMEM_EVENT, LIGHTMEM_FLAT


class FlatFact(StrictReply):
    source_id: int
    fact: str


class FlatReply(StrictReply):
    """What the flat prompt asks for."""

    data: list[FlatFact]


class EventFact(StrictReply):
    source_id: int
    kind: FactKind
    fact: str


class EventEntry(StrictReply):
    event: str | None
    begin: str | None
    end: str | None
    participants: list[str]
    place: str | None
    facts: list[EventFact]


class EventReply(StrictReply):
    """What the event prompt asks for."""

    data: list[EventEntry]


@dataclass(frozen=True, slots=True)
class _Told:
    """A fact of either reply, with what is known of its event."""

    source_id: int
    fact: str
    kind: str = "fact"
    event: str = ""
    event_at: datetime | None = None
    event_end: datetime | None = None
    participants: tuple[str, ...] = ()
    place: str = ""


class LightMemExtractor:
    """An `Extractor` that asks `llm` with LightMem's `flat` or `event` prompt, `workers` buffers at a
    time. A buffer may hold segments of several sessions: everything is kept by message.

    The facts of an event share its name among their `entities`.
    """

    def __init__(self, llm: Llm, prompt: Literal["flat", "event"] = "flat", *, workers: int = 2) -> None:
        self._prompt = LIGHTMEM_FLAT if prompt == "flat" else LIGHTMEM_EVENT
        self.name = f"{llm.model_id} ({self._prompt.version})"
        self._llm = llm
        self._workers = workers

    def extract(self, buffers: Sequence[Buffer]) -> list[tuple[Extraction, ExtractionTrace]]:
        """See `Extractor.extract`. Raises LlmUnavailableError when no buffer could be asked."""
        return read_side_by_side(buffers, self._read, made_by=self.name, workers=self._workers)

    def _read(self, buffer: Buffer) -> tuple[Extraction, ExtractionTrace]:
        lines, by_number = log_lines(buffer)
        place = place_of(buffer.messages)
        notes: list[str] = []
        if self._prompt is LIGHTMEM_FLAT:
            told = [_Told(one.source_id, one.fact) for one in self._ask(lines, FlatReply, place).data]
        else:
            entries = self._ask(lines, EventReply, place).data
            told = [one for entry in entries for one in _told_of(entry, notes)]
        facts = tuple(
            _fact(one, text, message)
            for one, text, message in usable_facts(told, by_number, notes, made_by=self.name)
        )
        skipped = untold(by_number, facts)
        return (
            Extraction(buffer.session_id, facts),
            ExtractionTrace(buffer.session_id, self.name, skipped, notes=tuple(notes)),
        )

    def _ask(self, lines: str, schema: type[Reply], place: str) -> Reply:
        return self._llm.ask(
            stage=STAGE,
            prompt_version=self._prompt.version,
            place=place,
            system=self._prompt.text,
            user=fenced("log", lines),
            schema=schema,
        ).data


def _told_of(entry: EventEntry, notes: list[str]) -> list[_Told]:
    """The entry's facts, each with the event's time, participants and place."""
    if not entry.facts:
        notes.append(f"an event without facts was left out: {entry.event!r}"[:200])
        return []
    what = entry.event or entry.facts[0].fact
    begin, end = checked_period(entry.begin, entry.end, what, notes)
    event = checked_name(entry.event, "event names", what, notes)
    participants = checked_names(entry.participants, "participants", what, notes)
    place = checked_name(entry.place, "places", what, notes)
    return [
        _Told(one.source_id, one.fact, one.kind, event, begin, end, participants, place)
        for one in entry.facts
    ]


def _fact(told: _Told, text: str, message: Message) -> Fact:
    return Fact(
        text=text,
        kind=told.kind,
        sources=sources_of(text, message),
        speaker=message.speaker,
        event_at=told.event_at,
        event_end=told.event_end,
        persons=told.participants,
        entities=(told.event,) if told.event else (),
        location=told.place,
    )
