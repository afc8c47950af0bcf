"""Of turns that tell of the same, the newer before the older, for a question that asks how it is by now.

What changed is often told in nearly the same words as before ("four bikes", "now five bikes"), and until a
person approved that the one takes the place of the other, both are found alike. Turns tell of the same where
the same person says them in different sessions and the vectors of their memories are near. Ranks nothing by
itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memcore.domain.protocols import Embedder, Store
from memcore.systems.memscope.turns import CandidateTurn
from memcore.systems.steps import vectors_of

AMONG = 30
"""Of the best turns; further down nothing is asked for."""
ALIKE = 0.4
"""Cosine from which two memories tell of the same thing."""


def told_anew(store: Store, embedder: Embedder, turns: Sequence[CandidateTurn]) -> list[float]:
    """For each turn the share that is older, of those that tell of the same as it does: 1 for the newest of
    several, 0 for the oldest and for one that none is like."""
    shares = [0.0] * len(turns)
    told = [
        (place, turn.memories[0].text, turn.message, turn.message.said_at)
        for place, turn in enumerate(turns)
        if turn.memories and turn.message is not None and turn.message.said_at is not None
    ]
    if len(told) < 2:
        return shares
    known = vectors_of([text for _, text, _, _ in told], store, embedder)
    vectors = np.stack([known[text] for _, text, _, _ in told])
    alike = vectors @ vectors.T >= ALIKE
    for row, (place, _, message, said_at) in enumerate(told):
        others = [
            other_at
            for near, (_, _, other, other_at) in zip(alike[row], told, strict=True)
            if near and other.speaker == message.speaker and other.session_id != message.session_id
        ]
        if others:
            shares[place] = sum(at < said_at for at in others) / len(others)
    return shares
