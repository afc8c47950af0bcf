"""Rows of an export of an earlier format, as this program's format has them.

The same that `migrations` does to a store of that time: an import is then as if the store had been opened
by this program and exported again. It reads no file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memcore.domain.models import DEFAULT_RECIPE

Completing = Callable[[str, dict[str, Any]], dict[str, Any]]
"""(row type, row of an older format) to the row as today's has it."""

_OF_ONE_GRAPH = frozenset({"entity", "triple", "summary"})
"""What only one recipe kept, so that format 1 names none."""


class FromFormat1:
    """Gives rows of format 1, in the order of their file, what graphs by recipe brought: the recipe of
    entities, triples, summaries and proposals, and an id of summaries; in the snapshots of events, too."""

    def __init__(self) -> None:
        self._recipes: dict[str, str] = {}

    def __call__(self, row_type: str, value: dict[str, Any]) -> dict[str, Any]:
        """The completed row. Raises KeyError or TypeError for a row that is none."""
        if row_type == "memory":
            self._recipes[value["id"]] = value["recipe"]
        elif row_type == "proposal":
            self._recipes[value["id"]] = self._recipes.get(value["target_ids"][0], DEFAULT_RECIPE)
        elif row_type == "event":
            return value | {
                moment: self._completed(value["object_type"], value["object_id"], value[moment])
                for moment in ("before", "after")
                if value[moment] is not None
            }
        key = value["id"] if row_type == "proposal" else ""
        return self._completed(row_type, key, value)

    def _completed(self, kind: str, key: str, value: dict[str, Any]) -> dict[str, Any]:
        if kind == "proposal":
            return {"recipe": self._recipes[key], **value}
        if kind not in _OF_ONE_GRAPH:
            return value
        named = {"id": value["session_id"]} if kind == "summary" else {}
        return {**named, "recipe": DEFAULT_RECIPE, **value}


def from_format_2(row_type: str, value: dict[str, Any]) -> dict[str, Any]:
    """A row of format 2 with the names of the glossary: what extraction skipped, which decided queues were
    deferred, and the kind of the runs in which a person moved a topic boundary. Raises KeyError for a row
    that is none."""
    if row_type == "run" and value["kind"] == "recut":
        return value | {"kind": "resegment"}
    if row_type == "trace" and value["stage"] == "extract" and "passed_over" in value["payload"]:
        renamed = {
            "skipped" if name == "passed_over" else name: found for name, found in value["payload"].items()
        }
        return value | {"payload": renamed}
    if row_type == "trace" and value["stage"] == "decide":
        payload = value["payload"]
        rows = [
            row | {"outcome": "deferred"} if row["outcome"] == "gave way" else row
            for row in payload["decisions"]
        ]
        return value | {"payload": payload | {"decisions": rows}}
    return value


def from_format_3(row_type: str, value: dict[str, Any]) -> dict[str, Any]:
    """A row of format 3 whose proposals, those in the snapshots of events among them, cite nothing new."""
    if row_type == "proposal":
        return {"sources": [], **value}
    if row_type == "event" and value["object_type"] == "proposal":
        moments = {name: value[name] for name in ("before", "after") if value[name] is not None}
        return value | {name: {"sources": [], **snapshot} for name, snapshot in moments.items()}
    return value


def completing(version: int) -> Completing:
    """What makes rows of an export of this format rows of today's."""
    every: list[Completing] = [FromFormat1(), from_format_2, from_format_3]
    steps = every[version - 1 :]

    def completed(row_type: str, value: dict[str, Any]) -> dict[str, Any]:
        for step in steps:
            value = step(row_type, value)
        return value

    return completed
