"""One chat request to a server that speaks OpenAI's chat completions API, with httpx.

OpenAI, DeepSeek, vLLM, LM Studio, llama.cpp's server and Ollama's own `/v1` do. They differ in what
they accept: a way of asking is given up only when the server itself says that it does not support
it, the refused attempt is recorded as such, and every later answer names the weaker way in the
ledger. The base URL and key come from the caller; this module reads no environment of its own and
never writes the key anywhere. Retrying and checking of answers is `conversation`'s work.
"""

from __future__ import annotations

import json
import re
import threading
import time
from dataclasses import dataclass
from typing import Any, Literal

import httpx

from memcore.domain.errors import LlmError, LlmReplyError, LlmUnavailableError
from memcore.domain.protocols import Cancelled
from memcore.llm.chat import (
    LONGER_CONTEXT,
    ChatCompletion,
    ChatRequest,
    ConnectionLostError,
    UnsupportedError,
    cancelled_while_answering,
)
from memcore.llm.pieces import EVENTS, put_together
from memcore.llm.tool_calls import ToolCall

AnswerForm = Literal["json_schema", "json_object", "text"]
_WEAKER: dict[AnswerForm, AnswerForm] = {"json_schema": "json_object", "json_object": "text"}
LONGEST_SAID = 300
_FORMS = ("response_format", "json_schema", "json_object")
_STREAMING = re.compile(r"\bstream(_options|ing)?\b")
_TOO_LONG = ("exceed_context_size", "context_length_exceeded", "maximum context length")
"""How servers call a request that does not fit their context: llama.cpp, OpenAI, vLLM."""
_MALFORMED = (ValueError, LookupError, TypeError, AttributeError)


@dataclass(frozen=True, slots=True)
class _Way:
    """How one request is asked."""

    form: AnswerForm
    sets_temperature: bool
    requires_tools: bool
    streams: bool


