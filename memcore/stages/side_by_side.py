"""Buffers read by a model side by side, a bounded number at a time, with results in order.

What one buffer's failure means for the others, and nothing else: it knows no prompt and no reply.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from memcore.domain.errors import LlmError, LlmUnavailableError
from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace

STAGE = "add_memory"
"""What the ledger calls extraction: LightMem's name in its token statistics."""

ReadBuffer = Callable[[Buffer], tuple[Extraction, ExtractionTrace]]
"""Reads one buffer, or raises LlmError."""


def read_side_by_side(
    buffers: Sequence[Buffer], read: ReadBuffer, *, made_by: str, workers: int
) -> list[tuple[Extraction, ExtractionTrace]]:
    """One result and one trace a buffer, in order.

    A buffer whose answer stays unusable yields no fact and a trace with `error`, and leaves the others
    alone. Once the server is unavailable, buffers not yet asked are not asked any more; if it was
    unavailable for all of them, LlmUnavailableError is raised.
    """
    down: list[LlmUnavailableError] = []
    gone = threading.Event()

    def one(buffer: Buffer) -> tuple[Extraction, ExtractionTrace]:
        begun = time.perf_counter()
        try:
            if gone.is_set():
                raise down[0]
            extraction, trace = read(buffer)
        except LlmError as error:
            if isinstance(error, LlmUnavailableError):
                down.append(error)
                gone.set()
            extraction = Extraction(buffer.session_id, ())
            trace = ExtractionTrace(buffer.session_id, made_by, error=str(error))
        return extraction, replace(trace, milliseconds=(time.perf_counter() - begun) * 1000)

    if not buffers:
        return []
    with ThreadPoolExecutor(min(workers, len(buffers)), "extract") as pool:
        results = list(pool.map(one, buffers))
    if len(down) == len(buffers):
        raise down[0]
    return results
