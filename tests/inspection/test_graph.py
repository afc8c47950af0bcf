"""One recipe's graph as a reader meets it: merged names as one, a part at a time, nothing left out unsaid."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.errors import NotFoundError
from memcore.domain.models import Entity, Link, Source, Triple
from memcore.domain.protocols import Store
from memcore.inspection.graph import EntityGraph, GraphView, entity_graph, entity_merges, graph_view
from tests.store.samples import MAY_8, entity, log, proposal, triple

JAN, MAR, MAY = (datetime(2023, month, 1) for month in (1, 3, 5))


def fill(store: Store, names: str, *triples: Triple, **changes: Any) -> None:
    """Entities named by one letter each, and triples between them."""
    with store.write(actor="test") as writer:
        writer.put_entities([entity(name, f"name {name}", **changes) for name in names])
        writer.put_triples(triples)


def seen(store: Store, *, recipe: str = "memscope", **options: Any) -> GraphView:
    return graph_view(store, entity_graph(store, "me", recipe), **options)


def drawn(view: GraphView) -> tuple[str, str]:
    """Entities in their order and triples, by id."""
    return "".join(e.id for e in view.entities), " ".join(t.id for t in view.triples)


def test_the_most_connected_come_first(store: Store) -> None:
    fill(store, "abcd", triple("1", "c", "knows", "a"), triple("2", "c", "knows", "b"))
    whole = entity_graph(store, "me", "memscope")
    assert list(whole.entities) == ["c", "a", "b", "d"]
    assert whole.relations() == {"knows": 2}
    assert drawn(graph_view(store, whole)) == ("cab", "1 2")


def test_one_conversation_says_a_part_of_the_graph(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.add_log(log("I feed the cat"))
    said = {"sources": (Source("a-s0-m0", 2, 6),)}
    fill(store, "abcm", triple("1", "m", "feed", "b", **said), triple("2", "a", "knows", "c"))
    with store.write(actor="test") as writer:
        writer.put_entities([entity("m", "old a", merged_into="a")])
    part = entity_graph(store, "me", "memscope", conversation_id="a")
    assert sorted(part.entities) == ["a", "b"]
    assert drawn(graph_view(store, part)) == ("ab", "1")
    assert part.survivors["m"] == "a", "links from elsewhere still lead to who it is now"


def test_each_system_has_its_own_graph(store: Store) -> None:
    fill(store, "ab", triple("1", "a", "knows", "b"))
    fill(store, "xy", triple("2", "x", "likes", "y", recipe="mem0_graph"), recipe="mem0_graph")
    assert store.graphs("me") == ["mem0_graph", "memscope"]
    assert drawn(seen(store)) == ("ab", "1")
    assert drawn(seen(store, recipe="mem0_graph")) == ("xy", "2")
    assert drawn(seen(store, recipe="licomemory")) == ("", "")


def test_a_neighbourhood_grows_by_steps_nearest_first(store: Store) -> None:
    chain = [triple(str(n), a, "then", b) for n, (a, b) in enumerate(("ab", "bc", "cd", "de"))]
    fill(store, "abcde", *chain)
    for depth, reached in enumerate(("ab", "abc", "abcd", "abcde"), start=1):
        assert "".join(e.id for e in seen(store, centre="a", depth=depth).entities) == reached
    with pytest.raises(NotFoundError, match="nobody"):
        seen(store, centre="nobody")


def test_merged_entities_appear_as_their_survivor(store: Store) -> None:
    fill(store, "ab", triple("1", "m", "knows", "b"), triple("2", "n", "likes", "b"))
    with store.write(actor="test") as writer:
        writer.put_entities([entity("m", "old a", merged_into="n"), entity("n", "older a", merged_into="a")])
    view = seen(store, centre="m")
    assert drawn(view) == ("ab", "1 2")
    assert {t.subject_id for t in view.triples} == {"a"}


def test_what_was_undone_is_no_way(store: Store) -> None:
    fill(store, "ab", triple("1", "a", "knows", "b", mentions=0))
    assert drawn(seen(store, centre="a")) == ("a", "")


def test_several_relations_of_one_pair_stand_side_by_side(store: Store) -> None:
    fill(store, "ab", *(triple(name, "a", name, "b") for name in ("knows", "likes", "meets")))
    assert drawn(seen(store, centre="a")) == ("ab", "knows likes meets")
    assert drawn(seen(store, centre="a", relation="likes")) == ("ab", "likes")


def test_a_date_shows_the_graph_as_it_stood(store: Store) -> None:
    fill(
        store,
        "anw",
        triple("ny", "a", "lives", "n", valid_from=JAN, invalidated_at=MAR),
        triple("sf", "a", "lives", "w", valid_from=MAR),
    )
    at = {when: drawn(seen(store, as_of=when))[1] for when in (datetime(2022, 1, 1), JAN, MAR, MAY, None)}
    assert list(at.values()) == ["", "ny", "sf", "sf", "ny sf"]
    assert drawn(seen(store, include_invalidated=False))[1] == "sf"
    assert drawn(seen(store, include_invalidated=False, as_of=JAN))[1] == "ny"


def test_words_find_names_aliases_and_relations(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.put_entities(
            [entity("a", "Ann"), entity("m", "Miso", aliases=("the CAT",)), entity("l", "Lisbon")]
        )
        writer.put_triples([triple("1", "a", "feed", "m"), triple("2", "a", "move_to", "l")])
    assert drawn(seen(store, contains="cat")) == ("ma", "1")
    assert drawn(seen(store, contains="Move to")) == ("al", "2")
    assert [e.id for e in seen(store, contains="cat").matching] == ["m"]
    assert drawn(seen(store, contains="nothing like it")) == ("", "")


def test_a_name_without_relations_is_found_too(store: Store) -> None:
    fill(store, "z")
    assert drawn(seen(store, contains="NAME Z")) == ("z", "")


def test_what_the_caps_leave_out_is_counted(store: Store) -> None:
    spokes = [triple(f"t{end}", "a", "knows", end) for end in "bcdef"]
    fill(store, "abcdef", *spokes, triple("tbc", "b", "knows", "c"))
    view = seen(store, centre="a", max_entities=3, max_triples=2)
    assert (len(view.entities), len(view.triples)) == (3, 2)
    assert (view.hidden_entities, view.hidden_triples) == (3, 4)


def test_evidence_comes_with_each_triple(store: Store) -> None:
    with store.write(actor="test") as writer:
        writer.add_log(log("I feed the cat"))
    fill(store, "ab", triple("1", "a", "feed", "b", sources=(Source("a-s0-m0", 2, 6), Source("gone", 0, 1))))
    ((quote,),) = seen(store).quotes.values()
    assert (quote.text, quote.message.speaker) == ("feed", "Ann")


def test_the_time_of_the_log_bounds_the_graph(store: Store) -> None:
    assert entity_graph(store, "me", "memscope").said is None
    with store.write(actor="test") as writer:
        writer.add_log(log("Hi", "Hi"))
        writer.add_log(log("Bye", session=2))
    said = entity_graph(store, "me", "memscope").said
    assert said is not None
    assert (said[0].date(), said[1].day) == (MAY_8.date(), 10)


def test_waiting_merges_are_those_of_this_graph(store: Store) -> None:
    fill(store, "ab")
    fill(store, "xy", recipe="mem0_graph")
    ends = {"operation": "merge_entities"}
    with store.write(actor="test") as writer:
        writer.put_proposals([proposal("p1", "a", "b", **ends), proposal("p2", "x", "y", **ends)])
        writer.put_proposals([proposal("p3", "a", "b", **ends, state="rejected"), proposal("p4", "m1")])
    (merge,) = entity_merges(store, "me", "memscope")
    assert (merge.proposal.id, [e.id for e in merge.entities]) == ("p1", ["a", "b"])


class _Triples:
    """Hands out triples by id and no messages: all that choosing a part asks a store for."""

    def __init__(self, links: tuple[Link, ...]) -> None:
        self._by_id = {x.id: Triple(x.id, "me", x.subject_id, x.relation, x.object_id, ()) for x in links}

    def triples(self, _owner: str, *, ids: list[str]) -> list[Triple]:
        return [self._by_id[i] for i in ids]

    def messages_by_id(self, _ids: list[str]) -> dict[str, Any]:
        return {}

    def groundings(self, _ids: list[str]) -> dict[str, Any]:
        return {}


@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), max_size=40),
    st.sampled_from("abcdefgh"),
    st.integers(1, 4),
    st.integers(1, 9),
    st.integers(9, 20),
)
def test_shown_and_counted_make_up_what_is_reached_and_nobody_stands_alone(
    pairs: list[tuple[str, str]], centre: str, depth: int, most_entities: int, most_triples: int
) -> None:
    links = tuple(Link(str(n), a, "r", b, None, None) for n, (a, b) in enumerate(pairs))
    entities = {name: Entity(name, "me", name, "THING") for name in "abcdefgh"}
    graph = EntityGraph("me", "memscope", entities, {name: name for name in entities}, links, None)
    options = {"centre": centre, "depth": depth}
    store: Any = _Triples(links)
    everything = graph_view(store, graph, **options)
    view = graph_view(store, graph, **options, max_entities=most_entities, max_triples=most_triples)

    shown = {e.id for e in view.entities}
    assert len(view.entities) + view.hidden_entities == len(everything.entities)
    assert len(view.triples) + view.hidden_triples == len(everything.triples)
    assert everything.hidden_entities == everything.hidden_triples == 0
    assert all({t.subject_id, t.object_id} <= shown for t in view.triples)
    linked = {end for t in view.triples for end in (t.subject_id, t.object_id)}
    assert shown - linked <= {centre}
