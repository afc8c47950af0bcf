"""Memories as the points that LightMem keeps in Qdrant, one a line (JSON Lines): id, vector, payload.

The payload is that of the published code (LightMem.offline_update): its names, its types, its `update_queue`
of {"id", "score"}. To read a file into the collection of a LightMem that has the same embedding model
(by default both have all-MiniLM-L6-v2, 384 dimensions):

    import json
    from qdrant_client import QdrantClient
    from qdrant_client.models import PointStruct

    client = QdrantClient(path="...")                   # as in LightMem's embedding_retriever
    with open("points.jsonl", encoding="utf-8") as file:
        points = [PointStruct(**json.loads(line)) for line in file]
    client.upsert("my_collection", points)

LightMem keeps one person's memories in a collection, and nothing that has ended: a file holds the
memories of one owner and one recipe that hold. Qdrant takes only UUIDs: `point_id` of ours. Times are
taken as UTC; an undated memory has none, and LightMem leaves it out of its queues. Topics and speakers are
numbered from 0 in the order of the log. `memory_class` is our kind, `original_memory` the whole
message that it was read from.

The queues are those that consolidation last decided. The paper's and ours hold what is newer than the
entry, those of the published code what is older, and its update looks an entry up in the queues of all
others; so each pair is written in the queue of the newer one, and the published code compares what we did.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from memcore.domain.errors import StoreError
from memcore.domain.models import MemoryEntry, Message
from memcore.domain.protocols import Store
from memcore.exporting.selection import Selection, for_another_system
from memcore.review.consolidate import DECIDE_STAGE

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:memscope:memory")
_CHUNK = 2_000
"""Memories whose vectors are read at once."""

Queue = list[dict[str, str | float]]


def point_id(memory_id: str) -> str:
    """The UUID that stands for a memory: the same in every export.

    >>> point_id("mem_1") == point_id("mem_1") != point_id("mem_2")
    True
    """
    return str(uuid.uuid5(_NAMESPACE, memory_id))


def write_lightmem(store: Store, selection: Selection, file: BinaryIO) -> int:
    """One line a memory that holds, in the order of the log; returns their number. Raises UsageError when
    several owners or recipes are asked for, StoreError for a memory without a vector."""
    memories = [
        memory
        for part in for_another_system(store, selection, one_owner=True).parts
        for memory in store.memories(part.owner, recipe=part.recipe)
    ]
    topics = _numbered([memory.segment_id or "" for memory in memories])
    speakers = _numbered([memory.speaker for memory in memories])
    queues = _queues(store, {memory.id for memory in memories})
    messages = store.messages_by_id([memory.sources[0].message_id for memory in memories if memory.sources])
    for memory, vector in zip(memories, _vectors(store, memories), strict=True):
        if vector is None:
            raise StoreError(
                f"The memory {memory.id!r} has no vector.", "Embed the store anew: python -m memcore reembed"
            )
        point = {
            "id": point_id(memory.id),
            "vector": vector.tolist(),
            "payload": {
                **_payload(memory, messages),
                "topic_id": topics.get(memory.segment_id or ""),
                "speaker_id": speakers.get(memory.speaker),
                "update_queue": queues.get(memory.id, []),
                "consolidated": False,
            },
        }
        file.write(json.dumps(point, ensure_ascii=False).encode() + b"\n")
    return len(memories)


def _vectors(store: Store, memories: Sequence[MemoryEntry]) -> Iterator[NDArray[np.float32] | None]:
    """Each memory's, if it has one; a chunk is read at a time."""
    for start in range(0, len(memories), _CHUNK):
        texts = [memory.text for memory in memories[start : start + _CHUNK]]
        found = store.embeddings(memories[start].embedding_model, texts)  # a store has one model
        yield from (found.get(text) for text in texts)


def _payload(memory: MemoryEntry, messages: Mapping[str, Message]) -> dict[str, Any]:
    """What the memory says for itself."""
    said = memory.mentioned_at
    message = messages.get(memory.sources[0].message_id) if memory.sources else None
    return {
        "time_stamp": said.isoformat(timespec="milliseconds") if said else None,
        "float_time_stamp": said.replace(tzinfo=UTC).timestamp() if said else None,
        "weekday": memory.weekday,
        "topic_summary": memory.topic,
        "category": memory.category,
        "subcategory": memory.subcategory,
        "memory_class": memory.kind,
        "memory": memory.text,
        "original_memory": message.text if message else "",
        "compressed_memory": memory.compressed_source,
        "speaker_name": memory.speaker,
    }


def _numbered(names: Sequence[str]) -> dict[str, int]:
    """Names that are any, by their first appearance."""
    return {name: number for number, name in enumerate(dict.fromkeys(filter(None, names)))}


def _queues(store: Store, ids: set[str]) -> dict[str, Queue]:
    """By memory, the older ones it was decided against, most similar first."""
    decided: dict[str, list[dict[str, Any]]] = {}
    for trace in store.traces(stage=DECIDE_STAGE):  # the last decision of a target counts
        decided |= {row["target"]: row["candidates"] for row in trace.payload["decisions"]}
    queues: dict[str, Queue] = {}
    for older, candidates in decided.items():
        for newer in candidates:
            if older in ids and newer["memory_id"] in ids:
                queue = queues.setdefault(newer["memory_id"], [])
                queue.append({"id": point_id(older), "score": newer["score"]})
    for queue in queues.values():
        queue.sort(key=lambda one: one["score"], reverse=True)
    return queues
