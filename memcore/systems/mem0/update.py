"""Mem0's update phase: what one new fact means for the memories most similar to it.

ADD, UPDATE, DELETE or NOOP, chosen by a model in one tool call a fact, or by the rules of sleep-time
update (`rules`) where no model is chosen. Memories are shown to a model under small integers; one that
stands for no memory is an error, never a guess. Nothing changes here: an UPDATE or DELETE becomes a
`Decision`, which waits for a person, and the fact itself is kept whatever becomes of it. Of several
memories that a fact bears on, one is decided about, as published: a tool call names one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from memcore.domain.errors import LlmReplyError
from memcore.domain.models import Candidate, MemoryEntry
from memcore.domain.prompts import fenced
from memcore.domain.protocols import Llm
from memcore.nlp.language.words.wording import contains_content
from memcore.review.decide_llm import MAX_REASON, MAX_TEXT, STAGE, check_rewrite
from memcore.review.decisions import Decision, UpdateQueue
from memcore.review.rules import RuleDecider, decide_queue
from memcore.stages.log_lines import cited_by, dated
from memcore.stages.reply_checks import cleaned
from memcore.systems.mem0.prompts import MEM0_UPDATE

Operation = Literal["ADD", "UPDATE", "DELETE", "NOOP"]
Similar = Sequence[tuple[MemoryEntry, float]]
"""Memories and their cosines to the fact, best first."""


class _Tool(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ADD(_Tool):
    """Keep the fact as a new memory: none of the memories says it."""

    reason: str = Field(description="why, in one short sentence")


class UPDATE(_Tool):
    """The fact adds to one memory, which gets a new text."""

    memory: int = Field(description="the id of the memory")
    text: str = Field(description="its new text: all it says now, with what the fact adds")
    reason: str = Field(description="why, in one short sentence")


class DELETE(_Tool):
    """The fact contradicts one memory, which does not hold any more."""

    memory: int = Field(description="the id of the memory")
    reason: str = Field(description="why, in one short sentence")


class NOOP(_Tool):
    """One memory says the fact already; nothing is to be done."""

    memory: int = Field(description="the id of the memory")
    reason: str = Field(description="why, in one short sentence")


TOOLS: tuple[type[BaseModel], ...] = (ADD, UPDATE, DELETE, NOOP)

NOTHING_SIMILAR = "nothing is remembered yet that it could be compared with"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the fact means for `memory`, one of those it was `compared` with (ADD: for none of them).
    `decision` is what an UPDATE or DELETE lets a person decide."""

    operation: Operation
    fact: MemoryEntry
    compared: tuple[Candidate, ...]
    reason: str
    made_by: str
    memory: MemoryEntry | None = None
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class TracedVerdict:
    """A verdict as the trace keeps it: `memory_id` is the memory it is about ("" for ADD)."""

    fact: str
    operation: Operation
    memory_id: str
    compared: tuple[Candidate, ...]
    reason: str
    made_by: str


@dataclass(frozen=True, slots=True)
class UpdateTrace:
    """The update phase of one message pair (`segment_id`). `error`: a decision could not be had, so
    nothing of the pair was kept, whatever was decided before."""

    session_id: str
    segment_id: str
    made_by: str
    decisions: tuple[TracedVerdict, ...]
    error: str = ""


def traced(verdict: Verdict) -> TracedVerdict:
    """The verdict without what the store holds anyway."""
    return TracedVerdict(
        fact=verdict.fact.text,
        operation=verdict.operation,
        memory_id=verdict.memory.id if verdict.memory else "",
        compared=verdict.compared,
        reason=verdict.reason,
        made_by=verdict.made_by,
    )


def decide(fact: MemoryEntry, similar: Similar, llm: Llm | None) -> Verdict:
    """The verdict on a fact that is not stored yet. Where nothing is similar nobody is asked: only ADD
    names no memory. Raises LlmUnavailableError, or LlmReplyError for a call that cannot be used."""
    if not similar:
        return Verdict("ADD", fact, (), NOTHING_SIMILAR, made_by(llm))
    return _by_rule(fact, similar) if llm is None else _by_model(fact, similar, llm)


def made_by(llm: Llm | None) -> str:
    """Who decides, by name."""
    return RuleDecider.name if llm is None else f"{llm.model_id} ({MEM0_UPDATE.version})"


# --------------------------------------------------------------------------- by a model


