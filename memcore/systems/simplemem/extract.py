"""SimpleMem's extraction (stage 1): one call a window yields memory units.

A unit is a lossless restatement with keywords, ISO 8601 time, place, people, entities and topic. The one
call gates by density (what is known already becomes no unit, and the answer says which lines those are),
resolves coreference and makes times absolute. Whether it did is checked as far as words show: a pronoun
left standing as a subject is noted, a time that is none is left out with a note.

Differences from the published code. A unit names the lines it comes from. What is known is what the
buffer says (`Buffer.known`), not the first three units of the window before. A unit that repeats
another window's is not dropped here: windows are read side by side. It knows no server and stores nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memcore.domain.extraction import (
    Buffer,
    Extraction,
    ExtractionTrace,
    Fact,
    SkippedText,
    already_known,
)
from memcore.domain.models import Message
from memcore.domain.prompts import fenced, one_line
from memcore.domain.protocols import Llm
from memcore.stages.log_lines import numbered, place_of, stamp
from memcore.stages.reply_checks import (
    MAX_NAME,
    StrictReply,
    checked_name,
    checked_names,
    checked_period,
    sources_of,
    untold,
    usable_facts,
)
from memcore.stages.side_by_side import STAGE, read_side_by_side
from memcore.systems.simplemem.prompts import SIMPLEMEM_WINDOW

_SUBJECT_PRONOUN = re.compile(r"\b(?:[Hh]e|[Ss]he|[Tt]hey|[Ww]e|I|[Yy]ou)\b|^It\b")
_QUOTED = re.compile(r"[\"“][^\"”]*[\"”]")


class UnitReply(StrictReply):
    source_ids: list[int]
    lossless_restatement: str
    keywords: list[str]
    timestamp: str | None
    location: str | None
    persons: list[str]
    entities: list[str]
    topic: str | None


class KnownReply(StrictReply):
    source_id: int
    known: int


class WindowReply(StrictReply):
    """What the model is asked for: the units, and the lines that say only what is known."""

    data: list[UnitReply]
    known: list[KnownReply]


@dataclass(frozen=True, slots=True)
class _Told:
    """A unit under its main line."""

    source_id: int
    fact: str
    unit: UnitReply


class SimpleMemExtractor:
    """An `Extractor` that asks `llm`, `workers` windows at a time."""

    def __init__(self, llm: Llm, *, workers: int = 2) -> None:
        self.name = f"{llm.model_id} ({SIMPLEMEM_WINDOW.version})"
        self._llm = llm
        self._workers = workers

    def extract(self, buffers: Sequence[Buffer]) -> list[tuple[Extraction, ExtractionTrace]]:
        """See `Extractor.extract`. Raises LlmUnavailableError when no window could be asked."""
        return read_side_by_side(buffers, self._read, made_by=self.name, workers=self._workers)

    def _read(self, window: Buffer) -> tuple[Extraction, ExtractionTrace]:
        by_number = dict(enumerate(window.messages))
        reply = self._llm.ask(
            stage=STAGE,
            prompt_version=SIMPLEMEM_WINDOW.version,
            place=place_of(window.messages),
            system=SIMPLEMEM_WINDOW.text,
            user=_user_prompt(window, by_number),
            schema=WindowReply,
        ).data
        notes: list[str] = []
        told = [_told(unit, by_number, notes) for unit in reply.data]
        facts = tuple(
            _fact(one.unit, text, message, by_number, notes)
            for one, text, message in usable_facts(told, by_number, notes, made_by=self.name)
        )
        gated = _gated(reply.known, window.known, by_number, notes)
        named = {row.message_id for row in gated}
        skipped = (*gated, *(row for row in untold(by_number, facts) if row.message_id not in named))
        return (
            Extraction(window.session_id, facts),
            ExtractionTrace(window.session_id, self.name, skipped, notes=tuple(notes)),
        )


def _user_prompt(window: Buffer, by_number: Mapping[int, Message]) -> str:
    known = (f"{number}. {one_line(text)}" for number, text in enumerate(window.known, start=1))
    before = (f"{stamp(m)} {one_line(m.speaker)}: {one_line(m.text)}" for m in window.before)
    lines = (numbered(number, message, message.text) for number, message in by_number.items())
    return "\n\n".join(
        (
            fenced("people", ", ".join(one_line(person) for person in window.people)),
            fenced("known", "\n".join(known)),
            fenced("before", "\n".join(before)),
            fenced("log", "\n".join(lines)),
        )
    )


def _told(unit: UnitReply, by_number: Mapping[int, Message], notes: list[str]) -> _Told:
    """The unit under the first of its lines that exists; the others that do not are noted."""
    text = unit.lossless_restatement
    existing = [i for i in unit.source_ids if i in by_number]
    unknown = [i for i in unit.source_ids if i not in by_number]
    if existing and unknown:
        notes.append(f"sources {unknown} do not exist; left out of {one_line(text)[:MAX_NAME]!r}")
    return _Told((existing or unknown or [-1])[0], text, unit)


def _fact(
    unit: UnitReply, text: str, message: Message, by_number: Mapping[int, Message], notes: list[str]
) -> Fact:
    begin, end = checked_period(unit.timestamp, None, text, notes)
    if left := _SUBJECT_PRONOUN.search(_QUOTED.sub("", text)):
        notes.append(f"a pronoun was left unresolved ({left.group()!r}) in {text[:MAX_NAME]!r}")
    others = [by_number[i] for i in dict.fromkeys(unit.source_ids) if i in by_number]
    return Fact(
        text=text,
        kind="fact",
        sources=tuple(
            source for one in dict.fromkeys((message, *others)) for source in sources_of(text, one)
        ),
        speaker=message.speaker,
        event_at=begin,
        event_end=end,
        keywords=checked_names(unit.keywords, "keywords", text, notes),
        persons=checked_names(unit.persons, "persons", text, notes),
        entities=checked_names(unit.entities, "entities", text, notes),
        location=checked_name(unit.location, "location", text, notes),
        topic=checked_name(unit.topic, "topic", text, notes),
    )


def _gated(
    replies: Sequence[KnownReply], known: Sequence[str], by_number: Mapping[int, Message], notes: list[str]
) -> tuple[SkippedText, ...]:
    """The lines that the model says are known already, each with what says so."""
    rows: dict[int, SkippedText] = {}
    for reply in replies:
        message = by_number.get(reply.source_id)
        if message is None or not 1 <= reply.known <= len(known):
            notes.append(f"line {reply.source_id} was called known by {reply.known}; one of them is none")
        else:
            reason = already_known(known[reply.known - 1])
            rows[reply.source_id] = SkippedText(message.id, 0, len(message.text), reason)
    return tuple(rows.values())
