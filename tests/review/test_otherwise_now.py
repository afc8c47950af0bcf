"""The same is done now at, by or with something else."""

from __future__ import annotations

import pytest

from tests.review.test_changes import find


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ann gets Ann's hair cut at Snip & Co.", "Ann now gets Ann's hair cut at a salon downtown."),
        ("Ann buys Ann's flour at the mill.", "Ann has started buying Ann's flour at a farm."),
        ("Ann uses an old Nikon for portraits.", "Ann is now using a Sony for portraits."),
        ("Ann swims at the lido in the morning.", "Ann has been swimming at the lido in the evening lately."),
    ],
)
def test_the_part_that_differs_takes_the_place_of_the_other(older: str, newer: str) -> None:
    assert find(older, newer) == "otherwise now → update"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # without a word of the present both may be so
        ("Ann gets Ann's hair cut at Snip & Co.", "Ann gets Ann's hair cut at a salon downtown."),
        # begun beside it
        ("Ann volunteers at the shelter.", "Ann has started volunteering at the library."),
        ("Ann reads to kids at the shelter.", "Ann has started reading to kids at the library."),
        # something else is done there, by somebody else, for another purpose, or once
        ("Ann swims at the lido.", "Ann now paints at the beach."),
        ("Ann buys Ann's flour at the mill.", "Ann now buys eggs at a farm."),
        ("Ann buys Ann's flour at the mill.", "Tom now buys Ann's flour at a farm."),
        ("Ann uses an old Nikon for portraits.", "Ann now uses a Sony for landscapes."),
        ("Ann buys Ann's flour at the mill.", "Ann bought Ann's flour at a farm."),
        ("Ann buys Ann's flour at the mill.", "Ann might now buy Ann's flour at a farm."),
        # the same in other words
        ("Ann uses a new camera for portraits.", "Ann now uses an old camera for portraits."),
    ],
)
def test_what_may_go_on_beside_it_is_left_alone(older: str, newer: str) -> None:
    assert find(older, newer) == "nothing"
