"""What commands tell of the logs that they read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcore.cli.output import tell
from memcore.domain.models import Skipped

if TYPE_CHECKING:
    from memcore.logs import ReadOptions


def tell_skipped(skipped: Skipped) -> None:
    """What was left out, and why."""
    tell(f"skipped {skipped.file} {skipped.where}: {skipped.why}")


def tell_timeless(messages: int, options: ReadOptions) -> None:
    """How many messages state no time, unless the options give them one."""
    if messages and options.base_date is None:
        tell(f"{messages} messages state no time; --base-date gives them one, in a new store")
