"""Commands under which the server of their store is killed with SIGKILL at random moments, and which are then
given again: by whatever kills it, what they leave in the end is what they leave undisturbed."""

from __future__ import annotations

import io
import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any, Protocol

from memcore.cli import main
from memcore.cli.streams import Streams, writing_to
from memcore.memory import open_memory
from memcore.runtime.config import load_settings, save_settings
from tests.pipeline import FakeBackends, content

STAGES = ("ingest", "consolidate", "approve")
"""Each begins with what those before it left."""
AT_ONCE = 4
"""Proposals that are approved by one command."""
SUPERSEDED = "Nothing was applied"
"""Said of a proposal that another one, approved before it, made pointless; it is decided by that."""
HUNG_SECONDS = 120.0
LATE = 1.1
"""The latest moment of a kill, in times that a stage takes undisturbed."""
SETTINGS = {"buffer_tokens": 64, "sensory_tokens": 64, "queue_threshold": 0.0}
CITIES = ("Lisbon", "Porto", "Madrid", "Vienna", "Oslo", "Athens")
CONVERSATIONS, SESSIONS = 3, 3
QUESTIONS = ("Where does Ann live?", "Who likes thing 3?")


class KilledServer(Protocol):
    """What serves stores, as the trials see it."""

    def fresh(self, seed: str) -> str:
        """A new store with what the one named `seed` had when it was kept (empty: nothing); its address."""
        ...

    def keep(self, place: str, seed: str) -> None:
        """Keep what is in a store under a name."""
        ...

    def start(self, place: str) -> None:
        """See that the store is served, as whoever uses it would; what a kill left is not cleared away."""
        ...

    def kill(self, chance: random.Random) -> None:
        """Kill what serves."""
        ...

    def leave(self, place: str) -> None:
        """Serve it no longer, in good order."""
        ...


def write_logs(directory: Path) -> list[str]:
    """Ann and Ben tell where they live and what they like; both change."""
    paths = []
    for number in range(CONVERSATIONS):
        lines = []
        for session in range(SESSIONS):
            for place in range(6):
                said = (
                    f"lives in {CITIES[(number + session + place) % len(CITIES)]}"
                    if place < 2
                    else f"likes thing {(7 * session + 3 * place + number) % 11}"
                )
                when = f"2024-0{session + 1}-{10 + number} 09:{place:02}"
                lines.append(f"[{when}] {('Ann', 'Ben')[place % 2]}: {said}.")
        paths.append(directory / f"talk{number}.txt")
        paths[-1].write_text("\n".join(lines))
    return [str(path) for path in paths]


def run(words: Sequence[str], place: str) -> tuple[int, str, str]:
    """A command in this process: exit code and what it wrote. It goes to whoever serves the store."""
    out, err = io.StringIO(), io.StringIO()
    with writing_to(Streams(out, err)):
        code = main([*words, "--store", place], FakeBackends)
    return code, out.getvalue(), err.getvalue()


def steps(stage: str, place: str, logs: Sequence[str]) -> Iterator[list[str]]:
    """The commands of a stage that are still to be given."""
    if stage == "ingest":
        yield ["ingest", *logs]
    elif stage == "consolidate":
        yield ["consolidate"]
    else:
        while waiting := _pending(place):
            yield ["review", "approve", *waiting[:AT_ONCE]]


def _pending(place: str) -> list[str]:
    code, out, err = run(["review", "list", "--json"], place)
    if code:
        raise InterruptedError(err)
    return sorted(proposal["id"] for proposal in json.loads(out)["proposals"])


class Attempt(Thread):
    """The commands of a stage one after the other, until one fails."""

    def __init__(self, stage: str, place: str, logs: Sequence[str]) -> None:
        super().__init__(daemon=True)
        self._work = stage, place, logs
        self.said = ""
        self.finished = False
        self.broken: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            for words in steps(*self._work):
                code, _, said = run(words, self._work[1])
                if code and said and SUPERSEDED not in said:
                    raise InterruptedError(said)
            self.finished = True
        except InterruptedError as told:
            self.said = str(told)
        except BaseException as error:  # noqa: BLE001 (raised where it is waited for)
            self.broken = error


def remembered(place: str) -> dict[str, Any]:
    """Everything in a store and what it finds, without what differs between any two runs."""
    with open_memory(place, backends=FakeBackends) as memory:
        found: dict[str, Any] = content(memory.store)
        found["found"] = {
            question: [(hit.id, round(hit.score, 4)) for hit in memory.search(question).hits]
            for question in QUESTIONS
        }
        texts = [one.text for one in found["memories"]]
        found["embedded"] = sorted(memory.store.embeddings(memory.store.embedding_model, texts))
    return found


def differing(found: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What differs, by its name: what was found beside what was expected, without what is in both."""
    return {
        name: (
            [one for one in found[name] if one not in expected[name]],
            [one for one in expected[name] if one not in found[name]],
        )
        for name in expected
        if found[name] != expected[name]
    }


def require_sound(place: str) -> None:
    """That `doctor` says of the store that it is sound."""
    code, out, err = run(["doctor", "--json"], place)
    checks = json.loads(out)["checks"]
    wrong = [check for check in checks if check["name"].startswith("store") and check["state"] != "ok"]
    assert (wrong, code) == ([], 0), err


@dataclass
class Trials:
    """Stages worked through under kills, each compared with what it leaves undisturbed."""

    server: KilledServer
    logs: Sequence[str]
    expected: dict[str, dict[str, Any]] = field(default_factory=dict)
    usual: dict[str, float] = field(default_factory=dict)

    def _begin(self, stage: str) -> str:
        place = self.server.fresh(dict(zip(STAGES, ("", *STAGES), strict=False))[stage])
        save_settings(load_settings(place), **SETTINGS)
        return place

    def undisturbed(self) -> None:
        """Do everything once, and keep what each stage leaves."""
        for stage in STAGES:
            place = self._begin(stage)
            self.server.start(place)
            begun = time.monotonic()
            attempt = Attempt(stage, place, self.logs)
            attempt.join(HUNG_SECONDS)
            assert attempt.finished, attempt.said or attempt.broken
            self.usual[stage] = time.monotonic() - begun
            self.server.leave(place)
            self.expected[stage] = remembered(place)
            self.server.keep(place, stage)

    def killed(self, stage: str, kills: int, seed: int) -> int:
        """Work through a stage from its beginning, again and again, until there were so many kills under it.
        Returns how many of them the command noticed."""
        chance = random.Random(seed)
        fell = noticed = 0
        while fell < kills:
            place = self._begin(stage)
            finished = False
            while not finished:
                self.server.start(place)
                attempt = Attempt(stage, place, self.logs)
                attempt.join(chance.uniform(0, LATE * self.usual[stage]))
                if attempt.is_alive() and fell < kills:
                    self.server.kill(chance)
                    fell += 1
                attempt.join(HUNG_SECONDS)
                assert not attempt.is_alive(), f"{stage} hangs after kill {fell}"
                if attempt.broken is not None:
                    raise attempt.broken
                assert "Traceback" not in attempt.said
                noticed += not attempt.finished
                finished = attempt.finished
                self.server.leave(place)
                require_sound(place)
            wrong = differing(remembered(place), self.expected[stage])
            assert not wrong, f"{stage}, after kill {fell}: {wrong}"
        return noticed
