"""The trained judge of gaps: features of a gap to the probability that a topic starts there, and why.

A logistic regression whose weights depend on one thing, how long the turns around the gap are: short
chat and long answers show the same features at different strength. Each feature's weight is
`weight + longer · length`, with length the mean of the four standardised turn lengths. Weights are
fitted to the cosines of all-MiniLM-L6-v2 by `benchmarks/train_segmentation.py`; another encoder's
cosines lie elsewhere, and the probabilities with them. Judges each gap by itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LENGTHS = ("length_two_before", "length_before", "length_here", "length_after")
"""The features whose mean says how long the turns around a gap are."""
STANDARDISED_LIMIT = 4.0
_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class GapModel:
    """Fitted constants, one each per feature in `names`: `mean` and `scale` standardise, `weight` and
    `longer` weigh. A gap whose probability exceeds `threshold` and both neighbours' starts a topic."""

    names: tuple[str, ...]
    mean: Floats
    scale: Floats
    weight: Floats
    longer: Floats
    bias: float
    threshold: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """`probability` of a topic shift, shape (n,), NaN at 0; `contributions` to its log odds by
    feature, shape (n, features), relative to an average gap."""

    probability: Floats
    contributions: Floats


@cache
def gap_model() -> GapModel:
    """The weights that come with the package."""
    text = (
        files("memcore.stages.segmentation").joinpath("weights/topic_shift.json").read_text(encoding="utf-8")
    )
    return parse_model(json.loads(text))


def parse_model(document: Mapping[str, Any]) -> GapModel:
    """A model from its JSON document; see `weights/README.md`."""
    rows = document["features"]

    def column(key: str) -> Floats:
        return np.array([row[key] for row in rows.values()], dtype=np.float64)

    return GapModel(
        names=tuple(rows),
        mean=column("mean"),
        scale=column("scale"),
        weight=column("weight"),
        longer=column("longer"),
        bias=float(document["bias"]),
        threshold=float(document["threshold"]),
    )


def standardise(
    features: Mapping[str, Floats], names: tuple[str, ...], mean: Floats, scale: Floats
) -> Floats:
    """Features as columns of shape (n, len(names)), in units of deviations; what is missing is average."""
    table = (np.stack([features[name] for name in names], axis=1) - mean) / scale
    return np.clip(np.nan_to_num(table, nan=0.0), -STANDARDISED_LIMIT, STANDARDISED_LIMIT)


def turn_length(table: Floats, names: tuple[str, ...]) -> Floats:
    """How long the turns around each gap are, shape (n,), from standardised features."""
    return np.asarray(sum(table[:, names.index(name)] for name in LENGTHS) / len(LENGTHS))


def judge(features: Mapping[str, Floats], model: GapModel) -> Judgement:
    """The model's judgement of every gap. Rows are summed one by one and rounded, so that a log read in
    part gives the same numbers."""
    table = standardise(features, model.names, model.mean, model.scale)
    length = turn_length(table, model.names)
    contributions = table * (model.weight + length[:, None] * model.longer)
    odds = contributions.sum(axis=1) + model.bias
    probability = np.round(1.0 / (1.0 + np.exp(-odds)), _DECIMALS)
    probability[:1] = np.nan
    return Judgement(probability, contributions)
