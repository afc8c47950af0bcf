"""Reading a question: people, entities, times; longest names first."""

from __future__ import annotations

from datetime import datetime

import pytest

from memcore.domain.models import Entity
from memcore.domain.names import entity_key
from memcore.retrieval.plan import plan_query
from memcore.retrieval.results import QueryPlan

MAY_8 = datetime(2023, 5, 8, 13, 56)


def plan(query: str, *names: tuple[str, str]) -> tuple[QueryPlan, tuple[str, ...]]:
    entities = {entity_key(n): Entity(f"e:{entity_key(n)}", "me", n, kind) for n, kind in names}
    return plan_query(query, speakers=["Ana", "Ben"], entities=entities, reference=MAY_8)


def test_speakers_and_entities_are_recognised_whatever_their_case() -> None:
    found, ids = plan("when did ANA go to the LGBTQ Support Group?", ("LGBTQ support group", "EVENT"))
    assert found.persons == ("Ana",)
    assert found.entities == ("LGBTQ support group",)
    assert ids == ("e:lgbtq support group",)


def test_the_longest_name_wins_over_its_parts() -> None:
    found, _ = plan("What about the support group?", ("group", "THING"), ("support group", "THING"))
    assert found.entities == ("support group",)


def test_a_possessive_is_the_person() -> None:
    assert plan("What is Ben's dog called?")[0].persons == ("Ben",)


def test_a_person_known_only_from_the_graph_counts_as_a_person() -> None:
    assert plan("Who is Carla?", ("Carla", "PERSON"))[0].persons == ("Carla",)


@pytest.mark.parametrize(
    ("query", "begin", "end"),
    [
        ("What did Ana do last week?", datetime(2023, 5, 1), datetime(2023, 5, 8)),
        ("What did Ana do in June 2022?", datetime(2022, 6, 1), datetime(2022, 7, 1)),
        ("What happened after 2021?", datetime(2022, 1, 1), datetime.max),
        ("What happened before 2021?", datetime.min, datetime(2021, 1, 1)),
        ("What did Ana do in July?", datetime(2022, 7, 1), datetime(2022, 8, 1)),
        ("What will Ana do in July?", datetime(2023, 7, 1), datetime(2023, 8, 1)),
        ("Where does Ana live?", None, None),
    ],
)
def test_the_asked_time_is_resolved(query: str, begin: datetime | None, end: datetime | None) -> None:
    found, _ = plan(query)
    assert (found.time_from, found.time_to) == (begin, end)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("What did Ana buy 10 days ago?", ["What", "did", "Ana", "buy"]),
        ("What did Ana buy last week in Porto?", ["What", "did", "Ana", "buy", "in", "Porto"]),
        ("What did Ana do in June 2022?", ["What", "did", "Ana", "do", "in", "June", "2022"]),
        ("Yesterday?", ["Yesterday"]),
    ],
)
def test_a_time_that_counts_from_when_it_is_asked_is_no_word_to_look_for(
    query: str, words: list[str]
) -> None:
    assert plan(query)[0].words.rstrip("? ").split() == words


@pytest.mark.parametrize(
    ("query", "asks"),
    [
        ("When did Ana move?", True),
        ("Since when does Ana paint?", True),
        ("What year did Ana move?", True),
        ("In which month was it?", True),
        ("What does Ana do when it rains?", False),
    ],
)
def test_questions_for_a_time_are_known(query: str, asks: bool) -> None:
    assert plan(query)[0].asks_when is asks


@pytest.mark.parametrize(
    ("query", "asks"),
    [
        ("How many plays has Ana read this year?", True),
        ("How long have I been rowing?", True),
        ("How often does Ana see her doctor?", True),
        ("What is my current address?", True),
        ("Where does Ana work now?", True),
        ("Where did I go on my most recent trip?", True),
        # of one occasion, of all of them, or of before
        ("How many plays did Ana read in May?", False),
        ("How many times has Ana been to Porto?", False),
        ("How many bikes did I own before?", False),
        ("What was my previous address?", False),
        ("What did Ana buy recently?", False),
        ("What does Ana like?", False),
    ],
)
def test_questions_for_how_it_is_now_are_known(query: str, asks: bool) -> None:
    assert plan(query)[0].asks_now is asks


@pytest.mark.parametrize(
    ("query", "roles"),
    [
        ("Which tea do I like?", ("user",)),
        ("Which tea did you suggest?", ("assistant",)),
        ("Which hotel was I recommended?", ("user", "assistant")),
        ("What did ChatGPT say about the roof?", ("assistant",)),
        ("What was the dish in our last conversation?", ("user", "assistant")),
        ("What was I given for my birthday?", ("user",)),
        ("Which tea does Ana like?", ()),
    ],
)
def test_whose_words_are_asked_about_is_known(query: str, roles: tuple[str, ...]) -> None:
    assert plan(query)[0].roles == roles


def test_stop_words_are_no_keywords_and_no_names() -> None:
    found, ids = plan("What is it about?", ("It", "THING"))
    assert found.keywords == ()
    assert ids == ()
