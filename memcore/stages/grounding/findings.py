"""What a check says: how much stands against a statement, and why."""

from __future__ import annotations

from dataclasses import dataclass

from memcore.domain.models import Reason


@dataclass(frozen=True, slots=True)
class Check:
    """From 0, nothing stands against the statement, to 1; and the reasons."""

    against: float
    reasons: tuple[Reason, ...] = ()


NOTHING = Check(0.0)
