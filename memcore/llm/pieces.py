"""An answer that a server sends in pieces: server-sent events, each with a `chat.completion.chunk`.

OpenAI's API reference describes them; put together they make the body that the server would have sent
had it not been asked to stream.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memcore.llm.chat import ConnectionLostError

EVENTS = "text/event-stream"
"""How a response says that its body is such events."""
_DATA, _DONE = b"data:", b"[DONE]"


def put_together(body: bytes) -> dict[str, Any]:
    """The chat completion that a stream's pieces make, in the form of one sent at once; or the error that
    the server reports amid them. Raises ConnectionLostError if the stream ended before the answer did, and
    ValueError, LookupError, TypeError or AttributeError for what is no such stream.

    >>> begin = b'data: {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Os"}}]}\\n\\n'
    >>> end = b'data: {"choices": [{"index": 0, "delta": {"content": "car"}, "finish_reason": "stop"}]}\\n\\n'
    >>> made = put_together(begin + end + b'data: [DONE]\\n\\n')
    >>> made["choices"][0]["message"]["content"], made["choices"][0]["finish_reason"]
    ('Oscar', 'stop')
    """
    text: list[str] = []
    refusal: list[str] = []
    calls: dict[int, dict[str, Any]] = {}
    finish: str | None = None
    usage: Any = None
    for chunk in _chunks(body):
        if chunk.get("error"):
            return {"error": chunk["error"]}
        usage = chunk.get("usage") or usage
        for choice in chunk.get("choices") or ():
            delta = choice.get("delta") or {}
            text.append(delta.get("content") or "")
            refusal.append(delta.get("refusal") or "")
            _add_calls(calls, delta.get("tool_calls") or ())
            finish = choice.get("finish_reason") or finish
    if finish is None:
        raise ConnectionLostError(
            "The server ended its answer without saying that it was done.",
            "See the server's log; it may have been stopped.",
        )
    message = {"content": "".join(text), "refusal": "".join(refusal), "tool_calls": [*calls.values()]}
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}


def _chunks(body: bytes) -> Iterator[dict[str, Any]]:
    """What stands in the events, to the one that ends the stream. Lines end with LF or CRLF only: a text may
    hold every other line separator there is."""
    for line in body.split(b"\n"):
        if line.startswith(_DATA):
            data = line.removeprefix(_DATA).strip()
            if data == _DONE:
                return
            yield json.loads(data)


def _add_calls(calls: dict[int, dict[str, Any]], parts: Iterable[Mapping[str, Any]]) -> None:
    """Parts of tool calls to the calls they belong to, by index; a part without one is a call of its own. The
    name comes once, the arguments in pieces."""
    for part in parts:
        index = part.get("index")
        call = calls.setdefault(len(calls) if index is None else index, {"function": {"arguments": ""}})
        function = call["function"]
        given = part["function"]
        if given.get("name"):
            function["name"] = given["name"]
        function["arguments"] += given.get("arguments") or ""
