"""Shares in words: what is there is never shown as nothing."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from memcore.inspection.shares import figure, in_percent


def test_one_of_many_is_not_none_of_them() -> None:
    assert in_percent(100 * 1 / 204) == "under 1 %"
    assert in_percent(100 * 203 / 204) == "over 99 %"
    assert (in_percent(0.0), in_percent(100.0)) == ("0 %", "100 %")


@given(
    st.integers(1, 100_000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))), st.integers(0, 2)
)
def test_only_none_is_nothing_and_only_all_is_the_whole(counted: tuple[int, int], decimals: int) -> None:
    share = Fraction(*counted)
    shown = figure(100 * counted[0] / counted[1], decimals)
    nothing, whole = f"{0:.{decimals}f}", f"{100:.{decimals}f}"
    assert (shown == nothing) == (share == 0)
    assert (shown == whole) == (share == 1)
