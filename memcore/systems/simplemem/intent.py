"""SimpleMem's retrieval planning (stage 3): what a question wants, how complex it is, how deep to look,
what to ask which index.

k_dyn = ⌊k_base·(1 + δ·C)⌋, C from 0 to 1, bounds what each view gives and what is found in all. A
model plans, or rules do: they decompose what is joined by "and", what is asked in several questions, and
what is asked of several people, and count how much is asked for. The question itself is always among the
queries. `K_BASE` is the published code's semantic top-k (its views have top-ks of their own); its settings
name no δ, so that is ours. It looks nothing up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from pydantic import Field

from memcore.domain.models import Entity
from memcore.domain.names import entity_key
from memcore.domain.prompts import fenced, one_line, question_place
from memcore.domain.protocols import Llm
from memcore.retrieval.plan import plan_query
from memcore.retrieval.results import QueryPlan
from memcore.stages.reply_checks import StrictReply, checked_name, checked_names, checked_period, cleaned
from memcore.systems.simplemem.prompts import SIMPLEMEM_PLAN

STAGE = "plan"
K_BASE = 25
DELTA = 1.0
MOST_QUERIES = 5
LONGEST_QUERY = 300
INDEXES = ("semantic", "lexical", "symbolic")

_QUESTION_WORD = r"(?:what|when|where|who|whom|whose|which|why|how|did|does|do|is|are|was|were|has|have|will)"
_JOINT = re.compile(rf"\?\s+(?=\S)|[,;]?\s+(?:and|but|or)\s+(?={_QUESTION_WORD}\b)", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:he|she|him|his|her|hers|they|them|their)\b", re.IGNORECASE)
_MANY = re.compile(
    r"\b(?:all|both|each|every|ever|common|compare\w*|differen\w+|how (?:many|often)|list|most|same|share|"
    r"various|what (?:kinds?|types?|sorts?))\b",
    re.IGNORECASE,
)
_INTENTS = (
    (r"\b(?:common|compare\w*|differen\w+|both|same)\b", "a comparison"),
    (r"\bhow (?:many|much|often|long|old)\b", "a number or amount"),
    (r"^\W*(?:since )?when\b|\b(?:which|what) (?:day|date|month|year|time)\b", "a time"),
    (r"\bwhere\b", "a place"),
    (r"\bwho(?:m|se)?\b", "a person"),
    (r"\bwhy\b", "a reason"),
    (r"\bhow\b", "a way"),
    (r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b", "whether something is so"),
)


class PlanReply(StrictReply):
    """What the model is asked for."""

    intent: str
    complexity: float = Field(ge=0.0, le=1.0)
    queries: list[str]
    indexes: list[Literal["semantic", "lexical", "symbolic"]]
    persons: list[str]
    entities: list[str]
    time_from: str | None
    time_to: str | None


def depth_for(complexity: float) -> int:
    """k_dyn, the depth to which each view is read, and how many memories are found at most.

    >>> depth_for(0.0), depth_for(0.5), depth_for(1.0)
    (25, 37, 50)
    """
    return int(K_BASE * (1 + DELTA * complexity))


def plan_by_rule(
    query: str, speakers: Sequence[str], names: Mapping[str, Entity], reference: datetime | None
) -> QueryPlan:
    """A plan that needs no model. `names` are everyone and everything remembered, by `entity_key`."""
    plan, _ = plan_query(query, speakers=speakers, entities=names, reference=reference)
    queries = decomposed(query, plan.persons)
    about = {entity_key(name) for name in (*plan.persons, *plan.entities)}
    complexity = min(
        1.0,
        0.2 * (len(queries) - 1)
        + 0.1 * max(0, len(about) - 1)
        + 0.1 * (plan.time_from is not None)
        + 0.2 * bool(_MANY.search(query)),
    )
    symbolic = bool(about) or plan.time_from is not None
    return replace(
        plan,
        intent=next(
            (intent for words, intent in _INTENTS if re.search(words, query, re.IGNORECASE)), "a fact"
        ),
        complexity=round(complexity, 2),
        depth=depth_for(complexity),
        queries=queries,
        indexes=INDEXES if symbolic else INDEXES[:2],
    )


def plan_by_model(
    llm: Llm,
    query: str,
    speakers: Sequence[str],
    names: Mapping[str, Entity],
    reference: datetime | None,
) -> tuple[QueryPlan, tuple[str, ...]]:
    """The model's plan, and what of it could not be used. Raises LlmError."""
    reply = llm.ask(
        stage=STAGE,
        prompt_version=SIMPLEMEM_PLAN.version,
        place=question_place(query),
        system=SIMPLEMEM_PLAN.text,
        user="\n\n".join(
            (
                fenced("question", one_line(query)),
                fenced("today", reference.date().isoformat() if reference else "unknown"),
                fenced("people", ", ".join(one_line(name) for name in speakers)),
            )
        ),
        schema=PlanReply,
    ).data
    notes: list[str] = []
    by_rule, _ = plan_query(query, speakers=speakers, entities=names, reference=reference)
    time_from, time_to = checked_period(reply.time_from, reply.time_to, query, notes)
    persons = checked_names(reply.persons, "persons", query, notes)
    entities = checked_names(reply.entities, "entities", query, notes)
    indexes: tuple[str, ...] = tuple(index for index in INDEXES if index in reply.indexes)
    if not indexes:
        notes.append("the plan chooses no index; all are asked")
        indexes = INDEXES
    elif indexes == ("symbolic",) and not (persons or entities or time_from):
        notes.append("the plan names nothing that the symbolic index could find; all are asked")
        indexes = INDEXES
    return (
        replace(
            by_rule,
            persons=persons,
            entities=entities,
            time_from=time_from,
            time_to=time_to,
            intent=checked_name(reply.intent, "intents", query, notes),
            complexity=reply.complexity,
            depth=depth_for(reply.complexity),
            queries=usable_queries([query, *reply.queries], (), notes),
            indexes=indexes,
            made_by=f"{llm.model_id} ({SIMPLEMEM_PLAN.version})",
        ),
        tuple(notes),
    )


