"""Ask, "Why not …?": what should have come is found by its words, chosen, and explained."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import Open, shown

pytestmark = pytest.mark.usefixtures("light_embedder")
PAGE = "9_Ask"
QUESTION = "When did Ada move to Lisbon?"


def without_times(html: str) -> str:
    return re.sub(r"[\d.]+ ms", "… ms", html)


def chosen(app: AppTest, kind: str) -> str:
    """The first message or memory that is offered, chosen."""
    box = app.selectbox(key="chosen_why")
    wanted = next(option for option in box.options if option.startswith(kind))
    box.select(wanted).run()
    assert not app.exception
    return str(app.query_params["why"])


def test_a_message_that_should_have_come_is_chosen_by_its_words_and_explained(
    seeded: Path, open_page: Open
) -> None:
    app = open_page(PAGE, q=QUESTION, k="1")
    app.text_input(key="bound_why_words").set_value("porto").run()
    message = chosen(app, "Message")
    html = shown(app)
    assert "behind the first 1." in html
    assert '<th scope="col">view</th>' in html
    assert [b for b in app.button if str(b.key).startswith("correct_why_not_")]
    again = open_page(PAGE, q=QUESTION, k="1", why=message, why_words="porto")
    assert without_times(shown(again)) == without_times(html), "the link says the same"


def test_a_second_one_is_asked_about_in_place_of_the_first(seeded: Path, open_page: Open) -> None:
    app = open_page(PAGE, q=QUESTION)
    app.text_input(key="bound_why_words").set_value("porto").run()
    first = chosen(app, "Message")
    app.text_input(key="bound_why_words").set_value("lisbon").run()
    second = chosen(app, "Memory")
    assert first != second
    assert app.query_params["why"] == second
    assert "Result 1" in shown(app)


def test_words_that_nobody_said_and_an_unknown_id_are_told(seeded: Path, open_page: Open) -> None:
    app = open_page(PAGE, q=QUESTION, why_words="zebra crossing")
    assert "has all of these words" in shown(app)
    app = open_page(PAGE, q=QUESTION, why="<script>")
    assert not app.exception
    assert "no message and no memory" in shown(app)
    assert "<script" not in shown(app)


def test_what_led_to_the_answer_of_another_question_is_dropped(seeded: Path, open_page: Open) -> None:
    app = open_page(PAGE, q=QUESTION, why_words="porto", why="nope")
    app.text_input[0].set_value("Where does Ada live?")
    next(b for b in app.button if b.label == "Ask").click().run()
    assert "why" not in app.query_params
    assert app.text_input(key="bound_why_words").value == ""
