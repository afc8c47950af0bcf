"""The memories that `memcore evaluate` decides about: built once and kept, decided on copies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memcore.cli.options import make_backends, tell_damaged
from memcore.cli.output import tell
from memcore.cli.progress import reported
from memcore.cli.sharing import opened_here
from memcore.cli.streams import streams

if TYPE_CHECKING:
    from memcore.domain.models import LogRead
    from memcore.domain.protocols import Progress
    from memcore.memory import Memory
    from memcore.runtime.config import Settings


@contextmanager
def remembering(
    logs: Mapping[str, LogRead], settings: Settings, recipe: str
) -> Iterator[tuple[Memory, Progress]]:
    """A memory of every owner's log, read by a system, and how to tell progress. What failed is told."""
    from memcore.evaluation.building import remembered

    with opened_here(settings, make_backends()) as memory, reported() as progress:
        tell_damaged(settings)
        tell(f"memories are kept in {settings.store_dir}")
        for error in remembered(logs, memory, recipe, progress, streams().gone).errors:
            tell(f"failed: {error}")
        yield memory, progress


@contextmanager
def copy_of(memory: Memory) -> Iterator[Memory]:
    """An equal memory to decide on, which is gone after the block."""
    from memcore.memory import Memory

    with memory.store.trial() as copy:
        yield Memory(copy, memory.backends)
