"""4 writers and 8 readers on one served store for some minutes: is anything lost, doubled or refused?

    python -m benchmarks.serving_load [--minutes 5] [--store DIR]

Writers tell turns (each twice), propose additions (each twice) and approve or reject some; readers search,
ask for the history by the command line's commands, and list proposals. Afterwards the holder is ended and the
store is compared with what was sent, then `doctor` examines it. Exits with 1 where anything is off.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from memcore.domain.errors import MemcoreError
from memcore.memory import Memory, open_memory
from memcore.server.holder import Holder, find_holder

WRITERS, READERS = 4, 8
OWNER = "me"
VERBS = ("likes", "bought", "lost", "found", "repaired", "painted")
THINGS = ("a lamp", "two chairs", "the old boat", "green tea", "a violin", "tomato seeds")


@dataclass
class Sent:
    """What was sent and how long it took; each list is appended to by several threads."""

    turns: list[str] = field(default_factory=list)
    additions: list[str] = field(default_factory=list)
    decided: list[str] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def ask(self, holder: Holder, what: str, path: str, body: dict[str, Any]) -> Any:
        """A timed request."""
        begun = time.perf_counter()
        answer = holder.ask("POST", path, body)
        self.seconds.setdefault(what, []).append(time.perf_counter() - begun)
        return answer

    def run(self, holder: Holder, what: str, *words: str) -> int:
        """A timed command; its exit code."""
        begun = time.perf_counter()
        asked = {"arguments": [*words, "--store", str(holder.directory)], "directory": "/", "environment": {}}
        bits = list(holder.lines("/v1/commands", asked))
        self.seconds.setdefault(what, []).append(time.perf_counter() - begun)
        code = int(bits[-1]["exit"])
        if code != 0:
            self.errors.append(f"{what}: {''.join(bit.get('err', '') for bit in bits)}")
        return code


def write(holder: Holder, sent: Sent, number: int, over: threading.Event) -> None:
    """Tell turns and propose until it is over; everything twice."""
    chance = random.Random(number)
    for place in itertools.count():
        if over.is_set():
            return
        text = f"I {chance.choice(VERBS)} {chance.choice(THINGS)} in {2000 + place % 25}."
        turn = {"id": f"{number}-{place}", "speaker": f"Writer{number}", "text": text}
        for _ in range(2):
            sent.ask(holder, "messages", "/v1/messages", {"conversation": f"c{number}", "messages": [turn]})
        sent.turns.append(turn["id"])
        if place % 3 == 0:
            added = [
                sent.ask(holder, "propose", "/v1/proposals", {"text": f"Writer{number} has {place} stamps"})
                for _ in range(2)
            ]
            assert added[0]["proposal"] == added[1]["proposal"], "the same is proposed once"
            sent.additions.append(added[0]["proposal"])
            if place % 6 == 0:
                word = "approve" if chance.random() < 0.7 else "reject"
                if sent.run(holder, word, "review", word, added[0]["proposal"]) == 0:
                    sent.decided.append(added[0]["proposal"])


def read(holder: Holder, sent: Sent, number: int, over: threading.Event) -> None:
    """Search and look until it is over."""
    chance = random.Random(100 + number)
    while not over.is_set():
        kind = chance.random()
        if kind < 0.7:
            question = {"query": f"Who {chance.choice(VERBS)} {chance.choice(THINGS)}?", "k": 5}
            sent.ask(holder, "search", "/v1/search", question)
        elif kind < 0.85:
            sent.run(holder, "history", "history", "--limit", "20", "--json")
        else:
            holder.ask("GET", "/v1/proposals", limit=50)


def watched(work: Any, holder: Holder, sent: Sent, number: int, over: threading.Event) -> None:
    """The work; what it raises ends it and is told."""
    try:
        work(holder, sent, number, over)
    except (MemcoreError, AssertionError) as error:
        sent.errors.append(f"{work.__name__} {number}: {error}")


def off(memory: Memory, sent: Sent) -> list[str]:
    """What of the store is not as it was sent."""
    found: list[str] = []
    told = [c for c in memory.store.conversations(OWNER) if c.format == "told"]
    sessions = [s for c in told for s in memory.store.sessions(conversation_id=c.id)]
    messages = [m for s in sessions for m in memory.store.messages(s.id)]
    places = Counter((m.session_id, m.position) for m in messages)
    if len(messages) != len(sent.turns):
        found.append(f"{len(sent.turns)} turns were told, {len(messages)} are stored")
    if doubled := [key for key, count in places.items() if count > 1]:
        found.append(f"{len(doubled)} places in a session are taken twice")
    proposals = {p.id: p for p in memory.review.proposals(states=None)}
    if lost := set(sent.additions) - proposals.keys():
        found.append(f"{len(lost)} proposals are lost")
    events = memory.review.history()
    if len({event.id for event in events}) != len(events):
        found.append("an event is there twice")
    decided = {
        e.object_id for e in events if e.object_type == "proposal"
        and (e.after or {}).get("state") in ("approved", "applied", "rejected")
    }  # fmt: skip
    if wrong := set(sent.decided) - decided:
        found.append(f"{len(wrong)} decisions have no event")
    still = [i for i in sent.decided if proposals[i].state == "pending"]
    if still:
        found.append(f"{len(still)} decided proposals wait again")
    found += [f"doctor: {c.name}: {c.what}" for c in memory.doctor().checks if c.state == "fail"]
    return found


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--store", type=Path)
    given = parser.parse_args()
    store: Path = given.store or Path(tempfile.mkdtemp(prefix="memscope-load-")) / "store"
    serving = subprocess.Popen(
        [sys.executable, "-m", "memcore", "serve", "--store", str(store), "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert serving.stdout is not None
    print(json.loads(serving.stdout.readline())["address"], "for", given.minutes, "minutes")
    holder = find_holder(store)
    assert holder is not None
    sent, over = Sent(), threading.Event()
    with ThreadPoolExecutor(WRITERS + READERS) as pool:
        work = [pool.submit(watched, write, holder, sent, n, over) for n in range(WRITERS)]
        work += [pool.submit(watched, read, holder, sent, n, over) for n in range(READERS)]
        time.sleep(given.minutes * 60)
        over.set()
        for one in work:
            one.result()
    serving.terminate()
    serving.wait(120)
    for what, seconds in sorted(sent.seconds.items()):
        p50, p95 = np.percentile(seconds, (50, 95))
        print(f"{what:<9} {len(seconds):>7,}   p50 {1000 * p50:>6.0f} ms   p95 {1000 * p95:>6.0f} ms")
    with open_memory(store) as memory:
        memory.resume()
        found = [*sent.errors, *off(memory, sent)]
        stats = memory.evidence.stats(OWNER)
    print(f"{len(sent.turns):,} turns, {len(sent.additions):,} proposals, {len(sent.decided):,} decided")
    print(stats)
    print("\n".join(found) or "nothing lost, doubled or refused; doctor finds nothing")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
