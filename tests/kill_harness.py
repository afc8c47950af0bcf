"""Running a command again and again, and killing it with SIGKILL at random moments: as a process of its own,
or as a child of one that has everything loaded (`ForkServer`)."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run_with_kills(
    command: Sequence[str],
    *,
    kills: int,
    seed: int,
    steps: int,
    after_kill: Callable[[int], None],
    cwd: Path,
    timeout: float = 120.0,
) -> None:
    """Start `command` until it has been killed `kills` times, then once more to its end.

    The command prints a line when each of its steps is finished and goes on where it was killed. A kill
    falls at a random moment of the step that follows 0 to `steps` finished ones (0: of the start, when
    stores are opened and recovered), however fast the machine is. `after_kill(n)` looks at what is
    left. A command that ends before its last kill had too little work, and the harness fails.
    """
    chance = random.Random(seed)
    for number in range(1, kills + 1):
        process = subprocess.Popen(
            command,
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        hung = threading.Event()
        alarm = threading.Timer(timeout, lambda hung=hung, process=process: (hung.set(), process.kill()))
        alarm.start()
        try:
            _follow(process, chance.randint(0, steps), chance.random())
        finally:
            alarm.cancel()
            process.send_signal(signal.SIGKILL)
            _, errors = process.communicate()
        assert not hung.is_set(), f"printed nothing for {timeout} s before kill {number}:\n{errors}"
        assert process.returncode == -signal.SIGKILL, (
            f"ended by itself (exit {process.returncode}) before kill {number} of {kills}:\n{errors}"
        )
        after_kill(number)
    last = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=timeout, check=False)
    assert last.returncode == 0, last.stderr


def _follow(process: subprocess.Popen[str], steps: int, part: float) -> None:
    """Return `part` of a step's usual time after the process has printed `steps` lines."""
    assert process.stdout is not None
    if steps == 0:
        time.sleep(part)  # a start takes about a second
        return
    times: list[float] = []
    for _ in process.stdout:
        times.append(time.monotonic())
        if len(times) == steps:
            break
    usual = (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else 0.05
    time.sleep(part * usual)


class ForkServer:
    """`tests.fork_server` for a module, and the SIGKILLs for its children."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server
        assert self._line() == "ready"

    def pace(self, *arguments: str) -> tuple[float, float]:
        """Work to the end; seconds until its first step, and usual seconds of a step."""
        begun = time.monotonic()
        times = self.to_the_end(*arguments)
        return times[0] - begun, statistics.median(b - a for a, b in itertools.pairwise(times))

    def to_the_end(self, *arguments: str) -> list[float]:
        """Work to the end; when each step was finished."""
        self.start(*arguments)
        times = []
        while (line := self._line()).startswith("step"):
            times.append(time.monotonic())
        assert line == "exit 0"
        return times

    def killed(self, *arguments: str, after: int, pause: float) -> str:
        """Start work and kill it `pause` seconds after its step `after` (0: its start). Returns the last that
        it said to have finished; empty: nothing."""
        child = self.start(*arguments)
        last, ended = "", "it ended by itself: too little work to be killed in"
        for _ in range(after):
            last = self._line()
            assert last.startswith("step"), ended
        time.sleep(pause)
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            raise AssertionError(ended) from None
        while (line := self._line()).startswith("step"):
            last = line
        assert line == f"exit {-signal.SIGKILL}"
        return last

    def start(self, *arguments: str) -> int:
        """Start work; the process that does it."""
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(arguments) + "\n")
        self._server.stdin.flush()
        name, _, pid = self._line().partition(" ")
        assert name == "pid"
        return int(pid)

    def end(self, child: int, how: signal.Signals) -> None:
        """Send a signal to work that tells of no steps, and wait for its end."""
        os.kill(child, how)
        code = self._line()
        assert code == ("exit 0" if how == signal.SIGINT else f"exit {-how}"), code

    def _line(self) -> str:
        assert self._server.stdout is not None
        return self._server.stdout.readline().rstrip("\n")


@contextmanager
def fork_server(module: str, *, seconds: float = 240.0) -> Iterator[ForkServer]:
    """One for a module; after so many seconds it hangs, and is killed with what waits for it."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.fork_server", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"},
    )
    alarm = threading.Timer(seconds, server.kill)
    alarm.start()
    try:
        yield ForkServer(server)
    finally:
        alarm.cancel()
        server.communicate()
