"""The images that the messages right before one shared: what "this painting" may point at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcore.domain.models import Source

if TYPE_CHECKING:
    from memcore.nlp.language.statements.reading import MessageReading

MOST_MESSAGES = 2


@dataclass(frozen=True, slots=True)
class Shown:
    """An image that was shared before, and by whom."""

    speaker: str
    caption: str
    source: Source


def shown_before(history: Sequence[MessageReading]) -> tuple[Shown, ...]:
    """The images of the last messages of `history`, the last one's first."""
    return tuple(
        Shown(item.message.speaker, image.caption, Source(item.message.id, image.start, image.end))
        for item in reversed(history[-MOST_MESSAGES:])
        for image in item.images
    )
