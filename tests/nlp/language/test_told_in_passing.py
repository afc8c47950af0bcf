"""What people tell an assistant beside what they ask: within a question, of things at home, of a choice.

Every row is (a message to an assistant, what is remembered of it); said on Friday 12 January 2024.
"""

from __future__ import annotations

import pytest

from tests.nlp.language.test_named import told

pytestmark = pytest.mark.models

IN_A_QUESTION = [
    (
        "How do I freeze the bean stew I cooked on Sunday?",
        'On 12 January 2024 user said to assistant: "How do I freeze the bean stew I cooked on Sunday?"',
    ),
    (
        "Can you list what is in my locker, including a watch my uncle gave me?",
        'user said to assistant: "Can you list what is in my locker, including a watch my uncle gave me?"',
    ),
    (
        "Which strap would you suggest for the Lumix G9 that I bought last month?",
        "On 12 January 2024 user said to assistant:"
        ' "Which strap would you suggest for the Lumix G9 that I bought last month?"',
    ),
    (
        "Do you know any pedals that fit my Brompton C Line?",
        'user said to assistant: "Do you know any pedals that fit my Brompton C Line?"',
    ),
    (
        "Can you tell me more about nettle tea, which I drank last week before a match?",
        "On 12 January 2024 user said to assistant:"
        ' "Can you tell me more about nettle tea, which I drank last week before a match?"',
    ),
    (
        "Do you think a small car would suit me, considering I live alone and drive little?",
        "User lives alone and drives little.",
    ),
    (
        "Do you have tips on when to post, especially since my readers are in Chile and Peru?",
        "User's readers are in Chile and Peru.",
    ),
    (
        "Could I meet more players through Ines, my teacher at the chess school in Hull?",
        "Ines is user's teacher at the chess school in Hull."
        " (In a conversation about meeting more players through Ines.)",
    ),
]

KEPT = [
    ("I'm training to work in IT at a bank in Leeds.", "User is training to work in IT at a bank in Leeds."),
    (
        "I've been giving salt baths to help Mr. Bubbles recover from his fin rot.",
        "User has been giving salt baths to help Mr. Bubbles recover from his fin rot.",
    ),
    (
        "I replaced the ceiling light in the hallway last week because it hummed.",
        "User replaced the ceiling light in the hallway in the week of 1 January 2024 because it hummed.",
    ),
    ("I changed the bulb in my desk lamp in May.", "User changed the bulb in their desk lamp in May 2023."),
    (
        "I picked up a few issues of Tintin at the comic shop downtown.",
        "User picked up a few issues of Tintin at the comic shop downtown.",
    ),
    (
        "I plan a photo of my van with Ben Nevis in the background, now that I have new tyres.",
        "As of 12 January 2024, user plans a photo of their van with Ben Nevis in the background,"
        " now that user has new tyres.",
    ),
    (
        "I've been inspired by some of the sailing and rowing podcasts I've been listening to.",
        "User has been inspired by some of the sailing and rowing podcasts user has been listening to.",
    ),
    (
        "I think I'll go with the Logitech Brio since it's cheap.",
        "User thinks they will go with the Logitech Brio since it's cheap.",
    ),
    (
        "I'll need to gather papers, including my diploma, which I think is in a box at my parents' house.",
        "User will need to gather papers, including user's diploma, which they think is in a box at their"
        " parents' house.",
    ),
    (
        "I'm also curious about the value of my 1913 Ford badge.",
        "User is also curious about the value of their 1913 Ford badge.",
    ),
    (
        "I'm looking forward to reading The Twelve Chairs of Odessa.",
        "User is looking forward to reading The Twelve Chairs of Odessa.",
    ),
    (
        "For my tea break, I usually take it around 4 pm.",
        "For user's tea break, they usually take it around 4 pm.",
    ),
    (
        "I've read some of these novels already, including The Sea and The Bell.",
        "User has read some novels already, including The Sea and The Bell.",
    ),
    (
        "I had just bought a hat from Zara and wore it to dinner.",
        "User had just bought a hat from Zara and wore it to dinner.",
    ),
]

