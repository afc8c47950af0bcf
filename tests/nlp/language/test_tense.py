"""Dates without a year: ahead or behind, by the tense of the clause they stand in."""

from __future__ import annotations

from datetime import datetime

import pytest

from memcore.nlp.language.pipeline import parse
from memcore.nlp.language.syntax.tense import times_of

pytestmark = pytest.mark.models

SAID = datetime(2024, 2, 4, 13, 10)
DATES = [
    ("Anna is getting married in Verona on 18 May.", 2024),
    ("I am registered for the marathon: it's on 16 June, all of it.", 2024),
    ("The exhibition opens on 3 November.", 2024),
    ("I start at the bank on 18 March.", 2024),
    ("The ceremony is on 20 July.", 2024),
    ("My course ends on 5 December.", 2024),
    ("We will fly to Rome on 2 September.", 2024),
    ("I want to see the glacier in August.", 2024),
    ("We planned a trip for 4 October.", 2024),
    ("I decided to leave on 1 May.", 2024),
    ("The flights are booked for 12 April.", 2024),
    ("The school moved our exam from 30 April to 31 March.", 2024),
    ("I was thinking of visiting my aunt on 16 June.", 2024),
    ("I have entered the half marathon on 21 September.", 2024),
    ("The library offered me three days a week, starting on 21 March.", 2024),
    ("I was looking at 10 to 13 May for our trip to Lisbon.", 2024),
    ("I booked our flight for 20 September.", 2024),
    ("I booked our flight on 20 November.", 2023),
    ("I booked a table on 10 February.", 2024),
    ("I booked my ticket to Tokyo two months ago on 10 December.", 2023),
    ("I had a dentist's appointment on 10 November.", 2023),
    ("I have a dentist's appointment on 10 November.", 2024),
    ("I've booked a doctor's appointment on 10 November.", 2024),
    ("I've scheduled a call with Anna on 10 November since she is back.", 2024),
    ("I decided to open a shop on 15 November, and it's been a whirlwind since.", 2023),
    ("They offered me the post on 21 September.", 2023),
    ("I've got a place in a swim on 2 March, so I train daily.", 2024),
    ("I've put in for the week of 13 May.", 2024),
    ("I've already run in the dance marathon on 1 May.", 2023),
    ("I've had the letter of 20 January for weeks.", 2024),
    ("The photo is from November.", 2023),
    ("I am going to write about my dream from 15 June.", 2023),
    ("I am going to take the tram from 15 June.", 2024),
    ("Since I've officially registered my business on 10 June, I need a plan.", 2023),
    ("I've been thinking a lot since my birthday in December, too.", 2023),
    ("I remember booking a table for 20 June.", 2024),
    ("I remember buying my phone on 10 June, and a bag from the market.", 2023),
    ("I've registered for the run on 10 June.", 2024),
    ("I watered my plants on 16 June.", 2023),
    ("I am tired because of the recent move in March.", 2023),
    ("I took the 7:15 am train on 16 June, so I was early.", 2023),
    ("I moved to Leeds on 18 May.", 2023),
    ("I went to see my aunt on 16 June.", 2023),
    ("My cat turned ten in December.", 2023),
    ("I have been to Oslo in August.", 2023),
    ("I have been learning Polish since November.", 2023),
    ("I live in Turin since October.", 2023),
    ("I quit smoking on 14 July.", 2023),
    ("The house was built on 3 March and I move in on 9 April.", 2023),
]


@pytest.mark.parametrize(("text", "year"), DATES)
def test_date_without_a_year_follows_the_tense_of_its_clause(text, year):
    assert times_of(parse([text])[0], SAID)[0].begin.year == year


@pytest.mark.parametrize(
    ("said", "years"),
    [
        ("I fast on Good Friday.", []),
        ("My aunt was born at Easter.", []),
        ("My aunt was born at Easter 1990.", [1990]),
        ("We meet at Christmas 2025.", [2025]),
        ("We leave on Good Friday.", [2024]),
        ("I sang in a choir at Easter.", [2023]),
    ],
)
def test_a_holiday_of_every_year_has_no_year(said, years):
    assert [time.begin.year for time in times_of(parse([said])[0], SAID)] == years


def test_two_clauses_of_one_sentence_may_look_both_ways():
    text = "I applied for the flat on 9 October and the viewing is on 9 April."
    assert [time.begin.year for time in times_of(parse([text])[0], SAID)] == [2023, 2024]


def test_how_long_something_took_is_no_time():
    assert times_of(parse(["I learned Polish in two years."])[0], SAID) == ()
    assert times_of(parse(["I will learn Polish in two years."])[0], SAID)[0].begin.year == 2026


def test_without_a_day_of_speaking_only_full_dates_are_found():
    doc = parse(["I moved on 18 May 2021 and again on 3 June."])[0]
    assert [time.text for time in times_of(doc, None)] == ["on 18 May 2021"]
