"""The facade: `Memory`, its rooms, and the ways to open one."""

from memcore.memory.facade import Memory
from memcore.memory.opening import (
    diagnose,
    move_store,
    open_memory,
    open_settings,
    reembed_store,
    require_store,
)

__all__ = [
    "Memory",
    "diagnose",
    "move_store",
    "open_memory",
    "open_settings",
    "reembed_store",
    "require_store",
]
