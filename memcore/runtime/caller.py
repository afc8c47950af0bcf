"""For whom this code works: whose environment variables count, and where a relative path begins.

Usually that is this process. A command that a process asked the holder of its store to run
(`memcore.server.commands`) works with what that process has.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

_TOLD = ("MEMSCOPE_", "OLLAMA_", "OPENAI_", "XDG_")
_OF_THE_TERMINAL = ("TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")


@dataclass(frozen=True, slots=True)
class Caller:
    """A process that something is done for: its environment as far as it matters here, and its working
    directory, absolute."""

    environment: Mapping[str, str]
    directory: Path


_CALLER: ContextVar[Caller | None] = ContextVar("caller", default=None)


def this_process() -> Caller:
    """Who calls, where this process does; of its environment, what settings and terminals are read from."""
    told = {
        name: v for name, v in environment().items() if name.startswith(_TOLD) or name in _OF_THE_TERMINAL
    }
    return Caller(told, here("."))


@contextmanager
def working_for(caller: Caller) -> Iterator[None]:
    """In the block, and on its thread, `environment` and `here` are the caller's."""
    before = _CALLER.set(caller)
    try:
        yield
    finally:
        _CALLER.reset(before)


def environment(given: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """The environment variables that count: those given, else the caller's, else this process's."""
    if given is not None:
        return given
    caller = _CALLER.get()
    return os.environ if caller is None else caller.environment


def here(path: Path | str) -> Path:
    """A path as the caller means it, absolute."""
    caller = _CALLER.get()
    return (Path.cwd() if caller is None else caller.directory) / path


def own_directory(variable: str, base: str, otherwise: str, environ: Mapping[str, str] | None = None) -> Path:
    """A directory of the caller's own, absolute: that which `variable` names, else memscope in the one that
    `base` names or, of the home directory, in `otherwise`."""
    told = environment(environ)
    if chosen := told.get(variable):
        return here(chosen)
    return here(told.get(base) or Path.home() / otherwise) / "memscope"
