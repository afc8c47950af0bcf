"""A test double that speaks Ollama's wire protocol over a real socket. It contains no model.

Endpoints: /api/version (always 0.0.0-testdouble), /api/tags, /api/ps, /api/show, /api/chat (streamed
NDJSON or one object), /api/embed, and Ollama's own /v1/models and /v1/chat/completions (server-sent
events or one object). Chat answers
come from a script, in order; without one, the smallest instance of the `format` schema, or the smallest
call of the first tool. Error texts,
field names and what happens to a prompt longer than `num_ctx` follow ollama/ollama: server/routes.go,
server/prompt.go and llm/llama_server.go as of August 2026. Tokens are words and marks, so that a test
can count them. Nothing measured with it says anything about a model's quality.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal

VERSION = "0.0.0-testdouble"
CREATED = "2026-01-01T00:00:00Z"
NUM_KEEP = 4


@dataclass(frozen=True)
class Model:
    """A model the double claims to have."""

    context_length: int = 32_768
    capabilities: tuple[str, ...] = ("completion", "tools")


@dataclass(frozen=True)
class ScriptedAnswer:
    """One scripted answer to a chat request.

    `text` None: the smallest instance of the schema. `calls` are tool calls, (name, arguments), with
    which a model answers beside or instead of text. `status` other than 200: an HTTP error with
    `error` as its text. `drop`: the connection is closed instead of an answer, or after its first
    part; `stop_early`: the stream ends in good order but without `done`. `error` with status 200 is
    an error within the stream. `silent_until`: nothing is sent before this event is set. `endless`: the
    stream brings the text again and again until the client hangs up. `whole`: one object, though a stream
    was asked for.
    """

    text: str | None = None
    status: int = 200
    error: str = ""
    drop: Literal["", "before", "within"] = ""
    stop_early: bool = False
    garbage: bool = False
    silent_until: threading.Event | None = None
    endless: bool = False
    whole: bool = False
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


@dataclass(frozen=True)
class Request:
    """One request as it came in."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)


class OllamaDouble:
    """A server on 127.0.0.1 for the length of a `with` block.

    `memory_limit` is the most context it grants whatever is asked (a server short of memory).
    `cuts` says what happens to a longer prompt: `half` (num_keep tokens and half of the rest remain,
    llama-server runner) or `full` (exactly the context remains, Go runners). `writing` is set once it has
    sent part of a stream, `hung_up` once a client left before the end of one.
    """

    def __init__(
        self,
        models: dict[str, Model] | None = None,
        *,
        memory_limit: int | None = None,
        cuts: Literal["half", "full"] = "half",
        port: int = 0,
    ) -> None:
        self.models = {"testdouble:latest": Model()} if models is None else models
        self.memory_limit = memory_limit
        self.cuts = cuts
        self.script: deque[ScriptedAnswer] = deque()
        self.requests: list[Request] = []
        self.running: dict[str, int] = {}
        self.writing = threading.Event()
        self.hung_up = threading.Event()
        self.lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> OllamaDouble:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, *turns: str | ScriptedAnswer) -> None:
        """Append to the script; a plain string is the text of a complete answer."""
        self.script.extend(ScriptedAnswer(turn) if isinstance(turn, str) else turn for turn in turns)

    def sent(self, path: str = "/api/chat") -> list[dict[str, Any]]:
        """The bodies received on `path`, in order."""
        return [request.body for request in self.requests if request.path == path]

    def find(self, name: str) -> tuple[str, Model] | None:
        full = name if ":" in name else f"{name}:latest"
        return (full, self.models[full]) if full in self.models else None


def tokens(text: str) -> list[str]:
    """The double's tokenizer: words and single marks, with the blanks before them."""
    return re.findall(r"\s*(?:\w+|[^\w\s])", text)


def smallest_instance(schema: dict[str, Any], root: dict[str, Any] | None = None) -> Any:
    """The smallest value that a JSON schema (as pydantic writes them) allows."""
    root = root or schema
    if "$ref" in schema:
        return smallest_instance(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root)
    for choice in ("const", "enum"):
        if choice in schema:
            return schema[choice] if choice == "const" else schema[choice][0]
    if "anyOf" in schema:
        return smallest_instance(schema["anyOf"][-1], root)
    kind = schema.get("type")
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: smallest_instance(properties[name], root) for name in schema.get("required", [])}
    if kind == "array":
        return [smallest_instance(schema["items"], root)] * schema.get("minItems", 0)
    return {"string": "", "integer": 0, "number": 0, "boolean": False}.get(str(kind))


