"""What a conversation had named, counted and dated long before the message that a statement cites.

Who writes a memory knows what was said weeks ago, and says which wedding on which day it is that "I'll be
there" is about. Looked up only where the cited message and the turns before it do not say it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from memcore.stages.grounding.said import Said

Key = TypeVar("Key")


class LongBefore:
    """By what was said, the first message that says it. `said` are messages in their order, `earlier` gives
    those of earlier sessions, the first time that one is looked for."""

    def __init__(self, said: Sequence[Said], earlier: Callable[[], Sequence[Said]]) -> None:
        self._said = said
        self._earlier = earlier

    @cached_property
    def _rows(self) -> list[tuple[int, Said]]:
        return [*((-1, one) for one in self._earlier()), *enumerate(self._said)]

    def _first(self, what: Callable[[Said], Iterable[Key]]) -> dict[Key, int]:
        # the last one written stays: the first that was said
        return {key: row for row, said in reversed(self._rows) for key in what(said)}

    @cached_property
    def _stems(self) -> dict[str, int]:
        return self._first(lambda said: said.reading.stems)

    @cached_property
    def _days(self) -> dict[tuple[datetime, datetime], int]:
        return self._first(lambda said: said.days)

    @cached_property
    def _counts(self) -> dict[tuple[str, str], int]:
        return self._first(lambda said: [(one, what) for what, some in said.counted.items() for one in some])

    def named(self, stem: str, row: int) -> bool:
        """Whether a message before the one at `row` says a name, by its stem."""
        return self._stems.get(stem, row) < row

    def dated(self, day: tuple[datetime, datetime], row: int) -> bool:
        """Whether one before it tells a time, by its begin and end."""
        return self._days.get(day, row) < row

    def counted(self, count: tuple[str, str], row: int) -> bool:
        """Whether one before it says a number, in figures, of what it counts, by its stem."""
        return self._counts.get(count, row) < row
