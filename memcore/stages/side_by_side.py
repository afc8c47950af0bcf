"""What a model is asked side by side, a bounded number at a time, with results in order.

What one failure means for the others, and nothing else: it knows no prompt and no reply.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

from memcore.domain.errors import LlmError, LlmUnavailableError
from memcore.domain.extraction import Buffer, Extraction, ExtractionTrace

STAGE = "add_memory"
"""What the ledger calls extraction: LightMem's name in its token statistics."""

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")

ReadBuffer = Callable[[Buffer], tuple[Extraction, ExtractionTrace]]
"""Reads one buffer, or raises LlmError."""


def ask_side_by_side(
    asked: Sequence[Asked], ask: Callable[[Asked], Answer], *, workers: int, name: str
) -> list[Answer | LlmError]:
    """What `ask` makes of each, or the LlmError it raised. Once the server is unavailable, what was not asked
    yet is not asked any more and has that error. `name` is that of the threads."""
    down: list[LlmUnavailableError] = []

    def one(thing: Asked) -> Answer | LlmError:
        if down:
            return down[0]
        try:
            return ask(thing)
        except LlmError as error:
            if isinstance(error, LlmUnavailableError):
                down.append(error)
            return error

    if not asked:
        return []
    with ThreadPoolExecutor(min(workers, len(asked)), name) as pool:
        return list(pool.map(one, asked))


def read_side_by_side(
    buffers: Sequence[Buffer], read: ReadBuffer, *, made_by: str, workers: int
) -> list[tuple[Extraction, ExtractionTrace]]:
    """One result and one trace a buffer, in order.

    A buffer whose answer stays unusable yields no fact and a trace with `error`, and leaves the others
    alone. If the server was unavailable for all of them, LlmUnavailableError is raised.
    """
    spent = [0.0] * len(buffers)

    def timed(place: int) -> tuple[Extraction, ExtractionTrace]:
        begun = time.perf_counter()
        try:
            return read(buffers[place])
        finally:
            spent[place] = (time.perf_counter() - begun) * 1000

    results = []
    found = ask_side_by_side(range(len(buffers)), timed, workers=workers, name="extract")
    for buffer, one, milliseconds in zip(buffers, found, spent, strict=True):
        if isinstance(one, LlmError):
            one = (
                Extraction(buffer.session_id, ()),
                ExtractionTrace(buffer.session_id, made_by, error=str(one)),
            )
        extraction, trace = one
        results.append((extraction, replace(trace, milliseconds=milliseconds)))
    down = [one for one in found if isinstance(one, LlmUnavailableError)]
    if down and len(down) == len(found):
        raise down[0]
    return results
