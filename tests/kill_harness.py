"""Running a command again and again, and killing it with SIGKILL at random moments."""

from __future__ import annotations

import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path


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
