"""A process that has the models loaded and forks a child for each command, so that killing one costs
a second instead of ten. Each child does what `python -m memcore` does, on a store of its own choice.

Usage: python -m tests.fork_server; one JSON object a line on stdin: {"command": "ingest" | "consolidate"
| "approve", "store": DIRECTORY, "log": FILE}. On stdout: `pid N`, `step` as work advances, `exit N`.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path

from memcore import open_memory
from memcore.logs import read_log
from memcore.review import consolidate as consolidating
from memcore.runs import ingest as ingesting
from memcore.runtime.chosen import ChosenBackends
from memcore.runtime.config import Settings

STEP_MESSAGES = 6
QUEUES = 4


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())  # at once and whole, whatever kills us next


def step(*_: object) -> None:
    say("step")


def work(command: str, store: str, log: str) -> None:
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


def serve() -> None:
    backends = ChosenBackends(Settings())
    backends.embedder().embed(["ready"])
    backends.compressor().compress(["It is ready to be compressed."], 0.6)
    backends.extractor(None).extract([])
    ingesting.STEP_MESSAGES = STEP_MESSAGES
    consolidating.CHUNK = QUEUES
    say("ready")
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                say(f"pid {os.getpid()}")
                work(**json.loads(line))
                code = 0
            except BaseException:  # noqa: BLE001 (told to the test as the exit code)
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        say(f"exit {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    serve()
