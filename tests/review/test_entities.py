"""Which names are proposed as one, and which are not."""

from __future__ import annotations

import pytest

from memcore.domain.models import Entity, now
from memcore.review.entities import entity_merges


def merges(*names: tuple[str, str], mentions: dict[str, int] | None = None) -> list[list[str]]:
    entities = [Entity(name, "me", name, type_) for name, type_ in names]
    proposals = entity_merges(entities, mentions or {}, run_id="r", at=now())
    return [list(p.target_ids) for p in proposals]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("LGBTQ support group", "LGBTQ support-groups"),
        ("the Support Group", "support group"),
        ("Mother's Day", "mothers day"),
        ("hobbies", "Hobby"),
        ("New  York", "NewYork"),
    ],
)
def test_spellings_of_one_name_are_one_entity(one: str, other: str) -> None:
    assert [set(group) for group in merges((one, "THING"), (other, "THING"))] == [{one, other}]


@pytest.mark.parametrize(
    ("one", "other", "type_"),
    [
        ("William", "Williams", "PERSON"),
        ("C", "C++", "THING"),
        ("version 1.2", "version 12", "THING"),
        ("1960", "1960s", "THING"),
        ("glass", "glas", "THING"),
        ("bus", "bu", "THING"),
        ("painting", "painter", "THING"),
    ],
)
def test_names_that_only_look_alike_stay_apart(one: str, other: str, type_: str) -> None:
    assert merges((one, type_), (other, type_)) == []


def test_a_person_and_a_thing_of_one_name_stay_apart() -> None:
    assert merges(("Rose", "PERSON"), ("rose", "THING")) == []


def test_the_more_often_mentioned_spelling_survives() -> None:
    names = (("dogs", "THING"), ("Dog", "THING"))
    assert merges(*names, mentions={"Dog": 3, "dogs": 1}) == [["Dog", "dogs"]]
    assert merges(*names, mentions={"Dog": 1, "dogs": 3}) == [["dogs", "Dog"]]


def test_a_first_name_joins_the_only_full_name_it_begins() -> None:
    assert merges(("Ann", "PERSON"), ("Ann Lee", "PERSON")) == [["Ann Lee", "Ann"]]
    assert merges(("Ann", "PERSON"), ("Ann Lee", "PERSON"), ("Ann Ray", "PERSON")) == []
    assert merges(("Paris", "PLACE"), ("Paris Hilton", "PERSON")) == []


def test_what_has_been_merged_is_not_proposed_again() -> None:
    entities = [Entity("a", "me", "Dog", "THING"), Entity("b", "me", "dogs", "THING", merged_into="a")]
    assert entity_merges(entities, {}, run_id="r", at=now()) == []


def test_the_same_group_is_the_same_proposal_whoever_survives() -> None:
    entities = [Entity("a", "me", "Dog", "THING"), Entity("b", "me", "dogs", "THING")]
    ids = {entity_merges(entities, {key: 5}, run_id="r", at=now())[0].id for key in "ab"}
    assert len(ids) == 1
