"""The lines of the graph's picture: one for the relations of two entities, and at first no more than can be
read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.models import Entity, Triple
from memcore.inspection.graph import GraphView
from ui.graph import lines
from ui.graph.lines import drawn_first, lines_of

NAMES = [f"e{n:02}" for n in range(40)]
PAIRS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=80)


def view(pairs: list[tuple[str, str]], names: list[str] = NAMES) -> GraphView:
    triples = tuple(Triple(f"t{n}", "me", a, "know", b, ()) for n, (a, b) in enumerate(pairs))
    return GraphView(tuple(Entity(name, "me", name, "PERSON") for name in names), triples, 0, 0)


def test_relations_from_one_entity_to_another_are_one_line() -> None:
    found = lines_of(view([("a", "b"), ("a", "c"), ("a", "b"), ("b", "a")], ["a", "b", "c"]).triples)
    assert [[triple.id for triple in line.triples] for line in found] == [["t0", "t2"], ["t1"], ["t3"]]
    assert [line.ends for line in found] == [("a", "b"), ("a", "c"), ("b", "a")]


@given(PAIRS)
def test_every_line_that_is_drawn_has_its_ends_and_no_more_are_drawn_than_can_be_read(
    pairs: list[tuple[str, str]],
) -> None:
    shown = view(pairs)
    all_lines = lines_of(shown.triples)
    entities, drawn = drawn_first(shown, all_lines)
    for line in all_lines:
        assert line.id not in drawn or entities >= {*line.ends}
    assert len(drawn) <= lines.FIRST_LINES
    assert len(entities) <= lines.FIRST_ENTITIES
    assert bool(drawn) == bool(all_lines)


@given(PAIRS)
def test_what_can_be_read_at_once_is_drawn_whole(pairs: list[tuple[str, str]]) -> None:
    few = NAMES[: lines.FIRST_ENTITIES]
    inside = [(a, b) for a, b in pairs if {a, b} <= {*few}][: lines.FIRST_LINES]
    shown = view(inside, few)
    all_lines = lines_of(shown.triples)
    assert drawn_first(shown, all_lines) == (frozenset(few), frozenset(line.id for line in all_lines))


def test_the_nearest_come_first() -> None:
    spokes = [("e00", name) for name in NAMES[1:]]
    entities, drawn = drawn_first(view(spokes[::-1]), lines_of(view(spokes[::-1]).triples))
    assert sorted(entities) == NAMES[: lines.FIRST_ENTITIES]
    assert len(drawn) == lines.FIRST_ENTITIES - 1
