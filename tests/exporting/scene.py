"""A store that two people talk in: what holds, what was replaced, what was deleted, and hostile words."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path

from memcore.domain.models import (
    Candidate,
    ConversationLog,
    MemoryEntry,
    RawRef,
    SessionSummary,
    Source,
    StageTrace,
)
from memcore.review.consolidate import DECIDE_STAGE
from memcore.review.decisions import QueueDecision
from memcore.store import DuckStore
from tests.pipeline import open_with
from tests.store.samples import EMBEDDER, MAY_8, add_vectors, entity, log, memory, run, triple

HOSTILE = (
    '=HYPERLINK("http://evil.example") | <img src=x onerror=alert(1)> ![i](http://evil.example/i.png)\n'
    "# Heading\n[l](javascript:x) pay\u202epal"
)
SAID = ("I moved to Lisbon. Sunny!", "Write to ann@example.com", "I live in Porto now", HOSTILE)
JUNE = datetime(2023, 6, 1)


def opened(directory: Path) -> DuckStore:
    return open_with(EMBEDDER, directory)


def fill(store: DuckStore) -> None:
    """Owner `me`, recipe `memscope`; and of `you`, in the recipe `mem0`, one memory."""
    with store.write(actor="test", run_id="run1") as writer:
        writer.put_run(run("run1"))
        writer.add_log(said())
        writer.add_log(log("Hi", name="b", owner="you"))
        writer.put_memories(memories())
        writer.put_memories([memory("y1", "You wave", owner="you", recipe="mem0")])
        writer.put_entities(
            [
                entity("e1", "Ann", aliases=("A.",)),
                entity("e2", "Lisbon", type="PLACE"),
                entity("e3", HOSTILE, type="THING"),
                entity("e4", "Annie", merged_into="e1"),
            ]
        )
        said_first = (Source("a-s0-m0", 0, 18),)
        writer.put_triples(
            [
                triple("t1", "e4", "live_in", "e2", sources=said_first, memory_ids=("m1",), valid_from=MAY_8,
                       invalidated_at=JUNE),
                triple("t2", "e1", "=say", "e3"),
            ]
        )  # fmt: skip
        writer.put_summaries([SessionSummary("s1", "a-s0", "me", "Ann <b>moves</b>.")])
        add_vectors(writer, *(m.text for m in memories()), "You wave")
        writer.add_traces([decided("m2", {"m3": 0.75, "m5": 0.5}), decided("m3", {"m5": 0.9, "gone": 0.9})])


def decided(target: str, candidates: dict[str, float]) -> StageTrace:
    """The trace of a consolidation that compared a memory with newer ones, as {id: cosine}."""
    queue = tuple(Candidate(memory_id, score) for memory_id, score in candidates.items())
    row = QueueDecision("q", target, queue, "ignore", (), "", "", "ignored", "", True, "")
    return StageTrace("run1", DECIDE_STAGE, target, 0, 1.0, {"decider": "rules", "decisions": [asdict(row)]})


def said() -> ConversationLog:
    told = log(*SAID)
    sessions = (replace(told.sessions[0], title="Moving * house"),)
    last = replace(told.messages[3], raw_ref=RawRef("=a.json", "line 4"))
    return ConversationLog(told.conversation, sessions, (*told.messages[:3], last))


def memories() -> list[MemoryEntry]:
    def of(key: str, text: str, place: int, words: str, **changes: object) -> MemoryEntry:
        start = SAID[place].index(words)
        told = said().messages[place]
        source = Source(told.id, start, start + len(words))
        return memory(
            key, text, sources=(source,), speaker=told.speaker, mentioned_at=told.said_at, **changes
        )

    return [
        of("m1", "Ann is in Lisbon", 0, "I moved to Lisbon.", state="superseded", superseded_by="m3",
           valid_to=JUNE),
        of("m2", "Ann moved to Lisbon", 0, "I moved to Lisbon.", event_at=datetime(2023, 5, 1),
           event_end=datetime(2023, 5, 8), location="Lisbon", keywords=("move", "city"), segment_id="seg1",
           topic="Moving", compressed_source="moved Lisbon", category="life", subcategory="home"),
        of("m3", "Ann lives in Porto", 2, "I live in Porto now", segment_id="seg2"),
        of("m4", "a mistake", 2, "I live", state="deleted"),
        of("m5", HOSTILE, 3, HOSTILE, segment_id="seg2", persons=("Bob",)),
        memory("m6", "- 1. no source", mentioned_at=None),
    ]  # fmt: skip
