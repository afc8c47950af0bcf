"""The entities of a question as a model names them. With which prompt it is asked for which reply is each
system's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from memcore.domain.prompts import PromptText, fenced, one_line, question_place
from memcore.domain.protocols import Llm
from memcore.stages.reply_checks import checked_names

STAGE = "question"
Reply = TypeVar("Reply", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class QuestionEntities(Generic[Reply]):
    """A prompt, the reply that it asks for, and the `names` in one."""

    prompt: PromptText
    schema: type[Reply]
    names: Callable[[Reply], Iterable[str]]

    def asked_by(self, llm: Llm) -> str:
        """Who names them, for the plan: the model with the prompt's version."""
        return f"{llm.model_id} ({self.prompt.version})"

    def of(self, llm: Llm, question: str, people: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Their names, and what of the answer could not be used. Raises LlmError."""
        told = ", ".join(one_line(name) for name in people)
        reply = llm.ask(
            stage=STAGE,
            prompt_version=self.prompt.version,
            place=question_place(question),
            system=self.prompt.text,
            user="\n\n".join((fenced("question", one_line(question)), fenced("people", told))),
            schema=self.schema,
        ).data
        notes: list[str] = []
        return checked_names(self.names(reply), "entities", question, notes), tuple(notes)
