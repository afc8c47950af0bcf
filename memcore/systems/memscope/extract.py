"""Extraction by a language model, the memscope recipe's: one schema-constrained call a buffer.

Beyond LightMem's (source_id, fact) pairs (`extract_lightmem`) the same call returns event times and
names (SimpleMem's memory units), triples, a label for each topic and a summary of each session
(LiCoMemory), so a buffer costs one call. It does not know which server or model answers, and stores
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.extraction import (
    Buffer,
    Extraction,
    ExtractionTrace,
    Fact,
    SummaryDraft,
    TripleDraft,
)
from memcore.domain.models import Message
from memcore.domain.prompts import fenced, one_line
from memcore.domain.protocols import Llm
from memcore.stages.log_lines import log_lines, place_of, stamp
from memcore.stages.reply_checks import (
    MAX_NAME,
    EntityType,
    FactKind,
    StrictReply,
    SummaryReply,
    checked_name,
    checked_names,
    checked_period,
    checked_summary,
    cleaned,
    sources_of,
    untold,
    usable_facts,
)
from memcore.stages.side_by_side import STAGE, read_side_by_side
from memcore.systems.memscope.prompts import EXTRACT

MAX_TRIPLES = 8


class TripleReply(StrictReply):
    subject: str
    subject_type: EntityType
    relation: str
    object: str
    object_type: EntityType


class FactReply(StrictReply):
    source_id: int
    fact: str
    kind: FactKind
    event_begin: str | None
    event_end: str | None
    persons: list[str]
    entities: list[str]
    location: str | None
    keywords: list[str]
    triples: list[TripleReply]


class TopicReply(StrictReply):
    topic: int
    label: str


class SessionReply(SummaryReply):
    session: int


class ExtractReply(StrictReply):
    """What the model is asked for."""

    data: list[FactReply]
    topics: list[TopicReply]
    summaries: list[SessionReply]


class LlmExtractor:
    """An `Extractor` that asks `llm`, `workers` buffers at a time."""

    def __init__(self, llm: Llm, *, workers: int = 2) -> None:
        self.name = f"{llm.model_id} ({EXTRACT.version})"
        self._llm = llm
        self._workers = workers

    def extract(self, buffers: Sequence[Buffer]) -> list[tuple[Extraction, ExtractionTrace]]:
        """See `Extractor.extract`. Raises LlmUnavailableError when no buffer could be asked."""
        return read_side_by_side(buffers, self._read, made_by=self.name, workers=self._workers)

    def _read(self, buffer: Buffer) -> tuple[Extraction, ExtractionTrace]:
        lines, by_number = log_lines(buffer, mark_sessions=True)
        reply = self._llm.ask(
            stage=STAGE,
            prompt_version=EXTRACT.version,
            place=place_of(buffer.messages),
            system=EXTRACT.text,
            user=_user_prompt(buffer, lines),
            schema=ExtractReply,
        ).data
        notes: list[str] = []
        facts = tuple(
            _fact(told, text, message, notes)
            for told, text, message in usable_facts(reply.data, by_number, notes, made_by=self.name)
        )
        extraction = Extraction(
            buffer.session_id,
            facts,
            _topics(reply.topics, buffer, notes),
            _summaries(reply.summaries, buffer, notes),
        )
        skipped = untold(by_number, facts)
        return extraction, ExtractionTrace(buffer.session_id, self.name, skipped, notes=tuple(notes))


def _user_prompt(buffer: Buffer, lines: str) -> str:
    before = (f"{stamp(m)} {one_line(m.speaker)}: {one_line(m.text)}" for m in buffer.before)
    so_far = (
        f"Session {number}: {one_line(buffer.summaries[session_id])}"
        for number, session_id in enumerate(buffer.session_ids, start=1)
        if buffer.summaries.get(session_id)
    )
    return "\n\n".join(
        (
            fenced("people", ", ".join(one_line(person) for person in buffer.people)),
            fenced("summaries", "\n".join(so_far)),
            fenced("before", "\n".join(before)),
            fenced("log", lines),
        )
    )


def _fact(reply: FactReply, text: str, message: Message, notes: list[str]) -> Fact:
    begin, end = checked_period(reply.event_begin, reply.event_end, text, notes)
    return Fact(
        text=text,
        kind=reply.kind,
        sources=sources_of(text, message),
        speaker=message.speaker,
        event_at=begin,
        event_end=end,
        keywords=checked_names(reply.keywords, "keywords", text, notes),
        persons=checked_names(reply.persons, "persons", text, notes),
        entities=checked_names(reply.entities, "entities", text, notes),
        location=checked_name(reply.location, "location", text, notes),
        triples=_triples(reply.triples, text, notes),
    )


def _triples(replies: Sequence[TripleReply], fact: str, notes: list[str]) -> tuple[TripleDraft, ...]:
    triples = [
        TripleDraft(cleaned(t.subject), cleaned(t.relation), cleaned(t.object), t.subject_type, t.object_type)
        for t in replies
    ]
    usable = [t for t in triples if all(0 < len(n) <= MAX_NAME for n in (t.subject, t.relation, t.object))]
    if dropped := len(triples) - len(usable[:MAX_TRIPLES]):
        notes.append(f"{dropped} triples were left out of {fact[:MAX_NAME]!r}")
    return tuple(usable[:MAX_TRIPLES])


def _topics(replies: Sequence[TopicReply], buffer: Buffer, notes: list[str]) -> dict[str, str]:
    labels: dict[str, str] = {}
    for reply in replies:
        label = cleaned(reply.label)[:MAX_NAME]
        if not 1 <= reply.topic <= len(buffer.segments):
            notes.append(f"topic {reply.topic} does not exist; label left out: {label!r}")
        elif label:
            labels[buffer.segments[reply.topic - 1].id] = label
    return labels


def _summaries(replies: Sequence[SessionReply], buffer: Buffer, notes: list[str]) -> dict[str, SummaryDraft]:
    """By session id; of two for one session the first counts."""
    found: dict[str, SummaryDraft] = {}
    for reply in replies:
        named = f"session {reply.session}"
        if not 1 <= reply.session <= len(buffer.session_ids):
            notes.append(f"{named} does not exist; summary left out: {cleaned(reply.text)[:MAX_NAME]!r}")
            continue
        session_id = buffer.session_ids[reply.session - 1]
        if session_id in found:
            notes.append(f"a second summary of {named} was left out")
        elif (summary := checked_summary(reply, notes)) is not None:
            found[session_id] = summary
    return found
