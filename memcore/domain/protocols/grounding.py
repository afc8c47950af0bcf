"""What a store lets judge the statements that are written into it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memcore.domain.models import Grounding, Statement


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
