"""PostgreSQL's store: the contract that every store keeps, and what only a server has."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memcore.store import open_store
from memcore.store.sql.store import SqlStore
from tests.contract.store import *  # noqa: F403
from tests.postgres import new_database
from tests.store.samples import EMBEDDER


@pytest.fixture
def store() -> Iterator[SqlStore]:
    """A new store in a database of its own."""
    with (
        new_database() as address,
        open_store(address, embedding_model=EMBEDDER.model_id, dimension=EMBEDDER.dimension) as opened,
    ):
        yield opened
