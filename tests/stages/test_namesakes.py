"""Pets of one name and different people are different entities."""

from __future__ import annotations

from datetime import datetime

from memcore.domain.extraction import Fact, TripleDraft
from memcore.domain.models import Message, RawRef, Source
from memcore.stages.link import FactContext, Linked, link


def fact(who: str, text: str, *triples: TripleDraft) -> tuple[Fact, FactContext]:
    message = Message(
        f"m-{who}-{text}", "s1", 0, who, "person", text, datetime(2024, 1, 5), "message", RawRef("log", "1")
    )
    persons = tuple(name for name in ("Audrey", "Andrew", "Nate") if name in text)
    found = Fact(text, "fact", (Source(message.id, 0, 3),), speaker=who, persons=persons, triples=triples)
    return found, FactContext("me", "memscope", "run1", "seg1", "pets", "", message)


def linked(*facts: tuple[Fact, FactContext], onto: Linked | None = None) -> Linked:
    return link(
        facts,
        embedding_model="fake",
        entities={e.id: e for e in onto.entities} if onto else {},
        triples={t.id: t for t in onto.triples} if onto else {},
    )[0]


def dog(owner: str, name: str) -> TripleDraft:
    return TripleDraft(owner, "dog", name, "PERSON", "ANIMAL")


def loves(name: str, what: str) -> TripleDraft:
    return TripleDraft(name, "love", what, "ANIMAL", "THING")


def edges(result: Linked) -> set[tuple[str, str, str]]:
    names = {e.id: e.name for e in result.entities}
    return {(names[t.subject_id], t.relation, names[t.object_id]) for t in result.triples}


AUDREYS = fact("Audrey", "Audrey's dog Max is old.", dog("Audrey", "Max"))
ANDREWS = fact("Andrew", "Andrew's dog Max is young.", dog("Andrew", "Max"))


def test_the_first_pet_has_its_name_and_the_next_its_owners_too() -> None:
    assert edges(linked(AUDREYS, ANDREWS)) == {("Audrey", "dog", "Max"), ("Andrew", "dog", "Andrew's Max")}


def test_pets_are_told_apart_over_several_runs() -> None:
    first = linked(AUDREYS)
    second = linked(ANDREWS, onto=first)
    assert [e.name for e in second.entities if e.type == "ANIMAL"] == ["Andrew's Max"]


def test_the_name_alone_means_the_pet_of_who_speaks() -> None:
    result = linked(AUDREYS, ANDREWS, fact("Andrew", "Max loves the lake.", loves("Max", "lake")))
    assert ("Andrew's Max", "love", "lake") in edges(result)


def test_the_name_alone_means_the_pet_of_who_is_named_beside_it() -> None:
    result = linked(AUDREYS, ANDREWS, fact("Nate", "Max loves Andrew.", loves("Max", "Andrew")))
    assert ("Andrew's Max", "love", "Andrew") in edges(result)


def test_where_nothing_tells_whose_it_is_the_name_is_the_first_ones() -> None:
    result = linked(AUDREYS, ANDREWS, fact("Nate", "Max loves the lake.", loves("Max", "lake")))
    assert ("Max", "love", "lake") in edges(result)


def test_said_again_it_is_the_same_pet() -> None:
    first = linked(AUDREYS, ANDREWS)
    again = linked(ANDREWS, onto=first)
    assert (again.entities, again.triples) == ((), ())


def test_the_other_pet_is_found_by_its_name_too() -> None:
    (pet,) = [e for e in linked(AUDREYS, ANDREWS).entities if e.name == "Andrew's Max"]
    assert pet.aliases == ("Max",)
