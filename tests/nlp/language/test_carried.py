"""A sentence is told behind what its speaker said in an earlier message, where it goes on with that.

Every row is (what is said, by turns, and the facts of it in order); said on Friday 12 January 2024.
"""

from __future__ import annotations

import pytest

from memcore.nlp.language.extractor import LanguageExtractor
from tests.nlp.language.test_conversations import conversation, facts, named
from tests.nlp.language.test_named import to_assistant

pytestmark = pytest.mark.models

JOINED_A_CLUB = "Ada: I joined a rowing club in Leeds in May."

ASKED_ON: list[tuple[list[str], list[str]]] = [
    (
        [JOINED_A_CLUB, "Ben: How is it going?", "Ada: I also met some great people."],
        [
            "Ada joined a rowing club in Leeds in May 2023.",
            "Ada joined a rowing club in Leeds in May 2023. Ada also met some great people.",
        ],
    ),
    (
        [JOINED_A_CLUB, "Ben: Did you take part?", "Ada: I also tried a boat."],
        [
            "Ada joined a rowing club in Leeds in May 2023.",
            "Ada joined a rowing club in Leeds in May 2023. Ada also tried a boat.",
        ],
    ),
    (
        ["Ada: I like trams.", "Ben: How is it going?", "Ada: I also met some great bakers at work."],
        ["Ada likes trams.", "Ada also met some great bakers at work."],
    ),
    (
        [JOINED_A_CLUB, "Ben: How is it going?", "Ada: By the way, I also met some great bakers."],
        ["Ada joined a rowing club in Leeds in May 2023.", "Ada also met some great bakers."],
    ),
    (
        [JOINED_A_CLUB, "Ben: I sing in it. How about that?", "Ada: I am getting musical too."],
        ["Ada joined a rowing club in Leeds in May 2023.", "Ada is getting musical too."],
    ),
    (
        [
            JOINED_A_CLUB,
            "Ben: How is it?",
            "Ada: I still think that rowing and swimming in rivers is the way to go.",
        ],
        [
            "Ada joined a rowing club in Leeds in May 2023.",
            "Ada joined a rowing club in Leeds in May 2023. "
            "Ada still thinks that rowing and swimming in rivers is the way to go.",
        ],
    ),
]

ANSWERED: list[tuple[list[str], list[str]]] = [
    (
        [
            "Ben: Did you raise any money for the shelter in Leeds?",
            "Ada: We got blankets and soap to help out.",
        ],
        [
            'Ben asked Ada: "Did you raise any money for the shelter in Leeds?" Ada and others got blankets '
            "and soap to help out."
        ],
    ),
]

BROUGHT_IN: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: I saw a heron that I liked in Leeds.", "Ben: Oh.", "Ada: The heron was resting near my pond."],
        [
            "Ada saw a heron that they liked in Leeds.",
            "Ada saw a heron that they liked in Leeds. The heron was resting near Ada's pond.",
        ],
    ),
    (
        [
            "Ada: I'm not buying a game in Leeds.",
            "Ben: Oh.",
            "Ada: I love the story of the game.",
        ],
        ["Ada is not buying a game in Leeds."],
    ),
    (
        [
            "Ada: I saw a heron that I liked in Leeds.",
            "Ben: Oh.",
            "Ada: I live in a small house in Kent. The heron was resting near my pond.",
        ],
        [
            "Ada saw a heron that they liked in Leeds.",
            "Ada saw a heron that they liked in Leeds. Ada lives in a small house in Kent. "
            "The heron was resting near Ada's pond.",
        ],
    ),
]

