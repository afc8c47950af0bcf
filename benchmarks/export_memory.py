"""How much resident memory an export takes, format by format, each in a process of its own.

    python -m benchmarks.export_memory --messages 200000 [--store DIR] [--formats jsonl,csv]

Makes a store of synthetic messages with vectors, and a memory for every fourth of them (or uses the one that
is in DIR). For each format it prints the resident memory before, its peak beyond that, the file's size, the
seconds, and the hash of what was written (of jsonl without its first line, which has the time): the same
before and after a change that is to write the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from memcore.domain.models import Conversation, ConversationLog, MemoryEntry, Message, RawRef, Session, Source
from memcore.exporting import FORMATS
from memcore.store import DuckStore, open_store

MODEL, DIMENSION = "synthetic", 384
PER_SESSION, SESSIONS = 50, 20
EACH = 4
"""Every so manieth message becomes a memory."""
BEGAN = datetime(2020, 1, 1)


def opened(directory: Path) -> DuckStore:
    """The store, whose vectors are random."""
    return open_store(directory, embedding_model=MODEL, dimension=DIMENSION)


def make(directory: Path, messages: int) -> None:
    """Write that many messages, a conversation a step."""
    random = np.random.default_rng(7)
    with opened(directory) as store:
        for number in range(messages // (PER_SESSION * SESSIONS)):
            log = conversation(number)
            said = log.messages
            with store.write(actor="benchmark") as writer:
                writer.add_log(log)
                writer.put_memories([memory(message) for message in said[::EACH]])
                vectors = random.standard_normal((len(said), DIMENSION)).astype(np.float32)
                writer.add_embeddings(MODEL, {m.text: v for m, v in zip(said, vectors, strict=True)})


def conversation(number: int) -> ConversationLog:
    """A conversation of two persons, each session a day."""
    key = f"conv_{number:05}"
    sessions = tuple(
        Session(f"{key}_{n}", key, n, BEGAN + timedelta(days=number * SESSIONS + n)) for n in range(SESSIONS)
    )
    said = tuple(
        Message(
            f"{session.id}_{n}",
            session.id,
            n,
            ("Ann", "Ben")[n % 2],
            "user",
            f"On day {session.position} of talk {number} this is sentence {n}, and it is about tea.",
            session.started_at and session.started_at + timedelta(minutes=n),
            "message",
            RawRef(f"{key}.json", f"message {n}"),
        )
        for session in sessions
        for n in range(PER_SESSION)
    )
    return ConversationLog(Conversation(key, "me", f"{key}.json", "synthetic", key), sessions, said)


def memory(message: Message) -> MemoryEntry:
    """What is remembered of a message: all of it."""
    source = Source(message.id, 0, len(message.text))
    return MemoryEntry(
        id=f"mem_{message.id}",
        owner="me",
        text=message.text,
        kind="fact",
        recipe="memscope",
        run_id="run",
        sources=(source,),
        speaker=message.speaker,
        mentioned_at=message.said_at,
        embedding_model=MODEL,
    )


def measure(directory: Path, format: str) -> dict[str, object]:
    """Export once, in this process."""
    from memcore.exporting import export

    with opened(directory) as store, tempfile.TemporaryDirectory() as place:
        store.owners()
        before, begun = resident("VmRSS"), time.monotonic()
        to = Path(place) / "export"
        export(store, to, format)
        seconds, peak = time.monotonic() - begun, resident("VmHWM")
        with to.open("rb") as file:
            first = file.readline() if format == "jsonl" else b""
            hashed = hashlib.file_digest(file, "sha256").hexdigest()
        return {
            "format": format,
            "before_mb": round(before),
            "beyond_mb": round(peak - before),
            "file_mb": round((to.stat().st_size - len(first)) / 1e6, 1),
            "seconds": round(seconds, 1),
            "sha256": hashed[:16],
        }


def resident(which: str) -> float:
    """Megabytes of resident memory, now (VmRSS) or at most so far (VmHWM)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(which)) / 1000


def main() -> None:
    """Make the store where there is none, then measure each format."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--messages", type=int, default=200_000)
    options.add_argument("--store", type=Path)
    options.add_argument("--formats", default=",".join(FORMATS))
    options.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        directory = asked.store or Path(place) / "store"
        if asked.here:
            print(json.dumps(measure(directory, asked.formats)))
            return
        if not directory.exists():
            make(directory, asked.messages)
        for format in asked.formats.split(","):
            again = ["--store", str(directory), "--formats", format, "--here"]
            command = [sys.executable, "-m", "benchmarks.export_memory", *again]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
