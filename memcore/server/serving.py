"""Serving the store that this process holds: on loopback, on a thread of its own, until it is closed."""

from __future__ import annotations

import atexit
import os
import secrets
import socket
import threading
from pathlib import Path

import uvicorn

from memcore.domain.errors import StoreError, UsageError
from memcore.domain.models import DEFAULT_OWNER
from memcore.runtime.backends import MakeBackends
from memcore.server import served as left
from memcore.server.commands import Commands
from memcore.server.lending import Lender
from memcore.server.listening import Listening
from memcore.server.rest import make_app
from memcore.server.served import HOST, Served

CLOSE_SECONDS = 2
"""How long answers under way may take when serving ends; commands have been waited for by then."""
LOOK_SECONDS = 0.5


class Serving:
    """A store that is being served."""

    def __init__(
        self,
        directory: Path,
        lender: Lender,
        backends: MakeBackends,
        *,
        owner: str = DEFAULT_OWNER,
        recipe: str | None = None,
        port: int = 0,
        workbench: str = "",
    ) -> None:
        """Begin to serve the store in a directory, which this process holds (port 0: any). Raises UsageError
        for a port that cannot be had, StoreError where the directory cannot be written to."""
        self._directory = directory
        listening = _listen(port)
        address = f"http://{HOST}:{listening.getsockname()[1]}"
        self.served = Served(address, secrets.token_hex(32), os.getpid(), workbench)
        self._listening = Listening(lender)
        self._commands = Commands(backends, lender.close)
        app = make_app(lender, self._listening, self.served, self._commands, owner=owner, recipe=recipe)
        self._server = uvicorn.Server(
            uvicorn.Config(
                app,
                log_config=None,
                log_level="critical",  # of what fails, `rest` says what may be said
                timeout_graceful_shutdown=CLOSE_SECONDS,
                server_header=False,
            )
        )
        self._ended = threading.Event()
        threading.Thread(target=self._serve, args=(listening,), name="serving", daemon=True).start()
        atexit.register(left.take_back, directory, self.served)
        try:
            left.leave(directory, self.served)
        except OSError as error:
            self.close(wait=0)
            raise StoreError(
                f"{directory} cannot be written to, so nobody would find where it is served: {error}.",
                "Take the right to write there, or work with the directory from one process at a time.",
            ) from error

    def close(self, *, wait: float | None = 5.0) -> None:
        """Serve no longer. Commands under way are waited for, up to `wait` seconds (None: until they have
        ended), and then stop at their next step."""
        left.take_back(self._directory, self.served)
        if not self._commands.wait(wait):
            self._commands.stop()
        self._listening.close()
        self._server.should_exit = True
        self._ended.wait(CLOSE_SECONDS + 5)

    def join(self) -> None:
        """Wait until it has ended."""
        # Not `Thread.join`: interrupted, it takes the thread for ended (Python 3.11), and without a limit an
        # interruption that another thread was given is not seen.
        while not self._ended.wait(LOOK_SECONDS):
            pass

    def _serve(self, listening: socket.socket) -> None:
        try:
            self._server.run([listening])
        finally:
            self._ended.set()


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen(128)  # whoever finds the address from now on is answered as soon as it is served
    except (OSError, OverflowError) as error:
        listening.close()
        raise UsageError(
            f"Port {port} cannot be had: {error}.", "Choose another --port, or leave it out."
        ) from error
    return listening
