"""Small stores for review tests: memories with sources, proposals about them, and the fake embedder."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memcore.domain.models import Candidate, MemoryEntry, Proposal, Source, now
from memcore.domain.protocols import Store
from tests.store.samples import EMBEDDER, log, memory

JAN, MAR, JUN = datetime(2024, 1, 5), datetime(2024, 3, 1), datetime(2024, 6, 1)
SAID = {"jan": JAN, "mar": MAR, "jun": JUN}


def said(key: str, text: str, when: datetime | None = JAN, **changes: Any) -> MemoryEntry:
    """A memory said then, citing all of message `a-s0-m0` (or `message`)."""
    message = changes.pop("message", "a-s0-m0")
    values = {"mentioned_at": when, "valid_from": when, "sources": (Source(message, 0, 5),)}
    return memory(key, text, **(values | changes))


def proposal(operation: str, targets: Sequence[str], against: Sequence[str], **changes: Any) -> Proposal:
    values: dict[str, Any] = {
        "id": f"prop_{operation}_{'_'.join(targets)}",
        "owner": "me",
        "operation": operation,
        "target_ids": tuple(targets),
        "candidates": tuple(Candidate(i, 0.8) for i in against),
        "before": "",
        "after": None,
        "reason": "because",
        "made_by": "rule: test",
        "risk": "low",
        "state": "pending",
        "created_at": now(),
    }
    return Proposal(**(values | changes))


def fill(store: Store, *objects: MemoryEntry | Proposal) -> None:
    """Store memories with their embeddings, then proposals, as ingest and consolidation would."""
    memories = [o for o in objects if isinstance(o, MemoryEntry)]
    with store.write(actor="ingest") as writer:
        writer.add_log(log("I live in New York", "Nice", "I moved to Boston", "Oh", "I love Boston"))
        writer.put_memories(memories)
        texts = [m.text for m in memories]
        writer.add_embeddings(EMBEDDER.model_id, dict(zip(texts, EMBEDDER.embed(texts), strict=True)))
    for one in objects:
        if isinstance(one, Proposal):
            with store.write(actor="rules") as writer:
                writer.put_proposals([one])


def nearest(store: Store, text: str) -> list[tuple[str, float]]:
    return store.semantic("me", EMBEDDER.embed([text])[0], 3, kind="memory")


def valid_texts(store: Store, moment: datetime | None) -> set[str]:
    """What the store holds to be so at a moment (None: now)."""
    return {m.text for m in store.memories("me", states=None) if m.valid_at(moment)}
