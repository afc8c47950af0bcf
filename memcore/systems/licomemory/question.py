"""The entities of a question as a model names them: the first step down CogniGraph (section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.prompts import fenced, one_line
from memcore.domain.protocols import Llm
from memcore.stages.reply_checks import StrictReply, checked_names
from memcore.systems.licomemory.prompts import LICOMEMORY_QUESTION

STAGE = "question"


class QuestionReply(StrictReply):
    """What the model is asked for."""

    entities: list[str]


def asked_by(llm: Llm) -> str:
    """Who names them, for the plan: the model with its prompt's version."""
    return f"{llm.model_id} ({LICOMEMORY_QUESTION.version})"


def entities_of(llm: Llm, question: str, people: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Their names, and what of the answer could not be used. Raises LlmError."""
    reply = llm.ask(
        stage=STAGE,
        prompt_version=LICOMEMORY_QUESTION.version,
        system=LICOMEMORY_QUESTION.text,
        user="\n\n".join(
            (
                fenced("question", one_line(question)),
                fenced("people", ", ".join(one_line(name) for name in people)),
            )
        ),
        schema=QuestionReply,
    ).data
    notes: list[str] = []
    return checked_names(reply.entities, "entities", question, notes), tuple(notes)
