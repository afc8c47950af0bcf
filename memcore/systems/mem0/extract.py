"""Mem0's extraction phase: the candidate facts Ω of one new message pair, in the light of the summary S
of the conversation and of the messages just before.

A candidate fact is a sentence and the message it is about, whose time it inherits; raw text is read,
as published. It knows no server, no memory of before and stores nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace, Fact
from memcore.domain.models import Message
from memcore.domain.prompts import fenced, one_line
from memcore.domain.protocols import Llm
from memcore.stages.log_lines import log_lines, place_of, stamp
from memcore.stages.reply_checks import StrictReply, sources_of, untold, usable_facts
from memcore.stages.side_by_side import STAGE, read_side_by_side
from memcore.systems.mem0.prompts import MEM0_EXTRACT


class CandidateFact(StrictReply):
    source_id: int
    fact: str


class CandidateFacts(StrictReply):
    """What the model is asked for."""

    facts: list[CandidateFact]


class Mem0Extractor:
    """An `Extractor` that asks `llm`, `workers` buffers at a time. A buffer is one message pair, with S as
    its `summary` and the recent messages `before` it."""

    def __init__(self, llm: Llm, *, workers: int = 2) -> None:
        self.name = f"{llm.model_id} ({MEM0_EXTRACT.version})"
        self._llm = llm
        self._workers = workers

    def extract(self, buffers: Sequence[Buffer]) -> list[tuple[Extraction, ExtractionTrace]]:
        """See `Extractor.extract`. Raises LlmUnavailableError when no buffer could be asked."""
        return read_side_by_side(buffers, self._read, made_by=self.name, workers=self._workers)

    def _read(self, buffer: Buffer) -> tuple[Extraction, ExtractionTrace]:
        lines, by_number = log_lines(buffer)
        reply = self._llm.ask(
            stage=STAGE,
            prompt_version=MEM0_EXTRACT.version,
            place=place_of(buffer.messages),
            system=MEM0_EXTRACT.text,
            user=_user_prompt(buffer, lines),
            schema=CandidateFacts,
        ).data
        notes: list[str] = []
        facts = tuple(
            Fact(text, "fact", sources_of(text, message), speaker=message.speaker)
            for _, text, message in usable_facts(reply.facts, by_number, notes, made_by=self.name)
        )
        skipped = untold(by_number, facts)
        return (
            Extraction(buffer.session_id, facts),
            ExtractionTrace(buffer.session_id, self.name, skipped, notes=tuple(notes)),
        )


def transcript(messages: Iterable[Message]) -> str:
    """Messages a model is only to understand: a line each, without a number to name it by."""
    return "\n".join(f"{stamp(m)} {one_line(m.speaker)}: {one_line(m.text)}" for m in messages)


def _user_prompt(buffer: Buffer, lines: str) -> str:
    return "\n\n".join(
        (
            fenced("people", ", ".join(one_line(person) for person in buffer.people)),
            fenced("summary", one_line(buffer.summary)),
            fenced("recent", transcript(buffer.before)),
            fenced("new", lines),
        )
    )
