"""The entities of a question as a model names them (Mem0-graph's entity-centric retrieval, section 2.2).

The published code gives the question to the same entity extractor as the log; here it has a prompt of its
own, which knows who speaks. Types are asked for as there, and as there only names lead to nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.prompts import fenced, one_line
from memcore.domain.protocols import Llm
from memcore.stages.reply_checks import checked_names
from memcore.systems.mem0_graph.extract import EntitiesReply
from memcore.systems.mem0_graph.prompts import MEM0_GRAPH_QUESTION

STAGE = "question"


def asked_by(llm: Llm) -> str:
    """Who names them, for the plan: the model with its prompt's version."""
    return f"{llm.model_id} ({MEM0_GRAPH_QUESTION.version})"


def entities_of(llm: Llm, question: str, people: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Their names, and what of the answer could not be used. Raises LlmError."""
    reply = llm.ask(
        stage=STAGE,
        prompt_version=MEM0_GRAPH_QUESTION.version,
        system=MEM0_GRAPH_QUESTION.text,
        user="\n\n".join(
            (
                fenced("question", one_line(question)),
                fenced("people", ", ".join(one_line(name) for name in people)),
            )
        ),
        schema=EntitiesReply,
    ).data
    notes: list[str] = []
    names = checked_names((entity.name for entity in reply.entities), "entities", question, notes)
    return names, tuple(notes)
