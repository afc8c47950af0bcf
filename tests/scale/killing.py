"""Killing a Ray reader of this process with SIGKILL, now and then."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

READER = "ray::Reader"
"""What Ray calls the process of an actor of the class `Reader`, here with its method behind it."""


def readers_at_work() -> list[int]:
    """The processes of this process's cluster that are reading."""
    parents: dict[int, int] = {}
    reading = []
    for place in Path("/proc").iterdir():
        if not place.name.isdecimal():
            continue
        try:
            stat = (place / "stat").read_text()
            name = (place / "cmdline").read_bytes()
        except OSError:  # it has ended
            continue
        parents[int(place.name)] = int(stat.rpartition(")")[2].split()[1])
        if name.startswith(f"{READER}.read".encode()):
            reading.append(int(place.name))
    return [pid for pid in reading if os.getpid() in _ancestors(pid, parents)]


def _ancestors(pid: int, parents: dict[int, int]) -> Iterator[int]:
    while (pid := parents.get(pid, 0)) > 1:
        yield pid


@contextmanager
def killing(kills: int, *, seed: int, pause: float = 1.0) -> Iterator[list[int]]:
    """In the block, kill `kills` readers that are reading, each after a random time of up to `pause` seconds;
    gives the ids of those that were."""
    chance = random.Random(seed)
    killed: list[int] = []
    over = threading.Event()

    def work() -> None:
        while len(killed) < kills and not over.is_set():
            while not readers_at_work() and not over.is_set():
                time.sleep(0.02)
            time.sleep(chance.uniform(0, pause))
            if reading := [pid for pid in readers_at_work() if pid not in killed]:
                killed.append(chance.choice(reading))
                os.kill(killed[-1], signal.SIGKILL)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()
