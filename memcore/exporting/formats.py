"""The formats a store can be exported to, and the one way to do it: name → writer.

Each writer stands in a module of its own and says there what reads its file. Knows nothing of how a
format looks.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from memcore.domain.errors import UsageError
from memcore.domain.protocols import Store
from memcore.exporting.csv_tables import write_memories, write_tables
from memcore.exporting.draft_file import draft_file
from memcore.exporting.graphml import graphml
from memcore.exporting.lightmem import write_lightmem
from memcore.exporting.markdown import write_markdown
from memcore.exporting.mem0 import write_mem0
from memcore.exporting.selection import Selection, select
from memcore.inspection.graph import entity_graph, whole_graph


class Exportable(Store, Protocol):
    """A store that can write itself."""

    def export_jsonl(self, file: BinaryIO) -> int:
        """Everything, as JSON lines that it can read back; returns the rows."""
        ...


@dataclass(frozen=True, slots=True)
class Format:
    """How one format is written. `title` names it on a button, `about` says in one line what it is for,
    `suffix` how its files are named; a `whole` one is always of the whole store."""

    name: str
    title: str
    about: str
    suffix: str
    mime: str
    write: Callable[[Exportable, Selection, BinaryIO], int]
    whole: bool = False


def _jsonl(store: Exportable, selection: Selection, file: BinaryIO) -> int:
    return store.export_jsonl(file)


def _graphml(store: Exportable, selection: Selection, file: BinaryIO) -> int:
    graphs = [whole_graph(store, entity_graph(store, part.owner, part.recipe)) for part in selection.parts]
    entities = [entity for graph in graphs for entity in graph[0]]
    triples = [triple for graph in graphs for triple in graph[1]]
    file.write(graphml(entities, triples))
    return len(entities) + len(triples)


_JSON_LINES = "application/x-ndjson"
FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format(
            "jsonl",
            "Whole store (jsonl)",
            "The whole store, to keep or to move to another machine: imports back without loss.",
            ".jsonl",
            _JSON_LINES,
            _jsonl,
            whole=True,
        ),
        Format(
            "csv",
            "CSV table",
            "Memories with the words they came from, as one table for a spreadsheet.",
            ".csv",
            "text/csv",
            write_memories,
        ),
        Format(
            "csv-zip",
            "CSV tables (ZIP)",
            "Memories, relations and messages, as three tables in a ZIP.",
            ".zip",
            "application/zip",
            write_tables,
        ),
        Format(
            "graphml",
            "GraphML",
            "People, things and their relations, for Gephi, yEd, Cytoscape or networkx.",
            ".graphml",
            "application/xml",
            _graphml,
        ),
        Format(
            "markdown",
            "Markdown",
            "One document to read and keep: memories by session with their words, then relations.",
            ".md",
            "text/markdown",
            write_markdown,
        ),
        Format(
            "lightmem",
            "LightMem points",
            "For LightMem: one owner's memories as the points of its Qdrant collection, vectors included.",
            ".lightmem.jsonl",
            _JSON_LINES,
            write_lightmem,
        ),
        Format(
            "mem0",
            "mem0 calls",
            "For mem0: memories as calls of its add(..., infer=False), which stores them as they are.",
            ".mem0.jsonl",
            _JSON_LINES,
            write_mem0,
        ),
    )
}
"""By name, in the order in which they are offered."""


def export(
    store: Exportable,
    to: Path,
    format: str,
    *,
    owner: str | None = None,
    recipe: str | None = None,
    overwrite: bool = False,
) -> int:
    """Write what one recipe (None: any) made of one owner's (None: everyone's) conversations to a file, whole
    or not at all; returns the number of objects in it. Raises UsageError for what cannot be asked for, a
    file that is there already included, and StoreError for one that cannot be written."""
    chosen, selection = _asked(store, format, owner, recipe)
    with draft_file(to, overwrite=overwrite) as file:
        return chosen.write(store, selection, file)


def exported(store: Exportable, format: str, *, owner: str | None = None, recipe: str | None = None) -> bytes:
    """The same as the bytes of a file, for a download."""
    chosen, selection = _asked(store, format, owner, recipe)
    file = io.BytesIO()
    chosen.write(store, selection, file)
    return file.getvalue()


def _asked(store: Exportable, format: str, owner: str | None, recipe: str | None) -> tuple[Format, Selection]:
    if format not in FORMATS:
        raise UsageError(f"There is no export format {format!r}.", f"Choose one of: {', '.join(FORMATS)}.")
    if FORMATS[format].whole and (owner, recipe) != (None, None):
        raise UsageError(
            f"An export as {format} is always of the whole store.",
            "Leave owner and recipe out, or choose another format.",
        )
    return FORMATS[format], select(store, owner, recipe)
