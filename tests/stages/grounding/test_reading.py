"""Texts taken apart: names, numbers, times and what stands negated."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcore.stages.grounding.reading import Reading, read


def reading(text: str) -> Reading:
    return read(text, datetime(2024, 3, 13), frozenset({"nora", "felix"}))


def negated(text: str) -> list[str]:
    return [word.text for word in reading(text).words if word.negated and word.weight]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't like opera", ["opera"]),
        ("I like opera, not ballet", ["ballet"]),
        ("I can't wait to see the opera", []),
        ("I never saw it, but I heard it", ["saw"]),
        ("No, I saw the opera", []),
        ("I did not fail the exam", []),
        ("I failed the exam", ["failed", "exam"]),
        ("Sleep helps", []),
        ("I no longer row", ["row"]),
        ("I don't row anymore on Sundays", ["row"]),
        ("I rowed a longer way", []),
        ("I rowed no longer than two miles", []),
        ("It was a not-so-good way", []),
    ],
)
def test_a_negation_reaches_to_the_end_of_its_clause(text, words):
    assert negated(text) == words


def test_names_are_told_from_first_words_months_and_speakers():
    text = "Swimming with Nora in Lake Como beats Monday meetings. Rosalind agrees."
    assert [word.text for word in reading(text).words if word.is_name] == ["Lake", "Como", "Rosalind"]


def test_a_number_within_a_time_is_part_of_the_time():
    words = reading("Nora bought three lamps two weeks ago").words
    assert [(word.figure, word.in_time) for word in words if word.figure] == [("3", False), ("2", True)]


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("fifty-four miles", ["54"]),
        ("Seventy-one of them", ["71"]),
        ("a twenty-two-year-old", ["22"]),
        ("54 miles, a one-way trip", ["54"]),
        ("eighty lamps", ["80"]),
        ("1.5k steps", ["1500"]),
    ],
)
def test_a_number_in_words_is_that_in_figures(text, figures):
    assert [word.figure for word in reading(text).words if word.figure] == figures


def test_a_report_names_times_as_those_who_told_them():
    said, reported = reading("I left last month"), reading("Nora left the previous month")
    assert (said.times[0].begin, said.times[0].until) == (reported.times[0].begin, reported.times[0].until)


def test_the_weekday_of_a_date_is_no_time_of_its_own():
    (time,) = reading("Nora will row on Saturday 2024-03-16").times
    assert (time.begin, time.until) == (datetime(2024, 3, 16), datetime(2024, 3, 17))


PARTS = (
    "Nora's can't didn't 5k fifty-four “Tea” last week on 18 May no, No. rock'n'roll 3rd ASKED ı Ü".split()
)


@given(st.one_of(st.text(), st.lists(st.sampled_from(PARTS)).map(" ".join)))
def test_what_is_asked_of_a_text_by_itself_agrees_with_its_words(text):
    one, other = (Reading(text, datetime(2024, 3, 13), frozenset({"nora"})) for _ in range(2))
    stems, stemmed = one.stems, one.stemmed
    assert stemmed == tuple((word.start, word.text, word.stem) for word in other.words)
    assert stems == {part for word in other.words for part in (word.stem, *word.stem.split("'"))}
    assert one.words == other.words
