"""Sentences made wrong: one thing changed, nothing else, and nothing where there is nothing to change."""

from __future__ import annotations

from random import Random

import pytest

from memcore.evaluation.corruptions import change_date, change_number, flip_negation, swap_person


def test_two_people_change_places():
    assert (
        swap_person("Nora thanked Felix for Felix's map", "Nora", "Felix")
        == "Felix thanked Nora for Nora's map"
    )
    assert swap_person("Rain fell", "Nora", "Felix") is None


@pytest.mark.parametrize("text", ["Nora owns two boats", "Nora came third", "Nora is 31", "Nora lifts 40kg"])
def test_a_number_becomes_another_of_its_kind(text):
    changed = change_number(text, Random(3))
    assert changed is not None
    assert changed != text
    assert len(changed.split()) == len(text.split())


def test_a_year_is_a_date_and_no_number():
    assert change_number("Nora was born in 1990", Random(3)) is None
    changed = change_date("Nora was born in 1990", Random(3))
    assert changed in {f"Nora was born in {year}" for year in (1988, 1989, 1991, 1992)}


@pytest.mark.parametrize(
    "text",
    [
        "Nora left on Friday",
        "Nora leaves in May",
        "Nora left last week",
        "Nora left yesterday",
        "Nora left two months ago",
        "Nora left a year ago",
    ],
)
def test_a_date_becomes_another(text):
    changed = change_date(text, Random(3))
    assert changed not in (None, text)


def test_may_is_no_month_where_it_is_a_verb():
    assert change_date("Nora may leave", Random(3)) is None


@pytest.mark.parametrize(
    ("text", "flipped"),
    [
        ("Nora is a vet", "Nora is not a vet"),
        ("Nora isn't a vet", "Nora is a vet"),
        ("Nora has a goat", "Nora does not have a goat"),
        ("Nora has sold the goat", "Nora has not sold the goat"),
        ("Nora recently baked a cake", "Nora recently did not bake a cake"),
        ("Nora tries to sing", "Nora does not try to sing"),
        ("Nora went home", "Nora did not go home"),
        ("Nora never sings", "Nora sings"),
        ("Singing is fun", "Singing is not fun"),
    ],
)
def test_a_negation_is_put_in_or_taken_out(text, flipped):
    assert flip_negation(text, ["Nora"]) == flipped


def test_a_sentence_without_a_verb_that_is_known_stays():
    assert flip_negation("Rain fell", ["Nora"]) is None
