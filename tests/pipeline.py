"""A whole ingest with no model: a fake for each tool, logs to feed it, and what a store then holds.

`SayingExtractor` makes "Ann likes tea" with the triple (Ann, likes, tea) of Ann's "likes tea."; two
sentences are two facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from memcore.domain.extraction import (
    Buffer,
    Extraction,
    ExtractionTrace,
    Extractor,
    Fact,
    SummaryDraft,
    TripleDraft,
)
from memcore.domain.models import (
    Conversation,
    ConversationLog,
    LogRead,
    Message,
    RawRef,
    Session,
    Source,
    stable_id,
)
from memcore.domain.protocols import (
    Cancelled,
    Compressed,
    Compressor,
    Embedder,
    Ledger,
    Llm,
    Store,
    TurnAttention,
    Vectors,
    WordScore,
)
from memcore.review.decisions import Decider
from memcore.runs.ingest import IngestReport, ingest, new_run
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings
from memcore.store import DuckStore, ExactIndex, open_store
from memcore.store.duckdb.files import FILE_NAME
from memcore.systems.registry import SYSTEMS
from memcore.systems.steps import System, Tools
from tests.fakes import EMBEDDER

JANUARY = datetime(2024, 1, 8, 9, 0)
RECIPE = "memscope"


class WholeCompressor:
    """Keeps every word; a word is a token."""

    name = "keeps everything"

    def compress(self, texts: Sequence[str], rate: float) -> list[Compressed]:
        return [self._whole(text) for text in texts]

    def _whole(self, text: str) -> Compressed:
        words = tuple(WordScore(m.start(), m.end(), 1.0, True) for m in re.finditer(r"\S+", text))
        return Compressed(" ".join(text.split()), words, len(words), len(words))


class EvenAttention:
    """Every turn attends to all turns before it alike."""

    def turn_attention(self, turns: Sequence[str]) -> Vectors:
        matrix = np.tril(np.ones((len(turns), len(turns)), dtype=np.float32), -1)
        return matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)


@dataclass
class SayingExtractor:
    """An `Extractor` that takes every sentence for a fact about its speaker. A buffer that holds a
    text of `fails` fails; `watch` is told every buffer before it is read."""

    fails: set[str] = field(default_factory=set)
    watch: Callable[[Buffer], None] = lambda buffer: None
    name: str = "takes every sentence"
    read: list[Buffer] = field(default_factory=list)

    def extract(self, buffers: Sequence[Buffer]) -> list[tuple[Extraction, ExtractionTrace]]:
        return [self._one(buffer) for buffer in buffers]

    def _one(self, buffer: Buffer) -> tuple[Extraction, ExtractionTrace]:
        self.watch(buffer)
        self.read.append(buffer)
        if unreadable := [m.text for m in buffer.messages if m.text in self.fails]:
            error = f"cannot read {unreadable[0]!r}"
            return Extraction(buffer.session_id, ()), ExtractionTrace(
                buffer.session_id, self.name, error=error
            )
        facts = tuple(fact for message in buffer.messages for fact in _facts(message))
        topics = {segment.id: f"topic of {segment.message_ids[0]}" for segment in buffer.segments}
        said: dict[str, list[Message]] = {}
        for message in buffer.messages:
            said.setdefault(message.session_id, []).append(message)
        summaries = {
            session_id: SummaryDraft(" ".join(m.text for m in messages), (messages[0].speaker,))
            for session_id, messages in said.items()
        }
        return Extraction(buffer.session_id, facts, topics, summaries), ExtractionTrace(
            buffer.session_id, self.name
        )


class FirstTurnExtractor(SayingExtractor):
    """Facts of the first message of each segment only."""

    def extract(self, buffers: Sequence[Buffer]) -> list[tuple[Extraction, ExtractionTrace]]:
        results = []
        for buffer, (extraction, trace) in zip(buffers, super().extract(buffers), strict=True):
            first = {segment.message_ids[0] for segment in buffer.segments}
            facts = tuple(fact for fact in extraction.facts if fact.sources[0].message_id in first)
            results.append((replace(extraction, facts=facts), trace))
        return results


def _facts(message: Message) -> list[Fact]:
    facts = []
    for sentence in re.finditer(r"\s*([^.!?]*)([.!?]|$)", message.text):
        if sentence[2] != ".":
            continue
        verb, _, what = sentence[1].partition(" ")
        triple = TripleDraft(message.speaker, verb, what, "PERSON", "THING")
        facts.append(
            Fact(
                text=f"{message.speaker} {verb} {what}",
                kind="fact",
                sources=(Source(message.id, sentence.start(1), sentence.end()),),
                persons=(message.speaker,),
                triples=(triple,),
            )
        )
    return facts


def tools(**changes: Any) -> Tools:
    values: dict[str, Any] = {
        "embedder": EMBEDDER,
        "compressor": WholeCompressor(),
        "attention": EvenAttention(),
        "extractor": SayingExtractor(),
        "compression_rate": 0.6,
        "segment_method": "texttiling",
        "buffer_tokens": 12,
    }
    return Tools(**(values | changes))


class FakeBackends(ChosenBackends):
    """Fakes instead of in-process models; a language model is as the settings choose it, and then reads
    the buffers. It is a `MakeBackends` itself, and
    `partial(FakeBackends, extractor=...)` is one with other parts."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        embedder: Embedder = EMBEDDER,
        compressor: Compressor | None = None,
        attention: TurnAttention | None = None,
        extractor: Extractor | None = None,
        llm: Llm | None = None,
        decider: Decider | None = None,
        count_tokens: Callable[[str], int] = lambda text: len(text.split()),
    ) -> None:
        super().__init__(settings or Settings())
        self._embedder = embedder
        self._compressor = compressor or WholeCompressor()
        self._attention = attention or EvenAttention()
        self._extractor = extractor or SayingExtractor()
        self._decider = decider
        self._count_tokens = count_tokens
        self._llm: Llm | None = None
        if llm is not None:
            self.ask_from_now_on(llm)

    def ask_from_now_on(self, llm: Llm) -> None:
        """Work with this language model, by the name of the default one of Ollama."""
        self.settings, self._llm = replace(self.settings, llm="ollama"), llm

    def embedder(self) -> Embedder:
        return self._embedder

    def embedding_space(self) -> tuple[str, int]:
        return self._embedder.model_id, self._embedder.dimension

    def compressor(self, name: str | None = None, *, protect: bool | None = None) -> Compressor:
        return self._compressor

    def attention(self) -> TurnAttention:
        return self._attention

    def extractor(self, model: Llm | None, system: str = RECIPE) -> Extractor:
        return self._extractor if model is None else super().extractor(model, system)

    def llm(self, ledger: Ledger, run_id: str, *, cancelled: Cancelled | None = None) -> Llm | None:
        return self._llm or super().llm(ledger, run_id, cancelled=cancelled)

    def require_llm(self) -> None:
        if self._llm is None:
            super().require_llm()

    def decider(self, model: Llm | None) -> Decider:
        return self._decider or super().decider(model)

    def own_deciders(self, model: Llm | None) -> Mapping[str, Decider]:
        return {} if self._decider else super().own_deciders(model)

    def token_counter(self) -> Callable[[str], int]:
        return self._count_tokens


