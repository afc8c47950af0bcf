"""One chat request to an Ollama server, with the unmodified `ollama` client.

Ollama answers even when it had to drop part of the prompt, without a word. Each request therefore
asks for the context it needs (`num_ctx`), and the reply's `prompt_eval_count` is compared with what
was sent. Servers differ in what they do with a prompt that is too long (read in Ollama's source):
the Go runners cut it to exactly `num_ctx` tokens, the llama-server runner of 2026 keeps `num_keep`
tokens and half of the rest; and a server short of memory may grant less than was asked, which
`/api/ps` then tells. Retrying and checking of answers is `conversation`'s work.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from typing import cast

import httpx
import ollama
from pydantic import ValidationError

from memcore.domain.errors import LlmError, LlmReplyError, LlmUnavailableError
from memcore.llm.chat import ChatCompletion, ChatRequest, ConnectionLostError, cancelled_while_answering
from memcore.llm.tokens import at_least_tokens, estimate_tokens
from memcore.llm.tool_calls import ToolCall

DEFAULT_HOST = "http://127.0.0.1:11434"
LEAST_CONTEXT = 4096
UNKNOWN_CONTEXT = 32_768  # bound when `show` does not tell the model's context length
TEMPLATE_TOKENS = 256  # what the model's chat template adds around two messages
CUT_SLACK = 16


@dataclass(frozen=True, slots=True)
class _Model:
    context_length: int
    thinks: bool


class OllamaServer:
    """A `ChatServer`. `timeout_s` is the longest silence that is waited out, not the length of an
    answer: answers are streamed, and a request that is cancelled while it is being answered no longer
    occupies the server. Thinking is switched off where a model has it, since it takes the
    answer's room. Safe to use from several threads."""

    def __init__(self, model: str, host: str = DEFAULT_HOST, *, timeout_s: float = 120.0) -> None:
        self.model_id = model
        self.host = host
        self._timeout_s = timeout_s
        # No proxy from the environment: a local server behind HTTP_PROXY looks like one that is down.
        try:
            self._client = ollama.Client(host, timeout=timeout_s, trust_env=False, follow_redirects=False)
        except (ValueError, httpx.InvalidURL) as error:
            raise LlmUnavailableError(
                f"{host!r} is not the address of a server ({error}).",
                f"Set the Ollama host in Settings, like {DEFAULT_HOST}.",
            ) from error
        self._lock = threading.Lock()
        self._model: _Model | None = None
        self._num_ctx = LEAST_CONTEXT

    def send(self, request: ChatRequest) -> ChatCompletion:
        """See `ChatServer.send`."""
        try:
            return self._send(request)
        except ollama.ResponseError as error:
            raise self._refusal(error) from error
        except (ConnectionError, httpx.ConnectError) as error:
            raise unreachable(self.host) from error
        except httpx.TimeoutException as error:
            raise ConnectionLostError(
                f"Ollama at {self.host} was silent for {self._timeout_s:g} seconds.",
                "Raise llm_timeout_s in Settings, or choose a smaller model.",
            ) from error
        except (httpx.TransportError, json.JSONDecodeError, ValidationError) as error:
            raise ConnectionLostError(
                f"The connection to Ollama at {self.host} broke off ({type(error).__name__}: {error}).",
                "See the server's log (`ollama serve` prints it); it may have run out of memory.",
            ) from error

    def _send(self, request: ChatRequest) -> ChatCompletion:
        model = self._describe()
        text = request.system + "\n" + request.user
        offered = estimate_tokens(json.dumps(request.tools)) if request.tools else 0
        sent = estimate_tokens(text) + offered + TEMPLATE_TOKENS
        asked = self._context_for(sent + request.room, model.context_length)
        parts = self._client.chat(
            model=self.model_id,
            messages=[
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.user},
            ],
            tools=request.tools or None,
            stream=True,
            format=request.schema,
            think=False if model.thinks else None,
            options={"temperature": 0, "num_ctx": asked, "num_predict": request.room},
        )
        written: list[str] = []
        calls: list[ToolCall] = []
        last: ollama.ChatResponse | None = None
        with closing(cast(Generator[ollama.ChatResponse, None, None], parts)):  # so that Ollama stops, too
            for part in parts:
                if request.cancelled():
                    raise cancelled_while_answering(self.model_id)
                written.append(part.message.content or "")
                calls += (
                    ToolCall(
                        call.function.name, json.dumps(dict(call.function.arguments), ensure_ascii=False)
                    )
                    for call in part.message.tool_calls or ()
                )
                last = part
        if last is None or not last.done:
            raise ConnectionLostError(
                f"Ollama at {self.host} ended its answer without saying that it was done.",
                "See the server's log (`ollama serve` prints it); it may have been stopped.",
            )
        granted = min(asked, self._granted_context() or asked)
        cut = prompt_was_cut(last.prompt_eval_count, granted, least=at_least_tokens(text), most=sent)
        return ChatCompletion(
            text="".join(written),
            prompt_tokens=last.prompt_eval_count,
            completion_tokens=last.eval_count,
            cut="prompt" if cut else "answer" if last.done_reason == "length" else "",
            context=granted,
            widest=granted < asked or asked >= model.context_length,
            calls=tuple(calls),
        )

    def _describe(self) -> _Model:
        with self._lock:
            if self._model is None:
                shown = self._client.show(self.model_id)
                lengths = [v for k, v in (shown.modelinfo or {}).items() if k.endswith(".context_length")]
                length = next((int(v) for v in lengths if isinstance(v, int) and v > 0), UNKNOWN_CONTEXT)
                self._model = _Model(length, "thinking" in (shown.capabilities or ()))
            return self._model

    def _context_for(self, tokens: int, longest: int) -> int:
        """A power of two that holds `tokens`, up to the model's own length. It only ever grows:
        Ollama reloads a model whose `num_ctx` changes."""
        with self._lock:
            while self._num_ctx < tokens:
                self._num_ctx *= 2
            return min(self._num_ctx, longest)

    def _granted_context(self) -> int | None:
        """The context the loaded model really has, where the server tells (it may be shared out)."""
        running = self._client.ps().models
        names = {self.model_id, f"{self.model_id}:latest"}
        return next((m.context_length for m in running if m.model in names or m.name in names), None)

    def _refusal(self, error: ollama.ResponseError) -> LlmError | ConnectionLostError:
        said = f"Ollama at {self.host} answered: {error.error}"
        if error.status_code == 404 and "model" in error.error:
            return LlmUnavailableError(f"{said}.", f"Fetch it with `ollama pull {self.model_id}`.")
        if error.status_code == 404:
            return LlmUnavailableError(
                f"{said}.", "Correct the Ollama host in Settings: this is another kind of server."
            )
        if error.status_code in (-1, 429) or error.status_code >= 500:  # -1: an error within the stream
            return ConnectionLostError(
                f"{said} (status {error.status_code}).",
                "See the server's log (`ollama serve` prints it); a smaller model may fit its memory.",
            )
        if error.status_code == 400 and "does not support tools" in error.error:
            return LlmReplyError(
                f"{self.model_id} cannot call tools, which this system needs ({said}).",
                "Choose a model that can in Settings: one whose `ollama show MODEL` lists the capability "
                "tools.",
            )
        return LlmReplyError(
            f"{said} (status {error.status_code}).",
            f"Choose a chat model other than {self.model_id}, or update Ollama.",
        )


def prompt_was_cut(counted: int | None, context: int, *, least: int, most: int) -> bool:
    """Whether a server with `context` tokens that reports `counted` prompt tokens lost part of a
    prompt known to have `least` to `most`.

    Certain: it counted fewer than there are words, or filled the context to the brim. Taken for
    cut: the prompt may not have fitted, and the count is no more than what a server keeps that
    halves what does not fit. None (the server did not say) proves nothing.

    >>> prompt_was_cut(4096, 4096, least=3500, most=7000)
    True
    >>> prompt_was_cut(3900, 8192, least=3500, most=7000)
    False
    """
    if counted is None:
        return False
    halved = most >= context and counted <= context // 2 + CUT_SLACK
    return counted < least or counted >= context - 1 or halved


def unreachable(host: str) -> LlmUnavailableError:
    """Nobody listens at `host`."""
    return LlmUnavailableError(
        f"Ollama is not running at {host}.", "Start it with `ollama serve`, or correct the host in Settings."
    )
