"""The process that holds a store, as another process sees it: found by what it left, proven, and asked."""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from memcore.domain import errors
from memcore.domain.errors import MemcoreError, StoreBusyError, StoreError
from memcore.server.served import HOST, Served, found, proof

PROOF_SECONDS = 5.0
"""How long a holder may take to show that it is one; it may have all cores busy."""


@dataclass(frozen=True)
class Holder:
    """A process that has shown that it holds the store."""

    directory: Path
    served: Served

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None, **query: Any) -> Any:
        """What it answers, read from JSON. Raises the MemcoreError that it raised, and StoreBusyError where
        it ends before it answers."""
        asked = urlencode({name: value for name, value in query.items() if value is not None})
        with self._connection() as connection:
            answer = self._answer(connection, method, f"{path}?{asked}" if asked else path, body)
            try:
                return json.loads(answer.read())
            except (OSError, HTTPException, ValueError) as error:
                raise self.ended() from error

    def lines(self, path: str, body: Mapping[str, Any]) -> Iterator[Any]:
        """What it answers bit by bit, a JSON value a line. Raises as `ask`."""
        with self._connection() as connection:
            answer = self._answer(connection, "POST", path, body)
            try:
                while line := answer.readline():
                    if line.strip():
                        yield json.loads(line)
            except (OSError, HTTPException, ValueError) as error:
                raise self.ended() from error

    def _connection(self) -> closing[HTTPConnection]:
        return closing(HTTPConnection(HOST, self.served.port))

    def _answer(
        self, connection: HTTPConnection, method: str, path: str, body: Mapping[str, Any] | None
    ) -> HTTPResponse:
        headers = {"Authorization": f"Bearer {self.served.token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            if answer.status < 400:
                return answer
            said = json.loads(answer.read())
        except (OSError, HTTPException, ValueError) as error:
            raise self.ended() from error
        raise raised(said)

    def ended(self) -> StoreBusyError:
        """That it ended before it answered."""
        return StoreBusyError(
            f"Process {self.served.process}, which held the store {self.directory}, ended unexpectedly.",
            "Finished steps are kept; run it again.",
        )


def raised(said: Mapping[str, Any]) -> MemcoreError:
    """The error that a holder answered with, of the same class."""
    kind = getattr(errors, str(said.get("kind")), None)
    cause, fix = str(said.get("error")), str(said.get("fix"))
    if kind is errors.LogError:
        return errors.LogError(cause, fix, file="")
    if isinstance(kind, type) and issubclass(kind, MemcoreError):
        return kind(cause, fix)
    return StoreError(cause, fix)


def find_holder(directory: Path) -> Holder | None:
    """The other process that holds the store in a directory and serves it; None where there is none, or what
    is left of one has nobody behind it any more."""
    served = found(directory)
    if served is None or served.process == os.getpid():
        return None
    return Holder(directory, served) if _proves(served) else None


def _proves(served: Served) -> bool:
    nonce = secrets.token_hex(16)
    try:
        with closing(HTTPConnection(HOST, served.port, timeout=PROOF_SECONDS)) as connection:
            connection.request("GET", f"/v1/holder?nonce={nonce}")
            answered = json.loads(connection.getresponse().read(1_000))
        return hmac.compare_digest(str(answered["proof"]), proof(served.token, nonce))
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return False
