"""Of turns that tell of the same, the newer before the older, for a question that asks how it is by now.

What changed is often told in nearly the same words as before ("four bikes", "now five bikes"), and until a
person approved that the one takes the place of the other, both are found alike. Turns tell of the same where
the same person says them in different sessions and the vectors of their memories are near. Ranks nothing by
itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memcore.domain.models import Message
from memcore.domain.protocols import Embedder, Store, Vectors
from memcore.systems.memscope.turns import CandidateTurn

AMONG = 30
"""Of the best turns; further down nothing is asked for."""
ALIKE = 0.4
"""Cosine from which two memories tell of the same thing."""


def told_anew(store: Store, embedder: Embedder, turns: Sequence[CandidateTurn]) -> list[float]:
    """For each turn the share that is older, of those that tell of the same as it does: 1 for the newest of
    several, 0 for the oldest and for one that none is like."""
    shares = [0.0] * len(turns)
    places = [place for place, turn in enumerate(turns) if _is_dated(turn)]
    if len(places) < 2:
        return shares
    vectors = _vectors(store, embedder, [turns[place].memories[0].text for place in places])
    alike = vectors @ vectors.T >= ALIKE
    said = [message for place in places if (message := turns[place].message) is not None]
    for row, place in enumerate(places):
        others = [
            other for near, other in zip(alike[row], said, strict=True) if near and _may_be(said[row], other)
        ]
        if others:
            shares[place] = sum(_is_older(other, said[row]) for other in others) / len(others)
    return shares


def _is_dated(turn: CandidateTurn) -> bool:
    return bool(turn.memories) and turn.message is not None and turn.message.said_at is not None


def _may_be(one: Message, other: Message) -> bool:
    return one.speaker == other.speaker and one.session_id != other.session_id


def _is_older(one: Message, other: Message) -> bool:
    return one.said_at is not None and other.said_at is not None and one.said_at < other.said_at


def _vectors(store: Store, embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """The texts' unit vectors, shape (texts, dimension); those that were never stored are read now."""
    known = store.embeddings(embedder.model_id, texts)
    if unread := [text for text in dict.fromkeys(texts) if text not in known]:
        known = {**known, **dict(zip(unread, embedder.embed(unread), strict=True))}
    return np.stack([known[text] for text in texts])
