"""What the kill test kills: one act by hand after the other, some taken back, and now and then a whole
conversation erased."""

from __future__ import annotations

import random
from pathlib import Path

from memcore.domain.errors import MemcoreError
from memcore.review.curate.perform import do
from memcore.review.decide import undo
from memcore.review.erase import plan
from memcore.store import DuckStore
from tests.fork_server import say
from tests.pipeline import open_with
from tests.review.any_act import any_act
from tests.store.samples import EMBEDDER

ACTOR = "ann"
TAKEN_BACK, ERASING = 0.2, 0.2
"""How many of the steps are an undo, and how many an erasure."""


def newest(store: DuckStore) -> int:
    """The number of the newest event."""
    return store.events(newest_first=True, limit=1)[0].seq


def step(store: DuckStore, chance: random.Random) -> None:
    """One of them; the last conversation is left."""
    conversations = sorted(one.id for one in store.conversations("me"))
    if len(conversations) > 1 and chance.random() < ERASING:
        store.erase(plan(store, "conversation", conversations[0], "me"), actor=ACTOR, keep=True)
        return
    while True:
        try:
            done = do(store, EMBEDDER, any_act(chance, store), owner="me", actor=ACTOR)
        except MemcoreError:
            continue  # an act that makes no sense here
        if chance.random() < TAKEN_BACK:
            say(f"step {newest(store)}")
            undo(store, done.event_id, ACTOR)
        return


def work(directory: str) -> None:
    """Until it is killed, which is what it is for."""
    with open_with(EMBEDDER, Path(directory)) as store:
        chance = random.Random(newest(store))
        while True:
            step(store, chance)
            say(f"step {newest(store)}")
