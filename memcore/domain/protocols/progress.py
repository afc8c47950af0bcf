"""How long work tells of itself and is stopped."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""(stage, done, total) as work advances."""

Cancelled = Callable[[], bool]
"""Asked between steps; True stops after the last finished step."""
