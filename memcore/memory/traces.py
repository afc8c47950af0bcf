"""`memory.traces`: what each stage did to a session, step by step."""

from __future__ import annotations

from collections.abc import Sequence

from memcore.domain.models import Message, StageTrace
from memcore.domain.protocols import Store
from memcore.runtime.backends import Backends
from memcore.stages.compress import CompressionTrace, compress


class Traces:
    """Stage traces as they were stored, and what a stage would do with other settings."""

    def __init__(self, store: Store, backends: Backends) -> None:
        self._store = store
        self._backends = backends

    def of(self, session_id: str, stage: str, *, recipe: str | None = None) -> list[StageTrace]:
        """What a stage did in the session (payload: the stage's own trace dataclass), as this system
        ran it or, with None, any: `compress` (`CompressionTrace`), `segment` (`SegmentationTrace`),
        `sensory`, `buffer`, `extract` (`ExtractionTrace`), `synthesis`, and a system's own stages."""
        return self._store.traces(stage=stage, unit=session_id, recipe=recipe)

    def try_compression(
        self, messages: Sequence[Message], rate: float, *, protect: bool = True
    ) -> CompressionTrace:
        """What the active compressor would make of messages at another rate. Stores nothing. Raises
        UsageError for a rate outside (0, 1], BackendError."""
        return compress(messages, rate, self._backends.compressor(protect=protect))[1]
