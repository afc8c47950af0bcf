"""The trained judge of gaps: features of a gap to the probability that a topic starts there, and why.

A logistic regression whose weights depend on the manner of the talk around the gap (`talk_…`): how long the
turns are, how often they ask, how often they speak of the speaker and so on. Chit-chat, long answers and
bookings show the same features at different strength. Each feature's weight is `weight` plus, for each
trait of manner, `by` times how far it is from the average. Weights are fitted to the cosines of
all-MiniLM-L6-v2 by `benchmarks/train_segmentation.py`; another encoder's cosines lie elsewhere, and the
probabilities with them. Judges each gap by itself.
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

STANDARDISED_LIMIT, MANNER_LIMIT = 4.0, 2.0
"""Deviations beyond which a feature, or a trait of manner, counts no more: a kind of talk that nothing was
learned from is taken for the nearest that something was."""
_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class GapModel:
    """Fitted constants. For each feature in `names`: `mean` and `scale` standardise, `weight` weighs. For
    each trait in `manner` the same, and `by`, of shape (manner, names), what it adds to each feature's
    weight. A gap whose probability exceeds `threshold` and both neighbours' starts a topic."""

    names: tuple[str, ...]
    mean: Floats
    scale: Floats
    weight: Floats
    manner: tuple[str, ...]
    manner_mean: Floats
    manner_scale: Floats
    manner_weight: Floats
    by: Floats
    bias: float
    threshold: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """`probability` of a topic shift, shape (n,), NaN at 0; `contributions` to its log odds by
    feature, shape (n, features), relative to an average gap of such talk."""

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
    rows, traits = document["features"], document["manner"]

    def column(of: Mapping[str, Any], key: str) -> Floats:
        return np.array([row[key] for row in of.values()], dtype=np.float64)

    return GapModel(
        names=tuple(rows),
        mean=column(rows, "mean"),
        scale=column(rows, "scale"),
        weight=column(rows, "weight"),
        manner=tuple(traits),
        manner_mean=column(traits, "mean"),
        manner_scale=column(traits, "scale"),
        manner_weight=column(traits, "weight"),
        by=np.array([[trait["by"][name] for name in rows] for trait in traits.values()], dtype=np.float64),
        bias=float(document["bias"]),
        threshold=float(document["threshold"]),
    )


def standardise(
    features: Mapping[str, Floats], names: tuple[str, ...], mean: Floats, scale: Floats, limit: float
) -> Floats:
    """Features as columns of shape (n, len(names)), in units of deviations, `limit` at most; what is missing
    is average."""
    table = (np.stack([features[name] for name in names], axis=1) - mean) / scale
    return np.clip(np.nan_to_num(table, nan=0.0), -limit, limit)


def judge(features: Mapping[str, Floats], model: GapModel) -> Judgement:
    """The model's judgement of every gap. Rows are summed one by one and rounded, so that a log read in
    part gives the same numbers."""
    table = standardise(features, model.names, model.mean, model.scale, STANDARDISED_LIMIT)
    talk = standardise(features, model.manner, model.manner_mean, model.manner_scale, MANNER_LIMIT)
    weight = np.tile(model.weight, (len(table), 1))
    for trait, by in zip(talk.T, model.by, strict=True):
        weight += trait[:, None] * by
    contributions = table * weight
    odds = contributions.sum(axis=1) + (talk * model.manner_weight).sum(axis=1) + model.bias
    probability = np.round(1.0 / (1.0 + np.exp(-odds)), _DECIMALS)
    probability[:1] = np.nan
    return Judgement(probability, contributions)
