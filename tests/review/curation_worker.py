"""What the kill test kills: one act by hand after the other, every fourth taken back.

Usage: python -m tests.review.curation_worker DIRECTORY STEPS
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from memcore.domain.errors import MemcoreError
from memcore.review.curate.perform import do
from memcore.review.decide import undo
from memcore.store import DuckStore
from tests.pipeline import open_with
from tests.review.test_curate_properties import any_act
from tests.store.samples import EMBEDDER

ACTOR = "ann"


def steps_taken(store: DuckStore) -> int:
    """How many steps of the worker the store has."""
    return len({event.batch for event in store.events(run_id="") if event.actor == ACTOR})


def work(directory: Path, steps: int) -> None:
    """Go on until the store has that many steps."""
    with open_with(EMBEDDER, directory) as store:
        taken, seed = steps_taken(store), len(store.events()) * 1_000
        while taken < steps:
            seed += 1
            try:
                done = do(store, EMBEDDER, any_act(random.Random(seed), store), owner="me", actor=ACTOR)
                if taken % 4 == 3:
                    undo(store, done.event_id, ACTOR)
            except MemcoreError:
                continue
            taken = steps_taken(store)
            sys.stdout.write(f"{taken}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    work(Path(sys.argv[1]), int(sys.argv[2]))
