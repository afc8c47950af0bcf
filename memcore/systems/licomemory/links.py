"""CogniGraph's links, followed down: from a session to what was read in it, from a chunk to its messages.

A triple leads to the memories that state it (`Triple.memory_ids`), a memory to its chunk
(`Memory.segment_id`), a chunk to its session, and a summary to its triples and chunks. Read-only; it ranks
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import takewhile

from memcore.domain.models import MemoryEntry, Message, Segment, SessionSummary
from memcore.domain.protocols import Store

SUMMARIZE = "summarize"
"""The stage under which a recipe traces every version of a session's summary (`SummaryVersion`)."""


def messages_of(store: Store, segments: Iterable[Segment]) -> dict[str, list[Message]]:
    """Each chunk's messages, whole and in order, by the chunk's id."""
    held = list(segments)
    messages = store.messages_by_id([i for segment in held for i in segment.message_ids])
    return {s.id: [messages[i] for i in s.message_ids if i in messages] for s in held}


def read_in(
    store: Store, summaries: Sequence[SessionSummary], *, owner: str, recipe: str
) -> dict[str, list[MemoryEntry]]:
    """Downwards from summaries: what their sessions left in memory, in whatever state, by session id. A
    memory that several sessions state belongs to the first of them."""
    chunks = store.segments(ids=[i for summary in summaries for i in summary.segment_ids])
    session_of = {i: segment.session_id for segment in chunks for i in segment.message_ids}
    stated = store.memories(owner, states=None, recipe=recipe, message_ids=list(session_of))
    found: dict[str, list[MemoryEntry]] = {summary.session_id: [] for summary in summaries}
    for memory in stated:
        home = next(s.message_id for s in memory.sources if s.message_id in session_of)
        found[session_of[home]].append(memory)
    return found


def summary_at(store: Store, summary: SessionSummary, moment: datetime | None) -> SessionSummary | None:
    """The summary as it stood at `moment` (None: now): the last version that tells of nothing said later.
    None when there is none, because the session began after it or its versions are not traced."""
    if moment is None or summary.ended_at is None or summary.ended_at <= moment:
        return summary
    told = [
        trace.payload
        for trace in store.traces(stage=SUMMARIZE, unit=summary.session_id, recipe=summary.recipe)
    ]
    until = list(takewhile(lambda version: _said_by(version["said_at"], moment), told))
    if not until:
        return None
    last = until[-1]
    return replace(summary, text=last["text"], keywords=tuple(last["keywords"]), themes=tuple(last["themes"]))


def _said_by(said_at: str | None, moment: datetime) -> bool:
    return said_at is None or datetime.fromisoformat(said_at) <= moment
