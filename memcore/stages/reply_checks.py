"""What of a model's answer is believed: sources that exist, texts and names of sane size, real dates.

What a model returns is untrusted. Whatever cannot be used becomes a note in the trace, in words;
nothing is repaired and nothing is dropped in silence. It knows no reply schema beyond a fact's text
and source id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from memcore.domain.errors import LlmReplyError
from memcore.domain.extraction import Fact, SkippedText, SummaryDraft
from memcore.domain.models import Message, Source
from memcore.domain.prompts import one_line
from memcore.stages.align import supporting_spans
from memcore.stages.iso_period import read_period

MAX_FACTS_A_MESSAGE = 12
MAX_FACT = 600
MAX_NAME = 120
MAX_NAMES = 16
MAX_SUMMARY = 1200
NO_FACT = "the model found nothing to remember in it"

FactKind = Literal["fact", "event", "plan", "preference", "opinion", "state"]
EntityType = Literal["PERSON", "PLACE", "ORG", "EVENT", "DATE", "THING"]


class StrictReply(BaseModel):
    """Every field required and no other allowed: what servers' strict JSON schema modes ask for."""

    model_config = ConfigDict(extra="forbid")


class SummaryReply(StrictReply):
    """A session's summary."""

    text: str
    keywords: list[str]
    themes: list[str]


class ToldFact(Protocol):
    """A fact as a reply gives it: the source id of a line, and a sentence."""

    @property
    def source_id(self) -> int:
        """The number of the message that the model says the fact is from."""
        ...

    @property
    def fact(self) -> str:
        """The fact in the model's words."""
        ...


Told = TypeVar("Told", bound=ToldFact)


def usable_facts(
    told: Sequence[Told], by_number: Mapping[int, Message], notes: list[str], *, made_by: str
) -> list[tuple[Told, str, Message]]:
    """The usable facts in source order, each with its cleaned text and its own message; everything
    else becomes a note. Raises LlmReplyError when facts were given and none of them can be used."""
    most = MAX_FACTS_A_MESSAGE * len(by_number)
    if len(told) > most:
        notes.append(f"{len(told) - most} facts beyond the first {most} were left out")
    usable: list[tuple[Told, str, Message]] = []
    seen: set[tuple[int, str]] = set()
    for one in told[:most]:
        text = cleaned(one.fact)
        message = by_number.get(one.source_id)
        if message is None:
            notes.append(f"source {one.source_id} does not exist; fact left out: {text[:MAX_NAME]!r}")
        elif not text:
            notes.append(f"an empty fact for source {one.source_id} was left out")
        elif len(text) > MAX_FACT:
            notes.append(f"a fact of {len(text)} characters was left out: {text[:MAX_NAME]!r}")
        elif (one.source_id, text) in seen:
            notes.append(f"fact given twice: {text[:MAX_NAME]!r}")
        else:
            seen.add((one.source_id, text))
            usable.append((one, text, message))
    if told and not usable:
        raise LlmReplyError(
            f"No fact of {made_by}'s answer could be used: {'; '.join(notes)[:600]}.",
            "Choose a model that follows the prompt (7B parameters or more), and resume the import.",
        )
    if by_number and not told:
        notes.append(f"the answer holds no fact about any of the {len(by_number)} messages")
    return sorted(usable, key=lambda entry: entry[0].source_id)


def sources_of(text: str, message: Message) -> tuple[Source, ...]:
    """The words of a fact's own message that it rests on, the main ones first."""
    return tuple(Source(message.id, start, end) for start, end in supporting_spans(text, message.text))


def untold(by_number: Mapping[int, Message], facts: Iterable[Fact]) -> tuple[SkippedText, ...]:
    """The messages that no fact rests on."""
    told = {source.message_id for fact in facts for source in fact.sources}
    return tuple(SkippedText(m.id, 0, len(m.text), NO_FACT) for m in by_number.values() if m.id not in told)


def checked_period(
    begin: str | None, end: str | None, of: str, notes: list[str]
) -> tuple[datetime | None, datetime | None]:
    """The period of something (`of`: what, for the note); none when it is no period."""
    try:
        return read_period(begin, end)
    except ValueError as error:
        notes.append(f"the event time of {of[:MAX_NAME]!r} was left out: {error}")
        return None, None


def checked_names(values: Iterable[str | None], what: str, of: str, notes: list[str]) -> tuple[str, ...]:
    """Cleaned and without repetition, in order; too long or too many are left out with a note."""
    names = [name for value in values if value and (name := cleaned(value))]
    kept = list(dict.fromkeys(name for name in names if len(name) <= MAX_NAME))
    too_long = sum(len(name) > MAX_NAME for name in names)
    if dropped := too_long + max(0, len(kept) - MAX_NAMES):
        notes.append(f"{dropped} {what} were left out of {of[:MAX_NAME]!r}")
    return tuple(kept[:MAX_NAMES])


def checked_name(value: str | None, what: str, of: str, notes: list[str]) -> str:
    """The one name, or none."""
    return next(iter(checked_names([value], what, of, notes)), "")


def cleaned(text: str) -> str:
    """One line without control characters."""
    return one_line("".join(c if c.isprintable() or c.isspace() else " " for c in text))


def checked_summary(reply: SummaryReply, notes: list[str]) -> SummaryDraft | None:
    """The summary without what cannot be used of it; none when its text cannot."""
    text = cleaned(reply.text)
    if not text:
        return None
    if len(text) > MAX_SUMMARY:
        notes.append(f"a session summary of {len(text)} characters was left out")
        return None
    keywords = checked_names(reply.keywords, "keywords", "the summary", notes)
    return SummaryDraft(text, keywords, checked_names(reply.themes, "themes", "the summary", notes))
