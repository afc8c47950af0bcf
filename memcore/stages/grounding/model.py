"""From what the checks found to the probability that a statement is not supported.

A logistic regression of few weights, none below 0: every figure can only stand against a statement. Fitted by
`benchmarks/train_grounding.py`, but for those of likeness, which are set by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp


@dataclass(frozen=True, slots=True)
class GroundingModel:
    """The constants. A statement whose probability is above `threshold` is not supported."""

    weights: Mapping[str, float]
    bias: float
    threshold: float
    version: str

    def probability(self, features: Mapping[str, float]) -> float:
        """Of not being supported, 0 to 1."""
        odds = self.bias + sum(weight * features[name] for name, weight in self.weights.items())
        return 1.0 / (1.0 + exp(-odds))


@cache
def grounding_model() -> GroundingModel:
    """The weights that come with the package."""
    path = files("memcore.stages.grounding").joinpath("weights/grounding.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    return GroundingModel(document["weights"], document["bias"], document["threshold"], document["version"])