def log(
    *sessions: Sequence[str | tuple[str, str]],
    name: str = "a",
    owner: str = "me",
    begin: datetime | None = JANUARY,
) -> ConversationLog:
    """A conversation of sessions a week apart. A session is texts that Ann and Ben say in turn, a
    minute apart, or (role, text) for what neither of them says."""
    conversation_id = stable_id("conv", owner, name)
    made, messages = [], []
    for number, texts in enumerate(sessions):
        started = begin + timedelta(weeks=number) if begin else None
        session = Session(stable_id("ses", conversation_id, number), conversation_id, number, started)
        made.append(session)
        for place, said in enumerate(texts):
            role, text = said if isinstance(said, tuple) else ("person", said)
            messages.append(
                Message(
                    id=stable_id("msg", session.id, place),
                    session_id=session.id,
                    position=place,
                    speaker=("Ann", "Ben")[place % 2] if role == "person" else role,
                    role=role,
                    text=text,
                    said_at=started + timedelta(minutes=place) if started else None,
                    time_source="message" if started else "none",
                    raw_ref=RawRef(f"{name}.json", f"session {number + 1}, message {place + 1}"),
                )
            )
    return ConversationLog(
        Conversation(conversation_id, owner, f"{name}.json", "plain"), tuple(made), tuple(messages)
    )


def run_ingest(
    store: Store,
    *logs: ConversationLog,
    owner: str = "me",
    recipe: System[Any, Any] = SYSTEMS[RECIPE],
    **options: Any,
) -> IngestReport:
    """Ingest `logs` (none: resume) with fakes; `extractor` and other tools by name."""
    progress = {name: options.pop(name) for name in ("progress", "cancelled") if name in options}
    return ingest(
        store,
        LogRead(logs) if logs else None,
        run=new_run(owner, recipe.name, {}),
        recipe=recipe,
        tools=tools(**options),
        llm={"backend": "none", "model": ""},
        make_index=ExactIndex,
        **progress,
    )


def open_with(embedder: Any, directory: Path) -> DuckStore:
    """The store in a directory. A new one begins as a copy: making its tables takes longer than a test."""
    file = directory / FILE_NAME
    if not file.exists():
        directory.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_empty_store(embedder.model_id, embedder.dimension))
    return open_store(directory, embedding_model=embedder.model_id, dimension=embedder.dimension)


@cache
def _empty_store(model_id: str, dimension: int) -> bytes:
    with TemporaryDirectory() as directory:
        open_store(Path(directory), embedding_model=model_id, dimension=dimension).close()
        return (Path(directory) / FILE_NAME).read_bytes()


def content(store: Store, owner: str = "me", *, recipe: str = RECIPE) -> dict[str, Any]:
    """Everything remembered, without what differs between any two runs: run ids and times of work."""
    sessions = store.sessions(owner=owner)
    memories = store.memories(owner, states=None)
    return {
        "conversations": store.conversations(owner),
        "sessions": sessions,
        "messages": [store.messages(session.id) for session in sessions],
        "pending": store.pending_messages(recipe, owner),
        "segments": [store.segments(session_id=session.id) for session in sessions],
        "memories": [replace(memory, run_id="") for memory in memories],
        "entities": store.entities(owner),
        "triples": store.triples(owner),
        "summaries": sorted(store.summaries(owner), key=lambda summary: summary.session_id),
        "proposals": sorted(
            (
                replace(p, run_id="", created_at=JANUARY, decided_at=None)
                for p in store.proposals(owner, states=None)
            ),
            key=lambda proposal: proposal.id,
        ),
        "events": sorted((e.kind, e.object_id) for e in store.events() if e.object_type != "run"),
    }
