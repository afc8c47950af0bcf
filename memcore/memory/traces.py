"""`memory.traces`: what each stage did to a session, step by step."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.errors import NotFoundError
from memcore.domain.models import Message, StageTrace
from memcore.domain.protocols import Store, WordScore
from memcore.memory.rights import Rights, messages_seen, sessions_seen
from memcore.nlp.encoder.selection import joined
from memcore.runtime.backends import Backends
from memcore.stages.compress import DROPPED, CompressionTrace, MessageCompression, compress
from memcore.stages.segmentation.trace import SegmentationTrace
from memcore.stages.segmentation.turn_attention import with_attention
from memcore.systems.drawings import read_traces


def kept_text(text: str, row: MessageCompression) -> str:
    """A message's text as the next stage got it."""
    words = zip(row.starts, row.ends, row.scores, row.marks, strict=True)
    return joined(text, [WordScore(start, end, keep, mark != DROPPED) for start, end, keep, mark in words])


class Traces:
    """Stage traces as they were stored, and what a stage would do with other settings."""

    def __init__(self, store: Store, rights: Rights, backends: Backends) -> None:
        self._store = store
        self._rights = rights
        self._backends = backends

    def of(self, session_id: str, stage: str, *, recipe: str | None = None) -> list[StageTrace]:
        """What a stage did in the session (payload: the stage's own trace dataclass), as this system
        ran it or, with None, any: `compress` (`CompressionTrace`), `segment` (`SegmentationTrace`),
        `sensory`, `buffer`, `extract` (`ExtractionTrace`), `synthesis`, and a system's own stages."""
        if not sessions_seen(self._store, self._rights, [session_id]):
            return []
        return self._store.traces(stage=stage, unit=session_id, recipe=recipe)

    def try_compression(
        self, messages: Sequence[Message], rate: float, *, protect: bool = True
    ) -> CompressionTrace:
        """What the active compressor would make of messages at another rate. Stores nothing. Raises
        UsageError for a rate outside (0, 1], BackendError."""
        return compress(messages, rate, self._backends.compressor(protect=protect))[1]

    def with_attention(
        self, session_id: str, trace: SegmentationTrace, *, recipe: str | None = None
    ) -> SegmentationTrace:
        """A segmentation whose method did without turn attention, with attention beside its scores, read
        now by the encoder that is active now from the turns as they were compressed then (a turn that was
        not: from its text). Stores nothing. Raises BackendError, NotFoundError if a message is gone."""
        rows = {
            row.message_id: row
            for found in read_traces(self.of(session_id, "compress", recipe=recipe), CompressionTrace)
            for row in found.messages
        }
        known = self._store.messages_by_id(list(trace.message_ids))
        said = {one.id: one for one in messages_seen(self._store, self._rights, known.values())}
        if missing := [i for i in trace.message_ids if i not in said]:
            raise NotFoundError(f"The message {missing[0]!r} is not stored any more.", "Open the page again.")
        turns = [kept_text(said[i].text, rows[i]) if i in rows else said[i].text for i in trace.message_ids]
        return with_attention(trace, self._backends.attention(), turns)