def _by_model(fact: MemoryEntry, similar: Similar, llm: Llm) -> Verdict:
    call = llm.call(
        stage=STAGE,
        prompt_version=MEM0_UPDATE.version,
        place=cited_by([fact]),
        system=MEM0_UPDATE.text,
        user=_user_prompt(fact, similar),
        tools=TOOLS,
    ).data
    compared = _candidates(similar)
    match call:
        case ADD():
            return Verdict("ADD", fact, compared, _reason(call.reason), made_by(llm))
        case NOOP():
            memory, _ = _named(call, similar, llm)
            return Verdict("NOOP", fact, compared, _reason(call.reason), made_by(llm), memory)
        case DELETE():
            memory, score = _named(call, similar, llm)
            decision = Decision(
                target=memory,
                queue=(Candidate(fact.id, score),),
                action="delete",
                new_text=None,
                reason=_reason(call.reason),
                made_by=made_by(llm),
                risk="high",
                against=(fact.id,),
            )
            return Verdict("DELETE", fact, compared, decision.reason, made_by(llm), memory, decision)
        case UPDATE():
            memory, score = _named(call, similar, llm)
            text = cleaned(call.text)
            if not text or len(text) > MAX_TEXT:
                raise _useless(llm, f"the new text of memory {call.memory} has {len(text)} characters")
            risk, warnings = check_rewrite(memory, [fact], text)
            decision = Decision(
                target=memory,
                queue=(Candidate(fact.id, score),),
                action="update",
                new_text=text,
                reason="; ".join((_reason(call.reason), *warnings)),
                made_by=made_by(llm),
                risk=risk,
                against=(fact.id,),
            )
            return Verdict("UPDATE", fact, compared, decision.reason, made_by(llm), memory, decision)
    raise _useless(llm, f"{type(call).__name__} is none of the four operations")


def _named(call: UPDATE | DELETE | NOOP, similar: Similar, llm: Llm) -> tuple[MemoryEntry, float]:
    if not 0 <= call.memory < len(similar):
        ids = f"0 to {len(similar) - 1}" if len(similar) > 1 else "only 0"
        raise _useless(llm, f"{type(call).__name__} names memory {call.memory}, but there are {ids}")
    return similar[call.memory]


def _useless(llm: Llm, why: str) -> LlmReplyError:
    return LlmReplyError(
        f"{made_by(llm)}'s decision cannot be used: {why}.",
        "Resume the import, or choose a model that calls tools more reliably.",
    )


def _reason(text: str) -> str:
    return cleaned(text)[:MAX_REASON]


def _user_prompt(fact: MemoryEntry, similar: Similar) -> str:
    lines = (f"{number}. {dated(memory)}" for number, (memory, _) in enumerate(similar))
    return fenced("fact", dated(fact)) + "\n\n" + fenced("memories", "\n".join(lines))


# --------------------------------------------------------------------------- by rule


def _by_rule(fact: MemoryEntry, similar: Similar) -> Verdict:
    """The weightiest of what the rules say about each similar memory and the fact: that the memory has
    ended, that it says the fact already, that the fact adds to it. Of equals the most similar counts."""
    weight: dict[Operation, int] = {"DELETE": 0, "NOOP": 1, "UPDATE": 2}
    found = [verdict for memory, score in similar if (verdict := _pair(fact, memory, score)) is not None]
    compared = _candidates(similar)
    if not found:
        reason = "No rule sees a repetition, a refinement or an end."
        return Verdict("ADD", fact, compared, reason, RuleDecider.name)
    return replace(min(found, key=lambda verdict: weight[verdict.operation]), compared=compared)


def _pair(fact: MemoryEntry, memory: MemoryEntry, score: float) -> Verdict | None:
    """What the rules say about one memory; None: nothing."""
    decision = decide_queue(UpdateQueue(memory, ((fact, score),)))
    if decision.action == "ignore":
        return None
    operation: Operation
    if decision.action in ("delete", "invalidate"):
        operation, decision = "DELETE", replace(decision, action="delete")
    elif memory.text == fact.text or contains_content(memory.text, fact.text):
        operation = "NOOP"
    elif decision.new_text == memory.text:
        return None  # a fuller memory, but the fact has words of its own: both are kept
    else:
        operation, decision = "UPDATE", replace(decision, action="update")
    kept = decision if operation != "NOOP" else None
    return Verdict(operation, fact, (), decision.reason, decision.made_by, memory, kept)


def _candidates(similar: Similar) -> tuple[Candidate, ...]:
    return tuple(Candidate(memory.id, score) for memory, score in similar)
