"""`Memory`: the one object that the app, the command line and other programs talk to.

It opens a store, builds the backends the settings name, runs recipes, searches, consolidates and
applies a person's decisions. It contains no algorithm of its own. One `Memory` may be used from
several threads. It does not know Streamlit, argument parsing or file formats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from memcore.config import Settings
from memcore.models import DEFAULT_OWNER, Conversation, Entity, Event, LogRead, Proposal, Run, Session, Skipped
from memcore import models
from memcore.protocols import Cancelled, Progress
from memcore.retrieval.results import Answer, SearchReport
from memcore.views import GraphView, MemoryView, ProposalView, RunView, SessionView


@dataclass(frozen=True, slots=True)
class IngestReport:
    run_id: str
    state: str                      # finished | cancelled | failed
    messages: int                   # in the uploaded logs
    new_messages: int               # stored for the first time
    segments: int
    memories: int
    triples: int
    skipped: tuple[Skipped, ...]
    errors: tuple[str, ...]         # buffers an extractor failed on; their messages stay pending
    llm: dict[str, Any]             # {"backend","model","calls","prompt_tokens","completion_tokens"}
    seconds: float


class Memory:
    settings: Settings

    def __init__(self, settings: Settings) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Memory: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

    # --- what is there
    def owners(self) -> list[str]: ...
    def stats(self, owner: str = DEFAULT_OWNER) -> dict[str, int]: ...      # conversations, sessions, messages, segments, memories, entities, triples, proposals_pending, events, pending_messages
    def active(self) -> dict[str, str]: ...                                  # {"encoder","compressor","extractor","llm","decider"}: what is active, in words; loads nothing heavy
    def conversations(self, owner: str = DEFAULT_OWNER) -> list[Conversation]: ...
    def sessions(self, owner: str = DEFAULT_OWNER) -> list[Session]: ...
    def session(self, session_id: str) -> SessionView: ...
    def memories(self, owner: str = DEFAULT_OWNER, **filters: Any) -> list[models.Memory]: ...   # the keyword filters of protocols.Store.memories
    def count_memories(self, owner: str = DEFAULT_OWNER, *, states: Sequence[str] | None = ("active",)) -> int: ...
    def memory(self, memory_id: str) -> MemoryView: ...
    def entities(self, owner: str = DEFAULT_OWNER) -> list[Entity]: ...
    def graph(self, owner: str = DEFAULT_OWNER, *, centre: str | None = None, depth: int = 1, relation: str | None = None,
              as_of: datetime | None = None, include_invalidated: bool = True, max_entities: int = 150, max_triples: int = 400) -> GraphView: ...
    def compression(self, session_id: str) -> list[models.StageTrace]: ...   # newest run's traces of that session; payload: stages/compress.py CompressionTrace
    def segmentation(self, session_id: str) -> list[models.StageTrace]: ...  # payload: stages/segment.py SegmentationTrace
    def extraction(self, session_id: str) -> list[models.StageTrace]: ...    # payload: stages/facts.py ExtractionTrace

    # --- import
    def ingest(self, logs: LogRead, *, owner: str = DEFAULT_OWNER, recipe: str = "memscope",
               progress: Progress | None = None, cancelled: Cancelled | None = None) -> IngestReport: ...
    def resume(self, *, owner: str = DEFAULT_OWNER, recipe: str = "memscope",
               progress: Progress | None = None, cancelled: Cancelled | None = None) -> IngestReport: ...   # work on stored but unprocessed messages

    # --- ask
    def search(self, query: str, *, k: int = 10, owner: str = DEFAULT_OWNER, as_of: datetime | None = None) -> SearchReport: ...
    def ask(self, query: str, *, budget: int = 2000, owner: str = DEFAULT_OWNER, as_of: datetime | None = None) -> Answer: ...

    # --- consolidate and review
    def consolidate(self, *, owner: str = DEFAULT_OWNER, progress: Progress | None = None, cancelled: Cancelled | None = None) -> Any: ...  # review.consolidate.ConsolidationReport
    def proposals(self, owner: str = DEFAULT_OWNER, *, states: Sequence[str] | None = ("pending",)) -> list[Proposal]: ...
    def proposal(self, proposal_id: str) -> ProposalView: ...
    def approve(self, proposal_ids: Sequence[str], *, actor: str = "person") -> Any: ...   # review.decide's result list
    def reject(self, proposal_ids: Sequence[str], *, actor: str = "person") -> Any: ...
    def edit(self, proposal_id: str, text: str, *, actor: str = "person") -> Proposal: ...  # stays pending; approve afterwards
    def undo(self, event_id: str, *, actor: str = "person") -> Any: ...                     # undoes the whole batch of that event
    def history(self, object_id: str | None = None, *, limit: int | None = None) -> list[Event]: ...

    # --- work done
    def runs(self, *, limit: int | None = None) -> list[Run]: ...
    def run(self, run_id: str) -> RunView: ...

    # --- in and out
    def export(self, to: Path, *, format: str = "jsonl") -> int: ...          # rows written
    def import_store(self, path: Path) -> int: ...
    def doctor(self) -> Any: ...                                             # doctor.DoctorReport: checks (name, ok|warn|fail, what, fix)


def open_memory(store: Path | str | None = None, **settings: Any) -> Memory: ...
