"""kill -9 at any moment of the real ingest, consolidation and approval loses nothing and repeats nothing."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings
from memcore.store import DuckStore, open_store
from tests.kill_harness import fork_server
from tests.pipeline import content

FEW = {"ingest": (2, 2), "consolidate": (2, 5), "approve": (1, 2)}
MANY = {"ingest": (7, 2), "consolidate": (6, 5), "approve": (4, 2)}
"""How often each command is killed, and after how many of its steps at most."""
SEED = 20240601

PEOPLE = "Ada Ben Cleo Dan Eva Finn Gus Hana Ivo June".split()
CITIES = "Lisbon Porto Madrid Vienna Oslo Athens Dublin Prague Munich Turin Leeds Ghent".split()
JOBS = "nurse teacher baker plumber lawyer painter gardener dentist pilot chemist".split()
PETS = "dog cat parrot rabbit tortoise".split()


def fictional_log() -> list[dict[str, Any]]:
    """LoCoMo-like: five pairs who meet three times; what was said first has changed by the third."""
    samples = []
    for pair in range(5):
        one, other = PEOPLE[2 * pair : 2 * pair + 2]
        talk: dict[str, Any] = {"speaker_a": one, "speaker_b": other}
        for number, sayings in enumerate((_then, _meanwhile, _now), start=1):
            talk[f"session_{number}_date_time"] = f"{number + 1}:15 pm on {8 + pair} {MONTHS[number]}, 2024"
            talk[f"session_{number}"] = [
                {"speaker": speaker, "dia_id": f"D{number}:{place}", "text": text}
                for place, (speaker, text) in enumerate(
                    (
                        (speaker, text)
                        for texts in zip(sayings(2 * pair), sayings(2 * pair + 1), strict=True)
                        for speaker, text in zip((one, other), texts, strict=True)
                    ),
                    start=1,
                )
            ]
        samples.append({"sample_id": f"pair-{pair}", "conversation": talk})
    return samples


MONTHS = ("", "January", "February", "April")


def _then(n: int) -> list[str]:
    return [
        "Hello! How have you been?",
        f"I live in {CITIES[n]} now.",
        f"I work as a {JOBS[n]}.",
        f"I have a {PETS[n % 5]} called {PEOPLE[n][::-1].title()}.",
        "I am 30 years old, can you believe it?",
    ]


def _meanwhile(n: int) -> list[str]:
    return [
        f"I visited {CITIES[n - 3]} last weekend with my sister.",
        "It rained all day, what a pity!",
        f"I bought a {('red', 'blue', 'green')[n % 3]} bicycle yesterday.",
        "My brother plays the violin in an orchestra.",
        "See you soon!",
    ]


def _now(n: int) -> list[str]:
    return [
        f"I moved to {CITIES[(n + 5) % 12]} last week.",
        f"I work as a {JOBS[(n + 4) % 10]} now.",
        f"I live in {CITIES[(n + 5) % 12]}.",
        "I am 31 years old.",
        "Thanks, talk to you later!",
    ]


def opened(directory: Path) -> DuckStore:
    model_id, dimension = ChosenBackends(Settings()).embedding_space()
    return open_store(directory, embedding_model=model_id, dimension=dimension)


def remembered(directory: Path) -> dict[str, Any]:
    """Everything, with similarities to 4 decimals."""
    with opened(directory) as store:
        found = content(store)
        found["proposals"] = [
            replace(p, candidates=tuple(replace(c, score=round(c.score, 4)) for c in p.candidates))
            for p in found["proposals"]
        ]
        texts = [memory.text for memory in found["memories"]]
        found["embedded"] = sorted(store.embeddings(store.embedding_model, texts))
        return found


@pytest.mark.models
@pytest.mark.parametrize("often", [FEW, pytest.param(MANY, marks=pytest.mark.slow)], ids=["few", "many"])
def test_killed_at_random_moments_it_ends_with_what_an_undisturbed_run_gives(tmp_path, often):
    log = tmp_path / "log.json"
    log.write_text(json.dumps(fictional_log()))
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    chance = random.Random(SEED)
    progress: list[tuple[int, int]] = []
    with fork_server("tests.runs.kill9_worker") as server:
        for command, (kills, steps) in often.items():
            until_first, usual = server.pace(command, str(undisturbed), str(log))
            for _ in range(kills):
                after = chance.randint(0, steps)
                pause = chance.random() * (usual if after else until_first)
                server.killed(command, str(killed), str(log), after=after, pause=pause)
                with opened(killed) as store:
                    assert [finding for finding in store.check() if not finding.sound] == []
                    progress.append((len(store.events()), len(store.traces())))
            server.to_the_end(command, str(killed), str(log))
            assert remembered(killed) == remembered(undisturbed)
    assert progress == sorted(progress), "nothing that was committed is lost"
    assert len(set(progress)) > len(progress) // 3, "the kills fell into the work, not beside it"
    expected = remembered(undisturbed)
    assert (len(expected["messages"]), len(expected["pending"])) == (15, 0)
    assert sum(map(len, expected["messages"])) == 150
    states = [proposal.state for proposal in expected["proposals"]]
    assert "applied" in states and "pending" not in states
