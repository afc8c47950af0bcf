"""Waiting for a server without being held by it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def in_background(work: Callable[[], T], name: str) -> Future[T]:
    """What `work` returns or raises, on a thread of that name which keeps no process from ending."""
    found: Future[T] = Future()

    def do() -> None:
        try:
            found.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again where the result is waited for
            found.set_exception(error)

    threading.Thread(target=do, name=name, daemon=True).start()
    return found
