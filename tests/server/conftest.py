"""A store that another process holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memcore.server.holder import Holder
from tests.server.holding import HoldingProcess


@pytest.fixture
def holder(directory: Path, holding: HoldingProcess) -> Iterator[Holder]:
    """The process that holds and serves the store of `directory`, which each file makes as it needs it."""
    yield holding.hold(directory)
    holding.let_go(directory)
