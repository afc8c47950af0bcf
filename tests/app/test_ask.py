"""Ask: the words that answer, and how they were found."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memcore.memory import Memory
from memcore.retrieval.results import ModelFailure
from tests.app.conftest import Open, shown
from tests.contract.ollama_double import OllamaDouble

pytestmark = pytest.mark.usefixtures("light_embedder")


def test_without_a_model_it_says_so_and_shows_the_memories_with_their_words(
    seeded: Path, open_page: Open
) -> None:
    html = shown(open_page("9_Ask", q="When did Ada move to Lisbon?"))
    assert "No language model is chosen" in html
    assert "<mark>I moved to Lisbon last week.</mark>" in html
    assert "friends.md, line 1" in html


def test_a_question_typed_in_is_kept_in_the_url(seeded: Path, open_page: Open) -> None:
    app = open_page("9_Ask")
    app.text_input[0].set_value("Where does Ada live?")
    next(b for b in app.button if b.label == "Ask").click().run()
    assert app.query_params["q"] == "Where does Ada live?"
    assert "Ada lives in Porto" in shown(app)


def test_every_further_question_is_asked_too(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, asked = Memory.ask, []

    def noted(self: Memory, query: str, **more: Any) -> Any:
        asked.append(query)
        return ask(self, query, **more)

    monkeypatch.setattr(Memory, "ask", noted)
    app = open_page("9_Ask")
    questions = ["Where does Ada live?", "What is the cat called?", "Who has a bad knee?"]
    for typed in questions:
        app.text_input[0].set_value(typed)
        next(b for b in app.button if b.label == "Ask").click().run()
        assert (app.text_input[0].value, app.query_params["q"]) == (typed, typed)
    assert asked == questions


def test_the_form_says_what_the_address_asks(seeded: Path, open_page: Open) -> None:
    app = open_page("9_Ask", q="Where does Ada live?", k="3")
    app.query_params["q"], app.query_params["k"] = (
        "What is the cat called?",
        "5",
    )  # as the browser's Back does
    app.run()
    assert (app.text_input[0].value, app.number_input[0].value) == ("What is the cat called?", 5)
    assert "a cat called Miso" in shown(app)


@pytest.mark.parametrize("given", ["yesterday", "0001-01-01"])
def test_a_day_that_cannot_be_asked_for_is_none(seeded: Path, open_page: Open, given: str) -> None:
    app = open_page("9_Ask", q="Where does Ada live?", as_of=given, asked_on=given, k="9" * 5_000)
    assert not app.exception
    assert [field.value for field in app.date_input] == [None, None]
    assert "Ada lives in Porto" in shown(app)


def test_an_answer_is_shown_with_the_words_it_cites(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Memory.ask

    def answered(self: Memory, query: str, **more: Any) -> Any:
        return replace(ask(self, query, **more), answer="In <i>Lisbon</i> [1].", answered_by="test-model")

    monkeypatch.setattr(Memory, "ask", answered)
    html = shown(open_page("9_Ask", q="When did Ada move to Lisbon?"))
    assert "In &lt;i&gt;Lisbon&lt;/i&gt; [1]." in html
    assert "Written by test-model" in html
    assert "[1] “" in html


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that the pages ask."""
    ask: Any = Memory.ask
    questions: list[str] = []

    def counted(self: Memory, query: str, **more: Any) -> Any:
        questions.append(query)
        return ask(self, query, **more)

    monkeypatch.setattr(Memory, "ask", counted)
    return questions


def ask_again(app: AppTest) -> str:
    next(b for b in app.button if b.label == "Ask").click().run()
    assert not app.exception
    return shown(app)


