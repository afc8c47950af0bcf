"""Where a command writes: this process's stdout and stderr, or those of the process that asked for it.

Several commands may run side by side in one process (`memcore.server.commands`), so none of them writes to
`sys.stdout` by itself.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True, slots=True)
class Streams:
    """What a command writes to. `gone` says whether nobody waits for it any more: it then stops at the next
    step."""

    out: TextIO
    err: TextIO
    gone: Callable[[], bool] = lambda: False


_STREAMS: ContextVar[Streams | None] = ContextVar("streams", default=None)


@contextmanager
def writing_to(streams: Streams) -> Iterator[None]:
    """In the block, and on its thread, commands write there."""
    before = _STREAMS.set(streams)
    try:
        yield
    finally:
        _STREAMS.reset(before)


def streams() -> Streams:
    """Where this command writes."""
    return _STREAMS.get() or Streams(sys.stdout, sys.stderr)


def from_elsewhere() -> bool:
    """Whether another process asked for this command."""
    return _STREAMS.get() is not None


def leave_unread() -> None:
    """Say nothing, now and when Python ends, of what cannot be written any more: whoever read it has had
    enough, as `| head` does."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
