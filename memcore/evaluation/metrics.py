"""How well topic boundaries were found: precision, recall, F1, Pk and WindowDiff.

A boundary is the position of the turn a topic starts with, 1 to n-1 in a stream of n turns. Precision,
recall and F1 count exact hits over all streams together; Pk (Beeferman, Berger and Lafferty 1999) and
WindowDiff (Pevzner and Hearst 2002) also credit near misses, are averaged over streams, and are errors:
lower is better. Pure arithmetic: knows no texts, datasets or methods.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

Positions = Sequence[int]


@dataclass(frozen=True, slots=True)
class BoundaryScores:
    """Percentages from 0 to 100; of `pk` and `windowdiff` 0 is best."""

    precision: float
    recall: float
    f1: float
    pk: float
    windowdiff: float


def boundary_scores(
    lengths: Sequence[int], reference: Sequence[Positions], found: Sequence[Positions]
) -> BoundaryScores:
    """Scores of the boundaries `found` in streams of `lengths` turns, against `reference`.

    Of nothing found, precision is 0, unless there was nothing to find.

    >>> boundary_scores([12], [[4, 8]], [[4, 9]])
    BoundaryScores(precision=50.0, recall=50.0, f1=50.0, pk=20.0, windowdiff=20.0)
    """
    hits = sum(len({*true} & {*some}) for true, some in zip(reference, found, strict=True))
    true, some = sum(map(len, reference)), sum(map(len, found))
    triples = list(zip(lengths, reference, found, strict=True))
    return BoundaryScores(
        precision=_percent(hits, some, perfect=not true),
        recall=_percent(hits, true, perfect=not some),
        f1=_percent(2 * hits, true + some, perfect=True),
        pk=100 * fmean(pk(*triple) for triple in triples),
        windowdiff=100 * fmean(windowdiff(*triple) for triple in triples),
    )


def mean_scores(several: Sequence[BoundaryScores]) -> BoundaryScores:
    """The mean of each figure over several attempts, for methods that draw at random."""
    return BoundaryScores(
        precision=fmean(scores.precision for scores in several),
        recall=fmean(scores.recall for scores in several),
        f1=fmean(scores.f1 for scores in several),
        pk=fmean(scores.pk for scores in several),
        windowdiff=fmean(scores.windowdiff for scores in several),
    )


def window_size(turns: int, reference: Positions) -> int:
    """Half the mean length of the reference's segments, at least 2 but within the stream.

    >>> window_size(24, [4, 10, 16, 20]), window_size(3, [1, 2]), window_size(2, [1])
    (2, 2, 1)
    """
    return min(max(2, round(turns / (len(reference) + 1) / 2)), turns - 1)


def pk(turns: int, reference: Positions, found: Positions) -> float:
    """The share of pairs of turns, a window apart, that only one of the two holds to be of one topic.

    >>> [round(pk(12, [6], found), 2) for found in ([6], [7], [])]
    [0.0, 0.22, 0.33]
    """
    pairs = _window_counts(turns, reference, found)
    return fmean(bool(true) != bool(some) for true, some in pairs) if pairs else 0.0


def windowdiff(turns: int, reference: Positions, found: Positions) -> float:
    """The share of windows in which the two do not have the same number of boundaries.

    >>> windowdiff(6, [3], [3]), windowdiff(6, [3], [2, 3]), pk(6, [3], [2, 3])
    (0.0, 0.5, 0.25)
    """
    pairs = _window_counts(turns, reference, found)
    return fmean(true != some for true, some in pairs) if pairs else 0.0


def _window_counts(turns: int, reference: Positions, found: Positions) -> list[tuple[int, int]]:
    """Boundaries between turns i and i+k, of the reference and of what was found, for every i."""
    k = window_size(turns, reference)
    true, some = sorted(reference), sorted(found)
    return [(_between(true, i, i + k), _between(some, i, i + k)) for i in range(turns - k)] if k > 0 else []


def _between(positions: Positions, first: int, last: int) -> int:
    return bisect_right(positions, last) - bisect_right(positions, first)


def _percent(part: int, whole: int, *, perfect: bool) -> float:
    """100 · part / whole; of nothing, 100 where that is perfect and 0 where it is not."""
    if not whole:
        return 100.0 if perfect else 0.0
    return 100 * part / whole
