"""What the kill test kills: an ingest, a consolidation and the decisions, each in resumable steps.

Usage: python -m tests.store.kill_worker DIRECTORY
"""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from memcore.domain.models import (
    Candidate,
    Conversation,
    ConversationLog,
    Entity,
    LlmCall,
    MemoryEntry,
    Message,
    Proposal,
    RawRef,
    Run,
    Segment,
    Session,
    Source,
    StageTrace,
    Triple,
    stable_id,
    triple_text,
)
from memcore.store import DuckStore, open_store
from tests.fakes import HashingEmbedder

BEGIN = datetime(2024, 1, 1)
RECIPE = "worker"
OWNER = "me"
CONVERSATIONS = 3
MESSAGES = 100
STEP = 3
PEOPLE = ("Ann", "Bob", "Cem", "Dora")
THINGS = ("tea", "chess", "Rome", "cats", "maths", "rain", "jazz")
EMBEDDER = HashingEmbedder(64)


def open_it(directory: Path) -> DuckStore:
    return open_store(directory, embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension)


def conversation(number: int) -> ConversationLog:
    conversation_id = stable_id("con", number)
    session = Session(stable_id("ses", number), conversation_id, 0, BEGIN + timedelta(days=number))
    messages = tuple(
        Message(
            id=stable_id("msg", number, place),
            session_id=session.id,
            position=place,
            speaker=PEOPLE[place % 4],
            role="user",
            text=f"{PEOPLE[place % 4]} likes {THINGS[(place + number) % 7]} number {place} of {number}",
            said_at=BEGIN + timedelta(days=number, minutes=place),
            time_source="message",
            raw_ref=RawRef(f"log{number}.txt", f"line {place}"),
        )
        for place in range(MESSAGES)
    )
    return ConversationLog(
        Conversation(conversation_id, OWNER, f"log{number}.txt", "plain"), (session,), messages
    )


def finished(step: str) -> None:
    """Tell the harness, which counts lines."""
    sys.stdout.write(f"{step}\n")
    sys.stdout.flush()


def add_logs(store: DuckStore) -> None:
    for number in range(CONVERSATIONS):
        with store.write(actor="ingest", run_id="run_ingest") as writer:
            new = writer.add_log(conversation(number))
        if new:
            finished("log")


def ingest(store: DuckStore) -> None:
    pending = store.pending_messages(RECIPE, OWNER)
    for start in range(0, len(pending), STEP):
        remember(store, pending[start : start + STEP])
        finished("remember")


def remember(store: DuckStore, messages: list[Message]) -> None:
    store.record(
        LlmCall(
            stable_id("call", messages[0].id),
            "run_ingest",
            "add_memory",
            "none",
            "p",
            "c",
            1,
            1,
            0.0,
            "ok",
            BEGIN,
        )
    )
    known = {triple.id: triple for triple in store.triples(OWNER)}
    memories, entities, triples = [], {}, {}
    for message in messages:
        person, _, thing = message.text.split()[:3]
        memory = MemoryEntry(
            id=stable_id("mem", message.id),
            owner=OWNER,
            text=message.text,
            kind="fact",
            recipe=RECIPE,
            run_id="run_ingest",
            sources=(Source(message.id, 0, len(message.text)),),
            speaker=person,
            mentioned_at=message.said_at,
            valid_from=message.said_at,
            embedding_model=EMBEDDER.model_id,
        )
        memories.append(memory)
        subject, object_ = (Entity(stable_id("ent", name), OWNER, name, "THING") for name in (person, thing))
        entities |= {subject.id: subject, object_.id: object_}
        key = stable_id("tri", subject.id, object_.id)
        before = triples.get(key) or known.get(key)
        triples[key] = (
            replace(before, mentions=before.mentions + 1, memory_ids=(*before.memory_ids, memory.id))
            if before
            else Triple(key, OWNER, subject.id, "likes", object_.id, memory.sources, (memory.id,))
        )
    names = {entity.id: entity.name for entity in entities.values()}
    texts = [memory.text for memory in memories]
    texts += [triple_text(names[t.subject_id], t.relation, names[t.object_id]) for t in triples.values()]
    nearest = store.semantic(OWNER, EMBEDDER.embed(texts[:1])[0], 3, kind="memory", recipe=RECIPE)
    with store.write(actor="ingest", run_id="run_ingest") as writer:
        writer.add_segments(
            [Segment(stable_id("seg", messages[0].id), messages[0].session_id, tuple(m.id for m in messages))]
        )
        writer.put_memories(memories)
        writer.put_entities(list(entities.values()))
        writer.put_triples(list(triples.values()))
        writer.add_embeddings(EMBEDDER.model_id, dict(zip(texts, EMBEDDER.embed(texts), strict=True)))
        writer.add_traces([StageTrace("run_ingest", "extract", messages[0].id, 0, 1.0, {"nearest": nearest})])
        writer.mark_processed(RECIPE, [message.id for message in messages], "run_ingest")


def consolidate(store: DuckStore) -> None:
    memories = [m for m in store.memories(OWNER, states=None) if m.run_id == "run_ingest"]
    wanted = [
        Proposal(
            id=stable_id("pro", older.id, newer.id),
            owner=OWNER,
            operation="update",
            target_ids=(older.id,),
            candidates=(Candidate(newer.id, 0.5),),
            before=older.text,
            after=f"{older.text}, later {newer.text}",
            reason="said again",
            made_by="rule",
            risk="low",
            state="pending",
            created_at=BEGIN,
        )
        for older, newer in list(zip(memories, memories[4:], strict=False))[::10]
    ]
    for start in range(0, len(wanted), 5):
        part = [p for p in wanted[start : start + 5] if store.proposal(p.id) is None]
        with store.write(actor="consolidate", run_id="run_sleep") as writer:
            writer.put_proposals(part)
        if part:
            finished("propose")


def decide(store: DuckStore) -> None:
    for proposal in store.proposals(OWNER):
        target = store.memory(proposal.target_ids[0])
        assert target is not None and proposal.after is not None
        successor = replace(
            target, id=stable_id("mem", proposal.id), text=proposal.after, run_id="run_decide", state="active"
        )
        with store.write(actor="person") as writer:
            writer.put_memories([successor])
            writer.put_memories(
                [replace(target, state="superseded", superseded_by=successor.id, valid_to=BEGIN)],
                kind="memory.superseded",
            )
            writer.put_proposals(
                [replace(proposal, state="applied", decided_at=BEGIN)], kind="proposal.applied"
            )
            writer.add_embeddings(EMBEDDER.model_id, {successor.text: EMBEDDER.embed([successor.text])[0]})
        finished("decide")


def work(directory: Path) -> None:
    with open_it(directory) as store:
        for stage in (add_logs, ingest, consolidate, decide):
            with store.write(actor="worker") as writer:
                writer.put_run(Run(f"run_{stage.__name__}", "ingest", OWNER, RECIPE, "running", BEGIN))
            stage(store)
            with store.write(actor="worker") as writer:
                writer.put_run(
                    Run(f"run_{stage.__name__}", "ingest", OWNER, RECIPE, "finished", BEGIN, BEGIN)
                )


if __name__ == "__main__":
    work(Path(sys.argv[1]))
