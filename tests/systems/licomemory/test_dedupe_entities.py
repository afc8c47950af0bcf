"""LiCoMemory's deduplication: one type, and equal names or at least 85 % of the words in common."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.domain.extraction import Fact, TripleDraft
from memcore.domain.models import Entity
from memcore.domain.names import entity_key
from memcore.stages.link import entity_id_of
from memcore.systems.licomemory.dedupe_entities import (
    DedupeTrace,
    FoundEqual,
    KnownEntities,
    dedupe,
    word_overlap,
)


def entity(name: str, type_: str = "ORG", *aliases: str) -> Entity:
    return Entity(f"ent {name}", "me", name, type_, aliases)


def visits(name: str, type_: str = "ORG") -> Fact:
    """The relation (Ann, visits, name)."""
    return Fact(
        f"Ann visits {name}", "fact", (), triples=(TripleDraft("Ann", "visits", name, "PERSON", type_),)
    )


def deduped(*facts: Fact, known: KnownEntities) -> tuple[dict[tuple[str, str], str], DedupeTrace]:
    return dedupe(facts, known, owner="me", recipe="licomemory")


def new(*key: str) -> str:
    return entity_id_of("me", "licomemory", *key)


def found(name: str, *known: Entity, type_: str = "ORG") -> DedupeTrace:
    return deduped(visits(name, type_), known=KnownEntities([entity("Ann", "PERSON"), *known]))[1]


SEVEN = "north side church choir of old boston"  # 7 words
SIX_OF_SEVEN = "north side church choir of boston"  # 6/7 = 0.857
FIVE_OF_SIX = "north side church choir of", "north side church choir of boston"  # 5/6 = 0.833


def test_from_85_percent_on_names_are_one_entity_and_the_trace_says_so() -> None:
    trace = found(SIX_OF_SEVEN, entity(SEVEN))
    assert trace == DedupeTrace(2, (FoundEqual(SIX_OF_SEVEN, "ORG", SEVEN, 6 / 7),))


def test_below_85_percent_they_are_two() -> None:
    one, other = FIVE_OF_SIX
    assert word_overlap(one, other) == pytest.approx(5 / 6)
    assert found(one, entity(other)).equal == ()


def test_another_type_is_another_entity() -> None:
    assert found(SIX_OF_SEVEN, entity(SEVEN, "PLACE")).equal == ()


def test_a_name_the_graph_has_needs_no_judgement() -> None:
    assert found("The Red Cross!", entity("Red Cross")) == DedupeTrace(2, ())


@pytest.mark.parametrize("said", ["LGBTQ support-group", "support group LGBTQ", "the lgbtq Support Group"])
def test_order_hyphens_and_case_make_no_difference(said: str) -> None:
    ids, _ = deduped(visits(said), known=KnownEntities([entity("LGBTQ support group")]))
    assert ids[entity_key(said), "ORG"] == "ent LGBTQ support group"


def test_a_name_that_only_contains_another_stays_apart() -> None:
    assert found("New York Times", entity("New York")).equal == ()
    assert found("C++", entity("C")).equal == ()


def test_another_name_of_an_entity_counts_like_its_own() -> None:
    known = entity("NYC", "PLACE", "New York City")
    assert found("City New-York", known, type_="PLACE").equal == (
        FoundEqual("City New-York", "PLACE", "NYC", 1.0),
    )


def test_the_name_of_what_a_person_merged_is_the_survivors_whatever_type_it_is_given() -> None:
    survivor = entity("NYC", "PLACE", "New York City")
    gone = replace(entity("New York City"), merged_into=survivor.id)
    for type_ in ("THING", "ORG"):
        for typed in (False, True):
            known = KnownEntities([gone, survivor], typed=typed)
            ids, trace = deduped(visits("the New York City", type_), known=known)
            assert (ids["new york city", type_], trace.equal) == ("ent NYC", ())


def test_a_name_of_its_own_comes_before_an_alias() -> None:
    known = KnownEntities([entity("Max", "ORG", "Rex"), entity("Rex", "PERSON")])
    ids, _ = deduped(visits("Rex"), known=known)
    assert ids["rex", "ORG"] == "ent Rex"


def test_what_was_merged_into_another_is_no_longer_found() -> None:
    gone = replace(entity(SEVEN), merged_into="ent other")
    assert found(SIX_OF_SEVEN, gone).equal == ()


def test_two_new_names_of_one_turn_are_one_entity_the_first() -> None:
    ids, trace = deduped(visits("book club"), visits("club book"), known=KnownEntities())
    assert ids["club book", "ORG"] == ids["book club", "ORG"] == new("book club")
    assert trace.equal == (FoundEqual("club book", "ORG", "book club", 1.0),)


def test_an_equal_name_of_another_type_is_another_entity_where_a_model_gives_the_types() -> None:
    known = [entity("Jordan", "PERSON")]
    ids, _ = deduped(visits("Jordan", "PLACE"), known=KnownEntities(known, typed=True))
    assert ids["jordan", "PLACE"] == new("jordan"), "no entity has this id"
    ids, _ = deduped(visits("Jordan", "PLACE"), known=KnownEntities(known))
    assert ids["jordan", "PLACE"] == "ent Jordan", "guessed types tell nothing apart"


def test_the_second_entity_of_a_name_has_an_id_of_its_own_and_is_found_again() -> None:
    facts = visits("Jordan", "PERSON"), visits("jordan", "PLACE")
    ids, trace = deduped(*facts, known=KnownEntities(typed=True))
    assert (ids["jordan", "PERSON"], ids["jordan", "PLACE"]) == (new("jordan"), new("jordan", "PLACE"))
    assert trace.equal == ()
    stored = [Entity(i, "me", "Jordan", type_) for (key, type_), i in ids.items() if key == "jordan"]
    for known in (stored, stored[::-1]):
        again, _ = deduped(*facts, known=KnownEntities(known, typed=True))
        assert {pair: i for pair, i in again.items() if pair[0] == "jordan"} == {
            pair: i for pair, i in ids.items() if pair[0] == "jordan"
        }


@pytest.mark.parametrize(("had", "given_"), [("THING", "PLACE"), ("PLACE", "THING")])
def test_thing_is_no_type_that_could_be_another(had: str, given_: str) -> None:
    ids, _ = deduped(visits("Jordan", given_), known=KnownEntities([entity("Jordan", had)], typed=True))
    assert ids["jordan", given_] == "ent Jordan"


words = st.lists(st.sampled_from("red blue old new club band choir".split()), min_size=1, max_size=7).map(
    " ".join
)


@given(st.lists(words, min_size=1, max_size=6, unique_by=entity_key), words)
def test_the_order_in_which_entities_are_known_makes_no_difference(names, said) -> None:
    """A run reads them as they come, a resumed one as the store lists them."""
    known = [entity(name) for name in names]
    assert found(said, *known) == found(said, *reversed(known))


@given(words, words)
def test_names_share_as_much_either_way(one, other) -> None:
    assert word_overlap(one, other) == word_overlap(other, one)
    assert word_overlap(one, one) == 1.0
