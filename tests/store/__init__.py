"""Storage. The modules of `tests.contract` hold what every implementation of a seam must do, written against
the Protocol only; a `test_*` module gives the fixture that makes the implementation and imports them."""

import pytest

pytest.register_assert_rewrite(
    "tests.contract.vector_index", "tests.contract.keyword_index", "tests.contract.store"
)
