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
    work_seconds: float,
    after_kill: Callable[[int], None],
    cwd: Path,
    ready: str = "ready",
    every_early: int = 5,
    timeout: float = 120.0,
) -> None:
    """Start `command` until it has been killed `kills` times, then once more to its end.

    A kill falls at a random moment of up to `work_seconds` after the command has printed the line
    `ready`; each `every_early`-th falls at a random moment of its start instead, when stores are being
    opened and recovered. `after_kill(n)` looks at what is left. The command has to go on where it was
    killed: when it ends before its last kill, there was too little work and the harness fails.
    """
    moment = random.Random(seed)
    start_seconds = 0.5
    for number in range(1, kills + 1):
        begun = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            if number % every_early == 0:
                time.sleep(moment.uniform(0.0, start_seconds))
            else:
                _wait_for(process, ready, timeout)
                start_seconds = time.monotonic() - begun
                time.sleep(moment.uniform(0.0, work_seconds))
        finally:
            process.send_signal(signal.SIGKILL)
            _, errors = process.communicate()
        assert process.returncode == -signal.SIGKILL, (
            f"ended by itself (exit {process.returncode}) before kill {number} of {kills}:\n{errors}"
        )
        after_kill(number)
    last = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=timeout, check=False)
    assert last.returncode == 0, last.stderr


def _wait_for(process: subprocess.Popen[str], line: str, timeout: float) -> None:
    """Return when the process has printed `line`; fail when it ends or stays silent instead."""
    assert process.stdout is not None
    alarm = threading.Timer(timeout, process.kill)
    alarm.start()
    try:
        for printed in process.stdout:
            if printed.strip() == line:
                return
    finally:
        alarm.cancel()
    _, errors = process.communicate()
    raise AssertionError(f"the command ended or hung before it printed {line!r}:\n{errors}")
