"""Extraction by a language model: one schema-constrained call a buffer.

The input lines are LightMem's (`--- Topic N ---`, then `[timestamp, weekday] source_id.Speaker: text`,
section 3.2). Beyond LightMem's (source_id, fact) pairs the same call returns event times and names
(SimpleMem's memory units), triples, a label for each topic and the session summary (LiCoMemory), so
a buffer costs one call. Small integers stand for message ids. What the model returns is untrusted:
an unknown source, an impossible date or an absurd length is noted in the trace, never repaired and
never dropped in silence. It does not know which server or model answers, and stores nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from memcore.errors import LlmError, LlmReplyError, LlmUnavailableError
from memcore.llm.prompts import EXTRACT, fenced, one_line
from memcore.models import Message, Source
from memcore.protocols import Llm
from memcore.stages.align import supporting_spans
from memcore.stages.facts import (
    Extraction,
    ExtractionTrace,
    Fact,
    PassedOver,
    SummaryDraft,
    TopicBuffer,
    TripleDraft,
)
from memcore.stages.iso_period import read_period

STAGE = "add_memory"  # LightMem's name in its token statistics
MAX_FACTS_A_MESSAGE = 12
MAX_FACT = 600
MAX_NAME = 120
MAX_NAMES = 16
MAX_TRIPLES = 8
MAX_SUMMARY = 1200
NO_FACT = "the model found nothing to remember in it"

EntityType = Literal["PERSON", "PLACE", "ORG", "EVENT", "DATE", "THING"]
FactKind = Literal["fact", "event", "plan", "preference", "opinion", "state"]


class _Strict(BaseModel):
    """Every field required and no other allowed: what servers' strict JSON schema modes ask for."""

    model_config = ConfigDict(extra="forbid")


class TripleReply(_Strict):
    subject: str
    subject_type: EntityType
    relation: str
    object: str
    object_type: EntityType


class FactReply(_Strict):
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


class TopicReply(_Strict):
    topic: int
    label: str


class SummaryReply(_Strict):
    text: str
    keywords: list[str]
    themes: list[str]


class ExtractReply(_Strict):
    """What the model is asked for."""

    data: list[FactReply]
    topics: list[TopicReply]
    summary: SummaryReply


class LlmExtractor:
    """An `Extractor` that asks `llm`, `workers` buffers at a time.

    A buffer whose answer stays unusable is reported in its trace and leaves the others alone. When
    the server is unavailable, buffers not yet asked are not asked any more; if it was unavailable
    for all of them, LlmUnavailableError is raised.
    """

    def __init__(self, llm: Llm, *, workers: int = 2) -> None:
        self.name = f"{llm.model_id} ({EXTRACT.version})"
        self._llm = llm
        self._workers = workers

    def extract(self, buffers: Sequence[TopicBuffer]) -> list[tuple[Extraction, ExtractionTrace]]:
        """See `Extractor.extract`. Raises LlmUnavailableError when no buffer could be asked."""
        down: list[LlmUnavailableError] = []
        gone = threading.Event()

        def one(buffer: TopicBuffer) -> tuple[Extraction, ExtractionTrace]:
            started = time.perf_counter()
            try:
                if gone.is_set():
                    raise down[0]
                extraction, passed_over, notes = self._ask(buffer)
            except LlmError as error:
                if isinstance(error, LlmUnavailableError):
                    down.append(error)
                    gone.set()
                failed = ExtractionTrace(
                    buffer.session_id, self.name, error=str(error), milliseconds=_since(started)
                )
                return Extraction(buffer.session_id, ()), failed
            trace = ExtractionTrace(
                buffer.session_id, self.name, passed_over, milliseconds=_since(started), notes=notes
            )
            return extraction, trace

        if not buffers:
            return []
        with ThreadPoolExecutor(min(self._workers, len(buffers)), "extract") as pool:
            results = list(pool.map(one, buffers))
        if len(down) == len(buffers):
            raise down[0]
        return results

    def _ask(self, buffer: TopicBuffer) -> tuple[Extraction, tuple[PassedOver, ...], tuple[str, ...]]:
        lines, by_number = log_lines(buffer)
        reply = self._llm.ask(
            stage=STAGE,
            prompt_version=EXTRACT.version,
            system=EXTRACT.text,
            user=_user_prompt(buffer, lines),
            schema=ExtractReply,
        ).data
        notes: list[str] = []
        facts = _facts(reply.data, by_number, notes)
        if reply.data and not facts:
            raise LlmReplyError(
                f"No fact of {self.name}'s answer could be used: {'; '.join(notes)[:600]}.",
                "Choose a model that follows the prompt (7B parameters or more), and resume the import.",
            )
        told = {source.message_id for fact in facts for source in fact.sources}
        passed_over = tuple(
            PassedOver(m.id, 0, len(m.text), NO_FACT) for m in by_number.values() if m.id not in told
        )
        extraction = Extraction(
            buffer.session_id,
            tuple(facts),
            _topics(reply.topics, buffer, notes),
            _summary(reply.summary, notes),
        )
        return extraction, passed_over, tuple(notes)


def log_lines(buffer: TopicBuffer) -> tuple[str, dict[int, Message]]:
    """The buffer as LightMem's input lines, and which message each source id stands for."""
    messages = {message.id: message for message in buffer.messages}
    lines: list[str] = []
    by_number: dict[int, Message] = {}
    for topic, segment in enumerate(buffer.segments, start=1):
        lines.append(f"--- Topic {topic} ---")
        for message_id in segment.message_ids:
            message = messages[message_id]
            number = len(by_number)
            by_number[number] = message
            text = one_line(buffer.compressed.get(message_id) or message.text)
            lines.append(f"{_stamp(message)} {number}.{one_line(message.speaker)}: {text}")
    return "\n".join(lines), by_number


