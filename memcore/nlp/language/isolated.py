"""A rule that fails costs one sentence, not its message and not its buffer.

Grammar rules look at neighbours of words, and sometimes there are none; regular expressions meet what nobody
wrote before. Whatever a step raises is told with the rule that raised it, and the rest goes on.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from memcore.domain.errors import MemcoreError

PACKAGE = "memcore.nlp."
MOST_CHARS = 160
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Failed:
    """Why a step gave nothing: the rule in which it failed (module and function), and how."""

    rule: str
    error: str

    @property
    def reason(self) -> str:
        """What is said of the text that was skipped for it."""
        return f"the rule {self.rule} failed on it: {self.error}"


def isolated(step: Callable[[], _T]) -> _T | Failed:
    """What a step gives or, where it fails, why. A MemcoreError (a missing language model) is raised: it
    concerns all sentences."""
    try:
        return step()
    except MemcoreError:
        raise
    except Exception as error:  # noqa: BLE001 - told with the rule it came from, by whoever reports the text
        return Failed(_rule(error), f"{type(error).__name__}: {error}"[:MOST_CHARS])


def _rule(error: Exception) -> str:
    """The innermost function of the language packages that an error came through."""
    rule = "of this step"
    for frame, _ in traceback.walk_tb(error.__traceback__):
        module = frame.f_globals.get("__name__", "")
        if module.startswith(PACKAGE) and module != __name__:
            rule = f"{module.rpartition('.')[2]}.{frame.f_code.co_name}"
    return rule
