"""A `ChatServer` for tests: it answers every request from what is asked, always alike, and is no model."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from typing import Any

from memcore.llm.chat import ChatCompletion, ChatRequest
from memcore.llm.tool_calls import ToolCall

_NUMBERS = {"source_id": 0, "memory": 0}
_NAMES = {"subject": "Ann", "source": "Ann", "object": "Leeds", "destination": "Leeds"}
_SAID = re.compile(r"\b(?:Ann|Ben): ([^\n.]+)")


class ParrotServer:
    """Fills whatever schema or tool it is given: texts with what somebody says in the prompt, choices by the
    request's hash, numbers with the first there is."""

    model_id = "parrot-1"

    def __init__(self) -> None:
        self.asked: list[ChatRequest] = []
        self._lock = threading.Lock()

    def send(self, request: ChatRequest) -> ChatCompletion:
        with self._lock:
            self.asked.append(request)
        seed = int(hashlib.sha256(request.user.encode()).hexdigest(), 16)
        said = [f"Ann says: {words}" for words in _SAID.findall(request.user)] or ["Ann says nothing."]
        text, calls = said[seed % len(said)], ()
        if request.tools:
            tool = request.tools[seed % len(request.tools)]["function"]
            arguments = json.dumps(_filled(tool["parameters"], tool["parameters"], said, seed))
            text, calls = "", (ToolCall(tool["name"], arguments),)
        elif request.schema is not None:
            text = json.dumps(_filled(request.schema, request.schema, said, seed))
        return ChatCompletion(text, len(request.user.split()), len(text.split()), calls=calls)


def _filled(schema: dict[str, Any], root: dict[str, Any], said: list[str], seed: int, name: str = "") -> Any:
    if "$ref" in schema:
        return _filled(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, said, seed, name)
    if "enum" in schema:
        return schema["enum"][seed % len(schema["enum"])]
    if "const" in schema:
        return schema["const"]
    if "anyOf" in schema:
        return _filled(schema["anyOf"][0], root, said, seed, name) if name == "new_memory" else None
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties", {})
        return {key: _filled(fields[key], root, said, seed + n, key) for n, key in enumerate(fields)}
    if kind == "array":
        return [_filled(schema["items"], root, said, seed + n, name) for n in range(2)]
    if kind == "integer":
        return _NUMBERS.get(name, 1)
    if kind == "string":
        told = name in ("fact", "text", "summary", "lossless_restatement")
        return said[seed % len(said)] if told else _NAMES.get(name, ("Ann", "Leeds")[seed % 2])
    return {"number": 0.5, "boolean": False}[str(kind)]