BEHIND_THE_SENTENCE_BEFORE: list[tuple[list[str], list[str]]] = [
    (
        ["Ada: I opened a bakery in Leeds. Now I'm hoping for a good review."],
        ["Ada opened a bakery in Leeds. As of 12 January 2024, Ada is hoping for a good review."],
    ),
    (
        ["Ada: I row every Tuesday in Leeds, and my legs are pretty sore the next day."],
        ["Ada rows every Tuesday in Leeds, and Ada's legs are pretty sore the next day."],
    ),
    (
        ["Ada: My trip to Kent was amazing! I went with some friends from school and we had a blast."],
        ["Ada's trip to Kent was amazing. Ada went with some friends from school and they had a blast."],
    ),
    (
        ["Ada: I booked the ferry to Norway. I don't want to miss any sights along the way."],
        ["Ada booked the ferry to Norway. Ada doesn't want to miss any sights along the way."],
    ),
    (
        ["Ada: I love the concerts in Leeds. It's so convenient to watch from home with my aunt."],
        ["Ada loves the concerts in Leeds. It's so convenient to watch from home with Ada's aunt."],
    ),
    (
        ["Ada: Last week I went to a Bach fair in Kent! There were so many people who love Bach as I do."],
        [
            "In the week of 1 January 2024 Ada went to a Bach fair in Kent. "
            "There were so many people who love Bach as Ada does."
        ],
    ),
    (
        ["Ada: I joined a rowing club last Tuesday. I'm meeting so many cool people who care for rivers."],
        [
            "Ada joined a rowing club on 9 January 2024. "
            "Ada is meeting so many cool people who care for rivers."
        ],
    ),
    (
        ['Ada: I watch "Dark" with my sister. We just finished episode 5 and it\'s been fun.'],
        [
            'Ada watches "Dark" with their sister. Shortly before 12 January 2024, '
            "Ada and their sister finished episode 5 and it's been fun."
        ],
    ),
    (
        ["Ada: I subscribe to the Oslo Review. I've finished five issues so far!"],
        ["Ada subscribes to the Oslo Review. Ada has finished five issues so far."],
    ),
    (
        ["Ada: Rowing without pain in Leeds was a huge success. My aunt and I held a party to celebrate."],
        ["Rowing without pain in Leeds was a huge success. Ada's aunt and Ada held a party to celebrate."],
    ),
    (
        ["Ada: I'm planning to write about the sea and I need some help with finding good books."],
        ["Ada is planning to write about the sea and they need some help with finding good books."],
    ),
    (
        ["Ada: Bach and Haydn are amazing - I'm totally hooked!"],
        ["Ada said that Bach and Haydn are amazing. Ada is totally hooked."],
    ),
    (
        ["Ada: I'm hoping to attend a book fair in Kent. I'm excited to go as I love ships."],
        ["Ada is hoping to attend a book fair in Kent. Ada is excited to go as they love ships."],
    ),
    (
        ["Ben: How long have you played the violin?", "Ada: I've been playing for about four months now."],
        [
            'Ben asked Ada: "How long have you played the violin?" '
            "Ada has been playing since around September 2023."
        ],
    ),
]

PASSED_OVER: list[list[str]] = [
    ["Ada: I went with some friends from school and we had a blast."],
    ["Ada: I've been enjoying different genres."],
    ["Ada: I recently went to an event and it was fantastic."],
    ["Ada: I'm still unsure."],
    ["Ada: I'm sure the importance of friendship is emphasized."],
    ["Ada: Pottery is a great way to relax, so it must have been tough taking a break."],
    ["Ada: Things are going really well!"],
    ["Ada: I've been playing for about four months now."],
    ["Ada: What's the best way to store soup? I want to make a big batch."],
    ["Ada: We are launching a similar bus service for the Oslo market."],
]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [*ASKED_ON, *ANSWERED, *BROUGHT_IN, *BEHIND_THE_SENTENCE_BEFORE],
    ids=named([*ASKED_ON, *ANSWERED, *BROUGHT_IN, *BEHIND_THE_SENTENCE_BEFORE]),
)
def test_sentence_is_told_behind_what_it_goes_on_with(lines, expected):
    assert facts(lines) == expected


