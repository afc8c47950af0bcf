"""Vectors told in fewer numbers: their coordinates along the directions in which they differ most.

Principal components (Pearson 1901), not centred: what is left out of two vectors is then what tells least of
their inner product. For finding candidates whose exact vectors are compared afterwards.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memcore.domain.protocols import Vectors

SAMPLE = 20_000
"""Vectors, at most, that directions are learned from."""


def principal_directions(vectors: Vectors, wanted: int) -> NDArray[np.float32]:
    """The `wanted` orthonormal directions that hold most of these vectors, shape (dimension, wanted). Of few
    or equal vectors, the rest are any that stand upright on these."""
    sample = vectors[:: max(1, len(vectors) // SAMPLE)].astype(np.float64)
    _, directions = np.linalg.eigh(sample.T @ sample)  # ascending
    return np.ascontiguousarray(directions[:, ::-1][:, :wanted], dtype=np.float32)
