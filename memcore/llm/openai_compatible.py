"""One chat request to a server that speaks OpenAI's chat completions API, with httpx.

OpenAI, DeepSeek, vLLM, LM Studio, llama.cpp's server and Ollama's own `/v1` do. They differ in what
they accept: a way of asking is given up only when the server itself says that it does not support
it, the refused attempt is recorded as such, and every later answer names the weaker way in the
ledger. The base URL and key come from the caller; this module reads no environment of its own and
never writes the key anywhere. Retrying and checking of answers is `conversation`'s work.
"""

from __future__ import annotations

import json
import threading
from typing import Any, Literal

import httpx

from memcore.domain.errors import LlmError, LlmReplyError, LlmUnavailableError
from memcore.llm.chat import (
    LONGER_CONTEXT,
    ChatCompletion,
    ChatRequest,
    ConnectionLostError,
    UnsupportedError,
)
from memcore.llm.tool_calls import ToolCall

AnswerForm = Literal["json_schema", "json_object", "text"]
_WEAKER: dict[AnswerForm, AnswerForm] = {"json_schema": "json_object", "json_object": "text"}
LONGEST_SAID = 300
_TOO_LONG = ("exceed_context_size", "context_length_exceeded", "maximum context length")
"""How servers call a request that does not fit their context: llama.cpp, OpenAI, vLLM."""


class OpenAiServer:
    """A `ChatServer`. `timeout_s` bounds one whole answer, which is not streamed. `answer_form` is how
    this server is asked for JSON, at first by schema; a call of a tool is `required` until the server
    says that it cannot be. Safe to use from several threads."""

    def __init__(self, model: str, base_url: str, api_key: str = "", *, timeout_s: float = 120.0) -> None:
        self.model_id = model
        self.base_url = base_url.rstrip("/")
        self.answer_form: AnswerForm = "json_schema"
        self._lock = threading.Lock()
        self._sets_temperature = True
        self._requires_tools = True
        self._timeout_s = timeout_s
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(timeout=timeout_s, headers=headers)

    def send(self, request: ChatRequest) -> ChatCompletion:
        """See `ChatServer.send`."""
        form, sets_temperature, requires = self.answer_form, self._sets_temperature, self._requires_tools
        body = self._body(request, form, sets_temperature, requires)
        try:
            response = self._client.post(f"{self.base_url}/chat/completions", json=body)
        except httpx.ConnectError as error:
            raise unreachable(self.base_url) from error
        except httpx.TimeoutException as error:
            raise ConnectionLostError(
                f"{self.base_url} did not answer within {self._timeout_s:g} seconds.",
                "Raise llm_timeout_s in Settings, or choose a smaller model.",
            ) from error
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise ConnectionLostError(
                f"The connection to {self.base_url} broke off ({type(error).__name__}: {error}).",
                "See the server's log, and the base URL in Settings.",
            ) from error
        if response.is_error:
            if request.schema is not None and self._gives_up_form(response, form):
                raise UnsupportedError(
                    f"{self.base_url} does not support response_format {form} ({_said(response)}); "
                    f"asking with {self.answer_form} from here on."
                )
            if self._gives_up_temperature(response, sets_temperature):
                raise UnsupportedError(
                    f"{self.model_id} does not let temperature be set ({_said(response)}); "
                    "asking without it from here on."
                )
            if request.tools and self._gives_up_requiring(response, requires):
                raise UnsupportedError(
                    f"{self.base_url} does not support tool_choice required ({_said(response)}); "
                    "leaving the choice to the model from here on."
                )
            raise self._refusal(response)
        weaker: str = "" if request.schema is None or form == "json_schema" else form
        if request.tools and not requires:
            weaker = "tool_choice auto"
        return _completion(response, mode=weaker)

    def _body(
        self, request: ChatRequest, form: AnswerForm, sets_temperature: bool, requires: bool
    ) -> dict[str, Any]:
        system = request.system
        body: dict[str, Any] = {"model": self.model_id, "stream": False}
        if sets_temperature:
            body["temperature"] = 0
        if request.tools:
            body["tools"] = list(request.tools)
            body["tool_choice"] = "required" if requires else "auto"
        if request.schema is not None:
            schema = request.schema
            if form == "json_schema":
                named = {"name": schema.get("title", "answer"), "strict": True, "schema": schema}
                body["response_format"] = {"type": "json_schema", "json_schema": named}
            else:
                system += (
                    f"\n\nAnswer with one JSON object that obeys this JSON schema:\n{json.dumps(schema)}"
                )
                if form == "json_object":
                    body["response_format"] = {"type": "json_object"}
        body["messages"] = [
            {"role": "system", "content": system},
            {"role": "user", "content": request.user},
        ]
        return body

    def _gives_up_form(self, response: httpx.Response, form: AnswerForm) -> bool:
        """Whether the server just said that it does not know `form`; then the next weaker is used."""
        named = any(word in response.text for word in ("response_format", "json_schema", "json_object"))
        if response.status_code not in (400, 422) or not named or form not in _WEAKER:
            return False
        with self._lock:
            if self.answer_form == form:  # else another thread has already moved on
                self.answer_form = _WEAKER[form]
        return True

    def _gives_up_temperature(self, response: httpx.Response, was_set: bool) -> bool:
        if response.status_code not in (400, 422) or not was_set or "temperature" not in response.text:
            return False
        self._sets_temperature = False
        return True

    def _gives_up_requiring(self, response: httpx.Response, required: bool) -> bool:
        if response.status_code not in (400, 422) or not required or "tool_choice" not in response.text:
            return False
        self._requires_tools = False
        return True

    def _refusal(self, response: httpx.Response) -> LlmError | ConnectionLostError:
        said = f"{self.base_url} answered {response.status_code}: {_said(response)}"
        if response.status_code in (401, 403):
            return LlmUnavailableError(f"{said}.", "Set a valid key for this server in OPENAI_API_KEY.")
        if response.status_code == 404:
            return LlmUnavailableError(
                f"{said}.",
                f"Check the base URL in Settings, and that the server has the model {self.model_id!r}.",
            )
        if response.status_code in (408, 429) or response.status_code >= 500:
            return ConnectionLostError(f"{said}.", "Wait and try again, or see the server's log.")
        if any(word in response.text for word in _TOO_LONG):
            return LlmReplyError(f"{said}.", LONGER_CONTEXT)
        return LlmReplyError(f"{said}.", f"Choose another model than {self.model_id!r} or another server.")


