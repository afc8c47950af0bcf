"""What a conversation had named, counted and dated long before the message that a statement cites.

Who writes a memory knows what was said weeks ago, and says which wedding on which day it is that "I'll be
there" is about. Looked up only where the cited message and the turns before it do not say it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cached_property

from memcore.stages.grounding.said import Said


class LongBefore:
    """By what was said, the first message that says it. `said` are messages in their order, `earlier` gives
    those of earlier sessions, the first time that one is looked for."""

    def __init__(self, said: Sequence[Said], earlier: Callable[[], Sequence[Said]]) -> None:
        self._said = said
        self._earlier = earlier

    @cached_property
    def _rows(self) -> list[tuple[int, Said]]:
        return [*((-1, one) for one in self._earlier()), *enumerate(self._said)]

    @cached_property
    def _stems(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for row, said in self._rows:
            for stem in said.reading.stems:
                found.setdefault(stem, row)
        return found

    @cached_property
    def _days(self) -> dict[tuple[datetime, datetime], int]:
        found: dict[tuple[datetime, datetime], int] = {}
        for row, said in self._rows:
            for day in said.days:
                found.setdefault(day, row)
        return found

    @cached_property
    def _counts(self) -> dict[tuple[str, str], int]:
        found: dict[tuple[str, str], int] = {}
        for row, said in self._rows:
            for what, figures in said.counted.items():
                for figure in figures:
                    found.setdefault((figure, what), row)
        return found

    def named(self, stem: str, row: int) -> bool:
        """Whether a message before the one at `row` says a name, by its stem."""
        return self._stems.get(stem, row) < row

    def dated(self, day: tuple[datetime, datetime], row: int) -> bool:
        """Whether one before it tells a time, by its begin and end."""
        return self._days.get(day, row) < row

    def counted(self, count: tuple[str, str], row: int) -> bool:
        """Whether one before it says a number, in figures, of what it counts, by its stem."""
        return self._counts.get(count, row) < row
