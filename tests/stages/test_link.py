"""Linking: one normalised name is one entity, and re-linking changes nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.extraction import Fact, TripleDraft
from memcore.domain.models import Message, RawRef, Source, stable_id
from memcore.domain.names import entity_key
from memcore.stages.link import FactContext, Linked, link
from memcore.stages.relations import stated

JANUARY, MARCH = datetime(2024, 1, 5), datetime(2024, 3, 9)


def said(text: str, when: datetime | None = JANUARY, name: str = "m1") -> Message:
    return Message(name, "s1", 0, "Ana", "person", text, when, "message", RawRef("log.txt", "line 1"))


def fact(text: str, *triples: TripleDraft, message: str = "m1") -> Fact:
    return Fact(text, "fact", (Source(message, 0, 5),), speaker="Ana", triples=triples)


def context(message: Message) -> FactContext:
    return FactContext("me", "memscope", "run1", "seg1", "pets", "short", message)


def linked(*facts: tuple[Fact, Message], onto: Linked | None = None) -> Linked:
    return link(
        [(f, context(m)) for f, m in facts],
        embedding_model="fake",
        entities={e.id: e for e in onto.entities} if onto else {},
        triples={t.id: t for t in onto.triples} if onto else {},
    )[0]


ADOPT = TripleDraft("Ana", "adopt", "a dog", "PERSON", "THING")


def test_a_memory_is_valid_from_when_it_was_said_and_inherits_its_own_messages_time() -> None:
    (memory,) = linked((fact("Ana adopted a dog"), said("I adopted a dog"))).memories
    assert (memory.mentioned_at, memory.valid_from, memory.valid_to) == (JANUARY, JANUARY, None)
    assert memory.weekday == "Fri"


def test_articles_case_and_punctuation_do_not_make_another_entity() -> None:
    result = linked(
        (fact("Ana adopted a dog", ADOPT), said("x")),
        (fact("Ana walks the dog", TripleDraft("ana", "walk", "The Dog.")), said("y")),
    )
    assert sorted(e.name for e in result.entities) == ["Ana", "dog"]


def test_a_triple_whose_names_do_not_tell_which_thing_is_meant_stays_in_the_text() -> None:
    buys = TripleDraft("Ana", "buy", "tickets", "PERSON", "THING", telling=False)
    result = linked((fact("Ana bought tickets", buys), said("x")))
    assert [memory.text for memory in result.memories] == ["Ana bought tickets"]
    assert (result.entities, result.triples) == ((), ())


def test_where_relations_are_all_that_is_remembered_every_one_is_linked() -> None:
    buys = TripleDraft("Ana", "buy", "tickets", "PERSON", "THING", telling=False)
    result = linked((stated(buys, fact("Ana bought tickets", buys)), said("x")))
    assert [triple.relation for triple in result.triples] == ["buy"]


def test_another_spelling_becomes_an_alias() -> None:
    first = linked((fact("Ana met IBM", TripleDraft("Ana", "meet", "IBM")), said("x")))
    again = linked((fact("Ana left Ibm", TripleDraft("Ana", "leave", "Ibm")), said("y")), onto=first)
    assert ("IBM", ("Ibm",)) in [(e.name, e.aliases) for e in again.entities]


def test_several_relations_between_one_pair_live_side_by_side() -> None:
    result = linked(
        (fact("Ana adopted a dog", ADOPT), said("x")),
        (fact("Ana feeds a dog", replace(ADOPT, relation="feed")), said("y")),
    )
    assert sorted(t.relation for t in result.triples) == ["adopt", "feed"]


def test_linking_the_same_facts_again_changes_nothing() -> None:
    first = linked((fact("Ana adopted a dog", ADOPT), said("x")))
    again = linked((fact("Ana adopted a dog", ADOPT), said("x")), onto=first)
    assert again.memories == first.memories
    assert again.entities == again.triples == ()


def test_a_graph_from_before_graphs_had_recipes_goes_on_with_its_nodes_and_edges() -> None:
    result = linked((fact("Ana adopted a dog", ADOPT), said("x")))
    ana, dog = (stable_id("ent", "me", key) for key in ("ana", "dog"))
    assert [entity.id for entity in result.entities] == [ana, dog]
    assert [triple.id for triple in result.triples] == [stable_id("tri", "me", ana, "adopt", dog)]


def test_each_recipe_has_nodes_and_edges_of_its_own() -> None:
    facts = [(fact("Ana adopted a dog", ADOPT), context(said("x")))]
    elsewhere = [(one, replace(where, recipe="mem0_graph")) for one, where in facts]
    graphs = [link(f, embedding_model="fake", entities={}, triples={})[0] for f in (facts, elsewhere)]
    entities, triples = (
        [{x.id for x in getattr(g, kind)} for g in graphs] for kind in ("entities", "triples")
    )
    assert entities[0].isdisjoint(entities[1])
    assert triples[0].isdisjoint(triples[1])


def test_a_relation_rests_on_nothing_that_only_says_in_which_conversation_it_was_told() -> None:
    asked = Source("m0", 0, 3)
    result = linked((replace(fact("Ana adopted a dog", ADOPT), told_in=(asked,)), said("x")))
    assert asked in result.memories[0].sources
    assert [triple.sources for triple in result.triples] == [(Source("m1", 0, 5),)]


def test_mentions_count_messages_not_repetitions() -> None:
    first = linked((fact("Ana adopted a dog", ADOPT), said("x")))
    other = fact("Ana adopted a dog again", ADOPT, message="m2")
    (triple,) = linked((other, said("y", MARCH, "m2")), onto=first).triples
    assert triple.mentions == 2
    assert triple.valid_from == JANUARY


@pytest.mark.parametrize("again", [MARCH, None])
def test_what_ended_and_is_said_again_later_or_without_a_date_is_a_new_period(again) -> None:
    first = linked((fact("Ana lives in Rome", TripleDraft("Ana", "live_in", "Rome")), said("x")))
    ended = replace(first.triples[0], invalidated_at=datetime(2024, 2, 1))
    onto = replace(first, triples=(ended,))
    back = fact("Ana lives in Rome again", TripleDraft("Ana", "live_in", "Rome"), message="m2")
    renewed = linked((back, said("y", again, "m2")), onto=onto)
    (triple,) = renewed.triples
    assert triple.id != ended.id
    assert (triple.valid_from, triple.invalidated_at) == (again, None)
    both = replace(renewed, triples=(ended, triple))
    assert linked((back, said("y", again, "m2")), onto=both).triples == (), "a repeated step adds nothing"


def test_a_triple_without_a_name_is_counted_not_stored() -> None:
    draft = TripleDraft("Ana", "like", "...")
    result, trace = link(
        [(fact("Ana likes it", draft), context(said("x")))], embedding_model="fake", entities={}, triples={}
    )
    assert result.triples == ()
    assert trace.nameless == 1
    assert len(result.memories) == 1


@given(st.text(max_size=60))
def test_a_key_is_its_own_key(name: str) -> None:
    assert entity_key(entity_key(name)) == entity_key(name)
