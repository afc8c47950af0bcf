"""What a check says: how much stands against a statement, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memcore.domain.models import Reason


@dataclass(frozen=True, slots=True)
class Check:
    """From 0, nothing stands against the statement, to 1; and the reasons."""

    against: float
    reasons: tuple[Reason, ...] = ()


NOTHING = Check(0.0)


def listed(words: Sequence[str]) -> str:
    """Words as a sentence lists them.

    >>> listed(["tea", "rice", "salt"])
    'tea, rice and salt'
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
