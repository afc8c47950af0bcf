"""A process that holds and serves the stores it is told, with fakes instead of models."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memcore.server.holder import Holder, find_holder

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
from pathlib import Path

from memcore.memory import open_memory
from memcore.server.lending import Kept
from memcore.server.serving import Serving
from tests.pipeline import FakeBackends

serving = {}
for line in sys.stdin:
    word, _, place = line.strip().partition(" ")
    directory = Path(place)
    if word == "hold":
        kept = Kept(lambda directory=directory: open_memory(directory, backends=FakeBackends))
        with kept.memory():
            serving[place] = kept, Serving(directory, kept, FakeBackends)
    else:
        kept, served = serving.pop(place)
        served.close()
        kept.close()
    print(word, flush=True)
"""


class HoldingProcess:
    """Holds stores until it is told to let them go."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def hold(self, directory: Path) -> Holder:
        """Open and serve a store."""
        self._tell("hold", directory)
        holder = find_holder(directory)
        assert holder is not None
        return holder

    def let_go(self, directory: Path) -> None:
        """Serve and hold it no longer."""
        self._tell("drop", directory)

    def _tell(self, word: str, directory: Path) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{word} {directory}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == f"{word}\n"


@contextmanager
def holding_process() -> Iterator[HoldingProcess]:
    """One that ends with the block."""
    holding = HoldingProcess()
    try:
        yield holding
    finally:
        holding.process.kill()
        holding.process.communicate()
