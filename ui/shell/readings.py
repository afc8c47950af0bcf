"""The job in which several systems read in turn, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from memcore.domain.protocols import Cancelled, Progress
from memcore.runs.ingest import IngestReport
from memcore.systems.registry import title
from ui.shell.jobs import Job, board

PAGE = "Compare"

Read = Callable[[str, Progress, Cancelled], IngestReport]
"""What one system, by name, is to read."""


@dataclass(frozen=True, slots=True)
class Readings:
    """What reading made, by the systems that read."""

    by_system: Mapping[str, IngestReport]


def start(what: str, systems: Sequence[str], read: Read) -> Job[Readings]:
    """Let systems read, one after the other, on a thread of its own; the job is called `what`."""

    def work(tell: Progress, cancelled: Cancelled) -> Readings:
        reports: dict[str, IngestReport] = {}
        for name in systems:
            if cancelled():
                break
            reports[name] = read(name, partial(_tell, tell, name), cancelled)
        return Readings(reports)

    return board().start(PAGE, what, Readings, work)


def _tell(tell: Progress, system: str, stage: str, done: int, total: int) -> None:
    """Progress of one of several systems, under its name."""
    tell(f"{title(system)} · {stage}", done, total)
