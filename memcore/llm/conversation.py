"""Ask a model server until it gives an answer that can be used, or say why it did not.

The one place for retrying, checking and recording, whatever the server: a `ChatServer` sends one
request, `CheckedLlm` makes an `Llm` of it. An answer counts only if it is complete and obeys the
schema; what is wrong with it is told to the model twice, and then raised. Nothing here knows how a
server is spoken to, nor what a prompt is about.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from memcore.domain.errors import CancelledError, LlmError, LlmReplyError, LlmUnavailableError
from memcore.domain.models import CallOutcome, LlmCall, now
from memcore.domain.protocols import Cancelled, Ledger, LlmReply, Reply
from memcore.llm.background import in_background
from memcore.llm.chat import (
    LONGER_CONTEXT,
    ChatCompletion,
    ChatRequest,
    ChatServer,
    ConnectionLostError,
    UnansweredError,
    UnsupportedError,
    cancelled_while_answering,
)
from memcore.llm.requests import as_text, violations
from memcore.llm.tokens import estimate_tokens
from memcore.llm.tool_calls import Tool, WrongCallError, chosen, tool_document

ATTEMPTS = 3
LEAST_ROOM = 1024
LONGEST_VIOLATIONS = 600
_LOOK_S = 0.2
"""How often it is looked whether somebody cancelled."""

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class _Question:
    stage: str
    prompt_version: str
    system: str
    user: str
    place: str
    schema: dict[str, Any] | None = None
    tools: tuple[Tool, ...] = ()


class CheckedLlm:
    """An `Llm` on top of a `ChatServer`.

    Every attempt is recorded in `ledger` with the server's own token counts. `pause_s` is the wait
    before asking again after a lost connection; it doubles each time. Who is `cancelled` waits for no answer:
    whatever was asked raises CancelledError at once, and the request is cancelled too.
    """

    def __init__(
        self,
        server: ChatServer,
        ledger: Ledger,
        run_id: str,
        *,
        pause_s: float = 1.0,
        cancelled: Cancelled | None = None,
    ) -> None:
        self.model_id = server.model_id
        self._server = server
        self._ledger = ledger
        self._run_id = run_id
        self._pause_s = pause_s
        self._cancelled = cancelled

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
        """See `Llm.ask`. Raises LlmUnavailableError, or LlmReplyError after three useless answers."""
        question = _Question(stage, prompt_version, system, user, place, schema.model_json_schema())
        return self._reply(question, lambda completion: schema.model_validate_json(completion.text))

    def call(
        self,
        *,
        stage: str,
        prompt_version: str,
        system: str,
        user: str,
        tools: Sequence[Tool],
        place: str = "",
    ) -> LlmReply[BaseModel]:
        """See `Llm.call`. Raises as `ask` does."""
        question = _Question(stage, prompt_version, system, user, place, tools=tuple(tools))
        return self._reply(question, lambda completion: chosen(completion.calls, tools))

    def write(self, *, stage: str, prompt_version: str, system: str, user: str, place: str = "") -> str:
        """See `Llm.write`. Raises as `ask` does."""
        question = _Question(stage, prompt_version, system, user, place)
        return self._converse(question, lambda completion: completion.text.strip())[0]

    def _reply(self, question: _Question, read: Callable[[ChatCompletion], Reply]) -> LlmReply[Reply]:
        data, completion, milliseconds = self._converse(question, read)
        return LlmReply(
            data, completion.said, completion.prompt_tokens, completion.completion_tokens, milliseconds
        )

    def _converse(
        self, question: _Question, read: Callable[[ChatCompletion], Value]
    ) -> tuple[Value, ChatCompletion, float]:
        """The answer as `read` takes it, the completion it is from, and its milliseconds.

        A lost connection is waited for, an answer that was cut off gets twice the room, and what is wrong
        with a complete one is told to the model.
        """
        room = LEAST_ROOM + estimate_tokens(question.user)
        tools = tuple(tool_document(tool) for tool in question.tools)
        correction = ""
        problem: LlmError
        for attempt in range(ATTEMPTS):
            request = ChatRequest(
                system=question.system,
                user=question.user + correction,
                schema=question.schema,
                room=room,
                tools=tools,
                prompt_version=question.prompt_version,
                place=question.place,
            )
            try:
                completion, started = self._sent(question, request)
            except ConnectionLostError as lost:
                problem = LlmUnavailableError(lost.cause, lost.fix)
                if attempt + 1 < ATTEMPTS:
                    time.sleep(self._pause_s * 2**attempt)
                continue
            if completion.cut:
                problem = _cut_off(self.model_id, request, completion)
                self._record(question, request, completion, started, "truncated", problem.cause)
                if completion.widest:
                    break
                room *= 2
                continue
            value, violations = _checked(completion, read, may_be_silent=bool(tools))
            if value is not None:
                return value, completion, self._record(question, request, completion, started, "ok", "")
            problem = _unusable(self.model_id, violations, question)
            self._record(question, request, completion, started, "invalid_json", problem.cause)
            correction = _correction(violations, question)
        raise problem

    def _sent(self, question: _Question, request: ChatRequest) -> tuple[ChatCompletion, float]:
        """What the server answered, and when it was asked. A failure is recorded and raised; a server that
        does not support the way of asking was not asked yet, and is asked in the weaker one. A request that
        a recording lacks goes to the ledger whole, so that it can be answered later."""
        while True:
            started = time.perf_counter()
            try:
                return self._answered(request), started
            except UnsupportedError as unsupported:
                self._record(question, request, None, started, "error", unsupported.cause)
            except UnansweredError as unanswered:
                error = _unanswered(unanswered, request)
                self._record(question, request, None, started, "unanswered", error.cause)
                raise error from unanswered
            except (ConnectionLostError, LlmError, CancelledError) as failure:
                self._record(question, request, None, started, "error", failure.cause)
                raise

    def _answered(self, request: ChatRequest) -> ChatCompletion:
        if self._cancelled is None:
            return self._server.send(request)
        left = threading.Event()
        waited_for = replace(request, cancelled=left.is_set)
        answer = in_background(partial(self._server.send, waited_for), "ask-model")
        while not answer.done():
            if self._cancelled():
                left.set()
                raise cancelled_while_answering(self.model_id)
            wait([answer], timeout=_LOOK_S)
        return answer.result()

    def _record(
        self,
        question: _Question,
        request: ChatRequest,
        completion: ChatCompletion | None,
        started: float,
        outcome: CallOutcome,
        error: str,
    ) -> float:
        """Write one attempt to the ledger; returns its milliseconds."""
        milliseconds = (time.perf_counter() - started) * 1000
        model = self.model_id
        if completion is not None:
            milliseconds = milliseconds if completion.milliseconds is None else completion.milliseconds
            model = completion.model or model
        mode = f" ({completion.mode})" if completion and completion.mode else ""
        prompt = f"[system]\n{request.system}\n\n[user]\n{request.user}"
        if question.tools:
            prompt += f"\n\n[tools]\n{', '.join(tool.__name__ for tool in question.tools)}"
        self._ledger.record(
            LlmCall(
                id=f"call_{uuid.uuid4().hex[:16]}",
                run_id=self._run_id,
                stage=question.stage,
                model=model + mode,
                prompt=prompt,
                completion=completion.said if completion else "",
                prompt_tokens=completion.prompt_tokens if completion else None,
                completion_tokens=completion.completion_tokens if completion else None,
                milliseconds=milliseconds,
                outcome=outcome,
                at=now(),
                prompt_version=question.prompt_version,
                error=error,
                request=as_text(request) if outcome == "unanswered" else "",
            )
        )
        return milliseconds


def _unanswered(unanswered: UnansweredError, request: ChatRequest) -> LlmReplyError:
    for_what = f" for {request.place}" if request.place else ""
    return LlmReplyError(
        f"Nobody has answered {request.prompt_version}{for_what} (request {request.digest[:12]}): "
        f"{unanswered.cause}.",
        "Write the unanswered requests to a file with `memcore llm pending`, have them answered, and add the "
        "answers with `memcore llm answer`; or choose a live model and record it.",
    )


def _cut_off(model: str, request: ChatRequest, completion: ChatCompletion) -> LlmReplyError:
    context = f" of {completion.context} tokens" if completion.context else ""
    if completion.cut == "prompt":
        return LlmReplyError(
            f"{model} read only part of the prompt: it does not fit the server's context{context}.",
            LONGER_CONTEXT,
        )
    if completion.context is None:
        after = f" after {completion.completion_tokens:,} tokens" if completion.completion_tokens else ""
        return LlmReplyError(
            f"{model}'s answer was cut off{after}, before its end: the server lets it write no more.",
            "Let the server's answers be longer (llama.cpp: -n and -c), choose a model that keeps to the "
            "point, or lower buffer_tokens in Settings.",
        )
    return LlmReplyError(
        f"{model}'s answer was cut off before its end (context{context}, {request.room} tokens of room).",
        "Choose a model with a longer context, or lower buffer_tokens in Settings.",
    )


def _unusable(model: str, violations: str, question: _Question) -> LlmReplyError:
    able = "calls tools reliably" if question.tools else "follows a JSON schema"
    return LlmReplyError(
        f"{model}'s answer cannot be used: {violations}.",
        f"Choose a model that {able} (on Ollama, 7B parameters or more), and try again.",
    )


def _correction(violations: str, question: _Question) -> str:
    form = ""
    if question.schema is not None:
        form = "Answer with one JSON object that obeys the schema, and nothing else."
    elif question.tools:
        form = "Call exactly one tool, with all its arguments and no others."
    return f"\n\nYour previous answer could not be used: {violations}. {form}".rstrip()


def _checked(
    completion: ChatCompletion, read: Callable[[ChatCompletion], Value], *, may_be_silent: bool
) -> tuple[Value | None, str]:
    """What was read of a complete answer, or what is wrong with it."""
    if not completion.said.strip() and not may_be_silent:
        return None, "it was empty"
    try:
        return read(completion), ""
    except ValidationError as error:
        return None, violations(error)[:LONGEST_VIOLATIONS]
    except WrongCallError as error:
        return None, str(error)[:LONGEST_VIOLATIONS]
