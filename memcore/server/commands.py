"""Commands of the command line that other processes ask the holder of their store to run.

Each runs on a thread of its own and writes to whoever asked, with that process's environment and working
directory. It opens the store once more, in this process, where that is possible: DuckDB keeps out other
processes only. Files it writes belong to the same person on the same machine.
"""

from __future__ import annotations

import asyncio
import io
import json
import threading
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from memcore.cli import main
from memcore.cli.sharing import LET_GO
from memcore.cli.streams import Streams, writing_to
from memcore.runtime.backends import MakeBackends
from memcore.runtime.caller import Caller, working_for

BEAT_SECONDS = 2.0
"""How often something is sent while a command says nothing: whoever is gone is noticed then."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What another process wants run: the words after `memcore`, its working directory and environment, and
    which of its streams are terminals."""

    arguments: list[str]
    caller: Caller
    out_is_terminal: bool
    err_is_terminal: bool


class _Sent(io.StringIO):
    """A stream whose text goes to another process."""

    def __init__(self, name: str, send: Callable[[dict[str, Any]], None], *, terminal: bool) -> None:
        super().__init__()
        self._name, self._send, self._terminal = name, send, terminal

    def write(self, text: str) -> int:
        if text:
            self._send({self._name: text})
        return len(text)

    def isatty(self) -> bool:
        return self._terminal


class Commands:
    """The commands that run here for other processes. `let_go` makes the holder close its store for a command
    that needs it closed."""

    def __init__(self, backends: MakeBackends, let_go: Callable[[], None]) -> None:
        self._backends = backends
        self._let_go = let_go
        self._changed = threading.Condition()
        self._running = 0
        self._stopped = False

    async def run(self, asked: Asked) -> AsyncIterator[str]:
        """Run one; JSON lines of what it writes (`out`, `err`) and in the end of its exit code (`exit`).
        Where nobody reads them any more, it stops at its next step."""
        loop = asyncio.get_running_loop()
        said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        gone = threading.Event()

        def send(bit: dict[str, Any]) -> None:
            if not gone.is_set():
                with suppress(RuntimeError):  # this process stops serving, and the loop is closed
                    loop.call_soon_threadsafe(said.put_nowait, bit)

        with self._changed:
            self._running += 1
        threading.Thread(target=self._work, args=(asked, send, gone), name="command", daemon=True).start()
        try:
            bit: dict[str, Any] = {}
            while "exit" not in bit:
                try:
                    bit = await asyncio.wait_for(said.get(), BEAT_SECONDS)
                except TimeoutError:
                    bit = {}
                yield json.dumps(bit) + "\n"
        finally:
            gone.set()

    def stop(self) -> None:
        """Let those at work stop at their next step."""
        self._stopped = True

    def wait(self, seconds: float | None) -> bool:
        """Wait until none is at work; whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: self._running == 0, seconds)

    def _work(self, asked: Asked, send: Callable[[dict[str, Any]], None], gone: threading.Event) -> None:
        out = _Sent("out", send, terminal=asked.out_is_terminal)
        err = _Sent("err", send, terminal=asked.err_is_terminal)
        code = 1
        LET_GO.set(self._let_go)
        try:
            streams = Streams(out, err, lambda: gone.is_set() or self._stopped)
            with writing_to(streams), working_for(asked.caller):
                code = main(asked.arguments, self._backends)
        except Exception:  # noqa: BLE001 - whoever asked is told, as Python would tell them
            traceback.print_exc(file=err)
        finally:
            send({"exit": code})
            with self._changed:
                self._running -= 1
                self._changed.notify_all()
