"""What leads over to a question is no part of the statement before it."""

from __future__ import annotations

import pytest

from tests.nlp.language.test_extractor import extract, message, texts

pytestmark = pytest.mark.models


def test_a_dash_and_a_lead_in_before_a_question_cost_the_statement_nothing() -> None:
    said = (
        "By the way, I've been using my Garmin watch for 3 weeks now, and it keeps me on track with my runs"
        " - speaking of which, do you have any tips on how to pace myself?"
    )
    (told,) = texts(extract(message(1, "Ann", said), people=("Ann",))[0])
    assert "Garmin watch" in told
    assert "speaking" not in told
