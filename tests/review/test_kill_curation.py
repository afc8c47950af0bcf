"""kill -9 at any moment of correcting by hand and erasing leaves a sound store with nothing half done."""

from __future__ import annotations

import os
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

from memcore.domain.models import Event, stable_id
from memcore.domain.models.erasure import ERASURE
from memcore.store import DuckStore
from tests.kill_harness import fork_server
from tests.pipeline import log, open_with, run_ingest
from tests.review.curation_worker import ACTOR, newest
from tests.store.erasing import cells_with, files_with, marker
from tests.store.samples import EMBEDDER

SEED = 20261123
KILLS = int(os.environ.get("KILLS", "30"))
"""Of the slow test: `KILLS=300 python -m pytest -m slow tests/review/test_kill_curation.py` takes longer."""
A_STORE = 30
"""Kills that one store bears before the next one's turn."""
CONVERSATIONS = 4
STEPS, LONGEST = 3, 0.3
"""A kill falls at most so many steps, and then so many seconds, after the start."""
HOUR = 3_600.0


def said(name: str) -> list[str]:
    """What Ann and Ben say in a conversation: of things that no other conversation names, and of Rex."""
    return [f"likes {marker(name)}. has Rex.", f"likes tea. likes {marker(name)}.", "knows Ben. likes Rex."]


class Logs:
    """Conversations that are imported as others are erased."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def fill(self, store: DuckStore) -> None:
        for _ in range(CONVERSATIONS - len(store.conversations("me"))):
            name = f"k{len(self.names)}"
            run_ingest(store, log(said(name), name=name))
            self.names[stable_id("conv", "me", name)] = name

    def erased(self, store: DuckStore) -> list[str]:
        """The words of conversations that are gone, the last first."""
        there = {one.id for one in store.conversations("me")}
        return [marker(name) for key, name in reversed(self.names.items()) if key not in there]


def half_done(events: Sequence[Event]) -> list[str]:
    """Steps of the worker of which only a part happened; erased events tell nothing any more."""
    batches: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        batches[event.batch].append(event)
    batch_of = {event.id: event.batch for event in events}
    found = []
    for batch, members in batches.items():
        kinds = {event.object_type for event in members}
        if ERASURE in kinds or members[0].actor != ACTOR:
            continue
        undone = {event.undo_of for event in members if event.undo_of}
        if undone:
            of = {batch_of[event_id] for event_id in undone}
            whole = {event.id for one in of for event in batches[one]} == undone and len(of) == 1
        else:
            whole = "curation" in kinds and len(kinds) > 1
        found += [] if whole else [batch]
    return found


@pytest.mark.parametrize(
    ("stores", "kills"),
    [(1, 4), pytest.param(-(-KILLS // A_STORE), A_STORE, marks=pytest.mark.slow)],
    ids=["few", "many"],
)
def test_killed_while_a_person_corrects_and_erases_nothing_is_half_done(
    tmp_path: Path, stores: int, kills: int
) -> None:
    chance = random.Random(SEED)
    with fork_server("tests.review.curation_worker", seconds=HOUR) as server:
        for number in range(stores):
            directory, logs, progress = tmp_path / str(number), Logs(), [0]
            with open_with(EMBEDDER, directory) as store:
                logs.fill(store)
            for _ in range(kills):
                after, pause = chance.randint(0, STEPS), chance.random() * LONGEST
                last = server.killed(str(directory), after=after, pause=pause)
                with open_with(EMBEDDER, directory) as store:
                    assert [finding for finding in store.check() if not finding.sound] == []
                    assert half_done(store.events()) == []
                    assert newest(store) >= int(last.removeprefix("step ") or 0), "what was done is not lost"
                    progress.append(newest(store))
                    gone = logs.erased(store)
                for word in gone[:2]:
                    assert files_with(directory, word) == []
                with open_with(EMBEDDER, directory) as store:
                    logs.fill(store)
            assert progress == sorted(progress), "no committed step was lost"
            assert len(set(progress)) > kills // 2, "the kills fell into the work, not beside it"
            for word in gone:
                assert files_with(directory, word) == []
                assert cells_with(directory, word) == []
            assert gone or kills < 10, "conversations were erased, too"
