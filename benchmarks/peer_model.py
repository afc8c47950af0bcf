"""What a peer of the comparison is: somebody's package, and a function that ranks turns by it.

Knows no peer: each has a module of its own (`peer_mem0`, `peer_simplemem`, `peer_bm25`).
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

import numpy as np

from memcore.domain.models import Message
from memcore.domain.protocols import Embedder, Vectors

Embed = Callable[[Sequence[str]], Vectors]
Search = Callable[[str, int], Sequence[str]]
"""A question and how many results are wanted → ids of turns, best first."""

OpenPeer = Callable[[Sequence[Message], Embed, Path], AbstractContextManager[Search]]
"""The turns of one conversation, the embedder and an empty directory → its search, until it is closed. A
turn's text is its `turn_text`."""

INSTALL = "pip install -r requirements.txt -r benchmarks/requirements-peers.txt"


@dataclass(frozen=True, slots=True)
class Peer:
    """`packages`: the distributions it needs, its own first. `embeds`: whether it uses the turns' vectors.
    `how`: what of it is used, and what was set otherwise than its defaults."""

    name: str
    packages: tuple[str, ...]
    embeds: bool
    how: str
    open: OpenPeer


@dataclass(frozen=True, slots=True)
class Package:
    """An installed distribution by its own metadata."""

    name: str
    version: str
    licence: str


def missing_packages(peer: Peer) -> tuple[str, ...]:
    """The distributions a peer needs that are not installed."""
    return tuple(name for name in peer.packages if installed(name) is None)


def installed(name: str) -> Package | None:
    """A distribution, or None where it is not installed."""
    try:
        found: Any = metadata(name)
    except PackageNotFoundError:
        return None
    classifiers: list[str] = found.get_all("Classifier") or []
    return Package(
        name, found["Version"], licence(found["License-Expression"], found["License"], classifiers)
    )


def licence(expression: str | None, text: str | None, classifiers: Sequence[str]) -> str:
    """A licence as a package names it: its SPDX expression, else its licence field unless that is the whole
    text, else its classifiers.

    >>> licence(None, None, ["License :: OSI Approved :: MIT License"])
    'MIT License'
    """
    if expression:
        return expression
    if text and len(text.splitlines()) == 1 and text.casefold() != "unknown":
        return text
    named = [one.rpartition(" :: ")[2] for one in classifiers if one.startswith("License :: ")]
    return ", ".join(named) or "not stated"


class SharedVectors:
    """The embedder every peer is given. Turns are embedded once, in batches, whoever asks for them
    (`seconds`: how long that took); anything else, a question above all, anew each time it is asked for.
    `embedder` must not remember what it embedded."""

    def __init__(self, embedder: Embedder) -> None:
        self.seconds = 0.0
        self._embedder = embedder
        self._of_turns: dict[str, Vectors] = {}

    def learn(self, texts: Sequence[str]) -> None:
        """Embed the turns that are new."""
        new = [text for text in dict.fromkeys(texts) if text not in self._of_turns]
        begun = time.perf_counter()
        self._of_turns.update(zip(new, self._embedder.embed(new), strict=True))
        self.seconds += time.perf_counter() - begun

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text; the embedder is asked only for those that are no turns."""
        other = [text for text in texts if text not in self._of_turns]
        found = dict(zip(other, self._embedder.embed(other), strict=True)) if other else {}
        return np.stack([found[text] if text in found else self._of_turns[text] for text in texts])


@contextmanager
def no_connections() -> Iterator[list[str]]:
    """Within it, no socket of Python's reaches another host or looks one up: the attempt fails, and is
    listed. What a package's compiled part does by itself is not seen."""
    tried: list[str] = []
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def refused(self: socket.socket, address: Any) -> None:
        if self.family == socket.AF_UNIX:
            connect(self, address)
            return
        tried.append(str(address))
        raise PermissionError(f"no connections here: {address}")

    def unknown(host: Any, *rest: Any, **more: Any) -> Any:
        tried.append(str(host))
        raise socket.gaierror(socket.EAI_FAIL, f"no connections here: {host}")

    socket.socket.connect, socket.getaddrinfo = refused, unknown  # type: ignore[method-assign,assignment]
    try:
        yield tried
    finally:
        socket.socket.connect, socket.getaddrinfo = connect, look_up  # type: ignore[method-assign]
