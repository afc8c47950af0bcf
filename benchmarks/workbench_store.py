"""A large fictional store, as years of use would leave it: what `benchmarks.workbench_pages` opens.

20,000 memories of 20,000 messages in 1,000 sessions, 5,000 triples between 2,000 entities, 1,000 proposals
that wait and 200 that were decided, every stage's traces, 41 runs with 2,000 model calls, a consolidation of
18,000 queues, and one log that a second system has read. Written through the store's own writer; no model is
loaded, vectors are random.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from memcore.domain.extraction import ExtractionTrace, SkippedText
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
    SessionSummary,
    Source,
    StageTrace,
    Triple,
    triple_text,
)
from memcore.domain.protocols import TokenCodes, Vectors
from memcore.review.compare import QUEUES_STAGE
from memcore.review.consolidate import CHUNK, CYCLES_STAGE, DECIDE_STAGE
from memcore.review.decisions import QueueDecision
from memcore.review.queues import QueueTrace
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings
from memcore.stages.buffer import BufferTrace
from memcore.stages.compress import CompressionTrace, MessageCompression
from memcore.stages.segmentation.trace import SegmentationTrace
from memcore.store import open_store

LOGS, SESSIONS, SAID = 40, 25, 20
MEMORIES, TRIPLES, PROPOSALS, DECIDED = LOGS * SESSIONS * SAID, 5_000, 1_000, 200
ENTITIES, QUEUES, TOPIC = 2_000, 18_000, 5
OWNER, RECIPE, SECOND = "me", "memscope", "lightmem"
DECIDER = "rules"
SLEEP = "run_sleep"
BEGIN = datetime(2023, 1, 2, 18)
PEOPLE = ("Nora", "Tomas", "Ines", "Karel", "Mira", "Juho", "Salma", "Pavel")
DOES = (
    "planted",
    "repaired",
    "visited",
    "painted",
    "sold",
    "photographed",
    "cooked",
    "lost",
    "bought",
    "read",
)
WHAT = ("a pear tree", "the old bicycle", "the observatory", "a kitchen chair", "the blue tent", "an almanac",
        "a pot of lentils", "the spare key", "a telescope", "the garden gate")  # fmt: skip
WHERE = ("Tallinn", "Porto", "Ghent", "Tartu", "Brno", "Turku", "Lund", "Utrecht")


class _Made:
    """Everything of one log, made of its number."""

    def __init__(self, number: int, model: str) -> None:
        self.number = number
        self.run_id = f"run_{number:02}"
        self.conversation = Conversation(f"con{number:02}", OWNER, f"evenings_{number:02}.md", "transcript")
        self.sessions = tuple(
            Session(f"ses{number:02}x{n:02}", self.conversation.id, n, self._at(n), f"Evening {n + 1}")
            for n in range(SESSIONS)
        )
        self.messages = tuple(
            Message(f"{session.id}m{n:02}", session.id, n, PEOPLE[(number + n % 2) % 8], "person",
                    self._said(session.position * SAID + n), self._at(session.position, n), "message",
                    RawRef(self.conversation.source_file, f"line {n}"))
            for session in self.sessions
            for n in range(SAID)
        )  # fmt: skip
        self.segments = self._segments(RECIPE)
        self.memories = tuple(self._memory(n, RECIPE, self.run_id, model) for n in range(len(self.messages)))

    def of_second(self, run_id: str, model: str) -> tuple[list[Segment], list[MemoryEntry]]:
        """The same log as the second system has read it: every other message."""
        remembered = [self._memory(n, SECOND, run_id, model) for n in range(0, len(self.messages), 2)]
        return self._segments(SECOND), remembered

    def _at(self, session: int, minute: int = 0) -> datetime:
        return BEGIN + timedelta(days=25 * self.number + session, minutes=minute)

    def _said(self, n: int) -> str:
        what, where = WHAT[n % 10], WHERE[(n // 10) % 8]
        return (
            f"By the way, I {DOES[n % 7]} {what} near {where} on day {self._day(n)}, "
            f"and thing {self._thing(n)} was there too. Did you ever see it?"
        )

    def _day(self, n: int) -> int:
        return self.number * SESSIONS * SAID + n

    def _thing(self, n: int) -> int:
        return self._day(n) * 7919 % (ENTITIES - len(PEOPLE))

    def _segments(self, recipe: str) -> list[Segment]:
        groups = [self.messages[at : at + TOPIC] for at in range(0, len(self.messages), TOPIC)]
        return [
            Segment(f"seg_{recipe}_{group[0].id}", group[0].session_id, tuple(m.id for m in group),
                    f"{WHAT[n % 10].capitalize()} near {WHERE[n % 8]}",
                    {"method": "texttiling", "reason": "topic shift"}, recipe)
            for n, group in enumerate(groups)
        ]  # fmt: skip

    def _memory(self, n: int, recipe: str, run_id: str, model: str) -> MemoryEntry:
        message, thing = self.messages[n], f"thing {self._thing(n)}"
        said = f"{DOES[n % 7]} {WHAT[n % 10]} near {WHERE[(n // 10) % 8]}"
        return MemoryEntry(
            f"mem_{recipe}_{message.id}", OWNER,
            f"{message.speaker} {said} on day {self._day(n)}, with {thing}",
            "event" if n % 3 else "fact", recipe, run_id, (Source(message.id, 12, len(message.text) - 23),),
            speaker=message.speaker, mentioned_at=message.said_at, event_at=message.said_at,
            segment_id=f"seg_{recipe}_{message.session_id}m{n % SAID // TOPIC * TOPIC:02}",
            topic=WHAT[n % 10], keywords=(DOES[n % 7], WHERE[(n // 10) % 8]), persons=(message.speaker,),
            entities=(message.speaker, thing), valid_from=message.said_at, embedding_model=model,
        )  # fmt: skip

    def traces(self) -> Iterator[StageTrace]:
        """What each stage noted, by session."""
        for session in self.sessions:
            first = session.position * SAID
            said = self.messages[first : first + SAID]
            cuts = self.segments[first // TOPIC : (first + SAID) // TOPIC]
            for stage, trace in (
                ("compress", _compression(said)),
                ("segment", _segmentation(session.id, said)),
                ("buffer", BufferTrace(session.id, 512, (tuple(s.id for s in cuts),), (300,), ("end",))),
                (
                    "extract",
                    ExtractionTrace(session.id, "pipeline", (SkippedText(said[1].id, 0, 9, "greeting"),)),
                ),
            ):
                yield StageTrace(self.run_id, stage, session.id, session.position, 12.5, asdict(trace))


def _compression(said: Sequence[Message]) -> CompressionTrace:
    rows = []
    for message in said:
        words = message.text.split(" ")
        ends = np.cumsum([len(word) + 1 for word in words]) - 1
        starts = [0, *(int(end) + 1 for end in ends[:-1])]
        marks = "".join("F" if word[0].isupper() else "KKD"[n % 3] for n, word in enumerate(words))
        kept = sum(mark != "D" for mark in marks)
        rows.append(
            MessageCompression(message.id, tuple(starts), tuple(map(int, ends)), (0.5,) * len(words), marks,
                               len(words), kept, 0.6)
        )  # fmt: skip
    before, after = sum(r.tokens_before for r in rows), sum(r.tokens_after for r in rows)
    return CompressionTrace("embedded (fictional)", 0.6, after / before, before, after, tuple(rows))


def _segmentation(session_id: str, said: Sequence[Message]) -> SegmentationTrace:
    n = len(said)
    wave = (None, *(round(0.5 + 0.4 * np.sin(k), 3) for k in range(1, n)))
    cuts = tuple(range(0, n, TOPIC))
    matrix = tuple(
        tuple(round(1 / (1 + abs(i - j)), 3) if j < i else 0.0 for j in range(n)) for i in range(n)
    )
    return SegmentationTrace(session_id, "texttiling", tuple(m.id for m in said), wave, wave, wave, wave,
                             0.2, 0.25, cuts[1:], cuts[1:], cuts, matrix=matrix)  # fmt: skip


def _triples(memories: Sequence[MemoryEntry], run: range) -> list[Triple]:
    every = MEMORIES // TRIPLES
    return [
        Triple(
            f"tri{n:05}", OWNER, _entity_id(one.entities[0]), one.keywords[0], _entity_id(one.entities[1]),
            one.sources, (one.id,), one.mentioned_at,
            one.mentioned_at + timedelta(days=90) if one.mentioned_at and n % 12 == 0 else None,
        )
        for n, one in zip(run, memories[::every], strict=True)
    ]  # fmt: skip


def _entity_id(name: str) -> str:
    return "ent_" + name.replace(" ", "_")


def _entities() -> list[Entity]:
    kinds = ("PLACE", "ORG", "EVENT", "THING")
    people = [Entity(_entity_id(name), OWNER, name, "PERSON", (), BEGIN, BEGIN) for name in PEOPLE]
    things = [f"thing {n}" for n in range(ENTITIES - len(people))]
    return people + [
        Entity(_entity_id(name), OWNER, name, kinds[n % 4], (f"alias {n}",), BEGIN, BEGIN)
        for n, name in enumerate(things)
    ]


def _proposals(memories: Sequence[MemoryEntry]) -> list[Proposal]:
    operations = (("update", "low"), ("merge", "low"), ("invalidate", "medium"), ("delete", "high"))
    made = []
    for n in range(PROPOSALS + DECIDED):
        target, *others = memories[15 * n : 15 * n + 4]
        operation, risk = operations[n % 4]
        after = f"{target.text}, and came back later" if operation in ("update", "merge") else None
        made.append(
            Proposal(
                f"prop{n:04}", OWNER, operation,  # type: ignore[arg-type]
                (target.id,), tuple(Candidate(one.id, 0.9 - 0.1 * k) for k, one in enumerate(others)),
                target.text, after, "A later statement says more about the same.", "rule: refinement",
                risk,  # type: ignore[arg-type]
                "pending", BEGIN + timedelta(days=1_100, seconds=n), SLEEP,
            )
        )  # fmt: skip
    return made


def _sleep(memories: Sequence[MemoryEntry]) -> Iterator[StageTrace]:
    """The traces of a consolidation that decided QUEUES queues."""
    histogram = tuple(np.random.default_rng(2).integers(0, 2_000, 20).tolist())
    trace = QueueTrace(len(memories), 0, 0.55, 20, 10, QUEUES, 3 * QUEUES, 0, histogram)
    yield StageTrace(SLEEP, QUEUES_STAGE, RECIPE, 0, 9_000.0, asdict(trace))
    for position, start in enumerate(range(0, QUEUES, CHUNK)):
        rows = [_decision(memories, n) for n in range(start, min(start + CHUNK, QUEUES))]
        payload = {"decider": DECIDER, "decisions": [asdict(row) for row in rows]}
        yield StageTrace(SLEEP, DECIDE_STAGE, f"chunk {position}", position, 40.0, payload)
    yield StageTrace(SLEEP, CYCLES_STAGE, OWNER, 0, 0.0, {"cycles": []})


def _decision(memories: Sequence[MemoryEntry], n: int) -> QueueDecision:
    near = tuple(Candidate(memories[n + k].id, 0.95 - 0.1 * k) for k in (1, 2, 3))
    proposed = n % 15 == 0 and n < 15 * PROPOSALS
    return QueueDecision(
        f"queue{n}", memories[n].id, near, "update" if proposed else "ignore",
        (near[0].memory_id,) if proposed else (), "About different things.", "rule: unrelated",
        "proposed" if proposed else "ignored", f"prop{n // 15:04}" if proposed else "", True, "",
    )  # fmt: skip


def make(directory: Path) -> None:
    """Write the store; takes about a minute."""
    model, dimension = ChosenBackends(Settings(store_dir=directory)).embedding_space()
    chance = np.random.default_rng(0)
    memories: list[MemoryEntry] = []
    with open_store(directory, embedding_model=model, dimension=dimension) as store:
        with store.write(actor="benchmark") as writer:
            writer.put_entities(_entities())
        for number in range(LOGS):
            made = _Made(number, model)
            memories += made.memories
            share = range(TRIPLES * number // LOGS, TRIPLES * (number + 1) // LOGS)
            triples = _triples(made.memories, share)
            texts = [*(m.text for m in made.messages), *(m.text for m in made.memories)]
            said = [triple_text(t.subject_id[4:], t.relation, t.object_id[4:]) for t in triples]
            with store.write(actor="memscope", run_id=made.run_id) as writer:
                writer.put_run(_run(made.run_id, "ingest", number))
                writer.add_log(ConversationLog(made.conversation, made.sessions, made.messages))
                writer.add_segments(made.segments)
                writer.put_memories(made.memories)
                writer.put_triples(triples)
                writer.put_summaries([_summary(session) for session in made.sessions])
                writer.add_embeddings(model, _vectors(chance, [*texts, *said], dimension),
                                      _codes(chance, texts, dimension))  # fmt: skip
                writer.add_traces(list(made.traces()))
                writer.mark_processed(RECIPE, [m.id for m in made.messages], made.run_id)
            for n in range(50):
                store.record(_call(made.run_id, number, n))
        proposals = _proposals(memories)
        with store.write(actor=DECIDER, run_id=SLEEP) as writer:
            writer.put_run(_run(SLEEP, "consolidate", LOGS))
            writer.add_traces(list(_sleep(memories)))
            writer.put_proposals(proposals)
        for proposal in proposals[-DECIDED:]:
            with store.write(actor="person") as writer:
                decided = replace(proposal, state="rejected", decided_by="person", decided_at=BEGIN)
                writer.put_proposals([decided], kind="proposal.rejected")
        first = _Made(0, model)
        with store.write(actor=SECOND, run_id="run_second") as writer:
            segments, remembered = first.of_second("run_second", model)
            writer.put_run(replace(_run("run_second", "ingest", 0), recipe=SECOND))
            writer.add_segments(segments)
            writer.put_memories(remembered)
            writer.mark_processed(SECOND, [m.id for m in first.messages], "run_second")


def _run(run_id: str, kind: str, number: int) -> Run:
    begun = BEGIN + timedelta(days=1_000 + number)
    totals = {"messages": SESSIONS * SAID, "memories": SESSIONS * SAID, "triples": TRIPLES // LOGS}
    if kind == "consolidate":
        totals = {"memories": MEMORIES, "queues": QUEUES, "decided_before": 0, "proposals": PROPOSALS}
    return Run(run_id, kind, OWNER, RECIPE, "finished", begun, begun + timedelta(seconds=30),  # type: ignore[arg-type]
               {"llm": "none", "active": {"llm": "none"}}, totals)  # fmt: skip


def _summary(session: Session) -> SessionSummary:
    about = f"What {session.title} was about: things that were planted, repaired and lost."
    return SessionSummary(
        SessionSummary.id_for(session.id, RECIPE), session.id, OWNER, about, ("walks", "food"), (),
        session.started_at, session.started_at,
    )  # fmt: skip


def _call(run_id: str, number: int, n: int) -> LlmCall:
    prompt = "Read the topics below and write down every fact. " + "Somebody planted a pear tree. " * 60
    return LlmCall(f"call_{number}_{n}", run_id, "add_memory", "fictional-8b", prompt, '{"data": []}', 900,
                   90, 1_200.0, "ok", BEGIN + timedelta(days=1_000 + number, seconds=n))  # fmt: skip


def _vectors(chance: np.random.Generator, texts: Sequence[str], dimension: int) -> dict[str, Vectors]:
    rows = chance.standard_normal((len(texts), dimension), dtype=np.float32)
    return dict(zip(texts, rows / np.linalg.norm(rows, axis=1, keepdims=True), strict=True))


def _codes(chance: np.random.Generator, texts: Sequence[str], dimension: int) -> dict[str, TokenCodes]:
    words = [len(text.split()) for text in texts]
    every = chance.integers(0, 256, (sum(words), dimension // 8), dtype=np.uint8)
    return dict(zip(texts, np.split(every, np.cumsum(words)[:-1]), strict=True))
