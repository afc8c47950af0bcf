"""Which message a statement should have cited: the one that carries it much better than those it cites."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memcore.stages.grounding.alignment import OF_NEAR, Aligned, Floats, Worded
from memcore.stages.grounding.reading import Reading, figures_of
from memcore.stages.grounding.said import Said

_OF_JUST_BEFORE = 0.4
"""What it counts that one of the turns just before carries a statement better, since an answer is cited for
what was asked; or one without a number or time that the cited message tells."""

_OF_ONE = 0.4
"""The share of a statement that only the cited message says, from which on no other is the better one."""


def better_citation(
    aligned: Aligned,
    said: Sequence[Said],
    own: Sequence[int],
    just_before: Sequence[int],
    others: NDArray[np.bool_],
) -> tuple[int, float]:
    """The place of the message that carries a statement best, of `others` (by place) that are not cited; and
    by how much better than the cited ones at `own`. What only these say counts against it: who joins two
    messages cites one of them."""
    worded = aligned.worded
    whole = aligned.both @ worded.weights + aligned.cosines
    others = others.copy()
    others[list(own)] = False
    if not others.any():
        return own[0], 0.0
    best = int(np.where(others, whole, -np.inf).argmax())
    cited = aligned.both[own].max(axis=0, initial=0.0)
    gain = float(whole[best]) - worded.share(cited) - float(aligned.cosines[own].max())
    alone = worded.share(np.maximum(0.0, cited - aligned.both[best]))
    gain *= max(0.0, 1.0 - alone / _OF_ONE)
    if _tells_more(worded.statement, [said[row] for row in own], said[best]):
        gain *= _OF_JUST_BEFORE
    if best in just_before:
        gain *= _OF_JUST_BEFORE
    return best, max(0.0, gain)


def most_better(
    worded: Worded, own: Sequence[int], others: NDArray[np.bool_], least: Floats, cosine: float
) -> float:
    """The most by which any of `others` could carry a statement better than the cited messages at `own`, of
    which `least` is found and the nearest is at `cosine`, whatever the encoder finds in the others."""
    others = others.copy()
    others[list(own)] = False
    if not others.any():
        return 0.0
    at_most = np.maximum(worded.same[others], OF_NEAR)
    cited = least[own].max(axis=0, initial=0.0)
    alone = np.maximum(0.0, cited - at_most) @ worded.weights
    gains = at_most @ worded.weights + 1.0 - worded.share(cited) - cosine
    return max(0.0, float((gains * np.maximum(0.0, 1.0 - alone / _OF_ONE)).max()))


def _tells_more(statement: Reading, cited: Sequence[Said], other: Said) -> bool:
    """Whether the cited messages say a number or a time of a statement that another one does not."""
    numbers = {figure for _, figure, _, _ in figures_of(statement)} - other.numbers
    days = {(time.begin, time.until) for time in statement.times} - other.days
    return any(numbers & said.numbers or days & said.days for said in cited)
