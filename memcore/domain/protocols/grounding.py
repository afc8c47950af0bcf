"""What judges the statements that are written into a store, and what leaves parts of them out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memcore.domain.models import Grounding, Standing, Statement


class Judge(Protocol):
    """Says of statements whether the words that they cite carry them. `version` names its rules: what
    another version said is judged again by whoever fills gaps."""

    @property
    def version(self) -> str:
        """Which rules, as `Grounding.made_by` has it."""
        ...

    def judge(self, statements: Sequence[Statement]) -> list[Grounding | None]:
        """A verdict each; None for a statement whose messages cannot be read yet."""
        ...


class Examiner(Protocol):
    """Says how statements that are in doubt stand with all that was said."""

    def standing(self, statements: Sequence[Statement]) -> list[Standing | None]:
        """One each; None for a statement that cites nothing, or whose messages cannot be read."""
        ...


class Shortener(Protocol):
    """Leaves out of statements what has no support."""

    def shorter(self, wanted: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[str, ...]]:
        """For each statement, and the words of it to do without, the full sentences that are left when parts
        with such words are left out, the longest first; none where nothing can be left out."""
        ...
