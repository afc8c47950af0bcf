"""What was not yet so, or was still sought, ends once it has come about."""

from __future__ import annotations

import pytest

from tests.review.test_changes import find


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann has never been to Norway.", "Ann just got back from Ann's first trip to Norway."),
        ("Ann has not tried curling yet.", "Ann finally tried curling."),
        ("Ann has never seen a live opera.", "Ann saw a live opera in Leeds."),
    ],
)
def test_what_had_never_been_done_is_told_as_done(older: str, newer: str) -> None:
    assert find(older, newer, newer_kind="event") == "first done → invalidate"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann has never been to Norway.", "Ann has been to Sweden twice."),
        ("Ann has never been to Norway.", "Ann wants to go to Norway."),
        ("Ann has never been to Norway.", "Ann has still never been to Norway."),
        ("Ann has never been to Norway.", "Tom got back from a trip to Norway."),
        ("Ann has not tried curling yet.", "Ann watched curling."),
        ("Ann has been to Norway.", "Ann just got back from a trip to Norway."),
    ],
)
def test_what_is_still_not_so_is_left_alone(older: str, newer: str) -> None:
    assert find(older, newer, newer_kind="event") == "nothing"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann is looking for a new job.", "Ann got a job at a mill."),
        ("Ann is in the market for a used kayak.", "Ann ended up buying a used kayak from Tom."),
        ("Ann is still searching for a flat.", "Ann finally signed a lease on a flat in Leeds."),
    ],
)
def test_what_was_looked_for_is_told_as_found(older: str, newer: str) -> None:
    assert find(older, newer, newer_kind="event") == "found → invalidate"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann is looking for a used kayak.", "Ann got a new tent."),
        ("Ann is looking for a used kayak.", "Ann found a kayak paddle."),
        ("Ann is looking for a used kayak.", "Tom bought a used kayak."),
        ("Ann is looking for a used kayak.", "Ann wants to buy a used kayak."),
        # found in passing, and looked for again
        ("Ann is looking for a soup recipe.", "Ann found a soup recipe."),
    ],
)
def test_what_is_still_sought_is_left_alone(older: str, newer: str) -> None:
    assert find(older, newer, newer_kind="event") == "nothing"