class OpenAiServer:
    """A `ChatServer`. `timeout_s` bounds one whole answer, though it is streamed: so a request that is
    cancelled while it is being answered no longer occupies the server. `answer_form` is how this server is
    asked for JSON, at first by schema; a call of a tool is `required`, and the answer is streamed, until the
    server says that it cannot be. Safe to use from several threads."""

    def __init__(self, model: str, base_url: str, api_key: str = "", *, timeout_s: float = 120.0) -> None:
        self.model_id = model
        self.base_url = base_url.rstrip("/")
        self.answer_form: AnswerForm = "json_schema"
        self._lock = threading.Lock()
        self._sets_temperature = True
        self._requires_tools = True
        self._streams = True
        self._timeout_s = timeout_s
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(timeout=timeout_s, headers=headers)

    def send(self, request: ChatRequest) -> ChatCompletion:
        """See `ChatServer.send`."""
        way = _Way(self.answer_form, self._sets_temperature, self._requires_tools, self._streams)
        response, body = self._exchange(self._body(request, way), request.cancelled)
        if response.is_error:
            if given_up := self._given_up(response, request, way):
                raise UnsupportedError(given_up)
            raise self._refusal(response.status_code, response.text)
        answer = _read(response, body)
        if error := answer.get("error"):
            code = error.get("code") if isinstance(error, dict) else None
            raise self._refusal(code if isinstance(code, int) else 500, json.dumps(answer))
        weaker: str = "" if request.schema is None or way.form == "json_schema" else way.form
        if request.tools and not way.requires_tools:
            weaker = "tool_choice auto"
        return _completion(answer, str(response.url), mode=weaker)

    def _exchange(self, body: dict[str, Any], cancelled: Cancelled) -> tuple[httpx.Response, bytes]:
        """The server's response, and its whole body if it is an answer. Between its pieces it is looked
        whether somebody still waits for them; leaving closes the connection, by which the server knows."""
        begun = time.monotonic()
        received: list[bytes] = []
        try:
            with self._client.stream("POST", f"{self.base_url}/chat/completions", json=body) as response:
                if response.is_error:
                    response.read()
                    return response, b""
                for piece in response.iter_bytes():
                    if cancelled():
                        raise cancelled_while_answering(self.model_id)
                    if time.monotonic() - begun > self._timeout_s:
                        raise self._too_slow()
                    received.append(piece)
        except httpx.ConnectError as error:
            raise unreachable(self.base_url) from error
        except httpx.TimeoutException as error:
            raise self._too_slow() from error
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise ConnectionLostError(
                f"The connection to {self.base_url} broke off ({type(error).__name__}: {error}).",
                "See the server's log, and the base URL in Settings.",
            ) from error
        return response, b"".join(received)

    def _too_slow(self) -> ConnectionLostError:
        return ConnectionLostError(
            f"{self.base_url} did not answer within {self._timeout_s:g} seconds.",
            "Raise llm_timeout_s in Settings, or choose a smaller model.",
        )

    def _body(self, request: ChatRequest, way: _Way) -> dict[str, Any]:
        system = request.system
        body: dict[str, Any] = {"model": self.model_id, "stream": way.streams}
        if way.streams:
            body["stream_options"] = {"include_usage": True}
        if way.sets_temperature:
            body["temperature"] = 0
        if request.tools:
            body["tools"] = list(request.tools)
            body["tool_choice"] = "required" if way.requires_tools else "auto"
        if request.schema is not None:
            schema = request.schema
            if way.form == "json_schema":
                named = {"name": schema.get("title", "answer"), "strict": True, "schema": schema}
                body["response_format"] = {"type": "json_schema", "json_schema": named}
            else:
                system += (
                    f"\n\nAnswer with one JSON object that obeys this JSON schema:\n{json.dumps(schema)}"
                )
                if way.form == "json_object":
                    body["response_format"] = {"type": "json_object"}
        body["messages"] = [
            {"role": "system", "content": system},
            {"role": "user", "content": request.user},
        ]
        return body

    def _given_up(self, response: httpx.Response, request: ChatRequest, way: _Way) -> str:
        """What the server just said that it does not support, which is not asked again ("": nothing)."""
        if response.status_code not in (400, 422):
            return ""
        said = response.text
        if request.schema is not None and way.form in _WEAKER and any(word in said for word in _FORMS):
            with self._lock:
                if self.answer_form == way.form:  # else another thread has already moved on
                    self.answer_form = _WEAKER[way.form]
            return (
                f"{self.base_url} does not support response_format {way.form} ({_said(said)}); "
                f"asking with {self.answer_form} from here on."
            )
        if way.sets_temperature and "temperature" in said:
            self._sets_temperature = False
            return (
                f"{self.model_id} does not let temperature be set ({_said(said)}); "
                "asking without it from here on."
            )
        if request.tools and way.requires_tools and "tool_choice" in said:
            self._requires_tools = False
            return (
                f"{self.base_url} does not support tool_choice required ({_said(said)}); "
                "leaving the choice to the model from here on."
            )
        if way.streams and _STREAMING.search(said):
            self._streams = False
            return (
                f"{self.base_url} does not write answers in pieces and count their tokens ({_said(said)}); "
                "asking for whole answers from here on."
            )
        return ""

    def _refusal(self, status: int, text: str) -> LlmError | ConnectionLostError:
        said = f"{self.base_url} answered {status}: {_said(text)}"
        if status in (401, 403):
            return LlmUnavailableError(f"{said}.", "Set a valid key for this server in OPENAI_API_KEY.")
        if status == 404:
            return LlmUnavailableError(
                f"{said}.",
                f"Check the base URL in Settings, and that the server has the model {self.model_id!r}.",
            )
        if status in (408, 429) or status >= 500:
            return ConnectionLostError(f"{said}.", "Wait and try again, or see the server's log.")
        if any(word in text for word in _TOO_LONG):
            return LlmReplyError(f"{said}.", LONGER_CONTEXT)
        return LlmReplyError(f"{said}.", f"Choose another model than {self.model_id!r} or another server.")


def _read(response: httpx.Response, body: bytes) -> dict[str, Any]:
    """The answer in its body, in pieces or at once: which of them the server decides."""
    try:
        if response.headers.get("content-type", "").startswith(EVENTS):
            return put_together(body)
        return dict(json.loads(body))
    except _MALFORMED as error:
        raise _no_completion(str(response.url), error) from error


def _completion(answer: dict[str, Any], url: str, mode: str) -> ChatCompletion:
    try:
        choice = answer["choices"][0]
        text = choice["message"].get("content") or ""
        refused = choice["message"].get("refusal")
        calls = tuple(
            ToolCall(str(call["function"]["name"]), str(call["function"].get("arguments") or ""))
            for call in choice["message"].get("tool_calls") or ()
        )
        usage = answer.get("usage") or {}
        finish = choice.get("finish_reason")
    except _MALFORMED as error:
        raise _no_completion(url, error) from error
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


def _no_completion(url: str, error: Exception) -> ConnectionLostError:
    return ConnectionLostError(
        f"{url} did not answer with a chat completion ({type(error).__name__}).",
        "Check the base URL in Settings; most end in /v1.",
    )


def _said(text: str) -> str:
    """The server's own words for what is wrong, at most a few hundred characters."""
    try:
        error = json.loads(text)["error"]
        said = error["message"] if isinstance(error, dict) else error
    except (ValueError, LookupError, TypeError):
        said = text
    return str(said)[:LONGEST_SAID].strip() or "no explanation"


def unreachable(base_url: str) -> LlmUnavailableError:
    """Nobody listens at `base_url`."""
    return LlmUnavailableError(
        f"No server answers at {base_url}.", "Start it, or correct the base URL in Settings."
    )
