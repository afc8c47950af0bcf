from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memcore.store import DuckStore
from tests.exporting import scene


@pytest.fixture
def store(store: DuckStore) -> DuckStore:
    scene.fill(store)
    return store


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[DuckStore]:
    with scene.opened(tmp_path / "empty") as opened:
        yield opened
