"""The app on a store, and Chromium's flags: what screenshots, benchmarks and browser tests start."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
SECONDS_TO_START = 180
ATTEMPTS = 3
OWN = ("cache", "config", "data")
"""Beside the store instead of among the person's own."""


@dataclass(frozen=True, slots=True)
class Served:
    """Where the app answers, and its process."""

    url: str
    process_id: int


@contextmanager
def served(store: Path, script: str = "app.py", *, root: Path = ROOT, **environment: str) -> Iterator[Served]:
    """The app (or another `script`; of another checkout: its `root`) on a store from the moment it answers,
    with no setting from outside but `environment`. Raises RuntimeError when it does not start."""
    server, url = _started(store, root, script, environment)
    try:
        yield Served(url, server.pid)
    finally:
        server.terminate()
        server.wait(timeout=60)


def _started(
    store: Path, root: Path, script: str, environment: dict[str, str]
) -> tuple[subprocess.Popen[bytes], str]:
    """The app's process and address, once it answers. Another process may take the free port before the
    app does: then with another port."""
    for _ in range(ATTEMPTS):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = _start(store, root, script, port, environment)
        if _answers(f"http://127.0.0.1:{port}/_stcore/health", server):
            return server, f"http://127.0.0.1:{port}"
        server.kill()
        server.wait(timeout=60)
    raise RuntimeError(f"The app did not start: http://127.0.0.1:{port} does not answer.")


def _start(
    store: Path, root: Path, script: str, port: int, environment: dict[str, str]
) -> subprocess.Popen[bytes]:
    outside = ("MEMSCOPE_", "OPENAI_", "OLLAMA_")
    return subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port)],
        cwd=root,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith(outside)},
            "MEMSCOPE_STORE": str(store),
            **{f"MEMSCOPE_{n.upper()}": str(store.with_name(f"{store.name}-{n}")) for n in OWN},
            **environment,
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _answers(url: str, server: subprocess.Popen[bytes]) -> bool:
    """Whether the process answers in time."""
    until = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return server.poll() is None
        except (urllib.error.URLError, OSError):
            time.sleep(0.25)
    return False
