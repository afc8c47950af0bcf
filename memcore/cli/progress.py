"""How far long work is: bars with the time left on a terminal, now and then a line anywhere else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from memcore.cli.output import console, visible
from memcore.cli.streams import from_elsewhere, streams

if TYPE_CHECKING:
    from memcore.domain.protocols import Progress

SECONDS_BETWEEN_LINES = 5.0
"""So that a log of hours of work has hundreds of lines, not hundreds of thousands."""


@contextmanager
def reported() -> Iterator[Progress]:
    """What to report work to, on stderr: `stage` has done `done` of `total`."""
    err = streams().err  # work may be told of on other threads
    if err.isatty():
        with _bars(err) as report:
            yield report
        return
    lines = _Lines(err)
    try:
        yield lines.report
    finally:
        lines.end()


class _Lines:
    """A line when enough time has passed or a stage is done, and one about where it all ended."""

    def __init__(self, err: TextIO) -> None:
        self._err = err
        self._told_at = time.monotonic()
        self._told = self._last = ""

    def report(self, stage: str, done: int, total: int) -> None:
        """Tell it if it is time to."""
        self._last = f"{stage}: {done}/{total}"
        if done >= total or time.monotonic() - self._told_at >= SECONDS_BETWEEN_LINES:
            self.end()

    def end(self) -> None:
        """Tell what was reported last, unless that was told."""
        if self._last != self._told:
            print(visible(self._last), file=self._err)
            self._told, self._told_at = self._last, time.monotonic()


@contextmanager
def _bars(err: TextIO) -> Iterator[Progress]:
    from rich import progress as rich_progress

    bars = rich_progress.Progress(
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.BarColumn(),
        rich_progress.MofNCompleteColumn(),
        rich_progress.TimeRemainingColumn(),
        console=console(err),
        redirect_stdout=not from_elsewhere(),  # what else is written then is this process's own
        redirect_stderr=not from_elsewhere(),
    )
    tasks: dict[str, rich_progress.TaskID] = {}

    def report(stage: str, done: int, total: int) -> None:
        if stage not in tasks:
            tasks[stage] = bars.add_task(visible(stage), total=total)
        bars.update(tasks[stage], completed=done, total=total)

    with bars:
        yield report
