"""Storage. `contract_*` modules hold what every implementation of a seam must do, written against the
Protocol only; a `test_*` module gives the fixture that makes the implementation and imports them."""

import pytest

pytest.register_assert_rewrite(
    "tests.store.contract_vector_index", "tests.store.contract_keyword_index", "tests.store.contract_store"
)