def smallest_call(tool: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The smallest call of a tool, as (name, arguments)."""
    return tool["function"]["name"], smallest_instance(tool["function"]["parameters"])


@dataclass(frozen=True)
class _Generated:
    text: str
    calls: tuple[tuple[str, dict[str, Any]], ...]
    prompt_tokens: int
    completion_tokens: int
    done_reason: str


def _generate(
    double: OllamaDouble, name: str, model: Model, body: dict[str, Any], turn: ScriptedAnswer
) -> _Generated:
    """What the server would answer, within the context it grants."""
    text, calls, tools = turn.text, turn.calls, body.get("tools") or []
    options = body.get("options") or {}
    context = min(
        options.get("num_ctx", 4096), model.context_length, double.memory_limit or model.context_length
    )
    with double.lock:
        double.running[name] = context
    prompt = sum(len(tokens(message.get("content") or "")) for message in body["messages"])
    prompt += sum(len(tokens(json.dumps(tool))) for tool in tools)
    if prompt > context - 1:
        prompt = context if double.cuts == "full" else context - (context - NUM_KEEP) // 2
    if text is None and tools:
        text, calls = "", calls or (smallest_call(tools[0]),)
    if text is None:
        schema = body.get("format")
        text = json.dumps(smallest_instance(schema)) if isinstance(schema, dict) else "A scripted answer."
    written = tokens(text) + [token for call in calls for token in tokens(json.dumps(call))]
    room = max(1, context - prompt)
    if options.get("num_predict", -1) > 0:
        room = min(room, options["num_predict"])
    if len(written) > room:
        return _Generated("".join(written[:room]), (), prompt, room, "length")
    return _Generated(text, calls, prompt, len(written), "stop")


def _handler(double: OllamaDouble) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:
                double.hung_up.set()

        def log_message(self, format: str, *args: object) -> None:
            """Quiet: the tests read `requests`."""

        def do_GET(self) -> None:
            double.requests.append(Request(self.path, {}, dict(self.headers)))
            if self.path == "/api/version":
                self._json({"version": VERSION})
            elif self.path == "/api/tags":
                self._json({"models": [_listed(name) for name in double.models]})
            elif self.path == "/api/ps":
                with double.lock:
                    running = dict(double.running)
                self._json({"models": [_listed(n) | {"context_length": c} for n, c in running.items()]})
            elif self.path == "/v1/models":
                self._json({"object": "list", "data": [{"id": n, "object": "model"} for n in double.models]})
            else:
                self._text(404, "404 page not found")

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if not raw:
                return self._json({"error": "missing request body"}, 400)
            body = json.loads(raw)
            double.requests.append(Request(self.path, body, dict(self.headers)))
            answer = {
                "/api/show": self._show,
                "/api/chat": self._chat,
                "/api/embed": self._embed,
                "/v1/chat/completions": self._chat,
            }.get(self.path)
            if answer is None:
                return self._text(404, "404 page not found")
            if not body.get("model"):
                return self._json({"error": "model is required"}, 400)
            found = double.find(body["model"])
            if found is None:
                return self._json({"error": f"model '{body['model']}' not found"}, 404)
            return answer(*found, body)

        def _show(self, name: str, model: Model, body: dict[str, Any]) -> None:
            info = {"general.architecture": "double", "double.context_length": model.context_length}
            self._json(
                {
                    "modelfile": f"FROM {name}",
                    "parameters": "",
                    "template": "{{ .Prompt }}",
                    "details": _listed(name)["details"],
                    "model_info": info,
                    "capabilities": list(model.capabilities),
                    "modified_at": CREATED,
                }
            )

        def _embed(self, name: str, model: Model, body: dict[str, Any]) -> None:
            texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
            vectors = []
            for text in texts:
                raw = [byte - 127.5 for byte in hashlib.sha256(text.encode()).digest()[:8]]
                norm = sum(value * value for value in raw) ** 0.5
                vectors.append([value / norm for value in raw])
            counted = sum(len(tokens(text)) for text in texts)
            self._json({"model": body["model"], "embeddings": vectors, "prompt_eval_count": counted})

        def _chat(self, name: str, model: Model, body: dict[str, Any]) -> None:
            with double.lock:
                turn = double.script.popleft() if double.script else ScriptedAnswer()
            if turn.silent_until is not None:
                turn.silent_until.wait(180)
            if turn.drop == "before":
                return self._hang_up()
            if turn.status != 200:
                return self._json({"error": turn.error}, turn.status)
            if body.get("tools") and "tools" not in model.capabilities:
                return self._json({"error": f"registry.ollama.ai/library/{name} does not support tools"}, 400)
            if self.path.startswith("/v1/"):
                return self._openai_answer(name, model, body, turn)
            if body.get("think") and "thinking" not in model.capabilities:
                return self._json({"error": f'"{body["model"]}" does not support thinking'}, 400)
            if not body.get("messages"):
                return self._json(_part(body["model"], "") | {"done": True, "done_reason": "load"})
            generated = _generate(double, name, model, body, turn)
            last = _part(body["model"], "") | {
                "done": True,
                "done_reason": generated.done_reason,
                "total_duration": 1_000_000,
                "load_duration": 1,
                "prompt_eval_count": generated.prompt_tokens,
                "prompt_eval_duration": 1,
                "eval_count": generated.completion_tokens,
                "eval_duration": 1,
            }
            if body.get("stream") is False:
                return self._json(last | {"message": _message(generated)})
            return self._stream(body["model"], generated, last, turn)

        def _stream(
            self, model: str, generated: _Generated, last: dict[str, Any], turn: ScriptedAnswer
        ) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/x-ndjson")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            if turn.garbage:
                self._chunk(b'{"model": "testdou\n')
                return self._chunk(b"")
            for piece in _pieces(generated.text, turn):
                self._chunk(json.dumps(_part(model, piece)).encode() + b"\n")
                if turn.drop == "within":
                    return self._hang_up()
            if generated.calls:
                called = _part(model, "") | {"message": _message(replace(generated, text=""))}
                self._chunk(json.dumps(called).encode() + b"\n")
            if turn.error:
                self._chunk(json.dumps({"error": turn.error}).encode() + b"\n")
            elif not turn.stop_early:
                self._chunk(json.dumps(last).encode() + b"\n")
            return self._chunk(b"")

        def _openai_answer(self, name: str, model: Model, body: dict[str, Any], turn: ScriptedAnswer) -> None:
            asked = (body.get("response_format") or {}).get("json_schema", {}).get("schema")
            generated = _generate(double, name, model, body | {"format": asked}, turn)
            message = _message(generated)
            for number, call in enumerate(message.get("tool_calls", [])):
                arguments = json.dumps(call["function"]["arguments"])
                call |= {"id": f"call_{number}", "type": "function", "index": number}
                call["function"] = call["function"] | {"arguments": arguments}
            finish = "tool_calls" if generated.calls else generated.done_reason
            usage = {
                "prompt_tokens": generated.prompt_tokens,
                "completion_tokens": generated.completion_tokens,
                "total_tokens": generated.prompt_tokens + generated.completion_tokens,
            }
            head = {"id": "chatcmpl-1", "created": int(time.time()), "model": body["model"]}
            if body.get("stream") and not turn.whole:
                counted = (body.get("stream_options") or {}).get("include_usage")
                return self._events(head, message, finish, usage if counted else None, turn)
            choice = {"index": 0, "message": message, "finish_reason": finish}
            return self._json(head | {"object": "chat.completion", "choices": [choice], "usage": usage})

        def _events(
            self,
            head: dict[str, Any],
            message: dict[str, Any],
            finish: str,
            usage: dict[str, int] | None,
            turn: ScriptedAnswer,
        ) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            head |= {"object": "chat.completion.chunk"}
            if turn.garbage:
                self._chunk(b'data: {"choi\n\n')
                return self._chunk(b"")
            for piece in _pieces(message["content"], turn):
                self._event(head | {"choices": [_delta({"role": "assistant", "content": piece})]})
                if turn.drop == "within":
                    return self._hang_up()
            for call in message.get("tool_calls", []):
                self._event(head | {"choices": [_delta({"role": "assistant", "tool_calls": [call]})]})
            if turn.error:
                self._event({"error": {"message": turn.error, "type": "server_error"}})
                return self._chunk(b"")
            if turn.stop_early:
                return self._chunk(b"")
            self._event(head | {"choices": [_delta({}) | {"finish_reason": finish}]})
            if usage:
                self._event(head | {"choices": [], "usage": usage})
            self._chunk(b"data: [DONE]\n\n")
            return self._chunk(b"")

        def _event(self, body: dict[str, Any]) -> None:
            self._chunk(b"data: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n")

        def _json(self, body: dict[str, Any], status: int = 200) -> None:
            self._send(status, "application/json; charset=utf-8", json.dumps(body).encode())

        def _text(self, status: int, body: str) -> None:
            self._send(status, "text/plain", body.encode())

        def _send(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()
            double.writing.set()

        def _hang_up(self) -> None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    return Handler


def _part(model: str, content: str) -> dict[str, Any]:
    return {
        "model": model,
        "created_at": CREATED,
        "message": {"role": "assistant", "content": content},
        "done": False,
    }


def _message(generated: _Generated) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": generated.text}
    if generated.calls:
        message["tool_calls"] = [
            {"function": {"name": name, "arguments": arguments}} for name, arguments in generated.calls
        ]
    return message


def _delta(message: dict[str, Any]) -> dict[str, Any]:
    return {"index": 0, "delta": message, "finish_reason": None}


def _pieces(text: str, turn: ScriptedAnswer) -> Iterator[str]:
    """The text in parts of a few characters, as a stream brings it."""
    for again in itertools.count():
        if again and not turn.endless:
            return
        for start in range(0, max(len(text), 1), 7):
            yield text[start : start + 7]
            if turn.endless:
                time.sleep(0.01)


def _listed(name: str) -> dict[str, Any]:
    details = {"format": "none", "family": "double", "parameter_size": "0", "quantization_level": "none"}
    digest = hashlib.sha256(name.encode()).hexdigest()
    return {
        "name": name,
        "model": name,
        "modified_at": CREATED,
        "size": 0,
        "digest": digest,
        "details": details,
    }
