"""Charts: no two parts of a bar look the same."""

from __future__ import annotations

from ui.components import charts


def test_every_part_of_stacked_bars_has_a_colour_and_pattern_of_its_own() -> None:
    names = [f"part {n}" for n in range(14)]
    fig = charts.stacked(["a result"], [dict.fromkeys(names, 1.0)], height=100)
    looks = {(bar.marker.color, bar.marker.pattern.shape) for bar in fig.data}
    assert len(looks) == len(names)
