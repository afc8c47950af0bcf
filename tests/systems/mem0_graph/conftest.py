from __future__ import annotations

import pytest

from tests.fakes import HashingEmbedder


@pytest.fixture
def embedder() -> HashingEmbedder:
    """Wide enough that texts which share no word are orthogonal."""
    return HashingEmbedder(4096)
