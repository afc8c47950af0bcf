"""Fragments of a chat between people that together tell something are quoted together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memcore.nlp.language.extractor import LanguageExtractor
from tests.nlp.language.test_conversations import conversation, facts

pytestmark = pytest.mark.models


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (
            ["Ada: 2 rooms near the harbour, 950 a month", "Ada: no balcony"],
            ['Ada said to Ben: "2 rooms near the harbour, 950 a month; no balcony."'],
        ),
        (
            ["Ada: Leaving drinks on 13 December, Crown bar, from 6"],
            ['On 12 January 2024 Ada said to Ben: "Leaving drinks on 13 December, Crown bar, from 6."'],
        ),
        (
            ["Ben: Which rooms does the new flat have?", "Ada: 2 bedrooms, small kitchen, no garden"],
            [
                'Ben asked Ada: "Which rooms does the new flat have?" '
                'Ada answered: "2 bedrooms, small kitchen, no garden."'
            ],
        ),
        (["Ada: 72!!"], []),
        (["Ada: they want 950 a month for it"], []),
        (["Ada: 950 a month plus your own bills"], []),
        (["Ada: 2 rooms near", "Ben: Ok.", "Ada: the big harbour"], []),
    ],
)
def test_fragments_with_a_figure_are_told_together(turns, expected):
    assert facts([*turns, "Ben: I see."]) == expected


def test_fragments_for_an_assistant_are_not():
    told = replace(conversation(["User: table, 2 columns, 4 rows of data"]), people=("User", "Assistant"))
    assert LanguageExtractor().extract([told])[0][0].facts == ()