@pytest.mark.parametrize("lines", PASSED_OVER)
def test_of_what_kind_nothing_says_is_passed_over(lines):
    assert facts(lines) == []


def test_both_messages_are_cited_the_fact_s_own_first():
    lines = [JOINED_A_CLUB, "Ben: How is it going?", "Ada: I also met some great people."]
    fact = LanguageExtractor().extract([conversation(lines)])[0][0].facts[-1]
    assert [source.message_id for source in fact.sources] == ["m2", "m0"]


TOLD_TO_AN_ASSISTANT: list[tuple[list[str], str]] = [
    (
        ["I'm planning a dinner party.", "I'm thinking of serving curry and rice."],
        "User is planning a dinner party. User is thinking of serving curry and rice.",
    ),
    (
        ["I'm looking to book a flight to Oslo.", "I'm considering a taxi, but my aunt says it's dear."],
        "User is looking to book a flight to Oslo. "
        "User is considering a taxi, but their aunt says it's dear.",
    ),
    (
        [
            "I'm planning a trip to Kent and I need to pack the right cables for my devices.",
            "I plan to pack my Zenit camera.",
        ],
        "User is planning a trip to Kent. User plans to pack their Zenit camera.",
    ),
    (
        ["I'm planning a trip to Kent.", "I plan to take the train from the airport to my hotel."],
        "User is planning a trip to Kent. User plans to take the train from the airport to their hotel.",
    ),
    (
        ["I went on a hike in a park near Leeds.", "I also picked some leaves."],
        "User went on a hike in a park near Leeds. User also picked some leaves.",
    ),
    (
        ["I went on a hike in a park near Leeds. Can you tell me more of it?", "I also picked some leaves."],
        "User also picked some leaves.",
    ),
    (
        ["I'm planning a trip to Kent.", "I plan to pack my Zenit camera for a race."],
        "User plans to pack their Zenit camera for a race. (In a conversation about a trip to Kent.)",
    ),
]


@pytest.mark.parametrize(
    ("said", "expected"), TOLD_TO_AN_ASSISTANT, ids=[row[1] for row in TOLD_TO_AN_ASSISTANT]
)
def test_a_wish_or_deed_told_to_an_assistant_stands_behind_what_it_is_of(said, expected):
    buffer = to_assistant(f"user: {said[0]}", "assistant: How is it going?", f"user: {said[1]}")
    told = [fact.text for fact in LanguageExtractor().extract([buffer])[0][0].facts]
    assert told[-1] == expected


def test_what_is_said_of_the_assistant_s_answer_is_no_part_of_a_fact():
    buffer = to_assistant(
        "user: I'm baking for my aunt, so these tips are really helpful.",
        "assistant: Good.",
        "user: I moved to Leeds in May, and I think this will help me find my way.",
        "assistant: Good.",
        "user: I moved to Kent in June, and this town is great.",
    )
    told = [fact.text for fact in LanguageExtractor().extract([buffer])[0][0].facts]
    assert told[:2] == ["User is baking for their aunt.", "User moved to Leeds in May 2023."]
    assert "Kent" in told[2]


def test_back_to_normal_is_told_behind_what_was_not():
    said = to_assistant(
        "user: I still take pills for a cough. "
        "I'm looking forward to getting back to normal and not having to worry about pills every day."
    )
    (told,) = LanguageExtractor().extract([said])[0][0].facts
    assert told.text == (
        "User still takes pills for a cough. "
        "User is looking forward to getting back to normal and not having to worry about pills every day."
    )


def test_the_answers_that_an_exam_offers_are_nobody_s_words():
    asked = to_assistant("user: What is right of boats? A. Both have 10 sails. B. Both have 20 sails.")
    assert LanguageExtractor().extract([asked])[0][0].facts == ()


def test_that_before_a_plural_is_no_pointing():
    assert facts(["Ada: I've heard that hill repeats can help my legs in Leeds."]) == [
        "Ada has heard that hill repeats can help Ada's legs in Leeds."
    ]
