"""Memories, triples and messages as CSV tables, for a spreadsheet.

One row an object, in whatever state, by owner and recipe and then in the order of the log; the words it was
read from stand beside it with their place. Several values of one cell have "; " between them, quotes " … ".
Not for reading back: see jsonl.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import BinaryIO

from memcore.domain.protocols import Store
from memcore.exporting.csv_file import write_csv
from memcore.exporting.selection import Selection
from memcore.inspection.graph import entity_graph, whole_graph
from memcore.inspection.objects import quotes_by_id
from memcore.retrieval.results import Quote

MEMORIES = (
    "id", "owner", "recipe", "state", "text", "kind", "category", "subcategory", "speaker", "mentioned_at",
    "event_at", "event_end", "topic", "keywords", "persons", "entities", "location", "valid_from", "valid_to",
    "superseded_by", "said", "place",
)  # fmt: skip
TRIPLES = (
    "id", "owner", "recipe", "subject", "relation", "object", "valid_from", "invalidated_at", "mentions",
    "subject_id", "object_id", "memories", "said", "place",
)  # fmt: skip
MESSAGES = (
    "id", "owner", "conversation", "session", "position", "said_at", "time_source", "speaker", "role", "text",
    "file", "place",
)  # fmt: skip

Row = Sequence[object]
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every file in a ZIP, so that equal stores give equal files."""


def write_memories(store: Store, selection: Selection, file: BinaryIO) -> int:
    """The table of memories; returns its rows."""
    return write_csv(file, MEMORIES, _memories(store, selection))


def write_tables(store: Store, selection: Selection, file: BinaryIO) -> int:
    """A ZIP of the three tables; returns their rows. The messages are all of the owners', whichever recipe
    was asked for."""
    written = 0
    with zipfile.ZipFile(file, "w") as archive:
        for name, header, made in (
            ("memories.csv", MEMORIES, _memories(store, selection)),
            ("triples.csv", TRIPLES, _triples(store, selection)),
            ("messages.csv", MESSAGES, _messages(store, selection)),
        ):
            with tempfile.TemporaryFile() as table:  # a ZIP wants to know beforehand how large a file is
                written += write_csv(table, header, made)
                entry = zipfile.ZipInfo(name, _EPOCH)
                entry.compress_type, entry.file_size = zipfile.ZIP_DEFLATED, table.tell()
                table.seek(0)
                with archive.open(entry, "w") as packed:
                    shutil.copyfileobj(table, packed)
    return written


def _memories(store: Store, selection: Selection) -> Iterator[Row]:
    for part in selection.parts:
        memories = store.memories(part.owner, states=None, recipe=part.recipe)
        quotes = quotes_by_id(store, memories)
        for m in memories:
            yield (
                m.id, m.owner, m.recipe, m.state, m.text, m.kind, m.category, m.subcategory, m.speaker,
                _time(m.mentioned_at), _time(m.event_at), _time(m.event_end), m.topic, _list(m.keywords),
                _list(m.persons), _list(m.entities), m.location, _time(m.valid_from), _time(m.valid_to),
                m.superseded_by, *_said(quotes[m.id]),
            )  # fmt: skip


def _triples(store: Store, selection: Selection) -> Iterator[Row]:
    for part in selection.parts:
        entities, triples = whole_graph(store, entity_graph(store, part.owner, part.recipe))
        names = {entity.id: entity.name for entity in entities}
        quotes = quotes_by_id(store, triples)
        for t in triples:
            yield (
                t.id, t.owner, t.recipe, names[t.subject_id], t.relation, names[t.object_id],
                _time(t.valid_from), _time(t.invalidated_at), t.mentions, t.subject_id, t.object_id,
                _list(t.memory_ids), *_said(quotes[t.id]),
            )  # fmt: skip


def _messages(store: Store, selection: Selection) -> Iterator[Row]:
    for owner in selection.owners:
        sessions = {session.id: session for session in store.sessions(owner=owner)}
        for conversation in store.conversations(owner):
            for m in store.messages_of(conversation.id):
                yield (
                    m.id, owner, conversation.title or conversation.id,
                    sessions[m.session_id].title or m.session_id, m.position, _time(m.said_at), m.time_source,
                    m.speaker, m.role, m.text, m.raw_ref.file, m.raw_ref.where,
                )  # fmt: skip


def _said(quotes: Sequence[Quote]) -> tuple[str, str]:
    """The words something was read from, and where they stand."""
    return (
        " … ".join(quote.text for quote in quotes),
        _list(f"{quote.message.raw_ref.file} {quote.message.raw_ref.where}" for quote in quotes),
    )


def _list(values: Iterable[str]) -> str:
    return "; ".join(values)


def _time(moment: datetime | None) -> str:
    return moment.isoformat(sep=" ") if moment else ""
