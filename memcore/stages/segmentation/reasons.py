"""Why the trained model sees a topic shift at a gap, in words.

Features that say the same kind of thing are one reason; what a reason adds to the log odds is the sum
over its features. Which words describe it follows from its first feature: above or below average.
Knows the names of the features, nothing of messages or sessions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memcore.stages.segmentation.model import GapModel

_LEAST = 0.25
"""Log odds that a reason must add to be named."""


@dataclass(frozen=True, slots=True)
class _Reason:
    features: tuple[str, ...]
    above: str
    below: str


_REASONS = (
    _Reason(
        ("wide", "narrow", "nearest", "nearest_to_turn", "previous", "across"),
        "much in common with the turns before",
        "little in common with the turns before",
    ),
    _Reason(
        ("wide_margin", "wide_depth", "narrow_margin"),
        "less in common across this gap than across those around it",
        "no less in common across this gap than across those around it",
    ),
    _Reason(("next_pair",), "the next turn goes on with this one", "the next turn is about something else"),
    _Reason(
        ("new_words", "shared_turn", "shared_block"),
        "few words shared with the turns before",
        "words shared with the turns before",
    ),
    _Reason(
        ("asks_before", "ends_asking_before"),
        "the turn before was a question",
        "the turn before asked nothing",
    ),
    _Reason(
        ("asks_here", "asks_you_here", "ends_asking_here", "anything_else_here"),
        "it asks a question",
        "it asks nothing",
    ),
    _Reason(
        ("referring_here", "referring_after", "function_here"),
        "it points back (that, it, they)",
        "it points back to nothing (no that, it, they)",
    ),
    _Reason(("acknowledges_here",), "it opens by acknowledging", "it does not open by acknowledging"),
    _Reason(("opens_here",), "it opens like something new", "it opens plainly"),
    _Reason(("greets_here",), "it greets", "it does not greet"),
    _Reason(("closes_before",), "the turn before sounded final", "the turn before did not sound final"),
    _Reason(
        ("of_oneself_here", "of_oneself_before"),
        "it speaks of the speaker",
        "it does not speak of the speaker",
    ),
    _Reason(
        ("length_here", "length_before", "length_two_before", "length_after"),
        "a long turn among those around it",
        "a short turn among those around it",
    ),
    _Reason(("last_turn",), "nothing follows", "more follows"),
)


def reasons(
    contributions: NDArray[np.float64], values: NDArray[np.float64], model: GapModel
) -> tuple[str, ...]:
    """The up to three reasons that speak most for a shift at one gap, strongest first.

    `contributions` to the log odds and raw `values` are one gap's, by feature in the model's order.
    """
    place = {name: i for i, name in enumerate(model.names)}
    found: list[tuple[float, str]] = []
    for reason in _REASONS:
        added = float(sum(contributions[place[name]] for name in reason.features))
        if added >= _LEAST:
            lead = place[reason.features[0]]
            found.append((added, reason.above if values[lead] > model.mean[lead] else reason.below))
    return tuple(words for _, words in sorted(found, key=lambda each: -each[0])[:3])
