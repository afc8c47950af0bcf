"""A small store for page tests, written through the store itself: no model is loaded.

Ada and Ben, two fictional friends, over two sessions; one fact that was replaced, one waiting
proposal of each kind, a triple that ended, and a name that tries to be a script.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

import numpy as np

from memcore.domain.extraction import ExtractionTrace, SkippedText
from memcore.domain.models import (
    Candidate,
    Conversation,
    ConversationLog,
    Entity,
    Grounding,
    LlmCall,
    MemoryEntry,
    Message,
    Proposal,
    RawRef,
    Reason,
    Run,
    Segment,
    Session,
    SessionSummary,
    Source,
    StageTrace,
    Statement,
    Triple,
)
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings
from memcore.stages.buffer import BufferTrace
from memcore.stages.compress import CompressionTrace, MessageCompression
from memcore.stages.segmentation.trace import SegmentationTrace
from memcore.store import open_store

SCRIPT = "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>"
START = datetime(2024, 3, 4, 18, 30)
TEXTS = (
    ("Ada", "I moved to Lisbon last week. The light here is wonderful!"),
    ("Ben", "How exciting! Did you find a flat with a balcony?"),
    ("Ada", "Yes, on the third floor. And I adopted a cat called Miso."),
    ("Ben", "I can't visit before May, my knee still hurts."),
    ("Ada", "The cat Miso is two years old and sleeps on my keyboard."),
    ("Ben", f"Someone sent me this: {SCRIPT} pay\u202epal"),
    ("Ada", "By the way, I live in Porto now, Lisbon was too loud."),
    ("Ben", "My knee is fine again, I ran ten kilometres on Sunday!"),
)
RUN = "run_seed"
T = TypeVar("T")


def as_it_is(one: T) -> T:
    """What is stored of something, if nothing is to be changed in it."""
    return one


def seed(directory: Path, *, llm: bool = True, change: Callable[[T], T] = as_it_is) -> None:
    """Fill a new store in `directory`; with `llm`, by a run that asked a language model. Each object is
    stored as `change` has it."""

    def all_of(ones: Iterable[T]) -> list[T]:
        return [change(one) for one in ones]

    model_id, dimension = ChosenBackends(Settings(store_dir=directory)).embedding_space()
    messages = _messages()
    memories = _memories(messages, model_id)
    with open_store(directory, embedding_model=model_id, dimension=dimension) as store:
        with store.write(actor="ingest", run_id=RUN) as writer:
            writer.put_run(change(_run()))
            writer.add_log(change(_log(messages)))
        with store.write(actor="memscope", run_id=RUN) as writer:
            writer.add_segments(all_of(_segments(messages)))
            writer.put_memories(all_of(memories))
            writer.put_entities(all_of(_entities()))
            writer.put_triples(all_of(_triples(memories)))
            about = "Ada moves to Lisbon and adopts a cat."
            writer.put_summaries(all_of([SessionSummary("sum_1", "ses_1", "me", about, ("Lisbon", "cat"))]))
            writer.add_embeddings(model_id, _vectors([m.text for m in all_of(memories)], dimension))
            writer.add_traces(_traces(messages))
            writer.mark_processed("memscope", [m.id for m in messages], RUN)
            writer.put_groundings([(one, change(found)) for one, found in _judged(all_of(memories))])
        with store.write(actor="memscope", run_id=RUN) as writer:
            writer.put_proposals(all_of(_proposals(memories)))
        if llm:
            call = LlmCall("call_1", RUN, "add_memory", "test-model", "the prompt " + SCRIPT, '{"data": []}',
                           812, 95, 1_234.0, "ok", START)  # fmt: skip
            store.record(change(call))


def _messages() -> list[Message]:
    made = []
    for place, (speaker, text) in enumerate(TEXTS):
        session, position = ("ses_1", place) if place < 4 else ("ses_2", place - 4)
        said = START + timedelta(days=0 if place < 4 else 60, minutes=3 * place)
        made.append(
            Message(f"msg_{place}", session, position, speaker, "person", text, said, "message",
                    RawRef("friends.md", f"line {2 * place + 1}"))
        )  # fmt: skip
    return made


def _log(messages: list[Message]) -> ConversationLog:
    sessions = (
        Session("ses_1", "conv_1", 0, START, "Moving"),
        Session("ses_2", "conv_1", 1, START + timedelta(days=60), ""),
    )
    return ConversationLog(
        Conversation("conv_1", "me", "friends.md", "transcript", "Ada and Ben"), sessions, tuple(messages)
    )


def _judged(memories: list[MemoryEntry]) -> list[tuple[Statement, Grounding]]:
    """A verdict of each kind on the first memories; the others were not checked yet."""
    number = Reason("number", "two", "two is not said; there it is 3.", contradicts=True)
    name = Reason("name", "Miso", "Miso is not named there.", "msg_4")
    found = (
        Grounding("supported", 0.1, made_by="rules"),
        Grounding("unsupported", 0.9, (name,), "msg_4", "rules"),
        Grounding("partly", 0.6, (Reason("content", "visit", "visit not said there."),), made_by="rules"),
        Grounding("contradicted", 0.95, (number,), made_by="rules"),
    )
    cited = [tuple(source.message_id for source in memory.sources) for memory in memories]
    statements = [Statement("memory", m.id, m.owner, m.text, c) for m, c in zip(memories, cited, strict=True)]
    return list(zip(statements, found, strict=False))


def _memory(number: int, message: Message, words: str, text: str, model: str, **more: object) -> MemoryEntry:
    start = message.text.index(words)
    source = Source(message.id, start, start + len(words))
    base = MemoryEntry(f"mem_{number}", "me", text, "fact", "memscope", RUN, (source,), topic="Moving",
                       speaker=message.speaker, mentioned_at=message.said_at, valid_from=message.said_at,
                       persons=(message.speaker,), embedding_model=model, segment_id="seg_1")  # fmt: skip
    return dataclasses.replace(base, **more)


def _memories(m: list[Message], model: str) -> list[MemoryEntry]:
    return [
        _memory(1, m[0], "I moved to Lisbon last week.", "Ada moved to Lisbon in the week of 26 Feb 2024",
                model, kind="event", event_at=datetime(2024, 2, 26), event_end=datetime(2024, 3, 4),
                location="Lisbon"),
        _memory(2, m[2], "I adopted a cat called Miso.", "Ada adopted a cat called Miso", model,
                kind="event"),
        _memory(3, m[3], "I can't visit before May", "Ben can't visit before May", model, kind="plan",
                segment_id="seg_2", topic="Visit"),
        _memory(4, m[4], "The cat Miso is two years old", "Ada's cat Miso is two years old", model,
                segment_id="seg_3", topic="Cat"),
        _memory(5, m[5], SCRIPT, f"Ben was sent {SCRIPT}", model, segment_id="seg_3", topic=SCRIPT),
        _memory(6, m[6], "I live in Porto now", "Ada lives in Porto", model, kind="state",
                segment_id="seg_3"),
        _memory(7, m[0], "I moved to Lisbon", "Ada is in Lisbon", model, state="superseded",
                superseded_by="mem_1", valid_to=START + timedelta(days=1)),
    ]  # fmt: skip


def _segments(m: list[Message]) -> list[Segment]:
    first = {"method": "texttiling", "reason": "session start"}
    shift = {"method": "texttiling", "reason": "topic shift", "similarity": 0.11, "similarity_threshold": 0.2,
             "depth": 0.4, "depth_threshold": 0.25, "attention": 0.31, "block": 0.2}  # fmt: skip
    return [
        Segment("seg_1", "ses_1", tuple(x.id for x in m[:3]), "Moving to Lisbon", first),
        Segment("seg_2", "ses_1", (m[3].id,), "Visit", shift),
        Segment("seg_3", "ses_2", tuple(x.id for x in m[4:]), SCRIPT, first),
    ]


def _entities() -> list[Entity]:
    names = (("Ada", "PERSON"), ("Lisbon", "PLACE"), ("Miso", "THING"), (SCRIPT, "THING"), ("Porto", "PLACE"))
    return [Entity(f"ent_{i}", "me", n, t, (), START, START) for i, (n, t) in enumerate(names, start=1)]


def _triples(memories: list[MemoryEntry]) -> list[Triple]:
    rows = (("live in", 2, 1, START + timedelta(days=60)), ("adopt", 3, 2, None), ("<b>say</b>", 4, 5, None),
            ("live in", 5, 6, None))  # fmt: skip
    return [
        Triple(
            f"tri_{i}",
            "me",
            "ent_1",
            relation,
            f"ent_{o}",
            memories[m - 1].sources,
            (f"mem_{m}",),
            START,
            end,
        )
        for i, (relation, o, m, end) in enumerate(rows, start=1)
    ]


def _proposals(memories: list[MemoryEntry]) -> list[Proposal]:
    by_id = {m.id: m for m in memories}

    def proposal(
        number: int, operation: str, target: str, other: str, after: str | None, risk: str
    ) -> Proposal:
        return Proposal(f"prop_{number}", "me", operation, (target,), (Candidate(other, 0.81),),  # type: ignore[arg-type]
                        by_id[target].text, after, "The newer statement says more.", "rule: refinement",
                        risk, "pending", START + timedelta(days=61, minutes=number), RUN)  # type: ignore[arg-type]  # fmt: skip

    return [
        proposal(1, "update", "mem_2", "mem_4", "Ada adopted a cat called Miso, who is two years old", "low"),
        proposal(2, "invalidate", "mem_1", "mem_6", None, "medium"),
        proposal(3, "delete", "mem_5", "mem_4", None, "high"),
    ]


def _run() -> Run:
    return Run(RUN, "ingest", "me", "memscope", "finished", START, START + timedelta(seconds=4),
               {"llm": "none", "active": {"llm": "none"}},
               {"messages": 8, "memories": 7, "triples": 4, "llm": {"calls": 1, "prompt_tokens": 812,
                                                                    "completion_tokens": 95}})  # fmt: skip


def _traces(m: list[Message]) -> list[StageTrace]:
    made = []
    for place, (session, group) in enumerate((("ses_1", m[:4]), ("ses_2", m[4:]))):
        rows = tuple(_compressed(x) for x in group)
        before, after = sum(r.tokens_before for r in rows), sum(r.tokens_after for r in rows)
        compression = CompressionTrace("embedded (test)", 0.6, after / before, before, after, rows)
        n = len(group)
        segmentation = SegmentationTrace(
            session, "texttiling", tuple(x.id for x in group), (None, *([0.3] * (n - 1))),
            (None, *([0.4] * (n - 2)), 0.1), (None, *([0.5] * (n - 1))), (None, *([0.1] * (n - 2)), 0.4),
            0.2, 0.25, (1,), (n - 1,), (0, n - 1) if session == "ses_1" else (0,))  # fmt: skip
        extraction = ExtractionTrace(
            session, "language pipeline", (SkippedText(group[1].id, 0, 12, "a question"),)
        )
        cut = ("seg_1", "seg_2") if session == "ses_1" else ("seg_3",)
        buffer = BufferTrace(session, 512, (cut,), (after,), ("end",))
        for stage, trace in (
            ("compress", compression),
            ("segment", segmentation),
            ("buffer", buffer),
            ("extract", extraction),
        ):
            made.append(StageTrace(RUN, stage, session, place, 12.5, dataclasses.asdict(trace)))
    return made


def _compressed(message: Message) -> MessageCompression:
    starts, ends, at = [], [], 0
    for word in message.text.split():
        start = message.text.index(word, at)
        at = start + len(word)
        starts.append(start)
        ends.append(at)
    marks = "".join("F" if w[0].isupper() else "KD"[i % 2] for i, w in enumerate(message.text.split()))
    kept = sum(mark != "D" for mark in marks)
    return MessageCompression(message.id, tuple(starts), tuple(ends), tuple(0.5 for _ in starts), marks,
                              len(starts), kept, 0.6)  # fmt: skip


def _vectors(texts: list[str], dimension: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    rows = random.normal(size=(len(texts), dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return dict(zip(texts, rows, strict=True))
