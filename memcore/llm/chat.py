"""One chat request, what comes back for it, and the seam to whatever answers: `ChatServer`.

A request is named by the hash of what the model reads: a recording finds its reply by it. Nothing here
knows how a server is spoken to, nor which answers count.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from memcore.domain.errors import CancelledError
from memcore.domain.protocols import Cancelled
from memcore.llm.tool_calls import ToolCall, readable

Cut = Literal["", "answer", "prompt"]

LONGER_CONTEXT = (
    "Choose a model with a longer context, give the server more (llama.cpp: -c; Ollama: "
    "OLLAMA_CONTEXT_LENGTH), or lower buffer_tokens in Settings."
)
"""What a person can do about a request that does not fit."""


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request. `schema` is the JSON schema the answer must obey (None: free text), `room` the
    tokens the answer may take. With `tools` (`tool_calls.tool_document`) the answer is to be a call of
    one of them. `prompt_version` and `place` (what it is asked for: which messages, which memory) are for
    people and recordings; no model is sent them. Once it is `cancelled` nobody waits for the answer any
    more: a server that writes it in pieces is left at the next one."""

    system: str
    user: str
    schema: dict[str, Any] | None
    room: int
    tools: tuple[dict[str, Any], ...] = ()
    prompt_version: str = ""
    place: str = ""
    cancelled: Cancelled = field(default=_never, compare=False, repr=False)

    @property
    def digest(self) -> str:
        """SHA-256 of what the model reads: system and user text, schema, tools. The order of keys in a
        schema does not count.

        >>> ChatRequest("s", "u", {"a": 1, "b": 2}, 10).digest[:8]
        'c7e59e38'
        >>> ChatRequest("s", "u", {"b": 2, "a": 1}, 99, (), "extract_v2").digest[:8]
        'c7e59e38'
        """
        read = [self.system, self.user, self.schema, list(self.tools)]
        return hashlib.sha256(json.dumps(read, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ChatCompletion:
    """What came back: text, tool calls, or both. `cut` says what was cut off for want of context: the
    answer or, worse because the server answers all the same, the prompt. `context` is the tokens of
    context it had (None: unknown); `widest` means that asking for more cannot help. `mode` names a way
    of asking that is weaker than the one wanted, for the ledger. `model` and `milliseconds` are given
    where they are not those of this request to this server: for a recorded reply."""

    text: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cut: Cut = ""
    context: int | None = None
    widest: bool = False
    mode: str = ""
    calls: tuple[ToolCall, ...] = ()
    model: str = ""
    milliseconds: float | None = None

    @property
    def said(self) -> str:
        """The answer as the ledger keeps it: the calls if there are any, else the text."""
        return readable(self.calls) if self.calls else self.text


class ConnectionLostError(Exception):
    """The answer did not arrive (timeout, dropped connection, 5xx): asking again may help. `fix` is
    what a person can do if it keeps happening. Never leaves this package."""

    def __init__(self, cause: str, fix: str) -> None:
        super().__init__(cause)
        self.cause = cause
        self.fix = fix


class UnsupportedError(Exception):
    """The server said that it does not support a way of asking; from now on the backend asks in a
    weaker one. `cause` names both. Never leaves this package."""

    def __init__(self, cause: str) -> None:
        super().__init__(cause)
        self.cause = cause


class UnansweredError(Exception):
    """No model was asked, and nobody answered this request before. `cause` says where none was found, and
    what was found instead. Never leaves this package."""

    def __init__(self, cause: str) -> None:
        super().__init__(cause)
        self.cause = cause


def cancelled_while_answering(model: str) -> CancelledError:
    """Nobody waits for the model's answer any more."""
    return CancelledError(f"Cancelled while {model} was answering.", "Run it again: it goes on from there.")


class ChatServer(Protocol):
    """Sends one request. Raises ConnectionLostError when asking again may help, UnsupportedError
    when the next request will be asked another way (a few times at most), UnansweredError when a
    recording lacks it, CancelledError when the request was cancelled before its answer was there,
    LlmUnavailableError or LlmReplyError when nothing helps."""

    model_id: str

    def send(self, request: ChatRequest) -> ChatCompletion:
        """What the server answers to one request."""
        ...
