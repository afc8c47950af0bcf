"""Node matching: both nodes of a relation are created, one of them, or none; and what is never one node."""

from __future__ import annotations

import pytest

from memcore.domain.extraction import TripleDraft
from memcore.domain.models import Entity
from memcore.domain.names import entity_key
from memcore.stages.link import by_name
from memcore.systems.mem0_graph.match_nodes import NEAREST_NODES, MatchTrace, match_nodes
from tests.fakes import HashingEmbedder

EMBEDDER = HashingEmbedder(4096)
"""Cosines by shared words: "red sports car" and "sports car" are at .77, "sports car" and "car" at .58."""


def vector(text: str):
    return EMBEDDER.embed([text])[0]


def node(name: str, type_: str = "THING", *aliases: str, merged_into: str | None = None) -> Entity:
    return Entity(f"ent {entity_key(name)}", "me", name, type_, aliases, merged_into=merged_into)


def match(drafts, *nodes: Entity, threshold: float = 0.7) -> tuple[dict[str, str], MatchTrace]:
    def near(of, k):
        assert k == NEAREST_NODES
        found = [(n, float(of @ vector(n.name))) for n in nodes if n.merged_into is None]
        return sorted(found, key=lambda row: -row[1])[:k]

    return match_nodes(
        drafts, segment_id="seg", names=by_name(nodes), near=near, vector=vector, threshold=threshold
    )


def relation(subject: str, object_: str, subject_type: str = "PERSON", object_type: str = "THING"):
    return TripleDraft(subject, "have", object_, subject_type, object_type)


def test_where_nothing_is_near_both_nodes_are_created():
    nodes, trace = match([relation("Ann", "sports car")])
    (row,) = trace.relations
    assert (nodes, row.created) == ({}, "both")
    assert (row.subject.created, row.object.created) == (True, True)


def test_where_one_is_known_the_other_is_created():
    nodes, trace = match([relation("Ann", "sports car")], node("Ann", "PERSON"))
    (row,) = trace.relations
    assert (nodes, row.created) == ({}, "one")
    assert (row.subject.created, row.object.created) == (False, True)


def test_where_both_are_known_or_near_none_is_created_and_the_trace_says_how_near():
    nodes, trace = match([relation("Ann", "red sports car")], node("Ann", "PERSON"), node("sports car"))
    (row,) = trace.relations
    assert nodes == {"red sports car": "sports car"}
    assert row.created == "none"
    assert row.subject.similarity is None, "found by name"
    assert (row.object.name, row.object.node) == ("red sports car", "sports car")
    assert row.object.similarity == pytest.approx(3 / 15**0.5, abs=1e-3)


def test_a_node_is_taken_at_the_threshold_and_not_below():
    cosine = float(vector("red sports car") @ vector("sports car"))
    for threshold, created in ((cosine, "one"), (cosine + 1e-6, "both")):
        _, trace = match([relation("Ann", "red sports car")], node("sports car"), threshold=threshold)
        assert trace.relations[0].created == created
        assert trace.threshold == threshold


def test_of_several_near_nodes_the_nearest_is_taken():
    nodes, _ = match([relation("Ann", "old red sports car")], node("sports car"), node("red sports car"))
    assert nodes == {"old red sports car": "red sports car"}


def test_later_relations_see_the_nodes_of_those_before():
    drafts = [relation("Ann", "sports car"), relation("Ann", "red sports car")]
    nodes, trace = match(drafts)
    assert nodes == {"red sports car": "sports car"}
    assert [row.created for row in trace.relations] == ["both", "none"]


def test_an_alias_is_the_node_without_asking_for_similarity():
    nodes, trace = match([relation("Ann", "the jalopy")], node("sports car", "THING", "jalopy"))
    assert nodes == {"jalopy": "sports car"}
    assert trace.relations[0].object.similarity is None


def test_a_name_that_was_merged_is_the_node_it_was_merged_into():
    car = node("sports car", "THING", "roadster")
    nodes, _ = match([relation("Ann", "roadster")], car, node("roadster", merged_into=car.id))
    assert nodes == {"roadster": "sports car"}


@pytest.mark.parametrize(
    ("name", "type_", "known", "known_type", "reason"),
    [
        ("Ann Mary Lee", "PERSON", "Ann Mary", "PERSON", "people"),
        ("mary ann lee", "PERSON", "mary ann", "PERSON", "people"),
        ("sports car club", "PERSON", "sports car", "THING", "people"),
        ("sports car club", "THING", "sports car", "PERSON", "people"),
        ("early may 2023", "DATE", "early may", "DATE", "dates"),
        ("sports car club", "ORG", "sports car", "PLACE", "contradict"),
        ("New York City", "PLACE", "New York", "PLACE", "city"),
        ("old New York", "PLACE", "new york", "THING", ""),
        ("two sports cars", "THING", "three sports cars", "THING", "three, two"),
        ("sports car 2", "THING", "sports car", "THING", "2"),
        ("Ann's sports car", "THING", "Ben's sports car", "THING", "ann, ben"),
        ("Ann Lee's old city", "THING", "Ann Lee's rocks", "THING", "without the names"),
        ("red sports car", "EVENT", "sports car", "THING", ""),
    ],
)
def test_what_is_near_and_yet_not_one_node(name, type_, known, known_type, reason):
    other = match([relation("Bo", name, object_type=type_)], node(known, known_type), threshold=0.4)
    nodes, trace = other
    found = trace.relations[0].object
    if not reason:
        assert nodes == {entity_key(name): entity_key(known)}
        return
    assert nodes == {}
    assert found.created
    (apart,) = found.apart
    assert apart.node == known
    assert apart.similarity >= 0.4
    assert reason in apart.reason


def test_the_same_name_is_one_node_whatever_its_type():
    """A node keeps its type: linking never makes a place of a person."""
    nodes, trace = match([relation("Ann", "Jordan", object_type="PLACE")], node("Jordan", "PERSON"))
    assert nodes == {}
    assert not trace.relations[0].object.created


def test_the_two_ends_of_a_relation_are_two_nodes():
    nodes, trace = match([relation("sports car", "red sports car", subject_type="THING")])
    assert nodes == {}
    assert trace.relations[0].created == "both"
    assert [apart.reason for apart in trace.relations[0].object.apart] == ["the other end of the relation"]


def test_a_relation_without_a_name_is_left_to_linking():
    nodes, trace = match([relation("Ann", "...")])
    assert (nodes, trace.relations) == ({}, ())
