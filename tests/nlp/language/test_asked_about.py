"""What was told is told with what had been asked, where its own words do not name it.

Said on Friday 12 January 2024.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from memcore.nlp.language import pipeline
from memcore.nlp.language.extractor import LanguageExtractor
from memcore.nlp.language.statements.asked_about import MOST_ON_IT
from memcore.nlp.language.syntax.requested import requested
from memcore.nlp.language.words.told_in import note_of
from tests.nlp.language.test_named import to_assistant
from tests.nlp.language.test_named import told as told_to_assistant

pytestmark = pytest.mark.models

BIKE = "user: I'm thinking of buying a new bike to commute to work. Can you help me plan a route?"
ABOUT_THE_BIKE = "(In a conversation about buying a new bike to commute to work.)"

REQUESTS: list[tuple[str, str]] = [
    ("I'm thinking of buying a new bike to commute to work.", "buying a new bike to commute to work"),
    ("I'm planning to move to Oslo in May.", "moving to Oslo in May"),
    ("I'm planning a trip to Hawaii and I'm looking for a hotel.", "a trip to Hawaii"),
    ("I'm looking for some inspiration for a new cocktail recipe.", "a new cocktail recipe"),
    ("I'm looking for some tips on how to improve my net shots.", "how to improve their net shots"),
    ("I'd love to visit some tram museums.", "visiting some tram museums"),
    ("I'd like to know how to stay calm while working on trams.", "how to stay calm while working on trams"),
    ("I'm looking for a link between tea.", ""),
    ("Should I try to build a kayak from scratch?", "whether to build a kayak from scratch"),
    ("I was wondering if I need to avoid the new bath.", "whether to avoid the new bath"),
    ("How should I paint my kayak?", "how to paint their kayak"),
    ("I'm looking to improve my drawings of trams.", "improving their drawings of trams"),
    (
        "I was wondering if you could help me organize my stamp collection.",
        "how to organize their stamp collection",
    ),
    ("I'm looking for recommendations on blues guitarists I should hear.", "blues guitarists"),
    ("Can you recommend a book on Norwegian boats?", "a book on Norwegian boats"),
    (
        "What are the responsibilities of the Census Bureau?",
        "the responsibilities of the Census Bureau",
    ),
    ("I'm planning to attend more concerts and I want to know some tips.", "attending more concerts"),
    ("I'm looking for some book recommendations.", "book recommendations"),
    ("How has Hinder's sound evolved?", "Hinder's sound"),
    ("I've been having some issues with my laptop's battery.", "issues with their laptop's battery"),
]

REQUESTS += [
    ("I'm in the market for a new car.", "a new car"),
    ("I'm trying to get an old vase appraised.", "how to get an old vase appraised"),
    ("I'm trying to get a better grip on my mornings.", "how to get a better grip on their mornings"),
    ("I've been learning how to fix old clocks.", "how to fix old clocks"),
    ("Tell me about Christmas.", "Christmas"),
    ("Can I row in the harbour at night?", "rowing in the harbour at night"),
    ("How do you paint model ships?", "how to paint model ships"),
    ("I'm curious about the Norse gods.", "the Norse gods"),
    ("I'm interested in learning more about stained glass.", "stained glass"),
    ("I'm looking for tips on painting and detailing tin soldiers?", "painting and detailing tin soldiers"),
    ("I'm looking for some gift ideas for my aunt.", "gift ideas for their aunt"),
    ("I need help organizing my stamp collection.", "organizing their stamp collection"),
]

REQUESTS += [
    ("Can you tell me more about the Norse gods?", "the Norse gods"),
    ("I'm planning my own wedding.", "their own wedding"),
    (
        "I'm planning a trip to Malta and I was wondering if you know some cheap hotels in Sliema.",
        "a trip to Malta, and cheap hotels in Sliema",
    ),
    (
        "I'm thinking of adding fresh flowers to my table to make it festive.",
        "adding fresh flowers to their table",
    ),
    (
        "I want to learn some new techniques to improve my guitar playing.",
        "new techniques to improve their guitar playing",
    ),
    ("What steps can be taken to prevent forest fires?", "how to prevent forest fires"),
    ("What measures are needed to prevent forest fires?", "how to prevent forest fires"),
    ("I was thinking about painting my shed blue, but I need ideas.", "painting their shed blue"),
    (
        "I'm looking for a new laptop and I was wondering about battery life.",
        "a new laptop, and battery life",
    ),
    (
        'I\'m looking for musicals like "Hamilton" and "Hadestown".',
        'musicals like "Hamilton" and "Hadestown"',
    ),
    ("I'm trying to get back into my morning runs.", "how to get back into their morning runs"),
    ("Do you know any brands of rain boots?", "rain boots"),
]

REQUESTS += [
    ("I've been thinking about my talk with my aunt two weeks ago.", "their talk with their aunt"),
    ("I'm looking for some new music to listen to.", "new music"),
    ("I'm looking for some new music", "new music"),
    ("I'm planning a trip to Oslo next week", "a trip to Oslo"),
    ("I'm looking for some new plays to watch, something old.", "new plays to watch"),
]

NO_REQUESTS = [
    "I was in a meeting with my uncle Tom and I drank tea.",
    "I was thinking of my grandmother.",
    "Would you take the train?",
    "Would it fall under furniture?",
    "Can you recommend any series that are similar to it?",
    "Do you think it would be a good idea?",
    "What should I carry in my backpack?",
    "I've been trying to be patient with my boat.",
    "I've been working at the mill for about 4 years and 3 months now.",
    "Do not write any explanations.",
    "Can you tell me about the ethical considerations behind this?",
    "I'm hoping to get some more insight.",
    "Are there any popular spots to visit?",
    "Can you help me with it?",
    "Can you recommend any apps or tools?",
    "What are the primary factors that lead to a storm?",
    "I'm interested in it.",
    "I'm flexible, but I'm thinking of going in March.",
    "Can you recommend some good options that would work well with my radio?",
    "I'm not interested in tin soldiers.",
    "What about this person?",
    "I need some advice.",
    "Do you have any tips?",
    "Make it shorter.",
    "What is it?",
    "What ethical implications do drones have?",
    "I want you to act as a doctor.",
    "I'm trying not to eat meat.",
    "I need my boss to approve my holiday.",
    "Can you find reviews of the bike(s) I own?",
]


@pytest.mark.parametrize(("asked", "matter"), REQUESTS)
def test_what_a_request_is_about_is_said_in_its_words(asked: str, matter: str) -> None:
    assert ", and ".join(requested(pipeline.parse([asked])[0])) == matter


@pytest.mark.parametrize("asked", NO_REQUESTS)
def test_a_request_that_does_not_say_what_it_is_about_is_about_nothing(asked: str) -> None:
    assert requested(pipeline.parse([asked])[0]) == ()


TOLD: list[tuple[list[str], str]] = [
    (
        [BIKE, "assistant: Where do you begin?", "user: My starting point is 123 Oak Street."],
        f"User's starting point is 123 Oak Street. {ABOUT_THE_BIKE}",
    ),
    (
        [
            "user: I'm planning a garden party. Can you help me?",
            "assistant: Sure.",
            "user: My garden has two ponds.",
        ],
        "User's garden has two ponds. (In a conversation about a garden party.)",
    ),
    (
        [BIKE, "assistant: Sure.", "user: I commuted to work by bike in Oslo."],
        "User commuted to work by bike in Oslo.",
    ),
    (
        [BIKE, "assistant: Sure.", "user: Thanks! By the way, I adopted a grey cat in March."],
        "User adopted a grey cat in March 2023.",
    ),
    (
        [
            BIKE,
            "assistant: Sure.",
            "user: By the way, do you know any brands of rain boots? I'm using an old pair of my aunt's.",
        ],
        "User is using an old pair of their aunt's. (In a conversation about rain boots.)",
    ),
    (
        [
            BIKE,
            "assistant: Sure.",
            "user: By the way, do you know any brands of rain boots?",
            "assistant: Sure.",
            "user: I plan to write invitations soon. Can you suggest words for invitations to a choir party?",
        ],
        "User plans to write invitations soon. (In a conversation about words for invitations to a choir"
        " party.)",
    ),
    (
        [
            BIKE,
            "assistant: Sure.",
            "user: What locks are cheap?",
            "assistant: Any.",
            "user: My starting point is 123 Oak Street.",
        ],
        f"User's starting point is 123 Oak Street. {ABOUT_THE_BIKE}",
    ),
    (
        [
            BIKE,
            "assistant: Sure.",
            "user: Any tips on oiling a chain?",
            "assistant: Oil.",
            "user: I rode 12 miles on Sunday.",
        ],
        "User rode 12 miles on 7 January 2024. (In a conversation about buying a new bike to commute to work,"
        " and about oiling a chain.)",
    ),
    (
        [
            BIKE,
            "assistant: Sure.",
            "user: I'd like to compare prices for a 4-night trip to Rome. I'm flexible with my dates.",
        ],
        "User is flexible with their dates. (In a conversation about prices for a 4-night trip to Rome.)",
    ),
    (
        ["user: Hello!", "assistant: Hi.", "user: My starting point is 123 Oak Street."],
        "User's starting point is 123 Oak Street.",
    ),
]


@pytest.mark.parametrize(("said", "told"), TOLD)
def test_what_an_assistant_was_asked_about_stands_behind_what_does_not_name_it(
    said: list[str], told: str
) -> None:
    assert told in told_to_assistant(*said)[0]


def test_what_the_assistant_was_asked_is_cited_beside_the_words() -> None:
    buffer = to_assistant(BIKE, "assistant: Sure.", "user: My starting point is 123 Oak Street.")
    extraction, _ = LanguageExtractor().extract([buffer])[0]
    fact = next(one for one in extraction.facts if "Oak" in one.text)
    said = {message.id: message.text for message in buffer.messages}
    words = [[said[one.message_id][one.start : one.end] for one in of] for of in (fact.sources, fact.told_in)]
    assert words == [
        ["My starting point is 123 Oak Street."],
        ["I'm thinking of buying a new bike to commute to work."],
    ]


def test_long_after_it_began_a_conversation_may_be_about_something_else() -> None:
    between = [
        line for n in range(MOST_ON_IT // 2) for line in ("assistant: Sure.", f"user: I own boat {n + 1}.")
    ]
    told, _ = told_to_assistant(
        BIKE, *between, "assistant: Sure.", "user: My starting point is 123 Oak Street."
    )
    assert "User's starting point is 123 Oak Street." in told


def test_a_buffer_that_goes_on_with_a_conversation_knows_how_it_began() -> None:
    whole = to_assistant(
        BIKE,
        "assistant: Sure.",
        "user: Thanks!",
        "assistant: Sure.",
        "user: My starting point is 123 Oak Street.",
    )
    rest = replace(whole, messages=whole.messages[-1:], before=whole.messages[-3:-1])
    told = [
        [fact.text for fact in LanguageExtractor().extract([buffer])[0][0].facts]
        for buffer in (rest, replace(rest, opening=whole.messages[0]))
    ]
    bare = "User's starting point is 123 Oak Street."
    assert told == [[bare], [f"{bare} {ABOUT_THE_BIKE}"]]


def test_a_text_that_is_to_be_corrected_says_nothing_of_what_its_sender_asks() -> None:
    told, _ = told_to_assistant(
        "user: Proofread this letter:\nI'm planning to sell my wooden boat in Oslo.",
        "assistant: Done.",
        "user: My starting point is 123 Oak Street.",
    )
    assert told == ["User's starting point is 123 Oak Street."]


def test_what_was_asked_last_is_known_from_the_messages_before_a_buffer() -> None:
    whole = to_assistant(
        BIKE,
        "assistant: Sure.",
        "user: Any tips on oiling a chain?",
        "assistant: Oil.",
        "user: My starting point is 123 Oak Street.",
    )
    rest = replace(whole, messages=whole.messages[-1:], before=whole.messages[-3:-1])
    extraction, _ = LanguageExtractor().extract([rest])[0]
    assert [fact.text for fact in extraction.facts] == [
        "User's starting point is 123 Oak Street. (In a conversation about oiling a chain.)"
    ]


def test_words_like_the_note_are_the_speakers_own() -> None:
    told, _ = told_to_assistant("user: I have 4 boats (In a conversation about having sold them all.)")
    assert all(not note_of(one) for one in told)
