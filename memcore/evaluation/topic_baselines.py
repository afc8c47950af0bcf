"""What every segmentation method has to beat: boundaries at random, every k turns, none, and by words.

Each takes streams and gives the positions where it says that topics start. Knows no model: `texttiling`
is Hearst's 1997 algorithm on the stems of the words, apart from the product's own code.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from functools import cache
from statistics import fmean, pstdev

import Stemmer

from memcore.evaluation.topic_datasets import Stream
from memcore.evaluation.words import is_stop_word, tokens

Found = list[tuple[int, ...]]

BLOCK_TURNS = 6
DEPTH_DEVIATIONS = 1.0
"""A block of TextTiling, and how far above the mean a gap's depth must lie, in standard deviations:
the pair with the best mean F1 on TIAGE's train split and on drawn LongMemEval sessions."""


def at_random(streams: Sequence[Stream], draw: random.Random) -> Found:
    """As many boundaries as there are, anywhere."""
    return [tuple(sorted(draw.sample(range(1, len(stream.turns)), len(stream.shifts)))) for stream in streams]


def mean_segment(streams: Sequence[Stream]) -> int:
    """The mean number of turns to a topic, rounded."""
    topics = sum(len(stream.shifts) + 1 for stream in streams)
    return max(1, round(sum(len(stream.turns) for stream in streams) / topics))


def every(streams: Sequence[Stream], k: int) -> Found:
    """A boundary every k turns."""
    return [tuple(range(k, len(stream.turns), k)) for stream in streams]


def nowhere(streams: Sequence[Stream]) -> Found:
    """No boundary."""
    return [() for _ in streams]


def texttiling(streams: Sequence[Stream]) -> Found:
    """Hearst 1997: boundaries where the words of the turns before and after have least in common,
    compared with the peaks on both sides."""
    return [_texttiling(stream.turns) for stream in streams]


def _texttiling(turns: Sequence[str]) -> tuple[int, ...]:
    bags = [_stems(turn) for turn in turns]
    alike = [
        _cosine(_sum(bags[max(0, i - BLOCK_TURNS) : i]), _sum(bags[i : i + BLOCK_TURNS]))
        for i in range(1, len(turns))
    ]
    if not alike:
        return ()
    depths = [_climb(alike[i::-1]) + _climb(alike[i:]) for i in range(len(alike))]
    least = fmean(depths) + DEPTH_DEVIATIONS * pstdev(depths)
    padded = [math.inf, *alike, math.inf]
    return tuple(
        i for i, depth in enumerate(depths, 1)
        if depth > least and padded[i - 1] >= padded[i] < padded[i + 1]
    )  # fmt: skip


def _climb(values: Sequence[float]) -> float:
    """How far values rise from the first on, without a fall between."""
    peak = values[0]
    for value in values[1:]:
        if value < peak:
            break
        peak = value
    return peak - values[0]


def _stems(text: str) -> dict[str, float]:
    """Stems of the words but stop words, each weighing 1 + log(count)."""
    words = [token.text for token in tokens(text) if not is_stop_word(token.text)]
    return {stem: 1 + math.log(count) for stem, count in Counter(_stemmer().stemWords(words)).items()}


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


def _sum(bags: Sequence[dict[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for bag in bags:
        for stem, weight in bag.items():
            total[stem] = total.get(stem, 0.0) + weight
    return total


def _cosine(one: dict[str, float], other: dict[str, float]) -> float:
    product = math.fsum(weight * other.get(stem, 0.0) for stem, weight in one.items())
    lengths = math.fsum(w * w for w in one.values()) * math.fsum(w * w for w in other.values())
    return product / math.sqrt(lengths) if lengths else 0.0
