"""Asynchronous clients in synchronous tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio


def talking(talk: Callable[[], Awaitable[Any]]) -> Any:
    """What `talk` returns, run in a thread of its own: Playwright keeps a loop running in the tests' one."""
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(anyio.run, talk).result()
