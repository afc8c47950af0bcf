"""What a holder of a store leaves in its directory: where it serves the store, and a token.

DuckDB lets one process at a time use a store. Who holds it serves it on this machine alone and writes
`served.json`, readable by its owner alone. The file may outlive its holder, and another program may have been
given the port since, so the token is never sent to an address that has not shown that it knows the token
(`proof`).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from memcore.domain import private_files
from memcore.store import SERVED_FILE

HOST = "127.0.0.1"
_ADDRESS = re.compile(rf"http://{re.escape(HOST)}:\d{{1,5}}")
_WORKBENCH = re.compile(r"https?://(127\.0\.0\.1|localhost):\d{1,5}(/[\w./-]*)?")
_MOST_BYTES = 10_000


@dataclass(frozen=True, slots=True)
class Served:
    """Where a store is served (`http://127.0.0.1:PORT`), the token that lets one in, the process that holds
    it, and the address of its workbench if it is one."""

    address: str
    token: str
    process: int
    workbench: str = ""

    @property
    def port(self) -> int:
        """Of the address."""
        return int(self.address.rpartition(":")[2])


def leave(directory: Path, served: Served) -> None:
    """Say in a store's directory where it is served. Raises OSError."""
    private_files.replace(directory / SERVED_FILE, (json.dumps(asdict(served), indent=2) + "\n").encode())


def take_back(directory: Path, served: Served) -> None:
    """Say so no longer, unless somebody else serves it by now."""
    if found(directory) == served:
        with suppress(OSError):
            (directory / SERVED_FILE).unlink()


def found(directory: Path) -> Served | None:
    """What was left in a store's directory, whether it still holds or not; None where there is nothing, or
    something else."""
    try:
        with (directory / SERVED_FILE).open("rb") as file:
            served = Served(**json.loads(file.read(_MOST_BYTES)))
        sound = _ADDRESS.fullmatch(served.address) and (
            not served.workbench or _WORKBENCH.fullmatch(served.workbench)
        )
        return served if sound and served.token.isalnum() and type(served.process) is int else None
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def proof(token: str, nonce: str) -> str:
    """What only who knows the token can answer to a nonce.

    >>> proof("secret", "once") == proof("secret", "once"), proof("secret", "once") == proof("other", "once")
    (True, False)
    """
    return hmac.new(token.encode(), f"memscope holder {nonce}".encode(), hashlib.sha256).hexdigest()