def test_a_server_that_is_down_costs_the_answer_until_it_is_there(
    seeded: Path, open_page: Open, asked: list[str]
) -> None:
    """Its error and fix stand above the memories; asking again asks it again, another page run does not."""
    with OllamaDouble() as double:
        host = double.host
    (seeded / "settings.json").write_text(
        json.dumps({"llm": "ollama", "ollama_host": host, "ollama_model": "testdouble"})
    )
    app = open_page("9_Ask", q="Where does Ada live?")
    assert not app.exception
    html = shown(app)
    assert "The language model gave no answer." in html
    assert f"Ollama is not running at {host}." in html
    assert "Start it with `ollama serve`" in html
    assert "Ada lives in Porto" in html
    assert "did without the chosen language model" not in html, "Memscope's own search asks none"
    app.run()
    assert len(asked) == 1
    with OllamaDouble(port=int(host.rpartition(":")[2])) as double:
        double.answer("In Porto [1].")
        html = ask_again(app)
    assert "In Porto [1]." in html
    assert "gave no answer" not in html


def test_a_search_that_had_to_do_without_the_model_says_so_above_its_memories(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Memory.search

    def searched(self: Memory, query: str, **more: Any) -> Any:
        found = search(self, query, **more)
        failure = ModelFailure("It answered <b>nothing</b>.", "Ask again.")
        return replace(found, trace=replace(found.trace, failure=failure))

    monkeypatch.setattr(Memory, "search", searched)
    html = shown(open_page("9_Ask", q="Where does Ada live?"))
    warning = "The search did without the chosen language model: It answered &lt;b&gt;nothing&lt;/b&gt;."
    assert warning in html
    assert html.index(warning) < html.index("Ada lives in Porto")


def test_a_page_run_that_changes_nothing_asks_no_model_again(
    seeded: Path, open_page: Open, asked: list[str]
) -> None:
    app = open_page("9_Ask", q="Where does Ada live?")
    app.run()
    assert asked == ["Where does Ada live?"]


def test_the_plan_of_a_system_that_plans_its_search_is_shown_with_every_round(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Memory.search

    def planned(self: Memory, query: str, **more: Any) -> Any:
        found = search(self, query, **more)
        plan = replace(
            found.trace.plan,
            intent="the date of <b>one</b> move",
            complexity=0.5,
            depth=37,
            queries=("When did Ada move", "Ada's new flat"),
            indexes=("semantic", "lexical"),
            made_by="test-model (plan_v1)",
        )
        trace = replace(
            found.trace, plan=plan, strategy="simplemem", notes=("round 0: <i>found</i> 3", "reflection 1")
        )
        return replace(found, trace=trace)

    monkeypatch.setattr(Memory, "search", planned)
    html = shown(open_page("9_Ask", q="When did Ada move to Lisbon?"))
    for row in (
        "<th>intent</th><td>the date of &lt;b&gt;one&lt;/b&gt; move</td>",
        "<th>complexity</th><td>0.50 of 1</td>",
        "<th>depth of each view</th><td>37</td>",
        "<th>queries</th><td>When did Ada move · Ada&#x27;s new flat</td>",
        "<th>indexes</th><td>semantic, lexical</td>",
        "<th>read by</th><td>test-model (plan_v1)</td>",
        "<th>strategy</th><td>simplemem</td>",
        "round 0: &lt;i&gt;found&lt;/i&gt; 3",
        "reflection 1",
    ):
        assert row in html


def test_a_sessions_summary_leads_in_and_what_is_unknown_is_said(
    seeded: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LiCoMemory's results: a summary without words of its own, and the figures it ranked by."""
    search = Memory.search

    def searched(self: Memory, query: str, **more: Any) -> Any:
        found = search(self, query, **more)
        figures = {"Ss": 0.5, "gap_days": None}
        hits = [replace(hit, detail=figures) for hit in found.hits]
        lead = replace(hits[0], id="sum", kind="summary", text="Ada <moved>.", quotes=(), detail={"Ss": 0.5})
        return replace(found, hits=(lead, *hits))

    monkeypatch.setattr(Memory, "search", searched)
    html = shown(open_page("9_Ask", q="When did Ada move to Lisbon?"))
    assert "summary of a session" in html
    assert "Ada &lt;moved&gt;." in html
    assert "It leads into the results of its session" in html
    assert "Ss 0.5 · gap days unknown" in html
