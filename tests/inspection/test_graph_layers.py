"""Sessions and chunks around a part of the graph: linked through the messages that its triples cite."""

from __future__ import annotations

import pytest

from memcore.domain.models import BY_PERSON, Segment, SessionSummary, Source
from memcore.inspection.graph import entity_graph, graph_view
from memcore.inspection.graph_layers import GraphLayers, graph_layers
from memcore.store import DuckStore
from tests.store.samples import entity, log, topic_cut, triple


@pytest.fixture
def store(store: DuckStore) -> DuckStore:
    """Two sessions, two chunks in the first, four triples said in the messages 0, 1, 2 and 0 of them."""
    with store.write(actor="test") as writer:
        writer.add_log(log("one", "two", "three"))
        writer.add_log(log("four", session=1))
        writer.add_segments(
            [
                Segment("s0", "a-s0", ("a-s0-m0", "a-s0-m1"), "first"),
                Segment("s1", "a-s0", ("a-s0-m2",), "second"),
                Segment("other", "a-s0", ("a-s0-m0", "a-s0-m1", "a-s0-m2"), recipe="mem0_graph"),
            ]
        )
        writer.put_summaries([SessionSummary("sum", "a-s0", "me", "They count.")])
        writer.put_entities([entity("x", "X"), entity("y", "Y")])
        cited = ("a-s0-m0", "a-s0-m1", "a-s0-m2", "a-s1-m0")
        writer.put_triples(
            [triple(f"t{n}", "x", f"r{n}", "y", sources=(Source(i, 0, 3),)) for n, i in enumerate(cited)]
        )
    return store


def around(store: DuckStore, *, sessions: bool = True, chunks: bool = True, **caps: int) -> GraphLayers:
    view = graph_view(store, entity_graph(store, "me", "memscope"))
    return graph_layers(store, view, owner="me", recipe="memscope", sessions=sessions, chunks=chunks, **caps)


def test_each_triple_leads_to_its_session_with_the_summary(store: DuckStore) -> None:
    first, second = around(store).sessions
    assert (first.session.id, first.triple_ids) == ("a-s0", ("t0", "t1", "t2"))
    assert first.summary is not None
    assert first.summary.text == "They count."
    assert (second.session.id, second.summary, second.triple_ids) == ("a-s1", None, ("t3",))


def test_each_triple_leads_to_its_chunk_of_this_system(store: DuckStore) -> None:
    first, second = around(store).chunks
    assert (first.segment.topic, first.triple_ids) == ("first", ("t0", "t1"))
    assert [message.text for message in first.messages] == ["one", "two"]
    assert (second.segment.topic, second.triple_ids) == ("second", ("t2",))


def test_where_a_person_has_cut_their_chunks_stand(store: DuckStore) -> None:
    with store.write(actor="person") as writer:
        whole = ("a-s0-m0", "a-s0-m1", "a-s0-m2")
        writer.add_segments([Segment("mine", "a-s0", whole, "all of it", {"method": BY_PERSON})])
        writer.put_topic_cuts([topic_cut("a-s0", "mine")])
    (chunk,) = around(store).chunks
    assert (chunk.segment.topic, chunk.triple_ids) == ("all of it", ("t0", "t1", "t2"))


def test_a_layer_is_there_when_asked_for(store: DuckStore) -> None:
    assert around(store, sessions=False, chunks=False) == GraphLayers()
    assert around(store, sessions=False).sessions == ()
    assert around(store, chunks=False).chunks == ()


def test_what_the_caps_leave_out_is_counted(store: DuckStore) -> None:
    layers = around(store, max_sessions=1, max_chunks=1)
    assert (len(layers.sessions), layers.hidden_sessions) == (1, 1)
    assert (len(layers.chunks), layers.hidden_chunks) == (1, 1)
