"""Small domain objects for store tests, and the embedder that goes with them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from memcore.domain.models import (
    Conversation,
    ConversationLog,
    Entity,
    LlmCall,
    MemoryEntry,
    Message,
    Proposal,
    RawRef,
    Run,
    Session,
    TopicCut,
    Triple,
)
from memcore.domain.protocols import Store
from tests.fakes import EMBEDDER

MAY_8 = datetime(2023, 5, 8, 13, 56)


def log(*texts: str, name: str = "a", owner: str = "me", session: int = 0) -> ConversationLog:
    """One session of a conversation in which Ann and Bob say `texts` in turn, a minute apart."""
    session_id = f"{name}-s{session}"
    messages = tuple(
        Message(
            id=f"{session_id}-m{position}",
            session_id=session_id,
            position=position,
            speaker=("Ann", "Bob")[position % 2],
            role="user",
            text=text,
            said_at=MAY_8 + timedelta(days=session, minutes=position),
            time_source="message",
            raw_ref=RawRef(f"{name}.json", f"line {position + 1}"),
        )
        for position, text in enumerate(texts)
    )
    return ConversationLog(
        Conversation(name, owner, f"{name}.json", "plain"),
        (Session(session_id, name, session, MAY_8 + timedelta(days=session)),),
        messages,
    )


def memory(key: str, text: str = "Ann has a dog", **changes: Any) -> MemoryEntry:
    values: dict[str, Any] = {
        "id": key,
        "owner": "me",
        "text": text,
        "kind": "fact",
        "recipe": "memscope",
        "run_id": "run1",
        "sources": (),
        "mentioned_at": MAY_8,
        "embedding_model": EMBEDDER.model_id,
    }
    return MemoryEntry(**(values | changes))


def entity(key: str, name: str, **changes: Any) -> Entity:
    return Entity(**({"id": key, "owner": "me", "name": name, "type": "PERSON"} | changes))


def triple(key: str, subject: str, relation: str, object_: str, **changes: Any) -> Triple:
    values: dict[str, Any] = {
        "id": key,
        "owner": "me",
        "subject_id": subject,
        "relation": relation,
        "object_id": object_,
        "sources": (),
    }
    return Triple(**(values | changes))


def proposal(key: str, *targets: str, **changes: Any) -> Proposal:
    values: dict[str, Any] = {
        "id": key,
        "owner": "me",
        "operation": "update",
        "target_ids": targets,
        "candidates": (),
        "before": "Ann has a dog",
        "after": "Ann has two dogs",
        "reason": "newer",
        "made_by": "rule",
        "risk": "low",
        "state": "pending",
        "created_at": MAY_8,
    }
    return Proposal(**(values | changes))


def topic_cut(session_id: str = "a-s0", *segment_ids: str) -> TopicCut:
    cut_id = TopicCut.id_for(session_id, "memscope")
    return TopicCut(cut_id, "me", session_id, "memscope", segment_ids)


def run(key: str, **changes: Any) -> Run:
    values: dict[str, Any] = {
        "id": key,
        "kind": "ingest",
        "owner": "me",
        "recipe": "memscope",
        "state": "finished",
        "started_at": MAY_8,
    }
    return Run(**(values | changes))


def call(key: str, **changes: Any) -> LlmCall:
    values: dict[str, Any] = {
        "id": key,
        "run_id": "run1",
        "stage": "add_memory",
        "model": "m",
        "prompt": "p",
        "completion": "c",
        "prompt_tokens": 3,
        "completion_tokens": None,
        "milliseconds": 1.5,
        "outcome": "ok",
        "at": MAY_8,
    }
    return LlmCall(**(values | changes))


def put(store: Store, *memories: MemoryEntry, embedded: bool = True) -> None:
    """Store memories, with their vectors unless told otherwise."""
    with store.write(actor="test") as writer:
        writer.put_memories(memories)
        if embedded and memories:
            add_vectors(writer, *(memory.text for memory in memories))


def add_vectors(writer: Any, *texts: str) -> None:
    writer.add_embeddings(EMBEDDER.model_id, dict(zip(texts, EMBEDDER.embed(texts), strict=True)))


def vector(text: str) -> Any:
    return EMBEDDER.embed([text])[0]
