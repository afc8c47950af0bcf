"""Who lends an open memory to what serves it. A call borrows it; whoever holds the store closes it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcore.memory import Memory


class Lender(Protocol):
    """Safe to use from several threads."""

    def memory(self) -> AbstractContextManager[Memory]:
        """The open memory, for the time of a call. Raises what opening it raises."""

    def close(self) -> None:
        """Give the store up now; the next call opens it again."""


@dataclass(frozen=True)
class Lent:
    """A `Lender` of a memory that somebody else opened and closes."""

    its: Memory

    def memory(self) -> AbstractContextManager[Memory]:
        """The memory."""
        return nullcontext(self.its)

    def close(self) -> None:
        """Nothing: it is not ours."""


class Kept:
    """A `Lender` that keeps its store open from the first call on."""

    def __init__(self, open_memory: Callable[[], Memory]) -> None:
        self._open_memory = open_memory
        self._lock = Lock()
        self._memory: Memory | None = None

    @contextmanager
    def memory(self) -> Iterator[Memory]:
        """The open memory."""
        with self._lock:
            if self._memory is None:
                self._memory = self._open_memory()
            memory = self._memory
        yield memory

    def close(self) -> None:
        """Give the store up."""
        with self._lock:
            memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()
