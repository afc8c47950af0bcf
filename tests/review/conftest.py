from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memcore.store import DuckStore, open_store
from tests.store.samples import EMBEDDER


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DuckStore]:
    with open_store(
        tmp_path / "store", embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension
    ) as opened:
        yield opened