KEPT_IN_PART = [
    ("I've already ordered a pet camera, but thanks for the tips!", "User has already ordered a pet camera."),
    (
        "I got back from a match at Elland Road last month when they beat Derby, and it was loud!",
        "User got back from a match at Elland Road in December 2023.",
    ),
    (
        "I do judo on Monday evenings, so I'm hoping that's not the reason.",
        "User does judo on Monday evenings.",
    ),
    (
        "I was thinking, since my cousin is moving to Peru, it would be fun to add some llamas to the show.",
        "User's cousin is moving to Peru.",
    ),
    (
        "I think the map theme is best, since Ada and I had a good time at the zoo in Leeds two weeks ago.",
        "Ada and user had a good time at the zoo in Leeds in the week of 25 December 2023.",
    ),
    (
        "I'm a baker myself, been doing it for a while, and I'd love to learn more about the trade.",
        "User is a baker themselves.",
    ),
    (
        "I've been wanting to try that new map app, Komoot, which helps you find your way.",
        "User has been wanting to try the new map app, Komoot.",
    ),
]

QUOTED = [
    (
        "Can you tell me more about cork tiles? I've been thinking of getting some for my hallway.",
        'user said to assistant: "Can you tell me more about cork tiles?'
        ' I have been thinking of getting some for my hallway."',
    ),
    (
        "Nice. Do you know any flasks that hold a litre? I've been seeking one since I lost mine in Oslo.",
        'user said to assistant: "Do you know any flasks that hold a litre?'
        ' I have been seeking one since I lost mine in Oslo."',
    ),
    (
        "Are old stamps worth anything? I remember buying 5 of them at a fair in Ghent last month.",
        'On 12 January 2024 user said to assistant: "Are old stamps worth anything?'
        ' I remember buying 5 of them at a fair in Ghent last month."',
    ),
]

NOTHING = [
    "Can you continue the story we began?",
    "Can you add the two items I forgot?",
    "How can I improve my French?",
    "If I sold the house I bought in 2010, how much tax would I pay?",
    "What is the speed, considering we have a mass of 3 kg?",
    "For my trip, I booked it with Zephyr.",
    "I visited that place in my dream last night.",
    "Can you tell me about Paris, my dream city?",
    "Can you help with the code I wrote?",
    "Is there a way to add several films at once, or do I need to add them one by one?",
    "How do I keep my readers interested?",
    "Can you plan my Saturday?",
    "How do I grow my Instagram?",
    "Is there a way to improve this? I want to use it for my essay.",
    "What are good stretches? I'm planning to do them with my sister.",
    "I'll go with Option 2.",
    "I'm also curious about the helmet's weight.",
    "I'm over IT.",
]


@pytest.mark.parametrize(("said", "kept"), IN_A_QUESTION)
def test_what_a_question_tells_of_its_speaker_is_kept(said, kept):
    assert told(f"user: {said}")[0] == [kept]


@pytest.mark.parametrize(("said", "kept"), KEPT)
def test_what_everybody_has_or_a_name_tells_needs_no_other_words(said, kept):
    assert told(f"user: {said}")[0] == [kept]


@pytest.mark.parametrize(("said", "kept"), KEPT_IN_PART)
def test_what_follows_on_something_else_leaves_the_part_before_it(said, kept):
    assert told(f"user: {said}")[0] == [kept]


@pytest.mark.parametrize(("said", "kept"), QUOTED)
def test_what_is_wanted_of_the_things_asked_about_is_told_with_the_question(said, kept):
    assert told(f"user: {said}")[0] == [kept]


@pytest.mark.parametrize("said", NOTHING)
def test_what_tells_nothing_of_its_speaker_makes_no_fact(said):
    assert told(f"user: {said}")[0] == []
