"""What `test_kill9` kills: an ingest, a consolidation or the approvals, with the real models, as `python -m
memcore` does them."""

from __future__ import annotations

from pathlib import Path

from memcore import open_memory
from memcore.logs import read_log
from memcore.review import consolidate as consolidating
from memcore.runs import ingest as ingesting
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings
from tests.fork_server import say

STEP_MESSAGES = 6
QUEUES = 4


def warm_up() -> None:
    """Load the models."""
    backends = ChosenBackends(Settings())
    backends.embedder().embed(["ready"])
    backends.compressor().compress(["It is ready to be compressed."], 0.6)
    backends.extractor(None).extract([])
    ingesting.STEP_MESSAGES = STEP_MESSAGES
    consolidating.CHUNK = QUEUES


def step(*_: object) -> None:
    say("step")


def work(command: str, store: str, log: str) -> None:
    """Go on with a command where it was killed."""
    with open_memory(Path(store)) as memory:
        if command == "ingest":
            memory.ingest(read_log(Path(log)), progress=step)
        elif command == "consolidate":
            memory.consolidate(progress=step)
        else:
            for proposal_id in sorted(proposal.id for proposal in memory.review.proposals()):
                if memory.review.proposal(proposal_id).proposal.state == "pending":
                    memory.approve([proposal_id])
                step()
