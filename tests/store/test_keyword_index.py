"""rank-bm25 keeps the contract of a keyword index."""

import pytest

from memcore.store.keyword_index import Bm25Index
from tests.store.contract_keyword_index import *  # noqa: F403
from tests.store.contract_keyword_index import MakeKeywordIndex


@pytest.fixture
def make_index() -> MakeKeywordIndex:
    return Bm25Index
