"""Topic shifts of a conversation while it is going on: the default method, one turn at a time.

The method looks at a fixed number of turns around a gap and its threshold is a constant, so what a
stream finds is exactly what `METHODS["topic_shift"]` finds in the whole log, and a boundary once given
never changes. Holds the last turns only, however long the conversation is. Knows no messages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memcore.domain.errors import UsageError
from memcore.stages.segmentation.cues import TurnCues, turn_cues
from memcore.stages.segmentation.features import LEFT, RIGHT, gap_features
from memcore.stages.segmentation.model import gap_model, judge
from memcore.stages.segmentation.scores import starts_topic

DELAY = RIGHT + 1
"""Whether a topic starts with a turn is final once this many turns have come after it."""


class TopicStream:
    """Feed every turn to `add`, then `close`; both return the boundaries that have become final, as
    positions counted from the first turn. A boundary before turn i becomes final with turn i + DELAY
    (six turns later), or at the close."""

    def __init__(self) -> None:
        self._model = gap_model()
        self._window: deque[tuple[TurnCues, NDArray[np.float32]]] = deque(maxlen=LEFT + RIGHT + 1)
        self._turns = 0
        self._probabilities = (np.nan, np.nan)  # of the last two gaps judged
        self._closed = False

    def add(self, text: str, vector: NDArray[np.float32]) -> tuple[int, ...]:
        """Take the next turn: its raw text and its unit vector, shape (d,)."""
        if self._closed:
            raise UsageError("This stream is closed.", "Start a new TopicStream.")
        self._window.append((turn_cues(text), vector))
        self._turns += 1
        gap = self._turns - 1 - RIGHT
        return self._decide(gap, self._judge(gap)[:1]) if gap > 0 else ()

    def close(self) -> tuple[int, ...]:
        """Nothing more will come: the boundaries among the last turns."""
        self._closed = True
        gap = max(1, self._turns - RIGHT)
        return self._decide(gap, [*self._judge(gap), np.nan]) if gap < self._turns else ()

    def _judge(self, gap: int) -> list[float]:
        """Probabilities from a gap on, as far as there are turns."""
        cues, vectors = zip(*self._window, strict=True)
        judged = judge(gap_features(cues, np.stack(vectors)), self._model)
        return [float(value) for value in judged.probability[gap - self._turns :]]

    def _decide(self, gap: int, judged: Sequence[float]) -> tuple[int, ...]:
        """Boundaries among the gaps both of whose neighbours are now judged; `judged` starts at `gap`."""
        found = []
        for place, probability in enumerate(judged, start=gap):
            before, own = self._probabilities
            if starts_topic(before, own, probability, self._model.threshold):
                found.append(place - 1)
            self._probabilities = own, probability
        return tuple(found)
