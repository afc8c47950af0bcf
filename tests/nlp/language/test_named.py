"""What a fact speaks of as known is named in it, or the fact is not made.

Every row is (what is said, by turns, and the facts of it in order); said on Friday 12 January 2024.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from spacy.tokens import Token

from memcore.domain.extraction import Buffer, ExtractionTrace
from memcore.nlp.language import pipeline
from memcore.nlp.language.extractor import LanguageExtractor
from memcore.nlp.language.people import Turn
from memcore.nlp.language.statements.naming import Told, names
from tests.nlp.language.test_conversations import conversation, facts, named

pytestmark = pytest.mark.models

NAMED: list[tuple[list[str], list[str]]] = [
    (
        [
            "Ada: I signed up for a pottery class in Leeds in May.",
            "Ben: Nice!",
            "Ada: I quit the class on Monday.",
        ],
        [
            "Ada signed up for a pottery class in Leeds in May 2023.",
            "Ada quit the pottery class in Leeds on 8 January 2024.",
        ],
    ),
    (["Ada: I sold the boat for $4,000."], ["Ada sold the boat for $4,000."]),
    (["Ada: I am learning to play the theremin."], ["Ada is learning to play the theremin."]),
    (
        ["Ada: I love the hills in Leeds, and I work as a nurse."],
        ["Ada loves the hills in Leeds.", "Ada works as a nurse."],
    ),
    (["Ada: I love the team, and I still work as a nurse."], ["Ada still works as a nurse."]),
    (
        ["Ada: I had fish and chips on the harbour last week."],
        ["Ada had fish and chips on the harbour in the week of 1 January 2024."],
    ),
    (
        ["Ben: How was your charity auction?", "Ada: At the auction, I met a baker called Karl."],
        ["At Ada's charity auction, Ada met a baker called Karl."],
    ),
]

OWN_NAME: list[tuple[list[str], list[str]]] = [
    (["Ada: My name is Ada and I work as a nurse in Leeds."], ["Ada works as a nurse in Leeds."]),
    (["Ada: My name is Ada."], []),
]

UNNAMED: list[list[str]] = [
    ["Ada: I quit the class in May."],
    [
        "Ada: I like a pottery class and a dance class in Leeds.",
        "Ben: Nice!",
        "Ada: I quit the class in May.",
    ],
    ["Ada: The worst was the noise of the trams in Oslo."],
    ["Ada: The younger kids love trams in Oslo."],
    ["Ada: There were games and arts for families."],
    ["Ada: We played games and ate cake."],
    ["Ada: I chose a wireless model."],
    ["Ada: The next weekend, I bought."],
]


def to_assistant(*lines: str) -> Buffer:
    """A conversation with an assistant; every line is "user: ..." or "assistant: ..."."""
    buffer = conversation(list(lines))
    messages = tuple(replace(message, role=message.speaker) for message in buffer.messages)
    return replace(buffer, messages=messages, people=("user", "assistant"))


def told(*lines: str) -> tuple[list[str], ExtractionTrace]:
    extraction, trace = LanguageExtractor("none").extract([to_assistant(*lines)])[0]
    return [fact.text for fact in extraction.facts], trace


@pytest.mark.parametrize(("lines", "expected"), NAMED, ids=named(NAMED))
def test_the_full_name_of_a_thing_stands_in_place_of_the_bare_noun(lines, expected):
    assert facts(lines) == expected


@pytest.mark.parametrize(("lines", "expected"), OWN_NAME, ids=named(OWN_NAME))
def test_who_is_called_by_a_name_is_not_told_to_have_it(lines, expected):
    assert facts(lines) == expected


@pytest.mark.parametrize("lines", UNNAMED, ids=[lines[-1] for lines in UNNAMED])
def test_what_nothing_names_makes_no_fact(lines):
    last = lines[-1].split(": ", 1)[1].rstrip(".")
    assert not [fact for fact in facts(lines) if last[-6:] in fact]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Please rewrite this email: I was born in Oslo and I own a boat.", "a text to be edited"),
        ("Continue the story. I took the lamp and walked into the cave.", "the plot of a story"),
        ("Write the next scene. Karl hits Maja with a lamp.", "the plot of a story"),
        ("Oslo has a famous opera house near the harbour.", "told to an assistant about something else"),
        ("I'll try the second recipe with more garlic.", "of the chat with an assistant"),
        ("I really like the idea of using wooden crates for a backdrop.", "of the chat with an assistant"),
        ("I'm also curious about the concept of karma and my well-being.", "of the chat with an assistant"),
        ("I'd also like to add my feed costs to the table.", "of the chat with an assistant"),
    ],
)
def test_what_says_nothing_of_its_speaker_makes_no_fact(said, reason):
    facts, trace = told(f"user: {said}")
    assert facts == []
    assert any(one.reason.startswith(reason) for one in trace.skipped)


def test_a_move_in_a_game_says_nothing_of_who_plays():
    facts, _ = told(
        "user: Let's play a text adventure.", "assistant: You wake up.", "user: I drink wine in Oslo."
    )
    assert facts == []


def test_the_reason_for_taking_up_advice_is_kept():
    facts, _ = told("user: I'll try those stretches, since I've been noticing pain in my left knee.")
    assert facts == ["User has been noticing pain in their left knee."]


class Watched:
    """A parsed sentence that counts how often it is gone through."""

    def __init__(self, text: str) -> None:
        self.doc = pipeline.parse([text])[0]
        self.times = 0

    def __iter__(self) -> Iterator[Token]:
        self.times += 1
        return iter(self.doc)


def test_a_sentence_is_gone_through_once_however_many_later_ones_ask_what_it_names() -> None:
    """Of a message of a thousand sentences each asks all before it."""
    said = Watched("I signed up for a pottery class.")
    ann = Turn("Ann", None, ("Ann",))
    told = [Told(said, ann)]  # type: ignore[arg-type]
    for later in pipeline.parse(["I sold the boat on Monday.", "I miss the boat.", "The engine was loud."]):
        assert names(later, frozenset(), ann, [told])[0] == ()
    assert said.times == 1
