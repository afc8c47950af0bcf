"""What a store must be told to erase something."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Erasure(Protocol):
    """What goes for good, decided by `review.erase`; a store only carries it out."""

    @property
    def what(self) -> str:
        """message, conversation, person or owner."""
        ...

    @property
    def owner(self) -> str:
        """Whose memory it is. Nothing of another owner is touched."""
        ...

    @property
    def gone(self) -> Mapping[str, frozenset[str]]:
        """The ids of what goes, by object type."""
        ...

    def says(self, text: str) -> bool:
        """Whether a text has words of what goes."""
        ...

    def touches(self, text: str) -> bool:
        """Whether a text has words of what goes, or names it by its id."""
        ...

    def renamed(self, file: str) -> str:
        """What a file is called from now on, of which something stays."""
        ...

    def cleaned(self, object_type: str, snapshot: dict[str, Any]) -> dict[str, Any]:
        """An object that stays, without what goes: as it stands now, and as events have it."""
        ...

    def redacted(self, value: Any) -> Any:
        """Any JSON value, with each text that is touched emptied."""
        ...
