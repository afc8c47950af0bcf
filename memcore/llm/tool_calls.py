"""Tools as servers are told of them, and the one call a model makes of them.

A tool is a pydantic model: its name, its docstring and its fields. What servers and their clients hand
on to the model differs, but for a field's `type`, `items`, `enum` and `description`: a tool with
fields of other kinds (optional ones, unions, nested models) would reach some models in part. What a
model called is checked against the whole class. Nothing here calls a server.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

Tool = type[BaseModel]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as a server reported it; `arguments` is JSON text, not yet checked."""

    name: str
    arguments: str


class WrongCallError(Exception):
    """The model did not make exactly one call of a tool there is; the message says so to the model.
    Never leaves this package."""


def tool_document(tool: Tool) -> dict[str, Any]:
    """The tool in the form that Ollama's and OpenAI's chat APIs share.

    >>> class Add(BaseModel):
    ...     '''Remember it.'''
    ...     fact: str
    >>> tool_document(Add)["function"]["parameters"]
    {'properties': {'fact': {'type': 'string'}}, 'required': ['fact'], 'type': 'object'}
    """
    schema = _without_titles(tool.model_json_schema())
    schema.pop("description", None)  # the docstring, which the tool itself has
    function = {
        "name": tool.__name__,
        "description": inspect.cleandoc(tool.__doc__ or ""),
        "parameters": {"properties": {}, **schema},
    }
    return {"type": "function", "function": function}


def _without_titles(schema: dict[str, Any]) -> dict[str, Any]:
    """pydantic titles everything after its Python name; a field that is called title stays."""
    found = {key: value for key, value in schema.items() if key != "title"}
    for named in ("properties", "$defs"):
        if named in found:
            found[named] = {name: _without_titles(part) for name, part in found[named].items()}
    if isinstance(found.get("items"), dict):
        found["items"] = _without_titles(found["items"])
    return found


def readable(calls: Sequence[ToolCall]) -> str:
    """The calls as the ledger keeps them: name and arguments as JSON, a line each.

    >>> readable([ToolCall("ADD", '{"fact": "Zoë runs."}')])
    '{"name": "ADD", "arguments": {"fact": "Zoë runs."}}'
    """
    return "\n".join(f'{{"name": {json.dumps(c.name)}, "arguments": {c.arguments or "{}"}}}' for c in calls)


def chosen(calls: Sequence[ToolCall], tools: Sequence[Tool]) -> BaseModel:
    """The one call as an instance of its tool. Raises WrongCallError, or pydantic's ValidationError for
    arguments that the tool does not take."""
    names = ", ".join(tool.__name__ for tool in tools)
    if not calls:
        raise WrongCallError(f"it called none of the tools {names}")
    if len(calls) > 1:
        raise WrongCallError(f"it called {len(calls)} tools ({', '.join(c.name for c in calls)}) at once")
    (call,) = calls
    tool = next((tool for tool in tools if tool.__name__ == call.name), None)
    if tool is None:
        raise WrongCallError(f"it called {call.name!r}, but the tools are {names}")
    return tool.model_validate_json(call.arguments or "{}")
