"""The time of asking on the pages that ask: a day finds its message; what holds without one is said."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memcore import open_memory
from memcore.domain.models import LogRead, now
from tests.app.conftest import Open, shown
from tests.asking import QUESTION, on_both_days, purchases
from tests.pipeline import FakeBackends
from ui.shell import opened

ENDED = "15 Jan 2024, when the newest message was said"


@pytest.fixture
def shopping(store: Path) -> Path:
    with open_memory(store, backends=FakeBackends) as memory:
        memory.ingest(LogRead((purchases(),)))
        memory.ingest(LogRead((purchases(),)), recipe="naive_rag")
    opened.work_with(FakeBackends)
    return store


def first_result(app: AppTest) -> str:
    """What Ask lists first."""
    html = shown(app)
    return min(("apples", "pears"), key=lambda what: html.index(f"Ann bought {what} at the market"))


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception


@on_both_days
def test_the_same_question_on_another_day_finds_another_message(
    shopping: Path, open_page: Open, day: str, bought: str
) -> None:
    app = open_page("9_Ask", q=QUESTION, asked_on=day)
    assert first_result(app) == bought
    assert f"Asked: {int(day[-2:])} Jan 2024." in shown(app)


def test_the_day_is_used_twice_and_stays_in_the_address(shopping: Path, open_page: Open) -> None:
    app = open_page("9_Ask", q=QUESTION)
    for day, bought in ((18, "apples"), (25, "pears"), (18, "apples")):
        app.date_input(key="asked_asked_on").set_value(date(2024, 1, day))
        press(app, "Ask")
        assert app.query_params["asked_on"] == f"2024-01-{day}"
        assert first_result(app) == bought
    app.date_input(key="asked_asked_on").set_value(None)
    press(app, "Ask")
    assert "asked_on" not in app.query_params
    assert f"Asked: {ENDED}." in shown(app)


def test_leaving_and_coming_back_keeps_it(shopping: Path, open_page: Open) -> None:
    app = open_page("9_Ask", q=QUESTION, asked_on="2024-01-18")
    app.switch_page("pages/5_Memories.py").run()
    app.switch_page("pages/9_Ask.py")
    app.query_params["q"], app.query_params["asked_on"] = QUESTION, "2024-01-18"  # as the browser's Back does
    app.run()
    assert app.date_input(key="asked_asked_on").value == date(2024, 1, 18)
    assert first_result(app) == "apples"


def test_beside_the_field_stands_what_holds_while_it_is_empty(shopping: Path, open_page: Open) -> None:
    assert f"“Asked on” left empty means: {ENDED}." in shown(open_page("9_Ask"))
    about = shown(open_page("9_Ask", q=QUESTION, as_of="2024-01-16"))
    assert "“Asked on” left empty means: 16 Jan 2024, the time it asks about." in about
    assert "Asked: 16 Jan 2024, the time it asks about." in about


def test_a_memory_that_is_written_to_is_asked_now(store: Path, open_page: Open) -> None:
    with open_memory(store, backends=FakeBackends) as memory:
        memory.ingest(LogRead((purchases(begin=now() - timedelta(days=10)),)))
    opened.work_with(FakeBackends)
    app = open_page("9_Ask", q=QUESTION)
    assert "“Asked on” left empty means: now." in shown(app) and "Asked: now." in shown(app)
    assert first_result(app) == "apples"


def test_systems_are_compared_on_the_same_day(shopping: Path, open_page: Open) -> None:
    app = open_page("10_Compare", systems="memscope,naive_rag", view="A question", q=QUESTION)
    assert f"“Asked on” left empty means: {ENDED}." in shown(app) and f"Asked: {ENDED}." in shown(app)
    for day in (18, 25):
        app.date_input(key="compared_asked_on").set_value(date(2024, 1, day))
        press(app, "Compare contexts")
        assert app.query_params["asked_on"] == f"2024-01-{day}"
        assert f"Asked: {day} Jan 2024." in shown(app)


@on_both_days
def test_why_one_was_not_found_is_said_of_that_day(
    shopping: Path, open_page: Open, day: str, bought: str
) -> None:
    other = {"apples": "pears", "pears": "apples"}[bought]
    with open_memory(shopping, backends=FakeBackends) as memory:
        (missed,) = [one.id for one in memory.memories.find(recipe="memscope") if other in one.text]
    html = shown(open_page("9_Ask", q=QUESTION, k="1", asked_on=day, recipe="memscope", why=missed))
    assert "Place 2, behind the first 1." in html
