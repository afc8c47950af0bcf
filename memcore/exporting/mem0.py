"""Memories as calls of mem0's `add`, one a line (JSON Lines): what moves them to mem0.

Each line holds the keyword arguments of one call. `infer` is false, so that mem0 keeps the text as it is
and asks no model. To read a file into mem0's library (seen with mem0ai 2.2.1):

    import json
    from mem0 import Memory

    memory = Memory()                                   # or Memory.from_config(...)
    with open("memories.jsonl", encoding="utf-8") as file:
        for line in file:
            memory.add(**json.loads(line))

For mem0's hosted service it is `MemoryClient().add(**json.loads(line))`; it has an argument of its own for
when something was said, `timestamp` (Unix seconds), which the library refuses; take it from
metadata["created_at"].

Only memories that hold are written: mem0 replaces and deletes, and keeps nothing that has ended. In
`metadata` are what mem0 can filter by, as texts; `created_at` (UTC) is when it was said, which mem0 takes
over instead of the present. mem0 takes no white space in a user's name: it is written as in a URL (%20), the
name itself is metadata["owner"]. The graph is not written, mem0 has no call for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, BinaryIO
from urllib.parse import quote

from memcore.domain.models import MemoryEntry
from memcore.domain.protocols import Store
from memcore.exporting.selection import Selection, for_another_system
from memcore.inspection.objects import quotes_by_id
from memcore.retrieval.results import Quote


def write_mem0(store: Store, selection: Selection, file: BinaryIO) -> int:
    """One line a memory that holds, in the order of the log; returns their number. Raises UsageError when
    several recipes remember the same conversations."""
    count = 0
    for part in for_another_system(store, selection, one_owner=False).parts:
        memories = store.memories(part.owner, recipe=part.recipe)
        quotes = quotes_by_id(store, memories)
        for memory in memories:
            call = _call(memory, quotes[memory.id])
            file.write(json.dumps(call, ensure_ascii=False).encode() + b"\n")
            count += 1
    return count


def _call(memory: MemoryEntry, quotes: Sequence[Quote]) -> dict[str, Any]:
    message = {"role": "user", "content": memory.text}
    if memory.speaker:
        message["name"] = memory.speaker
    return {
        "messages": [message],
        "user_id": re.sub(r"[\s%]", lambda found: quote(found[0]), memory.owner),
        "metadata": _metadata(memory, quotes),
        "infer": False,
    }


def _metadata(memory: MemoryEntry, quotes: Sequence[Quote]) -> dict[str, str]:
    """What is known of the memory, without what is not."""
    places = (f"{one.message.raw_ref.file} {one.message.raw_ref.where}" for one in quotes)
    known = {
        "memscope_id": memory.id,
        "owner": memory.owner,
        "recipe": memory.recipe,
        "created_at": _utc(memory.mentioned_at),
        "event_at": _utc(memory.event_at),
        "event_end": _utc(memory.event_end),
        "kind": memory.kind,
        "category": memory.category,
        "subcategory": memory.subcategory,
        "topic": memory.topic,
        "location": memory.location,
        "keywords": "; ".join(memory.keywords),
        "persons": "; ".join(memory.persons),
        "entities": "; ".join(memory.entities),
        "said": " … ".join(one.text for one in quotes),
        "place": "; ".join(places),
    }
    return {name: value for name, value in known.items() if value}


def _utc(moment: datetime | None) -> str:
    return moment.replace(tzinfo=UTC).isoformat() if moment else ""
