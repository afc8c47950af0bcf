"""A store that one process at a time can use: opened here, or the process that has it runs the command."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from memcore.cli.streams import from_elsewhere, streams
from memcore.domain.errors import StoreBusyError
from memcore.runtime.caller import this_process

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcore.memory import Memory
    from memcore.runtime.backends import MakeBackends
    from memcore.runtime.config import Settings
    from memcore.server.holder import Holder

PATIENCE_SECONDS = 10.0
"""How long a command waits for a store that is held and not served: the other command may be a short one, and
a long one begins to serve when it is asked to."""

LET_GO: ContextVar[Callable[[], None] | None] = ContextVar("let_go", default=None)
"""Where another process asked for this command: makes its holder close the store, to open it again when it is
needed."""


class StoreServedError(Exception):
    """Another process has the store and serves it: it is to run this command."""

    def __init__(self, holder: Holder) -> None:
        super().__init__(holder.served.address)
        self.holder = holder


def require_here(settings: Settings, *, alone: bool = False) -> None:
    """Raise StoreServedError where another process serves the store; a database server's is open to every
    process. `alone`: what follows needs it closed."""
    from memcore.server.holder import find_holder

    if settings.database is not None:
        return
    if holder := find_holder(settings.store_dir):
        raise StoreServedError(holder)
    if alone and (let_go := LET_GO.get()):
        let_go()


@contextmanager
def opened_here(settings: Settings, backends: MakeBackends, *, makes_store: bool = True) -> Iterator[Memory]:
    """The store, open in this process, which serves it as soon as another one wants it. Raises
    StoreServedError, what `open_settings` raises, and unless it `makes_store` NotFoundError."""
    from memcore.server.on_demand import served_when_wanted

    with _open(settings, backends, makes_store) as memory:
        if from_elsewhere():  # this process serves its store already
            yield memory
        else:
            with served_when_wanted(memory, backends):
                yield memory


def _open(settings: Settings, backends: MakeBackends, makes_store: bool) -> Memory:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        require_here(settings)
        from memcore.memory import open_settings, require_store  # where it is opened here: a second to load

        if not makes_store:
            require_store(settings)
        try:
            return open_settings(settings, backends)
        except StoreBusyError:
            if time.monotonic() >= deadline:
                raise


def run_elsewhere(holder: Holder, words: Sequence[str]) -> int:
    """Let the holder run a command, and write here what it writes; returns the exit code."""
    caller, here = this_process(), streams()
    terminal = {"out": here.out.isatty(), "err": here.err.isatty()}
    size = shutil.get_terminal_size()
    shape = {"COLUMNS": str(size.columns), "LINES": str(size.lines)} if any(terminal.values()) else {}
    asked = {
        "arguments": [*words],
        "directory": str(caller.directory),
        "environment": {**caller.environment, **shape},
        "terminal": terminal,
    }
    code = None
    for bit in holder.lines("/v1/commands", asked):
        for name, to in (("out", here.out), ("err", here.err)):
            if name in bit:
                to.write(bit[name])
                to.flush()
        code = bit.get("exit", code)
    if code is None:
        raise holder.ended()
    return int(code)