def usable_queries(queries: Sequence[str], asked: Sequence[str], notes: list[str]) -> tuple[str, ...]:
    """A model's queries on one line each, without repetition and what was `asked` already."""
    seen = {query.casefold() for query in asked}
    usable: list[str] = []
    for query in (cleaned(query) for query in queries):
        if not query or query.casefold() in seen:
            continue
        seen.add(query.casefold())
        if len(query) > LONGEST_QUERY and usable:
            notes.append(f"a query of {len(query)} characters was left out: {query[: LONGEST_QUERY // 4]!r}")
        else:
            usable.append(query)
    if len(usable) > MOST_QUERIES:
        notes.append(f"{len(usable) - MOST_QUERIES} queries beyond the first {MOST_QUERIES} were left out")
    return tuple(usable[:MOST_QUERIES])


def decomposed(query: str, persons: Sequence[str]) -> tuple[str, ...]:
    """The question, and each of its parts that can be asked alone, with names in place of pronouns.

    >>> decomposed("When did Ana move and where does she work?", ["Ana"])
    ('When did Ana move and where does she work?', 'When did Ana move', 'where does Ana work')
    >>> decomposed("What do Ana and Ben like?", ["Ana", "Ben"])
    ('What do Ana and Ben like?', 'What do Ana like', 'What do Ben like')
    """
    parts = [part.strip(" ?") for part in _JOINT.split(query) if part.strip(" ?")]
    if len(parts) > 1 and len(persons) == 1:
        parts = [
            part
            if re.search(rf"\b{re.escape(persons[0])}\b", part, re.IGNORECASE)
            else _PRONOUN.sub(persons[0], part)
            for part in parts
        ]
    asked = [one for part in parts for one in _of_each(part, persons)]
    return tuple(dict.fromkeys([query, *(asked if len(asked) > 1 else [])]))[:MOST_QUERIES]


def _of_each(part: str, persons: Sequence[str]) -> list[str]:
    """What is asked of several people named in a row ("Ana and Ben"), asked of each."""
    if len(persons) < 2:
        return [part]
    name = "|".join(re.escape(person) for person in sorted(persons, key=len, reverse=True))
    row = re.search(rf"\b(?:both )?({name})((?:, | and | or |, and )(?:{name})\b)+", part, re.IGNORECASE)
    if row is None:
        return [part]
    named = re.findall(rf"\b(?:{name})\b", row.group(), re.IGNORECASE)
    return [part[: row.start()] + person + part[row.end() :] for person in dict.fromkeys(named)]
