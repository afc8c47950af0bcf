"""What each gap between two turns looks like from a fixed number of turns around it.

Meaning (cosines of sentence vectors, between single turns and between blocks, and how far they lie
below those of the neighbouring gaps), shared words, the turns' own cues, and the manner of the talk
around it: what tells a topic shift where two people tell of themselves is another than where one books.
Nothing is normalised over the whole log, so a gap's features are the same when the log is read turn by
turn: they depend on the `LEFT` turns before it and the `RIGHT` + 1 from it on. NaN: the turns it compares
do not exist.

Sources: Hearst 1997 (blocks, depth), Choi 2000 (similarity relative to its neighbourhood); the cues
are ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from memcore.stages.segmentation.cues import TurnCues

Floats = NDArray[np.float64]

NARROW_SPREAD, NARROW_REACH = 1.0, 3
WIDE_SPREAD_BEFORE, WIDE_REACH_BEFORE = 2.5, 8
WIDE_SPREAD_AFTER, WIDE_REACH_AFTER = 2.0, 4
_NEAR = 3
_LEXICAL_REACH = 4
_GAPS_BEFORE, _GAPS_AFTER = 4, 2

_MANNER_BEFORE, _MANNER_AFTER = 8, 4

LEFT = WIDE_REACH_BEFORE + _GAPS_BEFORE
RIGHT = WIDE_REACH_AFTER - 1 + _GAPS_AFTER


def gap_features(cues: Sequence[TurnCues], vectors: NDArray[np.float32]) -> dict[str, Floats]:
    """Features of n turns by name, each of shape (n,); position i is the gap before turn i, position
    0 is no gap and NaN. `vectors` are the turns' unit vectors, shape (n, d)."""
    meaning = _meaning(vectors.astype(np.float64))
    found = {**meaning, **_words(cues), **_cues(cues), **_manner(cues, meaning["previous"])}
    for values in found.values():
        values[:1] = np.nan
    return found


def _meaning(vectors: Floats) -> dict[str, Floats]:
    lags = {lag: _cosine_at_lag(vectors, lag) for lag in range(1, 2 * _NEAR)}

    def between(before: int, after: int) -> Floats:
        """Cosine of turns i + before and i + after."""
        return _at(lags[after - before], before)

    backwards, onwards = range(-_NEAR, 0), range(_NEAR)
    narrow = _cosine(
        _block_before(vectors, NARROW_SPREAD, NARROW_REACH),
        _block_after(vectors, NARROW_SPREAD, NARROW_REACH),
    )
    wide = _cosine(
        _block_before(vectors, WIDE_SPREAD_BEFORE, WIDE_REACH_BEFORE),
        _block_after(vectors, WIDE_SPREAD_AFTER, WIDE_REACH_AFTER),
    )
    return {
        "previous": between(-1, 0),
        "next_pair": between(0, 1),
        "across": between(-1, 1),
        "nearest": reduce(np.fmax, (between(a, b) for a in backwards for b in onwards)),
        "nearest_to_turn": reduce(np.fmax, (between(a, 0) for a in backwards)),
        "narrow": narrow,
        "narrow_margin": _margin(narrow, 2, 2),
        "wide": wide,
        "wide_margin": _margin(wide, _GAPS_BEFORE, _GAPS_AFTER),
        "wide_depth": _depth(wide, _GAPS_BEFORE, _GAPS_AFTER),
    }


def _words(cues: Sequence[TurnCues]) -> dict[str, Floats]:
    found = {name: np.full(len(cues), np.nan) for name in ("shared_turn", "shared_block", "new_words")}
    for i in range(1, len(cues)):
        own = cues[i].content
        before: frozenset[str] = frozenset().union(*(c.content for c in cues[max(0, i - _LEXICAL_REACH) : i]))
        block = own | cues[i + 1].content if i + 1 < len(cues) else own
        found["shared_turn"][i] = _overlap(before, own)
        found["shared_block"][i] = _overlap(before, block)
        found["new_words"][i] = len(own - before) / max(1, len(own))
    return found