def _completion(response: httpx.Response, mode: str) -> ChatCompletion:
    try:
        body = response.json()
        choice = body["choices"][0]
        text = choice["message"].get("content") or ""
        refused = choice["message"].get("refusal")
        calls = tuple(
            ToolCall(str(call["function"]["name"]), str(call["function"].get("arguments") or ""))
            for call in choice["message"].get("tool_calls") or ()
        )
        usage = body.get("usage") or {}
        finish = choice.get("finish_reason")
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ConnectionLostError(
            f"{response.url} did not answer with a chat completion ({type(error).__name__}).",
            "Check the base URL in Settings; most end in /v1.",
        ) from error
    if refused or finish == "content_filter":
        raise LlmReplyError(
            f"The model refused to answer: {refused or 'its content filter stopped it'}.",
            "Choose another model for this log.",
        )
    return ChatCompletion(
        text=text,
        prompt_tokens=usage.get("prompt_tokens"),
        completion_tokens=usage.get("completion_tokens"),
        cut="answer" if finish == "length" else "",
        widest=True,  # the server sets its own limits
        mode=mode,
        calls=calls,
    )


def _said(response: httpx.Response) -> str:
    """The server's own words for what is wrong, at most a few hundred characters."""
    try:
        error = response.json()["error"]
        said = error["message"] if isinstance(error, dict) else error
    except (ValueError, LookupError, TypeError):
        said = response.text
    return str(said)[:LONGEST_SAID].strip() or "no explanation"


def unreachable(base_url: str) -> LlmUnavailableError:
    """Nobody listens at `base_url`."""
    return LlmUnavailableError(
        f"No server answers at {base_url}.", "Start it, or correct the base URL in Settings."
    )