def _user_prompt(buffer: TopicBuffer, lines: str) -> str:
    before = (f"{_stamp(m)} {one_line(m.speaker)}: {one_line(m.text)}" for m in buffer.before)
    return "\n\n".join(
        (
            fenced("people", ", ".join(one_line(person) for person in buffer.people)),
            fenced("summary", one_line(buffer.summary)),
            fenced("before", "\n".join(before)),
            fenced("log", lines),
        )
    )


def _stamp(message: Message) -> str:
    at = message.said_at
    return f"[{at.isoformat(timespec='milliseconds')}, {at:%a}]" if at else "[time unknown]"


def _facts(replies: Sequence[FactReply], by_number: Mapping[int, Message], notes: list[str]) -> list[Fact]:
    """The usable facts in source order; everything else becomes a note."""
    most = MAX_FACTS_A_MESSAGE * len(by_number)
    if len(replies) > most:
        notes.append(f"{len(replies) - most} facts beyond the first {most} were left out")
    numbered: list[tuple[int, Fact]] = []
    seen: set[tuple[int, str]] = set()
    for reply in replies[:most]:
        text = _clean(reply.fact)
        message = by_number.get(reply.source_id)
        if message is None:
            notes.append(f"source {reply.source_id} does not exist; fact left out: {text[:MAX_NAME]!r}")
        elif not text:
            notes.append(f"an empty fact for source {reply.source_id} was left out")
        elif len(text) > MAX_FACT:
            notes.append(f"a fact of {len(text)} characters was left out: {text[:MAX_NAME]!r}")
        elif (reply.source_id, text) in seen:
            notes.append(f"fact given twice: {text[:MAX_NAME]!r}")
        else:
            seen.add((reply.source_id, text))
            numbered.append((reply.source_id, _fact(reply, text, message, notes)))
    return [fact for _, fact in sorted(numbered, key=lambda pair: pair[0])]


def _fact(reply: FactReply, text: str, message: Message, notes: list[str]) -> Fact:
    begin, end = _period(reply, text, notes)
    triples = [
        TripleDraft(_clean(t.subject), _clean(t.relation), _clean(t.object), t.subject_type, t.object_type)
        for t in reply.triples
    ]
    usable = [t for t in triples if all(0 < len(n) <= MAX_NAME for n in (t.subject, t.relation, t.object))]
    if len(usable) < len(triples) or len(usable) > MAX_TRIPLES:
        notes.append(
            f"{len(triples) - len(usable[:MAX_TRIPLES])} triples were left out of {text[:MAX_NAME]!r}"
        )
    return Fact(
        text=text,
        kind=reply.kind,
        sources=tuple(
            Source(message.id, start, end_) for start, end_ in supporting_spans(text, message.text)
        ),
        speaker=message.speaker,
        event_at=begin,
        event_end=end,
        keywords=_names(reply.keywords, "keywords", text, notes),
        persons=_names(reply.persons, "persons", text, notes),
        entities=_names(reply.entities, "entities", text, notes),
        location=next(iter(_names([reply.location or ""], "location", text, notes)), ""),
        triples=tuple(usable[:MAX_TRIPLES]),
    )


def _period(reply: FactReply, text: str, notes: list[str]) -> tuple[datetime | None, datetime | None]:
    try:
        return read_period(reply.event_begin, reply.event_end)
    except ValueError as error:
        notes.append(f"the event time of {text[:MAX_NAME]!r} was left out: {error}")
        return None, None


def _names(values: Iterable[str], what: str, fact: str, notes: list[str]) -> tuple[str, ...]:
    """Cleaned and without repetition, in order; too long or too many are left out with a note."""
    cleaned = [name for value in values if (name := _clean(value))]
    kept = list(dict.fromkeys(name for name in cleaned if len(name) <= MAX_NAME))
    too_long = sum(len(name) > MAX_NAME for name in cleaned)
    if dropped := too_long + max(0, len(kept) - MAX_NAMES):
        notes.append(f"{dropped} {what} were left out of {fact[:MAX_NAME]!r}")
    return tuple(kept[:MAX_NAMES])


def _topics(replies: Sequence[TopicReply], buffer: TopicBuffer, notes: list[str]) -> dict[str, str]:
    labels: dict[str, str] = {}
    for reply in replies:
        label = _clean(reply.label)[:MAX_NAME]
        if not 1 <= reply.topic <= len(buffer.segments):
            notes.append(f"topic {reply.topic} does not exist; label left out: {label!r}")
        elif label:
            labels[buffer.segments[reply.topic - 1].id] = label
    return labels


def _summary(reply: SummaryReply, notes: list[str]) -> SummaryDraft | None:
    text = _clean(reply.text)
    if not text:
        return None
    if len(text) > MAX_SUMMARY:
        notes.append(f"a session summary of {len(text)} characters was left out")
        return None
    keywords = _names(reply.keywords, "keywords", "the summary", notes)
    return SummaryDraft(text, keywords, _names(reply.themes, "themes", "the summary", notes))


def _clean(text: str) -> str:
    """One line without control characters."""
    return one_line("".join(c if c.isprintable() or c.isspace() else " " for c in text))


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