_CUES = (
    ("length", -2), ("length", -1), ("length", 0), ("length", 1),
    ("asks", -1), ("ends_asking", -1), ("of_oneself", -1), ("closes", -1),
    ("asks", 0), ("ends_asking", 0), ("asks_you", 0), ("anything_else", 0), ("referring", 0),
    ("of_oneself", 0), ("function", 0), ("acknowledges", 0), ("opens", 0), ("greets", 0),
    ("referring", 1),
)  # fmt: skip
_PLACES = {-2: "two_before", -1: "before", 0: "here", 1: "after"}


def _cues(cues: Sequence[TurnCues]) -> dict[str, Floats]:
    found = {
        f"{name}_{_PLACES[offset]}": _at(np.array([getattr(cue, name) for cue in cues]), offset)
        for name, offset in _CUES
    }
    last = np.zeros(len(cues))
    last[-1:] = 1.0
    return found | {"last_turn": last}


_MANNER = ("length", "asks", "asks_you", "of_oneself", "function", "referring", "opens", "anything_else")


def _manner(cues: Sequence[TurnCues], previous: Floats) -> dict[str, Floats]:
    """How people talk around each gap: means over the turns that surround it, and over how near in meaning
    one turn is to the next."""
    found = {
        f"talk_{name}": _around(np.array([getattr(cue, name) for cue in cues], dtype=np.float64))
        for name in _MANNER
    }
    return found | {"talk_nearness": _around(previous)}


def _around(values: Floats) -> Floats:
    """Row i: the mean of what is known of the `_MANNER_BEFORE` turns before turn i and the `_MANNER_AFTER`
    from it on. Summed in a fixed order, so that a log read in part gives the same bits."""
    total, known = np.zeros(len(values)), np.zeros(len(values))
    for offset in range(-_MANNER_BEFORE, _MANNER_AFTER):
        there = _at(values, offset)
        total += np.nan_to_num(there)
        known += ~np.isnan(there)
    return np.asarray(np.divide(total, known, out=np.full(len(values), np.nan), where=known > 0))


def _at(values: Floats, offset: int) -> Floats:
    """Row i holds what row i + offset held; NaN where there is none."""
    moved = np.full(len(values), np.nan)
    if offset >= 0:
        moved[: max(0, len(values) - offset)] = values[offset:]
    else:
        moved[-offset:] = values[:offset]
    return moved


def _cosine_at_lag(vectors: Floats, lag: int) -> Floats:
    """Row i: cosine of turns i and i + lag."""
    found = np.full(len(vectors), np.nan)
    if len(vectors) > lag:
        found[:-lag] = (vectors[:-lag] * vectors[lag:]).sum(axis=1)
    return found


def _block_before(vectors: Floats, spread: float, reach: int) -> Floats:
    """Row i: sum of the `reach` turns before turn i, one k + 1 steps away weighing exp(-k² / 2 spread²).
    Summed in a fixed order, so that a log read in part gives the same bits."""
    total = np.zeros_like(vectors)
    for k in range(min(reach, len(vectors) - 1)):
        total[k + 1 :] += math.exp(-(k**2) / (2 * spread**2)) * vectors[: -k - 1]
    return total


def _block_after(vectors: Floats, spread: float, reach: int) -> Floats:
    """Row i: the same of turn i and those after it."""
    total = np.zeros_like(vectors)
    for k in range(min(reach, len(vectors))):
        total[: len(vectors) - k] += math.exp(-(k**2) / (2 * spread**2)) * vectors[k:]
    return total


def _cosine(left: Floats, right: Floats) -> Floats:
    norms = np.sqrt((left * left).sum(axis=1) * (right * right).sum(axis=1))
    found = np.full(len(left), np.nan)
    known = norms > 0
    found[known] = (left * right).sum(axis=1)[known] / norms[known]
    return found


def _margin(values: Floats, before: int, after: int) -> Floats:
    """How far the lowest of the neighbouring gaps lies above this one."""
    offsets = (*range(-before, 0), *range(1, after + 1))
    return reduce(np.fmin, (_at(values, offset) for offset in offsets)) - values


def _depth(values: Floats, before: int, after: int) -> Floats:
    """TextTiling's depth within reach: the climbs to the highest gap before and after, together."""
    peak_before = reduce(np.fmax, (_at(values, -k) for k in range(before + 1)))
    peak_after = reduce(np.fmax, (_at(values, k) for k in range(after + 1)))
    return peak_before + peak_after - 2 * values


def _overlap(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / math.sqrt(max(1, len(left)) * max(1, len(right)))
