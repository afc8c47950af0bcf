"""Language models, and the ledger their calls go to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from memcore.domain.models import (
    LlmCall,
)

Reply = TypeVar("Reply", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class LlmReply(Generic[Reply]):
    """A checked answer (`data` is an instance of the model class that was asked for), the text it
    was read from, and what the call cost (tokens as the server reports them; None: it did not)."""

    data: Reply
    text: str
    prompt_tokens: int | None
    completion_tokens: int | None
    milliseconds: float


class Llm(Protocol):
    """A chat model that answers with JSON obeying a schema. Every attempt, also a failed one, goes
    to the ledger it was made with. Safe to call from several threads. Raises LlmUnavailableError
    or LlmReplyError; never returns an empty or unchecked answer. `place` says for a person what it is asked
    for: which messages, which memory."""

    model_id: str

    def ask(
        self,
        *,
        stage: str,
        prompt_version: str,
        system: str,
        user: str,
        schema: type[Reply],
        place: str = "",
    ) -> LlmReply[Reply]:
        """An instance of `schema`, whose JSON schema the server is told to obey."""
        ...

    def call(
        self,
        *,
        stage: str,
        prompt_version: str,
        system: str,
        user: str,
        tools: Sequence[type[BaseModel]],
        place: str = "",
    ) -> LlmReply[BaseModel]:
        """One tool call: an instance of the tool the model chose. A tool is a model class; its name is
        the tool's name, its docstring what the model is told of it, its fields the arguments."""
        ...

    def write(self, *, stage: str, prompt_version: str, system: str, user: str, place: str = "") -> str:
        """Free text, for answers shown to a person."""
        ...


class Ledger(Protocol):
    """Where LLM calls are recorded as they happen (they outlive a failed step)."""

    def record(self, call: LlmCall) -> None:
        """Keep one call, at once."""
        ...
