"""The whole log: what a model with room for everything would be given, whatever the question is.

The newest counts most, so a limit, of results or of tokens, takes from the beginning of the log. Hits
are ranked newest first and told oldest first, as the log reads. It compares nothing with the question.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime

from memcore.domain.models import MemoryEntry
from memcore.domain.protocols import Store
from memcore.retrieval.hits import memory_hit, sources_of
from memcore.retrieval.question import Question, SearchTools
from memcore.retrieval.results import QueryPlan, SearchReport, SearchTrace

STRATEGY = "full text"


def whole_log(store: Store, tools: SearchTools, question: Question) -> SearchReport:
    """The k newest memories valid at `question.as_of`. A hit's score is its place in the log, from 0 to 1
    (the newest)."""
    begun = time.perf_counter()
    states = ("active",) if question.as_of is None else None
    valid = [
        memory
        for memory in store.memories(question.owner, recipe=question.recipe, states=states)
        if memory.state != "deleted" and memory.valid_at(question.as_of)
    ]
    newest = _newest(store, question, valid)
    messages = sources_of(store, newest)
    left = len(valid) - len(newest)
    return SearchReport(
        query=question.text,
        hits=tuple(
            memory_hit(memory, messages, {"place": (len(valid) - rank) / len(valid)})
            for rank, memory in enumerate(newest)
        ),
        trace=SearchTrace(
            plan=QueryPlan(question.text),
            views=(),
            weights={},
            as_of=question.as_of,
            milliseconds=(time.perf_counter() - begun) * 1000,
            strategy=STRATEGY,
            notes=(f"{left:,} older messages are beyond the {question.k} asked for",) if left else (),
        ),
        newest_first=True,
    )


def _newest(store: Store, question: Question, valid: Sequence[MemoryEntry]) -> list[MemoryEntry]:
    """Up to k memories from the log's end on: sessions by time (those without one before all others), in
    them by message."""
    told: dict[str, list[MemoryEntry]] = {}
    for memory in valid:
        told.setdefault(memory.sources[0].message_id, []).append(memory)
    sessions = sorted(store.sessions(owner=question.owner), key=lambda s: s.started_at or datetime.min)
    found: list[MemoryEntry] = []
    for session in reversed(sessions):
        if len(found) >= question.k:
            break
        for message in reversed(store.messages(session.id)):
            found += told.get(message.id, [])
    return found[: question.k]
