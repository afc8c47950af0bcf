"""Reflection (SimpleMem, stage 3): does what was found cover what was asked, and what to ask instead.

A model judges, or a rule: every person, thing and time that the plan names must be in something found.
It looks nothing up itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memcore.domain.models import MemoryEntry
from memcore.domain.names import entity_key
from memcore.domain.prompts import fenced, one_line, question_place
from memcore.domain.protocols import Llm
from memcore.retrieval import views
from memcore.retrieval.results import QueryPlan
from memcore.stages.log_lines import dated
from memcore.stages.reply_checks import StrictReply, cleaned
from memcore.systems.simplemem.intent import usable_queries
from memcore.systems.simplemem.prompts import SIMPLEMEM_REFLECT

STAGE = "reflect"
MOST_SHOWN = 40
LONGEST_MISSING = 200


@dataclass(frozen=True, slots=True)
class Reflection:
    """What is missing, in words (nothing: what was found suffices), and what to ask for it."""

    missing: str = ""
    queries: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class ReflectReply(StrictReply):
    """What the model is asked for."""

    sufficient: bool
    missing: str
    queries: list[str]


def reflect_by_model(
    llm: Llm, question: str, asked: Sequence[str], found: Sequence[MemoryEntry]
) -> Reflection:
    """The model's judgement on the memories `found`, best first. Raises LlmError."""
    lines = (f"{number}. {dated(memory)}" for number, memory in enumerate(found[:MOST_SHOWN], start=1))
    reply = llm.ask(
        stage=STAGE,
        prompt_version=SIMPLEMEM_REFLECT.version,
        place=question_place(question),
        system=SIMPLEMEM_REFLECT.text,
        user="\n\n".join(
            (
                fenced("question", one_line(question)),
                fenced("asked", "\n".join(one_line(query) for query in asked)),
                fenced("found", "\n".join(lines)),
            )
        ),
        schema=ReflectReply,
    ).data
    if reply.sufficient:
        return Reflection()
    notes: list[str] = []
    queries = usable_queries(reply.queries, asked, notes)
    return Reflection(cleaned(reply.missing)[:LONGEST_MISSING] or "not said", queries, tuple(notes))


def reflect_by_rule(plan: QueryPlan, asked: Sequence[str], found: Sequence[MemoryEntry]) -> Reflection:
    """The names that nothing found is about, and the time that nothing found fits."""
    missing: list[str] = []
    queries: list[str] = []
    for name in dict.fromkeys((*plan.persons, *plan.entities)):
        if not any(_is_about(memory, name) for memory in found):
            missing.append(name)
            queries.append(name)
    fitting = views.temporal(plan, found)
    if plan.time_from is not None and not any(fitting.values()):
        missing.append("the time asked for")
        queries.append(" ".join((*plan.keywords, f"{plan.time_from:%B %Y}")))
    elif plan.asks_when and not any(fitting.values()):
        missing.append("a time")
        queries.append(" ".join(plan.keywords))
    return Reflection(", ".join(missing), usable_queries(queries, asked, []))


def _is_about(memory: MemoryEntry, name: str) -> bool:
    key = entity_key(name)
    names = (memory.speaker, *memory.persons, *memory.entities, *memory.keywords, memory.location)
    return key in {entity_key(one) for one in names} or key in memory.text.casefold()
